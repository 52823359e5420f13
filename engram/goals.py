"""What the agent is after: goals with weights, none of which may outweigh the others by too much."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from engram.embedding.protocol import Embedder
from engram.errors import InvalidInputError, NotFoundError
from engram.graph import Graph, Row, Transaction
from engram.safety import Ceiling, Change, ceilings, record_events
from engram.safety.ceilings import GOAL_SHARE
from engram.text import MIN_PREFIX, normal
from engram.tuning import read_tuning
from engram.validation import check_content

FEWEST = 3
"""Goals from which a share of 40 % can be kept to: of two, one always has half."""
MAX_BYTES = 2_000
"""Longest text of a goal; it stands in prompts."""

GoalState = Literal["active", "done", "dropped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """Something that the agent is after."""

    id: str
    text: str
    state: GoalState
    weight: float
    """What it counts beside the others, above 0."""
    created_at: datetime
    changed_at: datetime
    """When its state or its weight was last set on purpose."""
    embedding: tuple[float, ...] = field(repr=False)
    """Its unit vector, by the space's embedder."""


class Goals:
    """The goals of one space."""

    def __init__(
        self, graph: Graph, embedder: Embedder, *, space: str, clock: Callable[[], datetime]
    ) -> None:
        self._graph = graph
        self._embedder = embedder
        self._space = space
        self._clock = clock

    def list(self, *, state: GoalState | None = None) -> tuple[Goal, ...]:
        """Return the goals, or those of one state, the oldest first."""
        rows = self._graph.read("inspect/list_goals", space=self._space, state=state)
        goals = tuple(_goal(row["goal"]) for row in rows)
        missing = [each.text for each in goals if not each.embedding]
        # Set by a process that has another model than this one: a reindex is not quite over.
        made = iter(self._embedder.embed(missing).tolist() if missing else ())
        return tuple(each if each.embedding else replace(each, embedding=tuple(next(made))) for each in goals)

    def add(self, text: str, *, weight: float = 1.0) -> Goal:
        """Set a goal and return it with the weight that its budget allows.

        An active goal of the same words is returned as it is.

        Raises:
            InvalidInputError: The text is empty or too long, or the weight is not above 0.
        """
        words = check_content(text, limit=MAX_BYTES)
        vector = self._embedder.embed([words])[0].tolist()
        now = self._clock()
        new = Goal(
            id=uuid4().hex,
            text=words,
            state="active",
            weight=_checked(weight),
            created_at=now,
            changed_at=now,
            embedding=tuple(vector),
        )
        budget = self._budget()

        def work(transaction: Transaction) -> Goal:
            active = self._locked(transaction)
            same = next((each for each in active if normal(each.text) == normal(words)), None)
            if same is not None:
                return same
            row = {name: getattr(new, name) for name in Goal.__slots__ if name != "embedding"}
            transaction.run("write/add_goal", space=self._space, goal=row, vector=vector)
            return self._settle(transaction, budget, active, [*active, new])[new.id]

        return self._graph.transact(work)

    def weigh(self, prefix: str, weight: float) -> Goal:
        """Give an active goal another weight and return it with the weight that its budget allows.

        Raises:
            NotFoundError: There is no such goal.
            InvalidInputError: The beginning fits several, the goal is not active, or the weight is not above 0.
        """
        return self._change(prefix, {"weight": _checked(weight)})

    def done(self, prefix: str) -> Goal:
        """Mark a goal as reached and return it.

        Raises:
            NotFoundError: There is no such goal.
            InvalidInputError: The beginning fits several, or the goal is not active.
        """
        return self._change(prefix, {"state": "done"})

    def drop(self, prefix: str) -> Goal:
        """Give a goal up and return it.

        Raises:
            NotFoundError: There is no such goal.
            InvalidInputError: The beginning fits several, or the goal is not active.
        """
        return self._change(prefix, {"state": "dropped"})

    def _change(self, prefix: str, values: Row) -> Goal:
        if len(prefix) < MIN_PREFIX:
            raise InvalidInputError(
                f"{prefix!r} is too short for an id.", remedy=f"Give {MIN_PREFIX} characters or more."
            )
        budget = self._budget()

        def work(transaction: Transaction) -> Goal:
            active = self._locked(transaction)
            changed = replace(self._find(transaction, prefix), **values, changed_at=self._clock())
            self._write(transaction, [changed])
            others = [each for each in active if each.id != changed.id]
            if changed.state != "active":
                self._settle(transaction, budget, active, others)
                return changed
            return self._settle(transaction, budget, active, [*others, changed])[changed.id]

        return self._graph.transact(work)

    def _budget(self) -> Ceiling:
        return ceilings(read_tuning(self._graph, space=self._space))["goal_budget"]

    def _locked(self, transaction: Transaction) -> Sequence[Goal]:
        """Lock the active goals and return them as they are then: two who change the budget queue up."""
        transaction.run("write/lock_goals", space=self._space)
        rows = transaction.run("inspect/list_goals", space=self._space, state="active").rows
        return [_goal(row["goal"]) for row in rows]

    def _find(self, transaction: Transaction, prefix: str) -> Goal:
        rows = transaction.run("inspect/list_goals", space=self._space, state=None).rows
        goals = [_goal(row["goal"]) for row in rows if row["goal"]["id"].startswith(prefix)]
        if not goals:
            raise NotFoundError(f"There is no goal {prefix!r} in the space {self._space!r}.")
        if len(goals) > 1:
            raise InvalidInputError(f"{prefix!r} fits several goals.", remedy="Give more characters.")
        if goals[0].state != "active":
            raise InvalidInputError(f"The goal {prefix!r} is {goals[0].state} already.")
        return goals[0]

    def _write(self, transaction: Transaction, goals: Sequence[Goal]) -> None:
        rows = [
            {"id": each.id, "state": each.state, "weight": each.weight, "changed_at": each.changed_at}
            for each in goals
        ]
        transaction.run("write/change_goals", space=self._space, goals=rows)

    def _settle(
        self, transaction: Transaction, budget: Ceiling, before: Sequence[Goal], after: Sequence[Goal]
    ) -> dict[str, Goal]:
        """Keep the active goals within their budget, where that is enforced, and return them by id."""
        was, would = _shares(before), _shares(after)
        changes = (
            Change(
                subject=each.id,
                before=was.get(each.id, 0.0),
                after=would[each.id],
                exempt=len(after) < FEWEST,
            )
            for each in after
        )
        fired = [event for change in changes if (event := budget.fired(change, at=self._clock()))]
        record_events(transaction, self._space, fired)
        settled = {each.id: each for each in after}
        if fired and budget.enforced:
            weights = within_budget(np.array([each.weight for each in after])).tolist()
            cut = [
                replace(each, weight=weight)
                for each, weight in zip(after, weights, strict=True)
                if weight < each.weight
            ]
            self._write(transaction, sorted(cut, key=lambda each: each.id))
            settled |= {each.id: each for each in cut}
        return settled


def within_budget(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weights, shape (n,), cut so that none is more than 40 % of their sum (v4 plan, 3.9).

    What is cut is cut to one level c, and nothing else changes. Where the k heaviest are cut and the others add up to
    R, `c = 0.4 (k c + R)`, so `c = 0.4 R / (1 - 0.4 k)`. No three can have more than 40 % each, so k is 1 or 2. Fewer
    than three weights are returned as they are.
    """
    if weights.size < FEWEST:
        return weights
    ordered = np.sort(weights)[::-1]
    for cut in range(FEWEST):
        rest = float(ordered[cut:].sum())
        level = GOAL_SHARE * rest / (1.0 - GOAL_SHARE * cut)
        if ordered[cut] <= level:
            break
    return np.minimum(weights, level) if cut else weights


def _shares(goals: Sequence[Goal]) -> dict[str, float]:
    total = math.fsum(each.weight for each in goals)
    return {each.id: each.weight / total for each in goals}


def _checked(weight: float) -> float:
    if not (weight > 0 and math.isfinite(weight)):
        raise InvalidInputError(f"A goal's weight must be above 0 and finite, not {weight!r}.")
    return float(weight)


def _goal(row: Row) -> Goal:
    return Goal(**{name: row[name] for name in Goal.__slots__} | {"embedding": tuple(row["embedding"] or ())})
