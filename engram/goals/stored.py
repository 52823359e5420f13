"""Goals as they are stored: what is done to them within one transaction."""

from collections.abc import Sequence
from datetime import datetime

from engram.entities import keys_in
from engram.goals.budget import settled
from engram.goals.records import PENDING, Goal, GoalState, goal_of, row_of
from engram.graph import Transaction
from engram.mind.priority import RATES
from engram.safety import Ceiling, record_events


class Stored:
    """The goals of one space in one transaction, locked from its beginning: who changes them queues up."""

    def __init__(self, transaction: Transaction, *, space: str, now: datetime) -> None:
        self._transaction = transaction
        self._space = space
        self._now = now
        transaction.run("write/lock_goals", space=space, now=now)

    def read(self, states: Sequence[GoalState] | None = PENDING) -> list[Goal]:
        """Return the goals of some states, or all, the oldest first."""
        rows = self._transaction.run(
            "inspect/list_goals", space=self._space, states=states and [*states]
        ).rows
        return [goal_of(row["goal"]) for row in rows]

    def add(self, goal: Goal) -> None:
        """Store a new goal with what it is about."""
        self._transaction.run(
            "write/add_goal", space=self._space, goal=row_of(goal), vector=[*goal.embedding]
        )
        self.link(goal)

    def link(self, goal: Goal) -> None:
        """Say whom and what a goal is about, as far as that is known by now."""
        keys = sorted(keys_in(goal.text))
        self._transaction.run("mind/link_goal", space=self._space, id=goal.id, keys=keys, now=self._now)

    def change(self, goals: Sequence[Goal]) -> None:
        """Store goals that were stored before as they are now."""
        rows = [{"id": each.id, "values": row_of(each)} for each in sorted(goals, key=lambda each: each.id)]
        self._transaction.run("write/change_goals", space=self._space, goals=rows)

    def touch(self, ids: Sequence[str]) -> None:
        """Note that the person speaks of goals."""
        self._transaction.run("mind/touch_goals", space=self._space, ids=sorted(ids), now=self._now)

    def settle(self, budget: Ceiling, before: Sequence[Goal], after: Sequence[Goal]) -> None:
        """Keep the active goals within their budget, and recompute how much each presses."""
        kept = settled(before, after, budget, at=self._now)
        record_events(self._transaction, self._space, kept.fired)
        self.change(kept.cut)
        self.rank()

    def rank(self) -> None:
        """Recompute how much each goal presses."""
        self._transaction.run("mind/rank_goals", space=self._space, rates=dict(RATES), now=self._now)
