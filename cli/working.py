"""`engram state`: the working memory, version by version, and a hand-written one taken into it."""

import difflib
from pathlib import Path

import click

from engram.mind.state import versions
from engram.mind.state.importing import TakenIn, take_in
from engram.mind.state.rendering import memory_file
from engram.mind.state.versions import Version, standing

from .memory import SHORT
from .state import State


@click.group(name="state")
def working() -> None:
    """Show what is carried from one conversation into the next, and take a text into it."""


@working.command()
@click.option("--version", "number", type=click.IntRange(min=1), help="Another one than that in force.")
@click.pass_obj
def show(state: State, number: int | None) -> None:
    """Show the working memory, and the notes that wait for its next version."""
    with state.open() as memory:
        held = standing(memory.graph, space=memory.space)
        wanted = number or (held.force.version if held.force is not None else None)
        found = None if wanted is None else versions.get(memory.graph, wanted, space=memory.space)
        file = memory_file(memory)
    notes = held.notes if number is None else ()
    if state.json:
        version = None if found is None else {**State.plain(found), "text": found.text}
        state.print_json({"version": version, "notes": notes})
        return
    if found is None:
        state.say("There is no version yet. `engram jobs run state` makes one once there are memories.")
    else:
        if found.state == "refused":
            state.say(f"Version {found.version} was refused: {found.reason}.")
        state.out(found.text.rstrip())
    for note in notes:
        state.out(f"note {note.id[:SHORT]} {note.event_at:%Y-%m-%d} ({note.importance:.1f}): {note.content}")
    if found is not None and number is None:
        state.say(f"Version {found.version}; also in {file}.")


@working.command()
@click.pass_obj
def history(state: State) -> None:
    """List the versions, the newest first."""
    with state.open() as memory:
        found = versions.history(memory.graph, space=memory.space)
    if state.json:
        state.print_json(found)
        return
    for each in found:
        state.out(_line(each))
    if not found:
        state.say(f"There is no version in the space {state.space!r}.")


@working.command()
@click.argument("older", metavar="[A]", type=click.IntRange(min=1), required=False)
@click.argument("newer", metavar="[B]", type=click.IntRange(min=1), required=False)
@click.pass_obj
def diff(state: State, older: int | None, newer: int | None) -> None:
    """Show what changed from version A to version B.

    B is the one in force if left out, and A the one before B that was taken.
    """
    with state.open() as memory:
        listed = versions.history(memory.graph, space=memory.space)
        taken = [each.version for each in listed if each.state == "taken"]
        if not listed and older is None:
            state.say(f"There is no version in the space {state.space!r}.")
            return
        new = newer or (taken[0] if taken else 1)
        old = older or next((number for number in taken if number < new), new)
        a, b = (versions.get(memory.graph, number, space=memory.space) for number in (old, new))
    lines = [
        *difflib.unified_diff(
            a.text.splitlines(), b.text.splitlines(), f"version {old}", f"version {new}", lineterm="", n=1
        )
    ]
    if state.json:
        state.print_json({"from": old, "to": new, "diff": lines})
        return
    for line in lines:
        state.out(line)
    if not lines:
        state.say(
            f"There is no version before {new}."
            if old == new and older is None
            else f"Versions {old} and {new} say the same."
        )


@working.command(name="import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.pass_obj
def import_(state: State, file: Path) -> None:
    """Take a hand-written MEMORY.md in, once: a copy beside it, memories, and a version that begins with it."""
    with state.open() as memory:
        done = take_in(memory, file)
    if state.json:
        state.print_json(done)
        return
    state.out(_told(done))


def _line(version: Version) -> str:
    how = "plain" if version.plain else "by a model"
    why = f": {version.reason}" if version.reason else ""
    memories = f"{version.cites} memor{'y' if version.cites == 1 else 'ies'}"
    return (
        f"{version.version:>4}  {version.at:%Y-%m-%d %H:%M}  {version.state}{why}  "
        f"({version.chars:,} characters, {memories}, {how}, {version.mood or 'even'})"
    )


def _told(done: TakenIn) -> str:
    if done.again:
        return f"It was taken in on {done.at:%Y-%m-%d %H:%M}, with version {done.version}; nothing is done."
    left = f" {done.left_out} had been erased for good and stay away." if done.left_out else ""
    pieces = f"{len(done.memories)} piece{'' if len(done.memories) == 1 else 's'}"
    cut = (
        f" The version begins with {done.shown:,} of its {done.characters:,} characters; the next one,"
        " `engram jobs run state`, points to the rest."
        if done.shown < done.characters
        else ""
    )
    return f"Taken in as {pieces} and version {done.version}; the copy is {done.backup}.{cut}{left}"
