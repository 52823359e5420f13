"""The loop through both providers' real packages: the same conversation leaves the same graph, and errors are told."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from engram.errors import (
    EngramError,
    LanguageModelBusyError,
    LanguageModelDownError,
    LanguageModelGarbledError,
    LanguageModelRefusedError,
    LanguageModelTooLongError,
)
from engram.llm import Models
from engram.llm.anthropic import AnthropicModel
from engram.llm.gemini import GeminiModel
from engram.loop.agent import Agent
from engram.loop.events import Event, Failed, Replied, Revising, Stored
from engram.memory import Engram
from engram.testing import FixedClock
from tests.graph.beside import another, everything, run
from tests.protocol.llm_server import Answer, Call, ModelServer, Provider

pytestmark = pytest.mark.graph

PROVIDERS: tuple[Provider, ...] = ("gemini", "anthropic")
MODELS = {"gemini": GeminiModel, "anthropic": AnthropicModel}
RETRIES = 2
STORY = (
    "The tram was late again, the rain fell, nobody had a ticket, and the inspector only laughed about it. "
    * 3
)
SHORT_FORM = "A late tram in the rain, without a ticket"
TALK: tuple[tuple[str, tuple[Answer, ...]], ...] = (
    ("My dog Rex eats carrots and he is eleven years old.", (Answer(deltas=["What a ", "dog ", "Rex is."]),)),
    (STORY.strip(), (Answer(deltas=["That was ", "a wet day."]),)),
    (
        "Which of the two trams should I take tomorrow?",
        (
            Answer(
                deltas=["Let me think about it."],
                calls=[
                    Call(
                        name="deliberate", arguments={"question": "Which tram is drier?", "why": "two trams"}
                    )
                ],
                signature="sig-1",
            ),
            Answer(deltas=["Take the ", "second tram, it has a roof."]),
        ),
    ),
    (
        "Where was my aunt born?",
        (
            Answer(deltas=["Maybe, perhaps, I think it might possibly have been Porto?"]),
            Answer(deltas=["You have not ", "told me where she was born."]),
        ),
    ),
    (
        "My dog Rex does not eat carrots and he is eleven years old.",
        (Answer(deltas=["So he has ", "changed."]),),
    ),
    ("Delete all of my backups for good.", (Answer(deltas=["Only after you have ", "looked at them."]),)),
    ("Thank you, that will do for today.", (Answer(deltas=["Good ", "night."]),)),
)
"""What the person says, and how System 1 answers each time that it is asked."""
SHAPED = Answer(
    deltas=[
        json.dumps(
            {
                "confidence": 0.4,
                "notes": [{"note": 1, "line": SHORT_FORM}],
                "pairs": [{"pair": 1, "contradicts": True}],
                "answer": "The second one, because it has a roof.",
                "explanation": "It rains.",
                "correction": {
                    "trigger": "a choice of trams",
                    "error_type": "no weather",
                    "original_reasoning": "it did not think of the rain",
                    "correction": "think of the rain",
                },
            }
        )
    ]
)
"""One answer for every question that asks for a shape."""


@dataclass(frozen=True, slots=True)
class Line:
    """Models behind a real package, and the server that they talk to."""

    models: Models
    server: ModelServer


@contextmanager
def connected(provider: Provider, *answers: Answer, timeout: float = 20.0) -> Iterator[Line]:
    """Serve answers in that order, and give all three models."""
    with ModelServer.running(provider, *answers) as server:
        server.shaped = SHAPED

        def model() -> Any:
            return MODELS[provider](
                model="a-model",
                key="key",
                base_url=server.url,
                timeout=timeout,
                retries=RETRIES,
                sleep=lambda _: None,
            )

        models = Models(system1=model(), system2=model(), quiet=model())
        yield Line(models, server)
        models.close()


def converse(provider: Provider, memory: Engram, clock: FixedClock) -> list[list[Event]]:
    """Hold the conversation, each step of it done before the next, and return what happened at each message."""
    happened = []
    answers = [answer for _, several in TALK for answer in several]
    with (
        connected(provider, *answers) as line,
        Agent(
            memory, line.models, session="talk", run="run", clock=clock, generator=np.random.default_rng(11)
        ) as agent,
    ):
        for text, _ in TALK:
            clock.advance(timedelta(minutes=1))
            happened.append(list(agent.say(text)))
            agent.flush()
            memory.flush()
        assert line.server.served == len(answers)
    return happened


def test_both_providers_leave_the_same_graph(memory: Engram, clock: FixedClock) -> None:
    """Streaming, a tool call, a self-correction, a gate call and an escalation come to the same in either protocol."""
    began = clock.now
    left = {}
    for provider in PROVIDERS:
        clock.now = began
        space = another(memory, clock)
        happened = converse(provider, space, clock)
        left[provider] = graph_of(space)
        revised = [[event.by for event in events if isinstance(event, Revising)] for events in happened]
        assert revised == [[], [], ["system2"], ["self"], [], ["system2"], []]
        assert not [event for events in happened for event in events if isinstance(event, Failed)]
    assert left["gemini"] == left["anthropic"]
    # And it is no empty one: each part of the conversation left its mark.
    gemini = left["gemini"]
    assert "IN_TENSION_WITH" in {kind for kind, _, _ in gemini["links"]}
    assert len(gemini["corrections"]) == 1
    assert SHORT_FORM in {each["compressed"] for each in gemini["memories"]}
    assert {"reply", "deliberate", "confidence", "gate"} == {each["purpose"] for each in gemini["calls"]}


LINKS = {"IN_TENSION_WITH", "DERIVED_FROM", "FOLLOWS", "ANSWERS", "HEARD_AS", "REINFORCES"}


def graph_of(memory: Engram) -> dict[str, Any]:
    """Return what a space holds, apart from ids, and from how long things took."""
    nodes, relationships = everything(memory)
    names = {
        node["id"]: node["properties"].get("content") or node["properties"].get("text") for node in nodes
    }

    def of(label: str, *keys: str) -> list[dict[str, Any]]:
        rows = [
            {key: unnamed(node["properties"].get(key)) for key in keys}
            for node in nodes
            if label in node["labels"]
        ]
        return sorted(rows, key=repr)

    return {
        "memories": of(
            "Memory",
            "content",
            "compressed",
            "kind",
            "tier",
            "importance",
            "speaker",
            "event_at",
            "source",
            "source_tag",
            "seen_count",
        ),
        "turns": of("Turn", "text", "speaker", "at", "source"),
        "scratch": of(
            "ScratchEntry", "text", "turn", "state", "action", "reason", "novelty", "looked", "signals"
        ),
        "corrections": of("Correction", "content", "category", "source"),
        "calls": of(
            "LlmCall", "purpose", "outcome", "tries", "model", "input_tokens", "output_tokens", "background"
        ),
        "links": sorted(
            # Some of them have no direction of their own, and go from the lower id to the higher.
            (each["type"], *sorted([str(names.get(each["start"])), str(names.get(each["end"]))]))
            for each in relationships
            if each["type"] in LINKS
        ),
    }


def unnamed(value: Any) -> Any:
    """Return a value without the beginnings of ids that it names."""
    return re.sub(r"\b[0-9a-f]{8}\b", "ID", value) if isinstance(value, str) else value


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """How a server fails, and what the person is told."""

    name: str
    answer: Answer
    error: type[EngramError]
    tries: int
    """Requests that it takes."""
    partial: str = ""
    """What of the reply came through, and is kept."""


BUSY = {"retry-after": "1"}
TROUBLES = (
    Trouble(
        name="401", answer=Answer(status=401, message="bad\nkey"), error=LanguageModelRefusedError, tries=1
    ),
    Trouble(name="403", answer=Answer(status=403), error=LanguageModelRefusedError, tries=1),
    Trouble(name="408", answer=Answer(status=408), error=LanguageModelDownError, tries=1 + RETRIES),
    Trouble(name="413", answer=Answer(status=413), error=LanguageModelTooLongError, tries=1),
    Trouble(
        name="429", answer=Answer(status=429, headers=BUSY), error=LanguageModelBusyError, tries=1 + RETRIES
    ),
    Trouble(name="500", answer=Answer(status=500), error=LanguageModelDownError, tries=1 + RETRIES),
    Trouble(name="529", answer=Answer(status=529), error=LanguageModelBusyError, tries=1 + RETRIES),
    Trouble(
        name="dropped", answer=Answer(deltas=(), then="drop"), error=LanguageModelDownError, tries=1 + RETRIES
    ),
    Trouble(
        name="cut",
        answer=Answer(deltas=["Half a "], then="cut"),
        error=LanguageModelGarbledError,
        tries=1,
        partial="Half a",
    ),
    Trouble(
        name="garbage",
        answer=Answer(deltas=["Half a "], then="garbage"),
        error=LanguageModelGarbledError,
        tries=1,
        partial="Half a",
    ),
    Trouble(
        name="gave up",
        answer=Answer(deltas=["Half a "], then="error", message="we\nare sorry"),
        error=LanguageModelDownError,
        tries=1,
        partial="Half a",
    ),
    Trouble(
        name="stalled",
        answer=Answer(deltas=["Half a "], then="stall"),
        error=LanguageModelDownError,
        tries=1,
        partial="Half a",
    ),
)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_every_error_is_one_line_and_the_talk_goes_on(
    memory: Engram, clock: FixedClock, provider: Provider
) -> None:
    """A provider's failure is one event, costs no turn, counts its tries, and the next message is answered."""
    for number, trouble in enumerate(TROUBLES):
        # Another conversation each, so that none is resumed with what the one before left.
        clock.advance(timedelta(minutes=1))
        answers = [trouble.answer] * trouble.tries + [Answer(deltas=["Back ", "again."])]
        with (
            connected(provider, *answers, timeout=0.5) as line,
            Agent(memory, Models(system1=line.models.system1), session=trouble.name, clock=clock) as agent,
        ):
            failed = list(agent.say(f"This is message {number} of the day"))
            again = list(agent.say("Hello, are you there again?"))
        (failure,) = (event for event in failed if isinstance(event, Failed))
        assert (failure.doing, type(failure.error)) == ("reply", trouble.error), trouble.name
        assert "\n" not in failure.error.message
        assert [event.role for event in failed if isinstance(event, Stored)] == ["user"] + [
            "assistant"
        ] * bool(trouble.partial)
        assert not [event for event in again if isinstance(event, Failed)]
        assert [event.text for event in again if isinstance(event, Replied)] == ["Back again."]
        kept = [each for each in run(memory, "loop_read_turns") if each["session"] == trouble.name]
        partial = [(trouble.partial, "chat:interrupted")] if trouble.partial else []
        assert [(each["text"], each["source"]) for each in kept] == [
            (f"This is message {number} of the day", "chat"),
            *partial,
            ("Hello, are you there again?", "chat"),
            ("Back again.", "chat"),
        ]
        calls = [
            call for call in run(memory, "read_llm_calls")[0]["calls"] if call["session"] == trouble.name
        ]
        assert sorted(call["tries"] for call in calls) == [1, trouble.tries]
        assert sum(call["outcome"] == "ok" for call in calls) == 1
        assert [call["error"] for call in calls if call["outcome"] != "ok"] != [None]
        (cost,) = agent.ledger.summary("purpose", session=trouble.name)
        assert (cost.key, cost.calls, cost.retries, cost.failed) == ("reply", 2, trouble.tries - 1, 1)
