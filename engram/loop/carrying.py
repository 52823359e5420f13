"""Carrying out what the exit gate decided about memories that are there: confirmed ones and contradicted ones."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from engram.beliefs.conflicts.outcomes import Disagreement, flag
from engram.beliefs.truth import settle_truth
from engram.feedback import REINFORCE, move_weights
from engram.graph import Row, Transaction
from engram.loop.inputs import Source
from engram.loop.matrix import Action, Decision
from engram.text import short
from engram.tuning import Tuning

GATE = "exit gate"
"""Who finds the contradictions, in the log of changes."""


def carry_out(
    transaction: Transaction,
    decisions: Sequence[Decision],
    memories: Mapping[str, str],
    *,
    space: str,
    now: datetime,
    tuning: Tuning,
) -> frozenset[str]:
    """Confirm what was said again and flag what contradicts, inside the caller's transaction.

    It must be the one in which the entries are marked as decided, so that each counts once.

    Args:
        transaction: The caller's.
        decisions: What was decided.
        memories: By the id of each entry that was persisted, the id of its memory.
        space: Whose.
        now: When.
        tuning: The space's numbers.

    Returns:
        Ids of the memories that should have been confirmed and are not active any more: they are left as they are.
    """
    gone: frozenset[str] = frozenset()
    if rows := _confirmed(decisions):
        found = transaction.run(
            "write/confirm_memories",
            space=space,
            rows=rows,
            boost=tuning["boost.reinforcement"],
            cap=tuning.whole("boost.reinforcement_cap"),
            weight=REINFORCE,
            energy=tuning.energy,
            now=now,
        ).rows[0]
        gone = frozenset(row["id"] for row in rows) - frozenset(found["confirmed"])
        move_weights(
            transaction, found["steps"], by="what was said again", space=space, tuning=tuning, now=now
        )
    if flagged := flag(transaction, _tensions(decisions, memories), space=space, now=now):
        ids = sorted({each for pair in flagged for each in pair})
        settle_truth(transaction, space=space, ids=ids, tuning=tuning)
    return gone


def resolved(decision: Decision, memories: Mapping[str, str]) -> Decision:
    """Return a decision with the memories in place of the entries that became them in the same transaction.

    Args:
        decision: What was decided.
        memories: By the id of each entry that was persisted, the id of its memory.
    """
    reason = decision.reason
    for entry in {decision.nearest or "", *decision.contradicts} & memories.keys():
        reason = reason.replace(short(entry), short(memories[entry]))
    return replace(
        decision,
        reason=reason,
        nearest=memories.get(decision.nearest or "", decision.nearest),
        contradicts=tuple(memories.get(each, each) for each in decision.contradicts),
    )


def _confirmed(decisions: Sequence[Decision]) -> list[Row]:
    by_memory: dict[str, list[Decision]] = {}
    for decision in decisions:
        if decision.action is Action.REINFORCE and decision.nearest is not None:
            by_memory.setdefault(decision.nearest, []).append(decision)
    return [
        {
            "id": key,
            "similarity": sum(each.similarity for each in found) / len(found),
            "times": len(found),
            "told": sum(each.entry.source_tag == Source.USER for each in found),
        }
        for key, found in sorted(by_memory.items())
    ]


def _tensions(decisions: Sequence[Decision], memories: Mapping[str, str]) -> list[Disagreement]:
    return [
        Disagreement(one=new, other=other, why=decision.reason, by=GATE, reason="contradicts what is known")
        for decision in decisions
        if decision.action is Action.PERSIST_AND_FLAG and (new := memories.get(decision.entry.id))
        for other in decision.contradicts
    ]
