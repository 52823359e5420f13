"""Which model the settings open, and what is said where none can be."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.config import Settings
from engram.errors import ConfigurationError, LanguageModelGarbledError, LanguageModelMissingError
from engram.llm import ChatModel, Message, Models, ToolCall, Usage, open_model, open_models
from engram.llm.failures import Server, message_in, one_line, status_error, transport_error
from engram.llm.retries import LONGEST_WAIT, read_retry_after, seconds_before
from engram.testing import ScriptedAnswer, ScriptedModel
from tests.protocol.llm_server import ModelServer


def settings(**values: object) -> Settings:
    """Return settings with only these values."""
    return Settings.load(**values)


def test_no_key_is_no_model() -> None:
    """With nothing set there is no model, and that is not an error."""
    assert open_model(settings()) is None


def test_none_is_none_even_with_a_key() -> None:
    """`llm = none` opens no model, whatever keys there are."""
    assert open_model(settings(llm="none", gemini_api_key="k")) is None


@pytest.mark.parametrize(
    ("given", "model"),
    [
        ({"gemini_api_key": "k", "gemini_model": "g"}, "g"),
        ({"anthropic_api_key": "k", "anthropic_model": "a"}, "a"),
        ({"anthropic_base_url": "http://127.0.0.1:1", "anthropic_model": "a"}, "a"),
        ({"gemini_api_key": "k", "gemini_model": "g", "anthropic_api_key": "k"}, "g"),
        ({"llm": "anthropic", "gemini_api_key": "k", "anthropic_api_key": "k", "anthropic_model": "a"}, "a"),
    ],
)
def test_auto_takes_what_is_ready(given: dict[str, str], model: str) -> None:
    """A key or an address makes a provider ready; Gemini goes first; a named provider is the one used."""
    opened = open_model(settings(**given))
    assert opened is not None
    assert opened.name == model


@pytest.mark.parametrize(("name", "kind"), [("claude-x", "AnthropicModel"), ("gemini-x", "GeminiModel")])
def test_a_models_name_tells_its_provider(name: str, kind: str) -> None:
    """With keys for both, `--model` picks the provider whose name it bears."""
    opened = open_model(settings(gemini_api_key="k", anthropic_api_key="k"), model=name)
    assert type(opened).__name__ == kind
    assert opened is not None
    assert opened.name == name


@pytest.mark.parametrize("provider", ["gemini", "anthropic"])
def test_a_named_provider_without_a_key_is_an_error(provider: str) -> None:
    """Naming a provider that cannot be used is not passed over in silence; the variable to set is named."""
    with pytest.raises(LanguageModelMissingError, match=f"ENGRAM_{provider.upper()}_API_KEY"):
        open_model(settings(llm=provider))


@pytest.mark.parametrize("address", ["localhost:8080", "ftp://host/", "http://", "nonsense"])
def test_an_address_must_be_http(address: str) -> None:
    """A base URL that cannot work is refused before anything is sent."""
    with pytest.raises(ConfigurationError, match="ENGRAM_GEMINI_BASE_URL"):
        open_model(settings(gemini_base_url=address))


@pytest.mark.parametrize(("provider", "package"), [("gemini", "google.genai"), ("anthropic", "anthropic")])
def test_a_missing_package_names_its_extra(provider: str, package: str) -> None:
    """In a Python without the provider's package, opening says what to install."""
    program = (
        "import sys\n"
        f"sys.modules[{package!r}] = None  # as if it were not installed\n"
        "from engram.config import Settings\n"
        "from engram.errors import LanguageModelMissingError\n"
        "from engram.llm import open_model\n"
        "try:\n"
        f"    open_model(Settings.load({provider}_api_key='k'))\n"
        "except LanguageModelMissingError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert f"pip install 'engram-neo4j[{provider}]'" in done.stdout


def test_opening_a_model_loads_no_provider_package() -> None:
    """The provider packages take seconds to import; they wait for the first message."""
    program = (
        "import sys\n"
        "from engram.config import Settings\n"
        "from engram.llm import open_model\n"
        "assert open_model(Settings.load(gemini_api_key='k')) is not None\n"
        "assert open_model(Settings.load(anthropic_api_key='k')) is not None\n"
        "print([name for name in ('google.genai', 'anthropic') if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@given(tried=st.integers(1, 10), jitter=st.floats(0, 1, exclude_max=True))
def test_waits_are_positive_and_bounded(tried: int, jitter: float) -> None:
    """Whatever the number of tries, a wait is above zero and at most the longest."""
    wait = seconds_before(tried, asked=None, jitter=jitter)
    assert wait is not None
    assert 0 < wait <= LONGEST_WAIT


@given(asked=st.floats(0, 10_000), jitter=st.floats(0, 1, exclude_max=True))
def test_an_asked_for_wait_is_never_cut_short(asked: float, jitter: float) -> None:
    """What the provider asked for is waited out in full, or not at all."""
    wait = seconds_before(1, asked=asked, jitter=jitter)
    assert wait is None if asked > LONGEST_WAIT else wait is not None and asked <= wait <= LONGEST_WAIT


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7.0),
        ("1.5", 1.5),
        ("Wed, 21 Oct 2026 07:28:00 GMT", 60.0),
        ("Wed, 21 Oct 2020 07:28:00 GMT", 0.0),
        ("soon", None),
        ("-3", None),
        ("", None),
        (None, None),
    ],
)
def test_retry_after_is_a_number_or_a_date(header: str | None, seconds: float | None) -> None:
    """Both forms of the header are read; anything else is as if it were not there."""
    now = datetime(2026, 10, 21, 7, 27, tzinfo=UTC)
    assert read_retry_after(header, now=now) == seconds


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"error": {"message": "no"}}, "no"),
        ([{"error": {"message": "no"}}], "no"),
        ({"message": "no", "status": "X"}, "no"),
        ({"error": "no"}, "no"),
        ('{"error": {"message": "no"}}', "no"),
        ("no", "no"),
        ("<!DOCTYPE html><html>no</html>", ""),
        ({"message": "<html>no</html>"}, ""),
        ('"no"', ""),
        ({}, ""),
        (None, ""),
        (7, ""),
    ],
)
def test_an_error_body_of_any_shape_is_read(body: object, said: str) -> None:
    """The provider's words are found in every shape seen in the wild; markup and nonsense give nothing."""
    assert message_in(body) == said


@given(st.text())
def test_one_line_is_one_printable_line(text: str) -> None:
    """What a server says can neither break the line nor steer the terminal."""
    line = one_line(text)
    assert line.isprintable()
    assert len(line) <= 300


def kinds(models: Models) -> tuple[str | None, ...]:
    """Return the names of the three models."""
    return tuple(model.name if model else None for model in (models.system1, models.system2, models.quiet))


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ({}, (None, None, None)),
        ({"gemini_api_key": "k"}, ("g", None, "g")),
        ({"anthropic_api_key": "k"}, ("a", "a", "a")),
        ({"gemini_api_key": "k", "anthropic_api_key": "k"}, ("g", "a", "g")),
        ({"gemini_api_key": "k", "anthropic_api_key": "k", "system2_model": "big"}, ("g", "big", "g")),
        ({"gemini_api_key": "k", "anthropic_api_key": "k", "system2": "none"}, ("g", None, "g")),
        ({"gemini_api_key": "k", "system2": "gemini"}, ("g", "g", "g")),
        ({"gemini_api_key": "k", "anthropic_api_key": "k", "llm": "none"}, (None, None, None)),
        ({"gemini_api_key": "k", "anthropic_api_key": "k", "llm": "anthropic"}, ("a", "a", "a")),
        ({"gemini_api_key": "k", "anthropic_base_url": "http://127.0.0.1:1"}, ("g", "a", "g")),
    ],
)
def test_the_three_models_of_an_agent(given: dict[str, str], names: tuple[str | None, ...]) -> None:
    """System 2 is Anthropic's where there is access; the quiet one is System 1's model; none is never an error."""
    models = open_models(settings(gemini_model="g", anthropic_model="a", **given))
    assert kinds(models) == names
    models.close()


def test_each_of_the_three_is_an_instance_of_its_own() -> None:
    """What one of them does, or closes, never touches another."""
    models = open_models(settings(anthropic_api_key="k"))
    assert len({id(models.system1), id(models.system2), id(models.quiet)}) == 3


def test_another_name_is_system_ones() -> None:
    """`--model` changes who talks and who works quietly, not who is asked for help."""
    given = settings(gemini_api_key="k", anthropic_api_key="k", anthropic_model="a")
    assert kinds(open_models(given, model="gemini-x")) == ("gemini-x", "a", "gemini-x")


def test_a_named_system_two_without_a_key_is_an_error() -> None:
    """Naming a second model that cannot be used is not passed over in silence."""
    with pytest.raises(LanguageModelMissingError, match="ENGRAM_ANTHROPIC_API_KEY"):
        open_models(settings(gemini_api_key="k", system2="anthropic"))


def test_system_two_always_thinks_longer() -> None:
    """System 2 is asked with high effort, whatever the caller says; System 1 with the caller's."""
    with ModelServer.running("anthropic") as server:
        models = open_models(settings(anthropic_base_url=server.url))
        for model in (models.system1, models.system2):
            assert model is not None
            ask(model)
        models.close()
    assert [request.effort for request in server.requests] == ["low", "high"]


def ask(model: ChatModel) -> str:
    """Read a whole answer."""
    return "".join(model.stream("s", [Message(role="user", text="q")], max_tokens=5))


def test_the_scripted_model_is_a_chat_model() -> None:
    """The stand-in gives its answers in order, records what it was asked, and ends as a model that is down."""
    model = ScriptedModel("one  two\n", ["th", "ree"])
    assert ask(model) == "one  two\n"
    assert ask(model) == "three"
    assert model.asked[0].messages == (Message(role="user", text="q"),)
    with pytest.raises(Exception, match="no more answers"):
        ask(model)


def test_a_scripted_failure_comes_where_it_stands() -> None:
    """An exception in the script is raised after the words before it."""
    stream = ScriptedModel(["one", LanguageModelGarbledError()]).stream("", [], max_tokens=1)
    assert next(stream) == "one"
    with pytest.raises(LanguageModelGarbledError):
        next(stream)
    assert stream.text == "one"


def test_a_scripted_answer_says_all_that_a_provider_may() -> None:
    """Calls, log probability, usage and an error at the end: each reaches the stream as from a provider."""
    call = ToolCall.read(id="1", name="lookup", raw="{}")
    usage = Usage(input_tokens=3, output_tokens=4)
    model = ScriptedModel(
        ScriptedAnswer(calls=(call,), logprob=-0.5, usage=usage),
        ScriptedAnswer("one two", error=LanguageModelGarbledError()),
    )
    first = model.stream("", [], max_tokens=1)
    assert list(first) == []
    assert (first.calls, first.logprob, first.usage, first.tries) == ((call,), -0.5, usage, 1)
    second = model.stream("", [], max_tokens=1, effort="high")
    with pytest.raises(LanguageModelGarbledError):
        list(second)
    assert second.text == "one two"
    assert [asked.effort for asked in model.asked] == ["low", "high"]


def test_a_script_can_answer_what_was_asked() -> None:
    """After its own answers a function makes them, and any number of threads may ask."""
    model = ScriptedModel("first", respond=lambda asked: asked.messages[-1].text.upper())
    assert ask(model) == "first"
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(lambda _: ask(model), range(200))) == {"Q"}
    assert len(model.asked) == 201


def test_a_key_is_taken_without_what_surrounds_it() -> None:
    """A line break behind a pasted key is no part of it: no header could hold it."""
    settings = Settings.load(anthropic_api_key="sk-secret-123\n", gemini_api_key=" g-456 ")
    assert settings.anthropic_api_key is not None
    assert settings.anthropic_api_key.get_secret_value() == "sk-secret-123"
    assert settings.gemini_api_key is not None
    assert settings.gemini_api_key.get_secret_value() == "g-456"


def test_no_failure_shows_a_key_or_a_password() -> None:
    """What an HTTP package or a provider quotes of a request is shown without the key, the address without its user."""
    server = Server(
        brand="Local", model="m", address="http://me:word@127.0.0.1:1", timeout=1.0, key="sk-secret-123"
    )
    down = transport_error(server, OSError("Illegal header value b'Bearer sk-secret-123'"), started=False)
    assert down is not None
    refused = status_error(server, 400, "no such key: sk-secret-123", None)
    for shown in (str(down), str(refused)):
        assert "secret" not in shown
        assert "word@" not in shown
    assert "127.0.0.1:1" in str(down)
    assert "secret" not in repr(server)


def test_a_key_says_who_is_meant_before_an_address_does() -> None:
    """With an address alone for one provider and a key for the other, the key decides."""
    settings = Settings.load(gemini_base_url="http://127.0.0.1:9", anthropic_api_key="sk-secret-123")
    model = open_model(settings)
    assert model is not None
    assert model.name == settings.anthropic_model
