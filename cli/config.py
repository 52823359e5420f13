"""`engram config`: settings, where they come from, and the file they can stand in."""

from pathlib import Path
from typing import Any

import click
import tomlkit
from pydantic import SecretStr

from engram.config import Settings, settings_file, variables
from engram.errors import ConfigurationError
from engram.private import write_private

from .state import State


@click.group()
def config() -> None:
    """Show and change settings."""


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


@config.command()
@click.argument("name")
@click.pass_obj
def get(state: State, name: str) -> None:
    """Print one setting; a secret is only said to be set."""
    value = _shown(getattr(state.settings, _known(name)))
    if state.json:
        state.print_json({name: value})
    else:
        state.out(value)


@config.command("set", context_settings={"ignore_unknown_options": True})
@click.argument("name")
@click.argument("value")
@click.pass_obj
def set_(state: State, name: str, value: str) -> None:
    """Write one setting into the settings file, after checking it."""
    _known(name)
    kept = Settings.load(**{name: value})
    checked = getattr(kept, name)
    plain: Any = checked.get_secret_value() if isinstance(checked, SecretStr) else checked
    document = _read()
    document[name] = str(plain) if isinstance(plain, Path) else plain
    _write(document)
    state.say(f"{name} is set in {settings_file()}.")
    if Settings.load().origin(name) == "environment":
        state.say(f"The environment sets {variables(name)[0]} too, and that one wins.")


@config.command()
@click.argument("name")
@click.pass_obj
def unset(state: State, name: str) -> None:
    """Take one setting out of the settings file, back to its default."""
    document = _read()
    if name not in document:
        state.say(f"{name} is not set in {settings_file()}.")
        return
    del document[name]
    _write(document)
    state.say(f"{name} is back to its default.")


@config.command()
@click.pass_obj
def path(state: State) -> None:
    """Print where the settings file is or would be."""
    state.out(str(settings_file()))


def _known(name: str) -> str:
    if name not in Settings.model_fields:
        raise ConfigurationError(
            f"There is no setting {name!r}.", remedy="`engram config list` shows all of them."
        )
    return name


def _shown(value: object) -> str:
    if value is None:
        return ""
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
        file.parent.mkdir(parents=True, exist_ok=True)
        write_private(file, tomlkit.dumps(document))
    except OSError as error:
        raise ConfigurationError(f"The settings file {file} cannot be written: {error}.") from error
