"""The reference of settings, numbers and errors."""

import inspect
from collections.abc import Iterator
from typing import Any

from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from engram import errors
from engram.config import Settings, variables
from engram.tuning import NUMBERS
from tests.docs.markdown import code, docstring, page, table

FOLDERS = {"data_dir": "<platform data dir>", "cache_dir": "<platform cache dir>"}
"""Defaults that every machine has its own of."""
_TYPES = {"str": "text", "int": "whole number", "float": "number", "Path": "path", "SecretStr": "secret"}
"""What a person types for a value of a type."""


def settings() -> str:
    """Return `reference/settings.md`."""
    rows = (
        (
            code(name),
            _type(field.annotation),
            code(_default(name, field)),
            _variables(name),
            field.description or "",
        )
        for name, field in Settings.model_fields.items()
    )
    return page(
        "Settings",
        "Each can be given as an argument of `Settings`, as a variable of the environment, or in the settings file "
        "(`engram config path`), the strongest first. `engram config list` shows what holds and where it comes from; "
        "`engram config set NAME VALUE` writes the file, which only its owner can read. Where there are two variables, "
        "the first one wins. The numbers that the memory lives by stand in the graph instead: [Numbers](numbers.md).",
        table(("setting", "type", "default", "variable", "what it does"), rows),
    )


def _variables(name: str) -> str:
    return ", ".join(map(code, variables(name)))


def _type(annotation: Any) -> str:
    choices = getattr(annotation, "__args__", None)
    if choices is None:
        name = str(annotation.__name__)
        return _TYPES.get(name, name)
    if getattr(annotation, "__origin__", None) is dict:
        return "table"
    if isinstance(choices[0], str):
        return " or ".join(code(each) for each in choices)
    return " or ".join(_type(each) for each in choices if each is not type(None))


def _default(name: str, field: FieldInfo) -> str:
    if name in FOLDERS:
        return FOLDERS[name]
    value = field.get_default(call_default_factory=True)
    if value is None or value is PydanticUndefined or value in ({}, []):
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value)


def numbers() -> str:
    """Return `reference/numbers.md`."""
    rows = (
        (code(each.key), f"{each.default:g}", f"{each.low:g} to {each.high:g}", each.unit, each.why)
        for each in NUMBERS.values()
    )
    return page(
        "Numbers",
        "What the memory lives by. They stand in the graph as `:ConsolidationConfig`, one node of defaults and one for "
        "each space that departs from them; every change is kept. `engram config numbers` lists those that hold, "
        "`engram config set KEY VALUE` changes one for a space, with `--everywhere` for all that have none of their own.",
        table(("number", "default", "allowed", "unit", "what it does"), rows),
    )


_EXITS = (
    ("0", "It went well."),
    (
        "1",
        "It went wrong in a way that has no code of its own; or `doctor` or the job `health` found a problem.",
    ),
    ("130", "Ctrl-C."),
    ("141", "Whoever read the output stopped reading."),
    ("143", "SIGTERM."),
)
"""Exit codes that no class has."""


def errors_page() -> str:
    """Return `reference/errors.md`."""
    tree = [
        (each, depth) for each, depth in _below(errors.EngramError, 0) if each.__module__ == errors.__name__
    ]
    codes = sorted({each.exit_code for each, _ in tree} - {1})
    exits = {
        code_: " or ".join(code(each.__name__) for each, _ in tree if _begins(each, code_)) for code_ in codes
    }
    listed = [
        *_EXITS,
        *((str(code_), f"{names}, and what is derived from them.") for code_, names in exits.items()),
    ]
    rows = (
        (
            "&nbsp;" * 4 * depth + code(each.__name__),
            str(each.exit_code),
            docstring(each.__doc__).partition("\n")[0],
        )
        for each, depth in tree
    )
    return page(
        "Errors and exit codes",
        "Everything that Engram raises on purpose is an `EngramError`, with `message` and, where there is one, `remedy`. "
        "On the command line the two are printed on standard error; with `--json` also as "
        '`{"error": NAME, "message": TEXT, "remedy": TEXT or null}` on standard output. A command line that cannot be '
        "read is `UsageError` there, with exit code 2.",
        "## Exit codes",
        table(("code", "meaning"), sorted(listed, key=lambda row: int(row[0]))),
        "## Errors",
        "Indented: derived from the one above. The text is what it says where nothing more is known.",
        table(("error", "exit code", "message"), rows),
    )


def _begins(error: type[errors.EngramError], code_: int) -> bool:
    """Return whether the class is the one that brings an exit code in."""
    parent = error.__mro__[1]
    return error.exit_code == code_ and getattr(parent, "exit_code", None) != code_


def _below(error: type[errors.EngramError], depth: int) -> Iterator[tuple[type[errors.EngramError], int]]:
    yield error, depth
    for each in sorted(error.__subclasses__(), key=lambda one: inspect.getsourcelines(one)[1]):
        if each.__module__ == errors.__name__:
            yield from _below(each, depth + 1)
