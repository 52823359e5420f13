"""`engram readiness`: which milestones a mind has reached, read from what is on record."""

from collections.abc import Iterator, Sequence

import click

from engram.mind.readiness import Milestone, Witness, readiness
from engram.text import short

from .state import State

_MADE = 32
"""Characters of an id that Engram has made; others are people's own, and told whole."""


@click.command("readiness")
@click.pass_obj
def command(state: State) -> None:
    """Show the ten milestones of a mind: when each was reached and by what, or what would count.

    Nothing is ticked off by hand. `engram why` shows what the memories among the evidence rest on.
    """
    with state.open() as memory:
        found = readiness(memory.graph, space=memory.space)
    if state.json:
        state.print_json(found)
        return
    for line in readiness_lines(found):
        state.out(line)


def readiness_lines(milestones: Sequence[Milestone]) -> Iterator[str]:
    """Say how far it has come, a line for each milestone."""
    reached = sum(each.at is not None for each in milestones)
    yield f"{reached} of {len(milestones)} reached."
    for each in milestones:
        if each.at is None:
            yield f"{each.number:>2}. {each.title}: not yet. What counts is {each.counts}."
        else:
            shown = ", ".join(_shown(witness) for witness in each.evidence)
            yield f"{each.number:>2}. {each.title}: {each.at:%Y-%m-%d %H:%M}Z by {shown}"


def _shown(witness: Witness) -> str:
    made = len(witness.id) == _MADE
    return f"{witness.label} {short(witness.id) if made else witness.id}".strip()
