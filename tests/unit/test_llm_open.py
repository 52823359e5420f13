"""Which model the settings open, and what is said where none can be."""

import subprocess
import sys
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.config import Settings
from engram.errors import ConfigurationError, LanguageModelGarbledError, LanguageModelMissingError
from engram.llm import ChatModel, Message, open_model
from engram.llm.base import LONGEST_WAIT, message_in, one_line, read_retry_after, seconds_before
from engram.testing import ScriptedModel


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
