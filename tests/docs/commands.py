"""The command line's reference, from the commands themselves."""

from collections.abc import Iterator
from pkgutil import resolve_name
from typing import Any

import click

from tests.docs.markdown import code, docstring, page, table

ROOT: click.Group = resolve_name("engram.cli.main:engram")
State: Any = resolve_name("engram.cli.state:State")
_SHARED = {"--json", "--space"}
"""Options that every command has; said once."""


def cli() -> str:
    """Return `reference/cli.md`."""
    context = click.Context(ROOT, info_name="engram", obj=State())
    commands = [(name, ROOT.get_command(context, name)) for name in ROOT.list_commands(context)]
    return page(
        "The command line",
        "Every command takes `--space NAME`, whose memory it is about, and `--json`, to print data as JSON, before its "
        "name or after it. `engram COMMAND --help` says the same as this page. Exit codes are in [Errors](errors.md).",
        _options(ROOT, shared=True),
        *(part for name, command in commands if command for part in _parts(command, f"engram {name}")),
    )


def _parts(command: click.Command, path: str) -> Iterator[str]:
    yield f"{'#' * min(len(path.split()), 4)} {path}"
    yield f"```\n{_usage(command, path)}\n```"
    yield docstring((command.help or "").replace("\b\n", "").partition("\f")[0])
    yield _options(command)
    if isinstance(command, click.Group):
        for name in sorted(command.commands):
            yield from _parts(command.commands[name], f"{path} {name}")


def _usage(command: click.Command, path: str) -> str:
    context = click.Context(command, info_name=path)
    return " ".join([path, *command.collect_usage_pieces(context)])


def _options(command: click.Command, *, shared: bool = False) -> str:
    options = [each for each in command.params if isinstance(each, click.Option) and not each.hidden]
    rows = (
        (code(_form(option)), option.help or "", code(_default(option)))
        for option in options
        if shared or not _SHARED & set(option.opts)
    )
    return table(("option", "what it does", "default"), rows)


def _form(option: click.Option) -> str:
    names = ", ".join([*option.opts, *option.secondary_opts])
    if option.is_flag or option.count:
        return names
    if isinstance(option.type, click.Choice):
        return f"{names} [{'|'.join(map(str, option.type.choices))}]"
    return f"{names} {option.metavar or option.type.name.replace(' range', '').upper()}"


def _default(option: click.Option) -> str:
    """Return the default where it is a value that is worth a word: no flag's, and none that is worked out."""
    value = option.to_info_dict()["default"]
    if option.is_flag or option.multiple or value is None or callable(value):
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value)
