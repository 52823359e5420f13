"""Both providers through their real packages, against a server on loopback, held to the same rules."""

import itertools

import pytest

from engram.config import Settings
from engram.errors import (
    LanguageModelBusyError,
    LanguageModelDownError,
    LanguageModelError,
    LanguageModelGarbledError,
    LanguageModelMissingError,
    LanguageModelRefusedError,
    LanguageModelTooLongError,
)
from engram.llm import Usage, open_model
from tests.protocol.llm_bench import CONVERSATION, bench
from tests.protocol.llm_server import Answer, ModelServer, Provider

pytestmark = pytest.mark.parametrize("provider", ["gemini", "anthropic"])


def test_text_streams_in_the_servers_pieces(provider: Provider) -> None:
    """The deltas arrive as they were sent, and usage and the reason for the end are known afterwards."""
    with bench(provider, Answer(deltas=["Lis", "bon is ", "söß 🌞"], usage=(42, 5))) as b:
        stream = b.ask()
        assert list(stream) == ["Lis", "bon is ", "söß 🌞"]
        assert stream.text == "Lisbon is söß 🌞"
        assert stream.stop_reason == "end"
        assert stream.usage == Usage(input_tokens=42, output_tokens=5)


def test_the_server_is_told_the_same_conversation(provider: Provider) -> None:
    """System text, roles, texts and the token limit reach either provider's server unchanged."""
    with bench(provider) as b:
        list(b.ask())
        (request,) = b.server.requests
    assert request.system == "Be brief."
    assert request.messages == [(m.role, m.text) for m in CONVERSATION]
    assert request.max_tokens == 99


def test_a_server_of_ones_own_needs_no_key(provider: Provider) -> None:
    """With an address and no key, a placeholder is sent rather than nothing or a real key."""
    with bench(provider) as b:
        list(b.ask())
        assert b.server.requests[0].key == "no-key"


def test_the_key_is_sent(provider: Provider) -> None:
    """A key that is set is the one the server gets."""
    with bench(provider, key="secret-1") as b:
        list(b.ask())
        assert b.server.requests[0].key == "secret-1"


def test_the_first_word_does_not_wait_for_the_last(provider: Provider) -> None:
    """A delta is given out while the server still holds back the next."""
    with bench(provider, Answer(deltas=["first", " last"], pause=True)) as b:
        stream = b.ask()
        assert next(stream) == "first"
        b.server.proceed.set()
        assert list(stream) == [" last"]


@pytest.mark.parametrize("status", [401, 403])
def test_a_wrong_key_is_refused_at_once(provider: Provider, status: int) -> None:
    """401 and 403 name the key, carry the provider's words, and are not tried again."""
    with bench(provider, Answer(status=status, message="bad key")) as b:
        _, error = b.fail()
        assert isinstance(error, LanguageModelRefusedError)
        assert "bad key" in str(error)
        assert len(b.server.requests) == 1
        assert b.waits == []


@pytest.mark.parametrize("status", [429, 529])
def test_a_busy_model_is_asked_again_when_it_says_so(provider: Provider, status: int) -> None:
    """The wait is what the server asked for, spread a little upwards, and the answer then comes through."""
    busy = Answer(status=status, headers={"retry-after": "4"})
    with bench(provider, busy, Answer(deltas=["Hi"])) as b:
        assert list(b.ask()) == ["Hi"]
        assert b.waits == [pytest.approx(4.5)]
        assert len(b.notices) == 1


@pytest.mark.parametrize("status", [429, 529])
def test_a_model_that_stays_busy_is_given_up(provider: Provider, status: int) -> None:
    """After the set number of further tries the error says how long the provider wants to be left alone."""
    with bench(provider, Answer(status=status, headers={"retry-after": "2"}), llm_retries=3) as b:
        _, error = b.fail()
        assert isinstance(error, LanguageModelBusyError)
        assert error.retry_after == 2.0
        assert len(b.server.requests) == 4


def test_a_long_wait_is_not_sat_out(provider: Provider) -> None:
    """A provider that asks for more than half a minute is not asked again; the person is told."""
    with bench(provider, Answer(status=429, headers={"retry-after": "3600"})) as b:
        _, error = b.fail()
        assert isinstance(error, LanguageModelBusyError)
        assert "3600 s" in str(error)
        assert len(b.server.requests) == 1


@pytest.mark.parametrize("status", [500, 502, 503])
def test_a_failing_server_is_asked_again(provider: Provider, status: int) -> None:
    """Server errors are tried again with growing waits, then reported as the model being down."""
    with bench(provider, Answer(status=status), llm_retries=2) as b:
        _, error = b.fail()
        assert isinstance(error, LanguageModelDownError)
        assert str(status) in str(error)
        assert b.waits == [0.5, 1.0]
        assert len(b.server.requests) == 3


def test_the_packages_do_not_retry_behind_our_back(provider: Provider) -> None:
    """With no retries set, one failing answer is one request."""
    with bench(provider, Answer(status=503), llm_retries=0) as b:
        b.fail()
        assert len(b.server.requests) == 1


def test_an_unknown_model_is_named(provider: Provider) -> None:
    """404 names the model that does not exist and how to choose another."""
    with bench(provider, Answer(status=404, message="no such model")) as b:
        _, error = b.fail()
        assert isinstance(error, LanguageModelMissingError)
        assert b.model.name in str(error)
        assert "--model" in str(error)


def test_a_bad_request_carries_the_providers_words(provider: Provider) -> None:
    """Any other refusal is a language model error with the server's explanation on one line."""
    with bench(provider, Answer(status=400, message="too\nlong\x1b[31m")) as b:
        _, error = b.fail()
        assert type(error) is LanguageModelError
        assert "too long [31m" in str(error)


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (413, "request too large"),
        (400, "prompt is too long: 210000 tokens > 200000 maximum"),
        (400, "The input token count (1050000) exceeds the maximum number of tokens allowed (1048575)."),
    ],
)
def test_too_much_text_is_told_apart(provider: Provider, status: int, said: str) -> None:
    """A conversation that does not fit is an error of its own, once, and says which setting bears on it."""
    with bench(provider, Answer(status=status, message=said)) as b:
        _, error = b.fail()
        assert isinstance(error, LanguageModelTooLongError)
        assert "ENGRAM_CONTEXT_TOKENS" in str(error)
        assert len(b.server.requests) == 1


def test_a_request_timeout_is_asked_again(provider: Provider) -> None:
    """408 is the server's failure: it is tried again, and every request is counted."""
    with bench(provider, Answer(status=408), Answer(deltas=["Hi"])) as b:
        stream = b.ask()
        assert stream.tries == 0
        assert list(stream) == ["Hi"]
        assert stream.tries == len(b.server.requests) == 2


def test_the_tries_of_a_failed_answer_are_known(provider: Provider) -> None:
    """An answer that never came says how many requests that took."""
    with bench(provider, Answer(status=503), llm_retries=2) as b:
        stream = b.ask()
        with pytest.raises(LanguageModelDownError):
            list(stream)
        assert stream.tries == 3


@pytest.mark.parametrize("status", [400, 401, 403, 404, 408, 413, 429, 500, 529])
def test_every_refusal_is_one_short_line(provider: Provider, status: int) -> None:
    """Whatever a server says, a person reads one line that names the status; the status stays with the error."""
    with bench(provider, Answer(status=status, message="so\nmuch " * 500), llm_retries=0) as b:
        _, error = b.fail()
        assert isinstance(error, LanguageModelError)
        assert error.status == status
        assert "\n" not in str(error)
        assert len(str(error)) < 600


def test_nesting_without_end_is_garbled(provider: Provider) -> None:
    """An event that is nested too deeply to read is an answer that nobody understands."""
    deep = 'data: {"type": "message_start", "x": ' + "[" * 100_000 + "]" * 100_000 + "}\n\n"
    with bench(provider, Answer(body=deep, headers={"content-type": "text/event-stream"})) as b:
        _, error = b.fail()
        assert isinstance(error, LanguageModelGarbledError)


def test_an_html_error_page_is_not_shown(provider: Provider) -> None:
    """A proxy's error page is reported by its status, not by its markup."""
    with bench(provider, Answer(status=502, body="<html><h1>Bad gateway</h1></html>"), llm_retries=0) as b:
        _, error = b.fail()
        assert isinstance(error, LanguageModelDownError)
        assert "<" not in str(error)


@pytest.mark.parametrize("then", ["cut", "garbage"])
def test_a_broken_stream_keeps_its_text(provider: Provider, then: str) -> None:
    """A stream cut in the middle of an event, or with a malformed one, is garbled; what came is kept."""
    with bench(provider, Answer(deltas=["One ", "two"], then=then)) as b:  # type: ignore[arg-type]
        text, error = b.fail()
        assert isinstance(error, LanguageModelGarbledError)
        assert text == "One two"
        assert len(b.server.requests) == 1


def test_a_stream_that_never_says_it_is_complete_is_cut(provider: Provider) -> None:
    """An orderly end of the connection without the protocol's own end is a cut-off answer."""
    with bench(provider, Answer(deltas=["One ", "two"], end="none")) as b:
        text, error = b.fail()
        assert isinstance(error, LanguageModelGarbledError)
        assert text == "One two"
        assert "cut off" in str(error)


@pytest.mark.parametrize("body", ["complete nonsense", "", '{"x": 1}', "data: {}\n\n", "data: [1, 2]\n\n"])
def test_a_body_that_is_no_answer_is_garbled(provider: Provider, body: str) -> None:
    """Whatever a server sends with status 200, the outcome is a typed error, never a silent empty answer."""
    with bench(provider, Answer(body=body, headers={"content-type": "text/event-stream"})) as b:
        text, error = b.fail()
        assert isinstance(error, LanguageModelGarbledError)
        assert text == ""


def test_an_error_inside_the_stream_is_typed(provider: Provider) -> None:
    """A provider that gives up half-way is down, its words are passed on, and no second answer follows."""
    with bench(provider, Answer(deltas=["One"], then="error", message="internal trouble")) as b:
        text, error = b.fail()
        assert isinstance(error, LanguageModelDownError)
        assert "internal trouble" in str(error)
        assert text == "One"
        assert len(b.server.requests) == 1


def test_a_stall_is_given_up(provider: Provider) -> None:
    """A server that falls silent after the first words is given up; the words are kept and not repeated."""
    with bench(provider, Answer(deltas=["One"], then="stall"), llm_timeout=0.2) as b:
        text, error = b.fail()
        assert isinstance(error, LanguageModelDownError)
        assert "said nothing for 0.2 seconds" in str(error)
        assert text == "One"
        assert len(b.server.requests) == 1


def test_silence_before_the_first_word_is_tried_again(provider: Provider) -> None:
    """A server that never begins is asked again, since nothing was shown yet."""
    silent = Answer(deltas=[], then="stall")
    with bench(provider, silent, Answer(deltas=["Hi"]), llm_timeout=0.2) as b:
        assert list(b.ask()) == ["Hi"]
        assert len(b.waits) == 1


def test_a_dropped_connection_is_tried_again(provider: Provider) -> None:
    """A connection that closes before any answer is tried again."""
    with bench(provider, Answer(deltas=[], then="drop"), Answer(deltas=["Hi"])) as b:
        assert list(b.ask()) == ["Hi"]
        assert len(b.server.requests) == 2


def test_nobody_at_the_address(provider: Provider) -> None:
    """An address where nothing listens is named in the error."""
    with ModelServer.running(provider) as server:
        url = server.url
    overrides = {"llm": provider, f"{provider}_base_url": url, f"{provider}_model": "m", "llm_retries": 1}
    settings = Settings.load(**overrides)
    waits: list[float] = []
    model = open_model(settings, sleep=waits.append)
    assert model is not None
    with pytest.raises(LanguageModelDownError, match=url):
        list(model.stream("", CONVERSATION, max_tokens=9))
    assert len(waits) == 1
    model.close()


def test_an_empty_answer_is_garbled(provider: Provider) -> None:
    """An answer that is complete and says nothing is an error, not a blank line."""
    with bench(provider, Answer(deltas=[])) as b:
        _, error = b.fail()
        assert isinstance(error, LanguageModelGarbledError)
        assert "empty" in str(error)


def test_tokens_used_up_before_the_first_word(provider: Provider) -> None:
    """Where thinking ate the whole allowance, the error names the setting that raises it."""
    with bench(provider, Answer(deltas=[], end="length")) as b:
        _, error = b.fail()
        assert "ENGRAM_LLM_MAX_TOKENS" in str(error)


def test_an_answer_at_the_token_limit_is_an_answer(provider: Provider) -> None:
    """A reply that reached its limit is given out; the reason says that it is not whole."""
    with bench(provider, Answer(deltas=["One two"], end="length")) as b:
        stream = b.ask()
        assert list(stream) == ["One two"]
        assert stream.stop_reason == "length"


@pytest.mark.parametrize("deltas", [[], ["Well, "]])
def test_a_withheld_answer_says_so(provider: Provider, deltas: list[str]) -> None:
    """An answer that the provider keeps back names the reason, with or without words before it."""
    with bench(provider, Answer(deltas=deltas, end="withheld")) as b:
        text, error = b.fail()
        assert "withheld its answer (" in str(error)
        assert text == "".join(deltas)


def test_a_reply_can_be_left_and_the_next_one_asked(provider: Provider) -> None:
    """Closing a stream half-way gives the connection up and leaves the model usable."""
    with bench(provider, Answer(deltas=["One", " two"], then="stall"), Answer(deltas=["Hi"])) as b:
        with b.ask() as stream:
            assert next(stream) == "One"
        assert list(b.ask()) == ["Hi"]


def test_a_long_conversation_uses_one_model(provider: Provider) -> None:
    """The same model answers many times, each answer with its own text."""
    with bench(provider, *[Answer(deltas=[f"answer {n}"]) for n in range(5)]) as b:
        texts = ["".join(b.ask()) for _ in range(5)]
        assert texts == [f"answer {n}" for n in range(5)]


def test_a_scripted_key_never_shows_in_an_error(provider: Provider) -> None:
    """No failure's text holds the key."""
    failures = [Answer(status=s, message="no") for s in (400, 401, 404, 429, 500)]
    failures += [Answer(then="cut"), Answer(body="x")]
    with bench(provider, *failures, llm_retries=0, key="sk-do-not-show") as b:
        for _ in itertools.repeat(None, len(failures)):
            _, error = b.fail()
            assert "sk-do-not-show" not in str(error)
