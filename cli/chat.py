"""`engram chat`: a conversation at the prompt, or line by line through a pipe."""

import sys
from collections.abc import Callable
from contextlib import closing, nullcontext, suppress
from datetime import datetime
from pathlib import Path
from secrets import token_hex

import click
from rich.console import Console

from engram.config import Settings
from engram.errors import InvalidInputError, LanguageModelMissingError
from engram.llm import open_models
from engram.loop.agent import PERSONA, Agent
from engram.memory import utc_now
from engram.server import connect

from .conversation import Conversation
from .history import history_file
from .lines import Lines, PipedLines, TypedLines, quiet
from .markdown import MarkdownReply
from .screens import EVENTS, JsonScreen, Screen, TextScreen
from .signals import Signals
from .state import State


@click.command(
    "chat",
    # \b keeps the lines as they are.
    epilog="With --json each line of the output is an object whose `event` says what it is:\n\n\b\n"
    + "\n".join(f"{name:<9} {meaning}" for name, meaning in EVENTS.items()),
)
@click.option(
    "--session", "session", metavar="NAME", help="Go on with this conversation; default: a new one."
)
@click.option("--no-llm", is_flag=True, help="Answer by quoting memories, even if there is a language model.")
@click.option("--model", "model", metavar="NAME", help="Another language model than the settings name.")
@click.option(
    "--system-prompt", metavar="FILE|TEXT", help="Who the model is to be, as text or as a file of it."
)
@click.option("--user", default="user", show_default=True, metavar="NAME", help="Your name, as it is stored.")
@click.pass_obj
def chat(
    state: State,
    *,
    session: str | None,
    no_llm: bool,
    model: str | None,
    system_prompt: str | None,
    user: str,
) -> None:
    """Talk, with everything remembered.

    Without a language model it answers by quoting what it remembers. Each line of a pipe is one message.
    At a terminal Enter sends; Alt-Enter, Ctrl-J or a backslash at the end begins another line.
    """
    if no_llm and model is not None:
        raise click.UsageError("--no-llm and --model exclude each other.")
    settings = state.settings.model_copy(update={"llm": "none"}) if no_llm else state.settings
    models = open_models(settings, model=model, notify=state.say)
    if model is not None and models.system1 is None:
        raise _missing(settings, model)
    persona = PERSONA if system_prompt is None else read_persona(system_prompt)
    name = session or new_session(utc_now())
    with state.open() as memory, Signals() as signals, closing(models):
        screen, lines = _ends(state, history_file(settings), signals)
        agent = Agent(
            memory,
            models,
            session=name,
            clock=utc_now,
            user=user,
            persona=persona,
            shield=signals.shield,
            consent=_consent(screen, lines),
        )
        if session is not None and not agent.begun:
            state.say(f"A new conversation, {name}.")
        ours = memory.connection is not None and memory.connection.origin != "configured"
        conversation = Conversation(
            agent, screen, lines, reconnect=(lambda: connect(settings, screen.hint)) if ours else None
        )
        with quiet(sys.stdin) if conversation.typed else nullcontext():
            conversation.run()
        if not conversation.typed and conversation.exit_code:
            raise SystemExit(conversation.exit_code)


def _missing(settings: Settings, model: str) -> LanguageModelMissingError:
    """Return what to say where a model is named and nobody is there to ask for it."""
    if settings.llm == "none":
        return LanguageModelMissingError(
            f"The setting llm is none, so {model} cannot be asked.",
            remedy="Set ENGRAM_LLM to auto, gemini or anthropic.",
        )
    return LanguageModelMissingError(
        f"No provider of language models has a key, so {model} cannot be asked.",
        remedy="Set ENGRAM_GEMINI_API_KEY or ENGRAM_ANTHROPIC_API_KEY.",
    )


def _ends(state: State, history: Path, signals: Signals) -> tuple[Screen, Lines]:
    """Return where the answers go and where the messages come from."""
    if state.json:
        return JsonScreen(state), PipedLines()
    if not at_terminal():
        return TextScreen(state), PipedLines()
    console = Console(highlight=False)
    # Redrawing needs cursor movements, and the frames of code and tables need Unicode.
    rich = not console.is_dumb_terminal and console.encoding.startswith("utf")
    return TextScreen(state, MarkdownReply(console) if rich else None), TypedLines(history, signals)


def _consent(screen: Screen, lines: Lines) -> Callable[[str], bool]:
    """Return how a question is put: to a person only; nobody at the other end is a no."""

    def ask(question: str) -> bool:
        if not isinstance(lines, TypedLines):
            return False
        screen.pause()
        return lines.ask(question)

    return ask


def at_terminal() -> bool:
    """Say whether a person sits at both ends."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def new_session(now: datetime) -> str:
    """Return a name for a new conversation: readable, in order of time, not taken."""
    return f"chat-{now:%Y-%m-%d-%H%M}-{token_hex(2)}"


def read_persona(given: str) -> str:
    """Return the text of the file called `given`, or `given` itself where there is no such file.

    Raises:
        InvalidInputError: The file cannot be read, or there is no text.
    """
    named = False
    with suppress(OSError, ValueError):  # a long text is no file name
        named = Path(given).is_file()
    if not named and len(given.split()) == 1 and ("/" in given or given.endswith((".txt", ".md"))):
        raise InvalidInputError(f"There is no file {given}.", remedy="Give a file that is there, or a text.")
    try:
        text = Path(given).read_text(encoding="utf-8") if named else given
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInputError(f"The system prompt {given} cannot be read: {error}.") from error
    if not text.strip():
        raise InvalidInputError("The system prompt is empty.")
    return text
