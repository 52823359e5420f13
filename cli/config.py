"""`engram config`: settings, which stand in a file, and the numbers of the lifecycle, which stand in the graph.

A name with a dot is a number's, such as `decay.working`; any other is a setting's.
"""

from pathlib import Path
from typing import Any

import click
import tomlkit
from pydantic import BaseModel, SecretStr

from engram.config import Settings, settings_file, variables
from engram.errors import ConfigurationError
from engram.identity import person
from engram.private import make_private, write_private

from .state import State


@click.group()
def config() -> None:
    """Show and change settings, and the numbers of the lifecycle.

    A NAME with a dot, such as decay.working, is a number's: it is kept in the graph, for one space or for all.
    """


@config.command("list")
@click.pass_obj
def list_(state: State) -> None:
    """List every setting with its value, its origin and its variable; secrets stay hidden."""
    settings = state.settings
    rows = [
        {
            "name": name,
            "value": _shown(getattr(settings, name)),
            "origin": settings.origin(name),
            "variable": variables(name)[0],
            "description": field.description,
        }
        for name, field in Settings.model_fields.items()
    ]
    if state.json:
        state.print_json(rows)
        return
    for row in rows:
        state.out(f"{row['name']:<22} {row['value'] or '-':<44} {row['origin']}")
        state.out(f"{'':<22} {row['description']}")


_everywhere = click.option(
    "--everywhere", is_flag=True, help="A number: for every space that has none of its own."
)


@config.command()
@click.argument("name")
@_everywhere
@click.pass_obj
def get(state: State, name: str, *, everywhere: bool) -> None:
    """Print one setting, or the number that holds in the space; a secret is only said to be set."""
    if _is_number(name, everywhere=everywhere):
        _get_number(state, name, everywhere=everywhere)
        return
    value = _shown(getattr(state.settings, _known(name)))
    if state.json:
        state.print_json({name: value})
    else:
        state.out(value)


@config.command("set", context_settings={"ignore_unknown_options": True})
@click.argument("name")
@click.argument("value")
@_everywhere
@click.pass_obj
def set_(state: State, name: str, value: str, *, everywhere: bool) -> None:
    """Write one setting into the settings file, or one number into the graph, after checking it."""
    if _is_number(name, everywhere=everywhere):
        _tune(state, name, value, everywhere=everywhere)
        return
    _known(name)
    kept = Settings.load(**{name: value})
    checked = getattr(kept, name)
    plain: Any = checked.get_secret_value() if isinstance(checked, SecretStr) else checked
    document = _read()
    document[name] = _in_toml(plain)
    _write(document)
    state.say(f"{name} is set in {settings_file()}.")
    if Settings.load().origin(name) == "environment":
        state.say(f"The environment sets {variables(name)[0]} too, and that one wins.")


@config.command()
@click.argument("name")
@_everywhere
@click.pass_obj
def unset(state: State, name: str, *, everywhere: bool) -> None:
    """Take one setting out of the settings file, or one number out of the space: back to its default."""
    if _is_number(name, everywhere=everywhere):
        _tune(state, name, None, everywhere=everywhere)
        return
    document = _read()
    if name not in document:
        state.say(f"{name} is not set in {settings_file()}.")
        return
    del document[name]
    _write(document)
    state.say(f"{name} is back to its default.")


@config.command()
@click.pass_obj
def numbers(state: State) -> None:
    """List the numbers that the lifecycle of the space runs on, where each comes from, and what it does."""
    from engram.tuning import DEFAULTS_SPACE, NUMBERS, read_tuning  # noqa: PLC0415  (loads the driver)

    with state.open() as memory:
        held = memory.tuning()
        everywhere = read_tuning(memory.graph, space=DEFAULTS_SPACE)
    listed = [
        {
            "key": key,
            "value": held[key],
            "unit": number.unit,
            "origin": (
                "space"
                if key in held.own
                else "default"
                if everywhere[key] == number.default
                else "everywhere"
            ),
            "why": number.why,
        }
        for key, number in NUMBERS.items()
    ]
    if state.json:
        state.print_json(listed)
        return
    for row in listed:
        amount = f"{row['value']:g} {row['unit']}"
        state.out(f"{row['key']:<28} {amount:<28} {row['origin']:<11} {row['why']}")


@config.command()
@click.argument("key", required=False)
@click.option(
    "-n", "limit", type=click.IntRange(1, 10_000), default=20, show_default=True, help="How many changes."
)
@click.pass_obj
def history(state: State, key: str | None, limit: int) -> None:
    """List the last changes of the space's numbers and of those of every space; times are UTC."""
    from engram.tuning import DEFAULTS_SPACE, find_number, number_changes  # noqa: PLC0415  (loads the driver)

    if key is not None:
        find_number(key)
    with state.open() as memory:
        rows = number_changes(memory.graph, space=memory.space, key=key, limit=limit)
    if state.json:
        state.print_json(rows)
        return
    for row in rows:
        where = "everywhere" if row["space"] == DEFAULTS_SPACE else row["space"]
        before, after = ("default" if each is None else f"{each:g}" for each in (row["before"], row["after"]))
        change = f"{row['key']} {before} → {after}"
        state.out(f"{row['at']:%Y-%m-%d %H:%M:%S}  {change:<44} {where}  {row['by']}")
    if not rows:
        state.say("No number has been changed.")


@config.command()
@click.pass_obj
def path(state: State) -> None:
    """Print where the settings file is or would be."""
    state.out(str(settings_file()))


def _is_number(name: str, *, everywhere: bool) -> bool:
    """Say whether a name is a number's.

    Raises:
        InvalidInputError: There is no such number.
        UsageError: `--everywhere` was given for a setting.
    """
    if "." not in name:
        if everywhere:
            raise click.UsageError(f"--everywhere is for numbers, and {name!r} is none.")
        return False
    from engram.tuning import find_number  # noqa: PLC0415  (loads the driver)

    find_number(name)
    return True


def _get_number(state: State, key: str, *, everywhere: bool) -> None:
    from engram.tuning import DEFAULTS_SPACE, read_tuning  # noqa: PLC0415  (loads the driver)

    with state.open() as memory:
        value = read_tuning(memory.graph, space=DEFAULTS_SPACE if everywhere else memory.space)[key]
    if state.json:
        state.print_json({key: value})
    else:
        state.out(f"{value:g}")


def _tune(state: State, key: str, value: str | None, *, everywhere: bool) -> None:
    """Set a number, or put it back."""
    from engram.tuning import find_number  # noqa: PLC0415  (loads the driver)

    number = find_number(key)
    with state.open() as memory:
        held = memory.tune(key, value, everywhere=everywhere, by=person())
    where = "every space that has none of its own" if everywhere else f"the space {state.space!r}"
    again = "back to " if value is None else ""
    state.say(f"{key} is {again}{held:g} {number.unit} in {where}.")
    if key.endswith(".interval_minutes") and not everywhere:
        state.say(
            f"It holds for `engram jobs start --space {state.space}`; "
            "with --everywhere it holds for the jobs of every space."
        )


def _known(name: str) -> str:
    if name not in Settings.model_fields:
        raise ConfigurationError(
            f"There is no setting {name!r}.", remedy="`engram config list` shows all of them."
        )
    return name


def _in_toml(value: Any) -> Any:
    """Return a setting as the settings file holds it."""
    match value:
        case Path():
            return str(value)
        case BaseModel():
            return value.model_dump(mode="json", exclude_defaults=True)
        case dict():
            return {key: _in_toml(each) for key, each in value.items()}
        case _:
            return value


def _shown(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, dict):
        return "; ".join(f"{key} {each}" for key, each in value.items())
    return "(set, hidden)" if isinstance(value, SecretStr) else str(value)


def _read() -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse(settings_file().read_text(encoding="utf-8"))
    except FileNotFoundError:
        return tomlkit.document()
    except (OSError, ValueError) as error:
        raise ConfigurationError(
            f"The settings file {settings_file()} cannot be read: {error}.", remedy="Mend it or delete it."
        ) from error


def _write(document: tomlkit.TOMLDocument) -> None:
    # It may hold keys.
    file = settings_file()
    try:
        make_private(file.parent)
        write_private(file, tomlkit.dumps(document))
    except OSError as error:
        raise ConfigurationError(f"The settings file {file} cannot be written: {error}.") from error
