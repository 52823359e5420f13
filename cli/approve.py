"""`engram approve`: a person's word on what is to weigh like identity."""

from collections.abc import Iterator
from typing import Any

import click

from engram.beliefs.promotion.approvals import Approval, list_approvals, refuse
from engram.beliefs.promotion.approvals import approve as give
from engram.identity import person
from engram.memory import utc_now

from .memory import SHORT, shortened
from .state import State


@click.command()
@click.argument("approval", metavar="[ID]", required=False)
@click.option("--refuse", "refused", is_flag=True, help="Let it stay as it is.")
@click.pass_obj
def approve(state: State, approval: str | None, refused: bool) -> None:  # noqa: FBT001
    """Approve or refuse what is to weigh like identity; without an ID, list what waits.

    ID is that of the question or of the memory. What is refused is asked for again once there is evidence of twice as
    many days.
    """
    if approval is None:
        if refused:
            raise click.UsageError("Say what is refused: engram approve ID --refuse.")
        _list(state)
        return
    with state.open() as memory:
        graph, space = memory.graph, memory.space
        if refused:
            asked = refuse(graph, space=space, approval=approval, by=person(), now=utc_now())
            done: dict[str, Any] = {"memory": asked.memory, "done": "refused"}
            text = f"{asked.memory[:SHORT]} stays as it is."
        else:
            given = give(graph, space=space, approval=approval, by=person(), now=utc_now())
            done = {
                "memory": given.memory,
                "done": "promoted",
                "weight": given.center,
                "change": given.change,
            }
            text = f"{given.memory[:SHORT]} weighs {given.center:.2f} now."
            if given.change is not None:
                text += f" `engram undo {given.change[:SHORT]}` takes that back."
    if state.json:
        state.print_json(done)
    else:
        state.out(text)


def _list(state: State) -> None:
    with state.open() as memory:
        found = list_approvals(memory.graph, space=memory.space)
    if state.json:
        state.print_json(found)
        return
    if not found:
        state.out("Nothing waits for a person's word.")
    for each in found:
        for line in _lines(each):
            state.out(line)


def _lines(approval: Approval) -> Iterator[str]:
    """Say what is asked for, and what it rests on."""
    yield f"{approval.id[:SHORT]}  {shortened(approval.content)}"
    yield (
        f"{'':10}memory {approval.memory[:SHORT]}, asked {approval.asked_at:%Y-%m-%d}: "
        f"weight {approval.weight:.2f}, would be {approval.center:.2f}"
    )
    yield (
        f"{'':10}evidence of {approval.days} days over {approval.span_days}, "
        f"truth {approval.truth:.2f} (evidence {approval.evidence:g})"
    )
