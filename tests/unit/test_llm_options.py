"""What is asked for beside the words (a shape, log probabilities, effort), and servers that will not have it."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from engram.errors import LanguageModelError
from engram.llm import Effort, Message, ToolCall
from tests.protocol.llm_bench import bench
from tests.protocol.llm_server import Answer, Call, Provider

both = pytest.mark.parametrize("provider", ["gemini", "anthropic"])


class Verdict(BaseModel):
    """A judgement."""

    sure: float
    why: str = ""


OPTION = {"gemini": "responseJsonSchema", "anthropic": "format"}
"""What each provider calls the shape of an answer."""


@both
def test_a_shape_is_sent_as_json_schema(provider: Provider) -> None:
    """The server is told the shape in its own way, and nothing where none is wanted."""
    with bench(provider, Answer(deltas=['{"sure": 1}'])) as b:
        list(b.ask(shape=Verdict))
        list(b.ask())
    shaped, plain = b.server.requests
    assert shaped.shape is not None
    assert shaped.shape["required"] == ["sure"]
    assert plain.shape is None
    assert plain.system == "Be brief."


@both
def test_a_server_of_ones_own_is_told_the_shape_in_words_too(provider: Provider) -> None:
    """A server that passes over what it does not know would answer in prose otherwise."""
    with bench(provider) as b:
        list(b.ask(shape=Verdict))
    system = b.server.requests[0].system
    assert system.startswith("Be brief.\n\n")
    assert '"sure"' in system


@both
@pytest.mark.parametrize("message", ["{option}: Extra inputs are not permitted", "Bad request."])
def test_a_refused_shape_is_asked_for_in_words(provider: Provider, message: str) -> None:
    """The question is asked once more without the option, and no later one tries it again."""
    name = "output_config.format" if provider == "anthropic" else "response_json_schema"
    refuses = {OPTION[provider]: message.format(option=name)}
    with bench(provider, Answer(deltas=['{"sure": 1}']), refuses=refuses) as b:
        first = b.ask(shape=Verdict)
        assert list(first) == ['{"sure": 1}']
        assert first.tries == 2
        second = b.ask(shape=Verdict)
        list(second)
        assert second.tries == 1
    assert [request.shape is None for request in b.server.requests] == [False, True, True]
    assert '"sure"' in b.server.requests[1].system
    assert b.waits == []
    assert b.notices == []


def test_a_shape_that_a_server_cannot_hold_is_asked_for_in_words() -> None:
    """Anthropic knows a part of JSON Schema; beyond that the option is not sent at all."""

    class Loose(BaseModel):
        anything: Any

    with bench("anthropic") as b:
        list(b.ask(shape=Loose))
    (request,) = b.server.requests
    assert request.shape is None
    assert '"anything"' in request.system


@both
def test_a_request_that_is_bad_anyway_leaves_no_trace(provider: Provider) -> None:
    """Where leaving the options out does not help either, they were not to blame and are sent again."""
    bad, good = Answer(status=400, message="no"), Answer(deltas=["{}"])
    with bench(provider, bad, bad, good) as b:
        with pytest.raises(LanguageModelError):
            list(b.ask(shape=Verdict))
        list(b.ask(shape=Verdict))
    assert [request.shape is None for request in b.server.requests] == [False, True, False]


@both
@pytest.mark.parametrize("effort", ["low", "high"])
def test_effort_is_told_to_models_that_know_it(provider: Provider, effort: Effort) -> None:
    """Newer generations hear how much to think; others are not told what they would refuse."""
    new, old = {
        "gemini": ("gemini-3.8-flash", "gemini-2.5-flash"),
        "anthropic": ("claude-sonnet-5-5", "claude-3"),
    }[provider]
    told = []
    for model in (new, old):
        with bench(provider, model=model) as b:
            list(b.ask(effort=effort))
            told.append(b.server.requests[0].effort)
    assert told == [effort, None]


@both
def test_refused_effort_is_left_out(provider: Provider) -> None:
    """A server that does not know effort answers without it, and keeps the shape."""
    model = {"gemini": "gemini-3-x", "anthropic": "claude-new-5"}[provider]
    option = {"gemini": "thinkingConfig", "anthropic": "effort"}[provider]
    refuses = {option: "Thinking effort is not supported."}
    with bench(provider, Answer(deltas=["{}"]), refuses=refuses, model=model) as b:
        list(b.ask(shape=Verdict))
    asked, answered = b.server.requests
    assert (asked.effort, answered.effort) == ("low", None)
    assert answered.shape is not None


def test_the_mean_log_probability_is_told() -> None:
    """It is the mean over all tokens of the answer, across its chunks."""
    with bench("gemini", Answer(deltas=["a", "b", "c"], logprobs=[-0.1, -0.2, -0.6])) as b:
        stream = b.ask()
        list(stream)
    assert stream.logprob == pytest.approx(-0.3)


@pytest.mark.parametrize(
    ("told", "read"), [(-0.25, -0.25), (0.0, 0.0), (0.5, None), (math.nan, None), (None, None)]
)
def test_an_average_will_do_if_it_makes_sense(told: float | None, read: float | None) -> None:
    """Where a server sends only the average, that is taken; what is no log probability is passed over."""
    with bench("gemini", Answer(avg_logprob=told)) as b:
        stream = b.ask()
        list(stream)
    assert stream.logprob == read


def test_refused_log_probabilities_are_done_without() -> None:
    """Most Gemini models refuse them: one more request, once in a model's life, and no answer is lost."""
    refuses = {"responseLogprobs": "Logprobs is not enabled for models/gemini-x"}
    with bench("gemini", Answer(deltas=["Hi"]), refuses=refuses) as b:
        streams = [b.ask(shape=Verdict), b.ask(shape=Verdict)]
        assert [list(stream) for stream in streams] == [["Hi"], ["Hi"]]
    assert [stream.tries for stream in streams] == [2, 1]
    assert [stream.logprob for stream in streams] == [None, None]
    assert all(request.shape is not None for request in b.server.requests)


def test_a_call_without_an_id_is_answered_without_one() -> None:
    """Gemini may leave the id out: each call still has its own name here, and it is not sent."""
    calls = [Call(name="a", id=None), Call(name="a", id=None)]
    with bench("gemini", Answer(deltas=[], calls=calls)) as b:
        stream = b.ask()
        list(stream)
    assert len({call.id for call in stream.calls}) == 2
    assert all(call.arguments == {} for call in stream.calls)


def test_a_call_that_gemini_could_not_write_is_garbled() -> None:
    """A malformed call is not an answer that was withheld."""
    with bench("gemini", Answer(deltas=[], end="malformed")) as b:
        _, error = b.fail()
    assert "MALFORMED_FUNCTION_CALL" in str(error)
    assert "Try again" in str(error)


@pytest.mark.parametrize("raw", ['{"query": "An', "[1]", "7", '{"a": 1} x', "[" * 50_000])
def test_broken_arguments_are_kept_as_text(raw: str) -> None:
    """A call whose arguments are no JSON object has none; what came stays readable, and can be sent back."""
    with bench("anthropic", Answer(deltas=[], calls=[Call(name="lookup", raw=raw)], end="length")) as b:
        stream = b.ask()
        list(stream)
        (call,) = stream.calls
        list(b.ask(person(), stream.message, person()))
    assert call.arguments is None
    assert call.raw == raw
    assert b.server.requests[1].body["messages"][1]["content"][0]["input"] == {}


def person() -> Message:
    """Return something a person says."""
    return Message(role="user", text="?")


@given(st.text())
def test_arguments_are_an_object_or_nothing(raw: str) -> None:
    """Reading a call never fails, whatever text stands for its arguments."""
    call = ToolCall.read(id="1", name="n", raw=raw)
    assert call.arguments is None or isinstance(call.arguments, dict)
    assert call.raw == raw
