"""The goals of a space: set, found in talk, changed and ranked."""

import logging
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from uuid import uuid4

import numpy as np

from engram.embedding.protocol import Embedder
from engram.errors import EngramError, InvalidInputError, NotFoundError
from engram.goals.explaining import Explained, explain
from engram.goals.mentioning import content_words
from engram.goals.records import OPEN, PENDING, Goal, GoalState, goal_of
from engram.goals.session import Worked, after_session, resting, taken_up
from engram.goals.stored import Stored
from engram.graph import Graph, Transaction
from engram.mind.priority import RATES
from engram.mind.replaying import BRIEF, Replayer
from engram.safety import Ceiling, ceilings
from engram.text import MIN_PREFIX, normal
from engram.tuning import read_tuning
from engram.validation import check_content

MAX_BYTES = 2_000
"""Longest text of a goal; it stands in prompts."""
MOST_PROPOSED = 10
"""Proposals that wait for the person's word at once: who floods a conversation with wishes gets no list of them."""
SAME = 0.9
"""Cosine from which what is proposed is a goal that there is or was, in other words."""

_LOG = logging.getLogger(__name__)


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
        """Return the goals, the oldest first; or those of one state, the active ones by priority."""
        found = self.among(None if state is None else (state,))
        return by_priority(found) if state == "active" else found

    def pending(self) -> tuple[Goal, ...]:
        """Return the goals that have not come to an end, the most pressing first, and then what is only proposed."""
        return by_priority(self.among(PENDING))

    def among(self, states: Sequence[GoalState] | None) -> tuple[Goal, ...]:
        """Return the goals of some states, or all, the oldest first."""
        rows = self._graph.read("inspect/list_goals", space=self._space, states=states and [*states])
        goals = tuple(goal_of(row["goal"]) for row in rows)
        missing = [each.text for each in goals if not each.embedding]
        # Set by a process that has another model than this one: a reindex is not quite over.
        made = iter(self._embedder.embed(missing).tolist() if missing else ())
        return tuple(each if each.embedding else replace(each, embedding=tuple(next(made))) for each in goals)

    def add(self, text: str, *, weight: float = 1.0, tractability: float = 0.5) -> Goal:
        """Set a goal and return it with the weight that its budget allows.

        One of the same words that has not come to an end is returned as it is; one that was only proposed is agreed to.

        Args:
            text: What is to be reached.
            weight: What it counts beside the others, above 0.
            tractability: How much can be done about it without the person, 0 to 1.

        Raises:
            InvalidInputError: The text is empty or too long, or a number is out of its range.
        """
        new = self._new(text, "active", weight=_weight(weight), tractability=_share(tractability))

        def change(stored: Stored, goals: Sequence[Goal]) -> Goal:
            same = next((each for each in goals if normal(each.text) == normal(new.text)), None)
            if same is None:
                stored.add(new)
                return new
            if same.state != "proposed":
                return same
            return replace(_agreed(same, self._clock()), weight=new.weight, tractability=new.tractability)

        return self._changed(change)

    def propose(self, text: str, *, found_in: str | None = None) -> Goal | None:
        """Keep what sounds like a goal until the person agrees to it or refuses it.

        Return it; or None where there is or was such a goal, refused or given up, or too many wait already.

        Args:
            text: What the person seems to want.
            found_in: Id of the turn that it was said in.

        Raises:
            InvalidInputError: The text is empty or too long.
        """
        new = replace(self._new(text, "proposed"), found_in=found_in)

        def work(transaction: Transaction) -> Goal | None:
            stored = self._stored(transaction)
            others = stored.read((*PENDING, "dropped"))
            waiting = sum(each.state == "proposed" for each in others)
            if waiting >= MOST_PROPOSED or any(_same(each, new) for each in others):
                return None
            stored.add(new)
            return new

        return self._graph.transact(work)

    def accept(self, prefix: str) -> Goal:
        """Take up what was proposed, and return it; raises as `done`."""
        return self._set(prefix, ("proposed",), _agreed)

    def refuse(self, prefix: str) -> Goal:
        """Drop what was proposed, so that it is not proposed again, and return it; raises as `done`."""
        return self._set(prefix, ("proposed",), lambda goal, now: _ended(goal, "dropped", now))

    def weigh(self, prefix: str, weight: float) -> Goal:
        """Give an active goal another weight and return it with the weight that its budget allows.

        Raises:
            NotFoundError: There is no such goal.
            InvalidInputError: The beginning fits several, the goal is not active, or the weight is not above 0.
        """
        checked = _weight(weight)
        return self._set(prefix, ("active",), lambda goal, now: replace(goal, weight=checked, changed_at=now))

    def done(self, prefix: str) -> Goal:
        """Mark a goal as reached, replay briefly what that may be good for, and return it.

        Raises:
            NotFoundError: There is no such goal.
            InvalidInputError: The beginning fits several, or the goal is in no state for that.
        """
        goal = self._set(prefix, OPEN, lambda goal, now: _ended(goal, "done", now))
        try:
            Replayer(self._graph, space=self._space, clock=self._clock).replay(BRIEF)
        except EngramError as error:  # the goal is done all the same
            _LOG.info("nothing was replayed: %s", error.message)
        return goal

    def drop(self, prefix: str) -> Goal:
        """Give a goal up and return it; raises as `done`."""
        return self._set(prefix, PENDING, lambda goal, now: _ended(goal, "dropped", now))

    def block(self, prefix: str, why: str | None = None) -> Goal:
        """Say that nothing can be done about a goal for now, and what it waits for; raises as `done`."""
        words = None if why is None else _checked(why, "The reason")
        return self._set(
            prefix,
            ("active", "incubating"),
            lambda goal, now: replace(
                goal, state="blocked", blocked_by=words, incubating_since=None, incubated=None, changed_at=now
            ),
        )

    def incubate(self, prefix: str) -> Goal:
        """Set a goal aside, so that something may come up by itself; raises as `done`."""
        return self._set(prefix, ("active",), lambda goal, now: resting(goal, now=now))

    def resume(self, prefix: str) -> Goal:
        """Go on with a goal that rested or could not be acted on; raises as `done`."""
        return self._set(prefix, ("incubating", "blocked"), lambda goal, now: taken_up(goal, now=now))

    def progress(self, prefix: str) -> Goal:
        """Note that something came of a goal; raises as `done`."""
        return self._set(
            prefix,
            ("active",),
            lambda goal, now: replace(goal, progressed_at=now, active_at=now, sessions_without=0),
        )

    def rank(self) -> tuple[Goal, ...]:
        """Recompute how much each goal presses, and return those that have not come to an end.

        What presses most comes first, what is only proposed last.
        """
        self._graph.keep("mind/rank_goals", space=self._space, rates=dict(RATES), now=self._clock())
        return self.pending()

    def mention(self, ids: Sequence[str]) -> None:
        """Note that the person speaks of goals, and recompute how much each presses."""

        def work(transaction: Transaction) -> None:
            stored = self._stored(transaction)
            stored.touch(ids)
            stored.rank()

        self._graph.transact(work)

    def end_session(self, worked: Mapping[str, Worked], *, since: datetime) -> tuple[Goal, ...]:
        """Take in what a conversation had to do with the goals, and return those whose state that changed.

        Args:
            worked: By the goal's id.
            since: When the conversation began.
        """
        budget = self._budget()

        def work(transaction: Transaction) -> tuple[Goal, ...]:
            stored = self._stored(transaction)
            before = stored.read(OPEN)
            now = self._clock()
            after = [after_session(each, worked.get(each.id), since=since, now=now) for each in before]
            changed = [(was, each) for was, each in zip(before, after, strict=True) if each != was]
            stored.change([each for _, each in changed])
            for each in after:
                if each.id in worked:  # what it names may have become known since it was set
                    stored.link(each)
            stored.settle(budget, before, after)
            return tuple(each for was, each in changed if each.state != was.state)

        return self._graph.transact(work)

    def explain(self, prefix: str) -> Explained:
        """Return what a goal's priority is made of now, and what it hangs together with.

        Raises:
            NotFoundError: There is no such goal.
            InvalidInputError: The beginning fits several.
        """
        goal = _found(self.list(), prefix, self._space)
        return explain(self._graph, goal, space=self._space, now=self._clock())

    def _new(self, text: str, state: GoalState, *, weight: float = 1.0, tractability: float = 0.5) -> Goal:
        words = _checked(text, "The goal")
        now = self._clock()
        return Goal(
            id=uuid4().hex,
            text=words,
            state=state,
            weight=weight,
            created_at=now,
            changed_at=now,
            active_at=now,
            tractability=tractability,
            embedding=tuple(self._embedder.embed([words])[0].tolist()),
        )

    def _set(
        self, prefix: str, states: Sequence[GoalState], change: Callable[[Goal, datetime], Goal]
    ) -> Goal:
        """Change the one goal whose id begins so, if it is in one of these states."""

        def work(stored: Stored, _: Sequence[Goal]) -> Goal:
            goal = _found(stored.read(None), prefix, self._space)
            if goal.state not in states:
                raise InvalidInputError(f"The goal {prefix!r} is {goal.state} already.", remedy=_remedy(goal))
            return change(goal, self._clock())

        return self._changed(work)

    def _changed(self, change: Callable[[Stored, Sequence[Goal]], Goal]) -> Goal:
        """Change one goal, keep all to the budget, rank them, and return the one as it is then."""
        budget = self._budget()

        def work(transaction: Transaction) -> Goal:
            stored = self._stored(transaction)
            before = stored.read()
            goal = change(stored, before)
            stored.change([goal])
            stored.settle(budget, before, [*(each for each in before if each.id != goal.id), goal])
            return next(each for each in stored.read(None) if each.id == goal.id)

        return self._graph.transact(work)

    def _stored(self, transaction: Transaction) -> Stored:
        return Stored(transaction, space=self._space, now=self._clock())

    def _budget(self) -> Ceiling:
        return ceilings(read_tuning(self._graph, space=self._space))["goal_budget"]


def by_priority(goals: Sequence[Goal]) -> tuple[Goal, ...]:
    """Return goals, the most pressing first; what does not press comes last, the oldest first."""
    return tuple(sorted(goals, key=lambda each: (-(each.priority or 0.0), each.state == "proposed")))


def _same(goal: Goal, new: Goal) -> bool:
    """Say whether two are one goal, in the same words, in more of them, or in others; one word alone is no goal's."""
    own, other = content_words(goal.text), content_words(new.text)
    fewer, more = sorted((own, other), key=len)
    if normal(goal.text) == normal(new.text) or (len(fewer) > 1 and fewer <= more):
        return True
    return len(goal.embedding) == len(new.embedding) and float(np.dot(goal.embedding, new.embedding)) >= SAME


def _found(goals: Sequence[Goal], prefix: str, space: str) -> Goal:
    if len(prefix) < MIN_PREFIX:
        raise InvalidInputError(
            f"{prefix!r} is too short for an id.", remedy=f"Give {MIN_PREFIX} characters or more."
        )
    found = [each for each in goals if each.id.startswith(prefix)]
    if not found:
        raise NotFoundError(f"There is no goal {prefix!r} in the space {space!r}.")
    if len(found) > 1:
        raise InvalidInputError(f"{prefix!r} fits several goals.", remedy="Give more characters.")
    return found[0]


def _checked(text: str, what: str) -> str:
    """Return words of a person's as they are kept of a goal."""
    return check_content(text, limit=MAX_BYTES, what=what, remedy="Say it in a few words.")


def _agreed(goal: Goal, now: datetime) -> Goal:
    """Return what was proposed as a goal that a person has agreed to; it stays even if the words it was found in go."""
    return replace(taken_up(goal, now=now), agreed_at=now)


def _ended(goal: Goal, state: GoalState, now: datetime) -> Goal:
    return replace(
        goal,
        state=state,
        changed_at=now,
        incubating_since=None,
        incubated=None,
        priority=None,
        ranked_at=None,
    )


def _remedy(goal: Goal) -> str | None:
    return {
        "proposed": "Accept or refuse it first.",
        "incubating": "Resume it first.",
        "blocked": "Resume it first.",
        "dropped": "Set it again with `engram goals add`.",
        "done": "Set it again with `engram goals add`.",
    }.get(goal.state)


def _weight(weight: float) -> float:
    if not (weight > 0 and math.isfinite(weight)):
        raise InvalidInputError(f"A goal's weight must be above 0 and finite, not {weight!r}.")
    return float(weight)


def _share(tractability: float) -> float:
    if not 0.0 <= tractability <= 1.0:
        raise InvalidInputError(f"A goal's tractability must be 0 to 1, not {tractability!r}.")
    return float(tractability)
