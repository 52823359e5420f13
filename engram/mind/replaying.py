"""Associative replay: connect recent episodes with the goals that press most (DMN algorithms, 2).

An episode is a box of memories that followed one another and are about one thing (`boxes` among the jobs); where there
is none yet, there is nothing to replay. A step is one episode held against one goal: the newest episode with every
goal, the most pressing first, then the next episode. Episodes and goals come into one statement together, so a brief
and a full replay are one round trip each; a deep one takes its episodes ten at a time.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from engram.graph import Graph

LEAST = 0.35
"""Strength from which a step connects; below it, it is weak."""
STRONG = 0.6
"""Strength of a connection that is worth acting on."""
PATIENCE = 3
"""Weak steps in a row after which a replay stops: nothing connects, and it is not forced."""

Ending = Literal["done", "time", "strong", "weak", "nothing"]
"""Why a replay ended: all was gone through, its time was up, something strong came up, nothing connected any more, or
there was nothing to go through."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """How far a replay goes."""

    within: timedelta
    """Before each further round trip, no more than this has passed."""
    episodes: int = 3
    """The newest, from each of which something was used lately."""
    goals: int = 5
    """The most pressing; what incubates is among them."""
    width: int = 10
    """Memories that a goal brings to mind by nearness."""
    partners: int = 5
    """Associations of each that are followed, twice."""
    recent: int = 300
    """Memories used last that episodes are looked for among."""
    at_once: int = 3
    """Episodes of one round trip."""
    strong: float | None = STRONG
    """Strength that ends it; None: it goes on."""
    patience: int | None = PATIENCE
    """Weak steps in a row that end it; None: it goes on."""


BRIEF = Bounds(within=timedelta(minutes=2))
"""After a conversation, and after a task."""
FULL = Bounds(within=timedelta(minutes=10), width=25, partners=10, recent=1_000)
"""When nothing else is to be done."""
DEEP = Bounds(
    within=timedelta(minutes=30),
    episodes=30,
    goals=20,
    width=25,
    partners=10,
    recent=10_000,
    at_once=10,
    strong=None,
    patience=None,
)
"""At the end of a dream: everything with everything, so only its time ends it."""

_RATES = {"fading": 0.8, "half": 1.0}
"""What a hop leaves of an activation along a strong edge, and the weight of an edge at which half of that passes.

Recall leaves 0.3 and 0.1 (v4 plan, 3.1), so that associations stay below what was asked for. Here nothing was asked for, and
those would leave even the nearest memory's partners below `LEAST`: no connection could come of an association.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One episode held against one goal."""

    episode: str
    goal: str
    strength: float
    """How active the goal makes the best memory of the episode, 0 to 1."""
    memory: str | None
    """That memory; None where nothing of the episode came to mind."""
    hops: int | None
    """How it came to mind: 0 by nearness, 1 or 2 by associations."""
    new: bool | None
    """Whether the connection is; None where the step is weak."""

    @property
    def connects(self) -> bool:
        """Whether there is a connection."""
        return self.new is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """What a replay came to."""

    steps: tuple[Step, ...]
    """Those that were taken, in order."""
    ending: Ending

    @property
    def connections(self) -> tuple[Step, ...]:
        """The steps that connect; they are stored."""
        return tuple(step for step in self.steps if step.connects)


class Replayer:
    """Replays what one space has lived through."""

    def __init__(
        self,
        graph: Graph,
        *,
        space: str,
        clock: Callable[[], datetime],
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Prepare to replay.

        Args:
            graph: Where.
            space: Whose.
            clock: Gives the time that connections are stored with.
            monotonic: Seconds from any moment on; they bound the replay.
        """
        self._graph = graph
        self._space = space
        self._clock = clock
        self._monotonic = monotonic

    def replay(self, bounds: Bounds, *, stop: Callable[[], bool] = lambda: False) -> Replay:
        """Connect episodes with goals, as far as the bounds go, and return what that came to.

        What stops it, stops it where it is: later steps are not taken and connect nothing.

        Args:
            bounds: How far: `BRIEF`, `FULL` or `DEEP`.
            stop: Asked before each further round trip; True ends it as time does.

        Raises:
            DatabaseError: It cannot; what was connected before stays.
        """
        began = self._monotonic()
        taken: list[Step] = []
        for skipped in range(0, bounds.episodes, bounds.at_once):
            if skipped and (stop() or self._monotonic() - began > bounds.within.total_seconds()):
                return Replay(steps=tuple(taken), ending="time")
            steps = self._round(bounds, skipped, taken)
            taken += steps
            if ending := _ended(taken, bounds):
                return Replay(steps=tuple(taken), ending=ending)
            if not steps:
                break
        return Replay(steps=tuple(taken), ending="done" if taken else "nothing")

    def _round(self, bounds: Bounds, skipped: int, taken: list[Step]) -> list[Step]:
        """Take some episodes through the goals, in one round trip."""
        rows = self._graph.keep(
            "mind/replay_goals",
            space=self._space,
            recent=bounds.recent,
            skip=skipped,
            episodes=min(bounds.at_once, bounds.episodes - skipped),
            goals=bounds.goals,
            width=bounds.width,
            partners=bounds.partners,
            least=LEAST,
            strong=bounds.strong,
            patience=bounds.patience,
            weak=_weak(taken),
            now=self._clock(),
            **_RATES,
        )
        return [Step(**row) for row in rows]


def _weak(steps: list[Step]) -> int:
    """Return how many of the last steps in a row were weak."""
    count = 0
    for step in reversed(steps):
        if step.connects:
            break
        count += 1
    return count


def _ended(steps: list[Step], bounds: Bounds) -> Ending | None:
    if bounds.strong is not None and steps and steps[-1].strength >= bounds.strong:
        return "strong"
    return "weak" if bounds.patience is not None and _weak(steps) >= bounds.patience else None
