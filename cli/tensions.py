"""`engram tensions | resolve`: contradictions that nothing has settled, and a person's word on one."""

from collections.abc import Iterator

import click

from engram.beliefs.conflicts.tensions import Side, Tension, list_tensions
from engram.beliefs.conflicts.tensions import resolve as resolve_tension

from .memory import SHORT, shortened
from .state import State

_NAMES = ("A", "B")


@click.command()
@click.option("--all", "closed", is_flag=True, help="Show those that are resolved too.")
@click.pass_obj
def tensions(state: State, closed: bool) -> None:  # noqa: FBT001
    """List pairs of memories that cannot both hold, the newest first."""
    with state.open() as memory:
        found = list_tensions(memory.graph, space=memory.space, closed=closed)
    if state.json:
        state.print_json(found)
        return
    for each in found:
        for line in tension_lines(each):
            state.out(line)
    if not found:
        state.say(f"There are no tensions in the space {state.space!r}.")
    elif any(each.state != "resolved" for each in found):
        state.say(
            "`engram resolve ID --keep A|B|both|neither` settles one; ID is its own or of one of the two."
        )


@click.command()
@click.argument("tension", metavar="ID")
@click.option("--keep", required=True, metavar="WHICH", help="A, B or the id of one side; both; neither.")
@click.pass_obj
def resolve(state: State, tension: str, keep: str) -> None:
    """Say which side of a tension holds.

    The other one is superseded. With `both` they do not exclude each other, with `neither` both are forgotten.
    """
    with state.open() as memory:
        change = resolve_tension(memory, tension, keep)
    if state.json:
        state.print_json(change)
        return
    for row in change.touched:
        if row["role"] in _DONE:
            state.out(f"{_DONE[row['role']]:<9} {row['id'][:SHORT]}  {shortened(row['text'])}")
    state.say(f"Change {change.id[:SHORT]}; `engram undo {change.id[:SHORT]}` takes it back.")


_DONE = {"kept": "kept", "refused": "retired", "one": "kept", "other": "kept"}
"""What becomes of a side, by its role in the change."""


def tension_lines(tension: Tension) -> Iterator[str]:
    """Yield a tension and its two sides, one line each."""
    name = tension.id[:SHORT] if tension.id else "-" * SHORT
    times = "once" if tension.surfaced == 1 else f"{tension.surfaced:,} times"
    surfaced = f", surfaced {times}" if tension.surfaced else ""
    why = f" (because: {tension.why})" if tension.why else ""
    yield f"{name}  {tension.state} since {tension.at:%Y-%m-%d}{surfaced}{why}"
    for letter, side in zip(_NAMES, tension.sides, strict=True):
        yield _side_line(letter, side)
    if tension.resolved_at:
        kept = _kept_text(tension)
        yield f"     resolved {tension.resolved_at:%Y-%m-%d}: {', '.join(filter(None, (kept, tension.how)))}"


def _side_line(letter: str, side: Side) -> str:
    who = f"{side.speaker}: " if side.speaker else ""
    status = f"  {side.status}" if side.status != "active" else ""
    return (
        f"  {letter}  {side.id[:SHORT]}  {side.at:%Y-%m-%d}  {who}{shortened(side.content)}"
        f"  (truth {side.truth:.2f}){status}"
    )


def _kept_text(tension: Tension) -> str:
    for letter, side in zip(_NAMES, tension.sides, strict=True):
        if tension.kept == side.id:
            return f"{letter} holds"
    return {"both": "both hold", "neither": "neither holds"}.get(tension.kept or "", "")
