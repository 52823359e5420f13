"""Approvals: a person's word before a memory weighs like identity.

Where a promotion would lift the centre of a weight above `approve.centre` and `approve.trust_level` is below 3, an
`:Approval` is written instead, which points to the memory by `ASKS_FOR`. What is approved is promoted at once; what is
refused is not asked for again before there is evidence of twice as many days.

Source: v4 plan, 4.3.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from engram.beliefs.promotion.patterns import Stage, read_pattern
from engram.beliefs.promotion.promoter import Fate, Promoter, Promotion
from engram.errors import InvalidInputError, NotFoundError
from engram.graph import Graph, Transaction
from engram.tuning import read_tuning

LISTED = 1_000
"""Most approvals that are listed."""


class ApprovalState(StrEnum):
    """What became of a question."""

    PENDING = "pending"
    APPROVED = "approved"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """A question to a person, with what it rests on."""

    id: str
    state: ApprovalState
    memory: str
    """Id of the memory."""
    content: str
    stage: Stage
    """What it is to be promoted to."""
    weight: float
    """Centre of its weight now."""
    center: float
    """What that would be."""
    days: int
    """On how many different days there was evidence."""
    span_days: int
    """Days from the first to the last."""
    truth: float
    """Mean of its truth, 0 to 1."""
    evidence: float
    """How much evidence that rests on."""
    asked_at: datetime
    decided_at: datetime | None
    by: str | None
    """Who has decided."""


def list_approvals(
    graph: Graph,
    *,
    space: str,
    states: Sequence[ApprovalState] = (ApprovalState.PENDING,),
    prefix: str = "",
    limit: int = LISTED,
) -> list[Approval]:
    """Return what was asked for memories that are still active, the oldest question first.

    Args:
        graph: Where.
        space: Whose.
        states: What became of the questions.
        prefix: The beginning of their ids or of the memories'.
        limit: How many at most.
    """
    rows = graph.read(
        "believe/approval_list", space=space, states=list(states), prefix=prefix, limit=min(limit, LISTED)
    )
    return [
        Approval(
            **row["approval"]
            | {
                "state": ApprovalState(row["approval"]["state"]),
                "stage": Stage(row["approval"]["stage"]),
                "memory": row["memory"]["id"],
                **{name: row["memory"][name] for name in ("content", "weight", "truth", "evidence")},
            }
        )
        for row in rows
    ]


def approve(graph: Graph, *, space: str, approval: str, by: str, now: datetime) -> Promotion:
    """Promote what was asked for; what was refused before may still be approved.

    Args:
        graph: Where.
        space: Whose.
        approval: Id of the approval or of the memory, or the beginning of one.
        by: Who says so.
        now: When.

    Raises:
        NotFoundError: Nothing of that id is asked for.
        InvalidInputError: The beginning fits several, or the promotion is not due any more, or it was rolled back.
    """
    states = (ApprovalState.PENDING, ApprovalState.REFUSED)
    asked = _find(graph, space=space, given=approval, states=states)

    promoter = Promoter(graph, space=space, tuning=read_tuning(graph, space=space), now=now, by=by)
    done = promoter.promote(asked.memory, approved=asked.stage)
    if done.fate is not Fate.PROMOTED:
        raise InvalidInputError(f"{asked.memory[:8]} was not promoted: {done.why or done.fate.value}.")
    return done


def refuse(graph: Graph, *, space: str, approval: str, by: str, now: datetime) -> Approval:
    """Let a memory stay what it is; it is asked for again once there is evidence of twice as many days.

    Args:
        graph: Where.
        space: Whose.
        approval: Id of the approval or of the memory, or the beginning of one.
        by: Who says so.
        now: When.

    Returns:
        The question as it was.

    Raises:
        NotFoundError: Nothing of that id is asked for.
        InvalidInputError: The beginning fits several.
    """
    asked = _find(graph, space=space, given=approval, states=(ApprovalState.PENDING,))

    def work(transaction: Transaction) -> None:
        transaction.run("write/lock_memories", space=space, ids=[asked.memory])
        pattern = read_pattern(transaction, space=space, memory=asked.memory)
        decided = transaction.run(
            "believe/approval_decide",
            space=space,
            memory=asked.memory,
            stage=int(asked.stage),
            **{"from": [ApprovalState.PENDING]},
            to=ApprovalState.REFUSED,
            by=by,
            now=now,
        ).rows[0]["decided"]
        if pattern is None or not decided:
            raise InvalidInputError(f"The question {asked.id[:8]} was answered meanwhile.")
        transaction.run(
            "believe/pattern_note",
            space=space,
            id=asked.memory,
            properties={"pattern_retry_days": 2 * pattern.evidence.count},
        )

    graph.transact(work)
    return asked


def _find(graph: Graph, *, space: str, given: str, states: Sequence[ApprovalState]) -> Approval:
    prefix = given.strip().lower()
    found = list_approvals(graph, space=space, states=states, prefix=prefix) if prefix else []
    if not found:
        raise NotFoundError(
            f"Nothing is asked for {given!r} in the space {space!r}.", remedy="`engram approve` lists it."
        )
    # Of one memory the last question is meant; a whole id names one however many begin like it.
    named = [each for each in found if prefix in {each.id, each.memory}] or found
    if len({each.memory for each in named}) > 1:
        raise InvalidInputError(f"{given!r} fits several questions.", remedy="Give more characters.")
    return named[-1]
