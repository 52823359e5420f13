"""`engram forget`: out of recall and back, or deleted for good, after a look at what that takes."""

import shlex
import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import click
from rich.progress import Progress, SpinnerColumn, TextColumn

from engram.erasing import About, One, Preview, Wanted, Whole
from engram.errors import InvalidInputError
from engram.text import single_line

from .state import State

if TYPE_CHECKING:
    from engram.memory import Engram
    from engram.records import Evidence

_SHORT = 8
_LONGEST = 100
"""Characters of a text that are shown."""


@click.command()
@click.argument("memory_id", metavar="[ID]", required=False)
@click.option("--about", "name", metavar="NAME", help="Whatever mentions somebody or something.")
@click.option("--erase", is_flag=True, help="Delete it for good, everywhere, so that it cannot come back.")
@click.option("--undo", is_flag=True, help="Bring a forgotten or superseded memory back.")
@click.option("--dry-run", is_flag=True, help="Only show what would go and what would stay.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def forget(
    state: State,
    *,
    memory_id: str | None,
    name: str | None,
    erase: bool,
    undo: bool,
    dry_run: bool,
    yes: bool,
) -> None:
    """Take something out of recall; nothing is lost unless --erase is given.

    That is one memory, by its ID or the beginning of it; whatever mentions somebody or something (--about NAME); or,
    with --space NAME alone, all of a space.
    """
    if undo and (erase or dry_run):
        raise click.UsageError("--undo goes with neither --erase nor --dry-run.")
    with state.open() as memory:
        wanted = _wanted(state, memory, memory_id, name)
        if undo:
            _bring_back(state, memory, wanted)
            return
        # One memory out of recall is brought back as easily: nobody is asked.
        asks = erase or not isinstance(wanted, One)
        if asks or dry_run:
            preview = _preview(memory, wanted, erase=erase)
            if dry_run:
                _report(state, preview, erase=erase)
                return
            if not yes and not _agreed(state, preview, wanted, erase=erase):
                state.say("Kept.")
                return
        if erase:
            _erase(state, memory, wanted)
        else:
            _take_out(state, memory, wanted)


def _wanted(state: State, memory: "Engram", memory_id: str | None, name: str | None) -> Wanted:
    """Return what the command line names, exactly one thing."""
    if memory_id is not None and name is not None:
        raise click.UsageError("An ID and --about exclude each other.")
    if memory_id is not None:
        return One(memory.get(memory_id).id)
    if name is not None:
        return memory.eraser.about(name)
    # A space that only the environment names is not meant by leaving everything out.
    if state.wanted_space is None:
        raise click.UsageError("Say what: an ID, --about NAME, or --space NAME for all of a space.")
    return Whole()


def _preview(memory: "Engram", wanted: Wanted, *, erase: bool) -> Preview:
    preview = memory.eraser.preview(wanted, erase=erase)
    if not (erase and isinstance(wanted, One)):
        return preview
    return replace(preview, stays=(*preview.stays, *_replaced(memory, wanted)))


def _replaced(memory: "Engram", wanted: One) -> list[str]:
    """Return what is to be said of what a memory had replaced."""
    return [
        f"It had replaced {step.id[:_SHORT]} “{_line(step.text)}”, which stays superseded; "
        f"`engram forget --undo {step.id[:_SHORT]}` brings it back."
        for step in _beside(memory, wanted, "SUPERSEDES")
    ]


def _replacing(memory: "Engram", wanted: One) -> list[str]:
    """Return what is to be said of what a memory was replaced by, which replaces it no more once it is back."""
    return [
        f"{step.id[:_SHORT]} “{_line(step.text)}” replaces it no more"
        + (f" (it had because: {_line(str(reason))})" if (reason := step.detail.get("reason")) else "")
        + f"; both are recalled now. `engram forget {step.id[:_SHORT]}` takes that one out."
        for step in _beside(memory, wanted, "SUPERSEDED_BY")
    ]


def _beside(memory: "Engram", wanted: One, relationship: str) -> "list[Evidence]":
    """Return the steps of one kind that a memory's chain of evidence begins with."""
    chain = memory.why(wanted.id)
    return [step for step in chain if step.depth == 1 and step.relationship == relationship]


def _agreed(state: State, preview: Preview, wanted: Wanted, *, erase: bool) -> bool:
    """Show what would happen and ask."""
    for line in _lines(preview, erase=erase):
        state.say(line)
    if not sys.stdin.isatty():
        raise InvalidInputError(
            "Nobody is here to ask whether this is meant"
            + (", and erasing cannot be undone." if erase else "."),
            remedy="Say --yes to do it without a question.",
        )
    if erase and isinstance(wanted, Whole):
        typed = click.prompt(
            "Type the name of the space to erase all of it", default="", show_default=False, err=True
        )
        return str(typed) == state.space
    return click.confirm("Erase this for good?" if erase else "Take this out of recall?", err=True)


def _report(state: State, preview: Preview, *, erase: bool) -> None:
    if state.json:
        state.print_json(preview)
    else:
        for line in _lines(preview, erase=erase):
            state.out(line)


def _lines(preview: Preview, *, erase: bool) -> list[str]:
    """Return a preview as lines of text."""
    head = preview.subject[0].upper() + preview.subject[1:]
    if not preview:
        return [f"{head}: there is nothing of it in recall."]
    goes = "goes for good" if erase else "goes out of recall"
    lines = [f"{head}", f"  {goes}: {_counts(preview.goes)}" if preview.goes else f"  nothing {goes}"]
    lines += [f"    “{_line(text)}”" for text in preview.texts]
    if preview.rewritten:
        lines.append(f"  is rewritten, because it quotes it: {_counts(preview.rewritten)}")
    return lines + [f"  stays: {single_line(reason)}" for reason in preview.stays]


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {label}" for label, count in counts.items())


def _line(text: str) -> str:
    line = single_line(text)
    return line if len(line) <= _LONGEST else line[:_LONGEST].rstrip() + " …"


def _erase(state: State, memory: "Engram", wanted: Wanted) -> None:
    replaced = _replaced(memory, wanted) if isinstance(wanted, One) else []
    columns = (SpinnerColumn(), TextColumn("{task.completed:,} memories erased"))
    with Progress(*columns, transient=True, disable=state.json or not sys.stderr.isatty()) as bar:
        task = bar.add_task("", total=None)
        memory.eraser.erase(wanted, progress=lambda count: bar.advance(task, count))
    for line in replaced:
        state.say(line)
    if state.json:
        state.print_json({**_named(state, wanted), "done": "erased"})
    else:
        state.out(f"{_spoken(state, wanted)} is erased.")


def _take_out(state: State, memory: "Engram", wanted: Wanted) -> None:
    ids = [memory.forget(wanted.id).id] if isinstance(wanted, One) else memory.eraser.forget(wanted)
    if state.json:
        state.print_json({**_named(state, wanted), "done": "forgotten", "memories": len(ids)})
        return
    count = "" if isinstance(wanted, One) else f" ({len(ids):,} memories)"
    state.out(
        f"{_spoken(state, wanted)} is forgotten{count}; `engram forget --undo {_again(state, wanted)}` brings it back."
    )


def _bring_back(state: State, memory: "Engram", wanted: Wanted) -> None:
    ids = _bring_one_back(state, memory, wanted) if isinstance(wanted, One) else memory.eraser.restore(wanted)
    if state.json:
        state.print_json({**_named(state, wanted), "done": "restored", "memories": len(ids)})
    elif isinstance(wanted, One):
        state.out(f"{wanted.id[:_SHORT]} is back.")
    else:
        state.out(f"{_spoken(state, wanted)} is back ({len(ids):,} memories).")


def _bring_one_back(state: State, memory: "Engram", wanted: One) -> list[str]:
    """Bring a memory back, say what that undoes besides, and return its id."""
    told: list[str] = []
    match memory.get(wanted.id).status:
        case "superseded":
            told = _replacing(memory, wanted)  # looked up while the link is there
        case "archived":
            pass
        case _:
            told = [f"{wanted.id[:_SHORT]} was not forgotten."]
    back = memory.restore(wanted.id)
    for line in told:
        state.say(line)
    return [back.id]


def _named(state: State, wanted: Wanted) -> dict[str, str]:
    match wanted:
        case One():
            return {"id": wanted.id}
        case About():
            return {"about": wanted.names[0]}
        case Whole():
            return {"space": state.space}


def _again(state: State, wanted: Wanted) -> str:
    """Return how a command names it."""
    match wanted:
        case One():
            return wanted.id[:_SHORT]
        case About():
            return f"--about {shlex.quote(single_line(wanted.names[0]))}"
        case Whole():
            return f"--space {shlex.quote(state.space)}"


def _spoken(state: State, wanted: Wanted) -> str:
    match wanted:
        case One():
            return wanted.id[:_SHORT]
        case About():
            return f"All about {single_line(wanted.names[0])}"
        case Whole():
            return f"All of the space {state.space}"
