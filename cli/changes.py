"""`engram changes | undo`: what was done to what is believed, and the way back."""

from collections.abc import Iterator

import click

from engram.beliefs.changes import WORDS, Change, list_changes
from engram.beliefs.changes import undo as undo_change

from .memory import SHORT, shortened
from .state import State


@click.command()
@click.option("-n", "limit", default=20, show_default=True, type=click.IntRange(min=1), help="How many.")
@click.pass_obj
def changes(state: State, limit: int) -> None:
    """List what consolidation and you changed in what is believed, the newest first."""
    with state.open() as memory:
        found = list_changes(memory.graph, space=memory.space, limit=limit)
    if state.json:
        state.print_json(found)
        return
    for change in found:
        for line in change_lines(change):
            state.out(line)
    if found:
        state.say("`engram undo CHANGE` takes one back.")
    else:
        state.say(f"Nothing was changed in the space {state.space!r}.")


@click.command()
@click.argument("change")
@click.pass_obj
def undo(state: State, change: str) -> None:
    """Take a change of belief back, wholly or not at all."""
    with state.open() as memory:
        undone = undo_change(memory.graph, space=memory.space, change=change, now=memory.now())
    if state.json:
        state.print_json({"id": undone.id, "kind": undone.kind, "done": "undone"})
        return
    state.out(f"Taken back: {WORDS[undone.kind]}, {undone.at:%Y-%m-%d %H:%M}.")


def change_lines(change: Change) -> Iterator[str]:
    """Yield a change and what it touched, one line each."""
    undone = f"  taken back {change.undone_at:%Y-%m-%d %H:%M}" if change.undone_at else ""
    undone += f" by {change.undone_by}" if change.undone_by else ""
    reason = f": {change.reason}" if change.reason else ""
    yield (
        f"{change.id[:SHORT]}  {change.at:%Y-%m-%d %H:%M}  {WORDS[change.kind]} by {change.by}{reason}{undone}"
    )
    for row in change.touched:
        name = row["id"][:SHORT] if row["memory"] else row["id"]
        yield f"     {row['role']:<8} {name}  {shortened(row['text'] or '')}"
    if change.useful is not None:
        yield f"     verdicts since: {change.useful:,} useful, {change.useless:,} useless"
