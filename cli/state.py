"""What every command shares: the settings, the output form, and the three ways to speak."""

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from datetime import datetime
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from engram.config import Settings
    from engram.memory import Engram

_LASTING = (" chat", " jobs start", " mcp")
"""Commands that run for long, so that their metrics can be scraped."""


@dataclass
class State:
    """One run of the command."""

    json: bool = False
    """Print data as JSON."""
    debug: bool = False
    """Show tracebacks."""
    wanted_space: str | None = None
    """The space named on the command line."""

    @cached_property
    def settings(self) -> "Settings":
        """The settings, read when a command first asks: `--help` must not wait for them."""
        from engram.config import Settings  # noqa: PLC0415  (see above)

        settings = Settings.load(**({"space": self.wanted_space} if self.wanted_space is not None else {}))
        _observe(settings)
        return settings

    @property
    def space(self) -> str:
        """Whose memory this run is about."""
        return self.settings.space

    def open(self) -> "Engram":
        """Open the memory; where no server is configured, the managed one is started and said so."""
        from engram.memory import Engram  # noqa: PLC0415  (loads numpy and the driver)

        return Engram.open(self.settings, notify=self.say)

    @staticmethod
    def chat(options: Sequence[str]) -> Callable[[], None]:
        """Check the options of `engram chat`, and return what holds the conversation."""
        root = click.get_current_context().find_root()
        group = root.command
        command = group.get_command(root, "chat") if isinstance(group, click.Group) else None
        if command is None:
            raise AssertionError  # there is always a chat
        context = command.make_context("chat", list(options), parent=root)

        def hold() -> None:
            with context:
                command.invoke(context)

        return hold

    def say(self, text: str) -> None:
        """Tell the person something, on stderr."""
        click.echo(printable(text), err=True)

    def out(self, text: str) -> None:
        """Print data, on stdout."""
        click.echo(printable(text))

    @staticmethod
    def plain(value: object) -> dict[str, Any]:
        """Return the fields of a data class that are data, by name."""
        # What has no repr is none: a callback, a cache.
        return {each.name: getattr(value, each.name) for each in fields(value) if each.repr}  # type: ignore[arg-type]

    def print_json(self, value: object) -> None:
        """Print data as JSON, on stdout: indented for a person, one line for a pipe."""
        indent = 2 if sys.stdout.isatty() else None
        utf8 = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
        click.echo(json.dumps(value, default=_plain, ensure_ascii=not utf8, indent=indent))


def _observe(settings: "Settings") -> None:
    """Turn on the logs, spans and metrics that the settings ask for."""
    from engram.observing.setup import observe  # noqa: PLC0415  (as the settings)

    context = click.get_current_context(silent=True)
    observe(settings, serving=context is not None and context.command_path.endswith(_LASTING))


def printable(text: str) -> str:
    """Return the text with what a terminal or stdout's encoding cannot show replaced."""
    encoding = sys.stdout.encoding or "utf-8"
    return text.encode(encoding, "replace").decode(encoding)


def shared_options(command: click.Command, remember: Callable[[str, Any], None]) -> None:
    """Give a command the options that all commands have, so that they work after its name too."""

    def note(context: click.Context, parameter: click.Parameter, value: Any) -> None:
        # An empty name is one too, and refused: a script whose variable is unset must not write somewhere else.
        if value not in {None, False} and parameter.name:
            remember(parameter.name, value)
        del context

    taken = {name for parameter in command.params for name in parameter.opts}
    for option in (
        click.Option(["--json"], is_flag=True, expose_value=False, callback=note, help="Print data as JSON."),
        click.Option(["--space"], expose_value=False, callback=note, help="Whose memory.", metavar="NAME"),
    ):
        if not taken & set(option.opts):
            command.params.append(option)


def _plain(value: object) -> object:
    match value:
        case datetime():
            return value.isoformat()
        case Enum():
            return value.value
        case Path():
            return str(value)
        case _ if is_dataclass(value) and not isinstance(value, type):
            return State.plain(value)
        case set() | frozenset() | tuple():
            return list(value)
        case _:
            return str(value)
