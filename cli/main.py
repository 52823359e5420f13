"""The `engram` command: finds its commands lazily, and turns errors into text and exit codes."""

import contextlib
import logging
import os
import signal
import sys
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import Any

import click

from engram.errors import EngramError

from .state import State, printable, shared_options


@dataclass(frozen=True, slots=True)
class Entry:
    """A command that is loaded when it is used; its summary stands here so that `--help` loads none."""

    target: str
    summary: str


COMMANDS = {
    "approve": Entry("engram.cli.approve:approve", "Approve or refuse what is to weigh like identity."),
    "backup": Entry("engram.cli.backup:backup", "Copy the managed server's database into one file."),
    "believed": Entry("engram.cli.why:believed", "Show what was believed then, beside what is now."),
    "browse": Entry("engram.cli.browse:browse", "Look at the memory in Neo4j Browser."),
    "changes": Entry("engram.cli.changes:changes", "List what consolidation changed, with the way back."),
    "chat": Entry("engram.cli.chat:chat", "Talk; it remembers across sessions."),
    "completion": Entry("engram.cli.completion:completion", "Print the shell's completion script."),
    "config": Entry("engram.cli.config:config", "Show and change settings and numbers."),
    "cost": Entry("engram.cli.cost:cost", "Show what the language models cost."),
    "demo": Entry("engram.cli.demo:demo", "Watch it remember a conversation and answer from it."),
    "doctor": Entry("engram.cli.doctor:doctor", "Check everything and say how to mend what is wrong."),
    "entities": Entry("engram.cli.entities:entities", "List who and what is known; take names for one."),
    "entity": Entry("engram.cli.entities:entity", "Show all that is known of somebody or something."),
    "export": Entry("engram.cli.exporting:command", "Write all that a space holds to a file."),
    "facts": Entry("engram.cli.facts:facts", "List the facts drawn from what was said."),
    "forget": Entry("engram.cli.forget:forget", "Take something out of recall, or erase it for good."),
    "get": Entry("engram.cli.memory:get", "Show one memory."),
    "goals": Entry("engram.cli.goals:goals", "List goals, set them, and say how they stand."),
    "history": Entry("engram.cli.why:history", "Show what has happened to a memory."),
    "idle": Entry("engram.cli.idle:idle", "Let the mind wander while nobody talks."),
    "import": Entry("engram.cli.importing:command", "Import conversations and notes from files."),
    "jobs": Entry("engram.jobs.command:jobs", "List, run and undo what keeps the memory in shape."),
    "mcp": Entry("engram.cli.mcp:mcp", "Serve a space to clients of the Model Context Protocol."),
    "outcomes": Entry("engram.cli.outcomes:outcomes", "Show what came of what was decided and felt."),
    "readiness": Entry("engram.cli.readiness:command", "Show which milestones of a mind were reached."),
    "recall": Entry("engram.cli.recall:recall", "Ask the memory."),
    "reindex": Entry("engram.cli.reindex:reindex", "Change the embedding model while it is in use."),
    "remember": Entry("engram.cli.memory:remember", "Store one thing."),
    "resolve": Entry("engram.cli.tensions:resolve", "Say which side of a tension holds."),
    "restore": Entry("engram.cli.backup:restore", "Bring the database back from a backup."),
    "safety": Entry("engram.cli.safety:safety", "Show what the ceilings on reinforcement have stopped."),
    "schema": Entry("engram.cli.schema:schema", "Set up or inspect the database's schema."),
    "server": Entry("engram.cli.server:server", "Install, start and stop the managed Neo4j."),
    "state": Entry("engram.cli.working:working", "Show the working memory; take a text into it."),
    "stats": Entry("engram.cli.memory:stats", "Count what is remembered."),
    "tensions": Entry("engram.cli.tensions:tensions", "List contradictions that nothing has settled."),
    "undo": Entry("engram.cli.changes:undo", "Take a change of belief back."),
    "view": Entry("engram.cli.view:view", "Draw a part of the graph as a page or a picture."),
    "why": Entry("engram.cli.why:why", "Show what a memory rests on."),
}


class ReaderGone(Exception):  # noqa: N818  (no error: whoever reads the output has seen enough)
    """Nobody reads the output any more. Click ends with 1 at a `BrokenPipeError`, so it must not see one."""


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Read the arguments, which may print the help."""
        with _noticing_pipes():
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        with _noticing_pipes():
            return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  (click's signature)
        """Return the commands' names."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load one command."""
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        command: click.Command = resolve_name(entry.target)
        _share(command, ctx)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; an unknown name is answered with near ones."""
        import difflib  # noqa: PLC0415  (only on this path)

        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            near = difflib.get_close_matches(name, COMMANDS, n=2)
            hint = f" Did you mean {' or '.join(near)}?" if near else ""
            ctx.fail(f"There is no command {name!r}.{hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the list of commands without loading them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in COMMANDS.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        """Complete a command's name without loading the others."""
        from click.shell_completion import CompletionItem  # noqa: PLC0415  (only when completing)

        found = [
            CompletionItem(name, help=entry.summary)
            for name, entry in COMMANDS.items()
            if name.startswith(incomplete)
        ]
        return found + click.Command.shell_complete(self, ctx, incomplete)


def _share(command: click.Command, ctx: click.Context) -> None:
    state = ctx.find_object(State)

    def remember(name: str, value: Any) -> None:
        if state is not None:
            setattr(state, {"space": "wanted_space"}.get(name, name), value)

    if isinstance(command, click.Group):
        for child in command.commands.values():
            shared_options(child, remember)
    else:
        shared_options(command, remember)


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with `engram demo`. Settings: `engram config list`.",
)
@click.version_option(package_name="engram-neo4j", prog_name="engram")
@click.option(
    "--space", metavar="NAME", help="Whose memory: a user, an agent, a tenant.  [env: ENGRAM_SPACE]"
)
@click.option("--json", "as_json", is_flag=True, help="Print data as JSON.")
@click.option("--debug", is_flag=True, help="Show tracebacks and the driver's log.")
@click.pass_context
def engram(ctx: click.Context, space: str | None, as_json: bool, debug: bool) -> None:  # noqa: FBT001
    """Memory for LLM agents that lives as a graph in Neo4j."""
    if debug:
        logging.basicConfig(level=logging.DEBUG, stream=sys.stderr)
    else:
        # What the driver retries by itself is nobody's business; what it gives up on becomes an error.
        logging.getLogger("neo4j").setLevel(logging.CRITICAL)
    # Changed in place: main() already holds it, to know how to report what goes wrong.
    state = ctx.ensure_object(State)
    state.wanted_space, state.json, state.debug = space, as_json, debug


def main() -> None:
    """Run the command line and leave with its exit code: 0 well, 130 after Ctrl-C, else the error's own."""
    sys.unraisablehook = _note
    with _signals():
        try:
            code = _run(State())
            sys.stdout.flush()
        except (ReaderGone, BrokenPipeError):
            _let_go()
            code = 141
    sys.exit(code)


def _run(state: State) -> int:
    """Run the command line, say what went wrong, and return the exit code."""
    try:
        code = engram.main(standalone_mode=False, obj=state, prog_name="engram")
    except EngramError as error:
        return _report(error, state)
    except (click.exceptions.Abort, KeyboardInterrupt):
        click.echo(err=True)
        return 130
    except click.ClickException as error:
        # What could not be read does not say whether it is to be answered as JSON.
        if state.json or "--json" in sys.argv[1:]:
            _print_refusal(error, state)
        error.show()
        return error.exit_code
    except BrokenPipeError:
        raise
    except OSError as error:
        return _report(EngramError(f"The system refused: {error}."), state)
    return code if isinstance(code, int) else 0


@contextlib.contextmanager
def _noticing_pipes() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError as error:
        raise ReaderGone from error


def _let_go() -> None:
    """Point at nothing what nobody reads any more, so that Python does not complain at its own exit either."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _note(ignored: "sys.UnraisableHookArgs") -> None:
    """Log what a destructor raises: the driver's does where a connection was cut while it was being made."""
    logging.getLogger(__name__).debug("ignored in %r: %r", ignored.object, ignored.exc_value)


def _report(error: EngramError, state: State) -> int:
    if state.debug:
        traceback.print_exception(error)
    if state.json:
        _print_failure(state, type(error).__name__, error.message, error.remedy)
    click.echo(printable(f"engram: {error.message}"), err=True)
    if error.remedy:
        click.echo(printable(f"  {error.remedy}"), err=True)
    return error.exit_code


def _print_refusal(error: click.ClickException, state: State) -> None:
    """Print as data what is wrong with the command line; Click has a class for each way, a program needs one."""
    name = "UsageError" if isinstance(error, click.UsageError) else type(error).__name__
    context = getattr(error, "ctx", None)
    remedy = f"`{context.command_path} --help` shows how it is said." if context else None
    _print_failure(state, name, error.format_message(), remedy)


def _print_failure(state: State, name: str, message: str, remedy: str | None) -> None:
    state.print_json({"error": name, "message": message, "remedy": remedy})


@contextlib.contextmanager
def _signals() -> Iterator[None]:
    """Let SIGTERM unwind like an error, so that what is under way ends cleanly."""

    def leave(number: int, frame: object) -> None:
        del frame
        raise SystemExit(128 + number)

    previous = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, previous)
