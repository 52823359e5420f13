"""Surfacing: a memory comes to mind, and something that it has to do with; reading only, so nothing is used by it.

Three round trips: whether somebody talks, a pool from a random place, and what the drawn one brings along.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np

from engram.entities import entity_key
from engram.graph import Graph, Row
from engram.loop.inputs import Source
from engram.loop.restart import is_alive
from engram.loop.words import COMMON, is_negation, tokens
from engram.mind.pressing import IDLE
from engram.mind.thoughts import topics
from engram.mind.wandering import Candidate, Channel, Leaning, channel, disparity, draw, entropy
from engram.text import inert
from engram.tuning import Tuning

LATELY = 20
"""Thoughts that the next one is to differ from."""
REVIEWED = 5
"""Thoughts of which the last is a look back."""
OWN = frozenset({Source.DMN.value, Source.GUT.value, Source.CONSOLIDATION.value, Source.REPLY.value})
"""Source tags of what the agent thought or said: it does not come to mind by itself, or thoughts would feed themselves."""
_SPREAD = {"width": 10, "partners": 5, "first": 0.3, "second": 0.1, "half": 5.0, "goals": 5, "followed": 3}
"""How far a memory reaches: two hops, of which the first leaves 0.3 and both 0.1 (v4 plan, 2.4)."""
_PRESENT = 20
"""Memories of a pool from which one comes to mind without those that have left the working set."""
_SHOWN = 160
"""Characters of a memory in a thought."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """What an idle mind knows before it wanders."""

    talking: str | None
    """Who or what keeps it quiet; None: it may wander."""
    thoughts: tuple[Row, ...]
    """What came to mind lately, the newest first; see `mind/read_idle`."""
    broaden: bool
    """Whether the same topics keep coming up."""

    @property
    def review_due(self) -> bool:
        """Whether it is time to look back at what was followed."""
        last = self.thoughts[: REVIEWED - 1]
        return len(last) == REVIEWED - 1 and all(each["channel"] != Channel.REVIEW for each in last)


@dataclass(frozen=True, slots=True, kw_only=True)
class Surfaced:
    """What came to mind, in words, and where it goes."""

    text: str
    leaning: Leaning
    channel: Channel
    topic: str
    memories: tuple[str, ...] = ()
    """Ids."""
    goal: str | None = None
    """Id."""


class Surfacing:
    """Lets memories of one space come to mind."""

    def __init__(
        self,
        graph: Graph,
        *,
        space: str,
        tuned: Callable[[], Tuning],
        clock: Callable[[], datetime],
        generator: np.random.Generator,
        selves: Sequence[str] = ("assistant",),
    ) -> None:
        """Begin with nothing in mind.

        Args:
            graph: Where the memories are.
            space: Whose.
            tuned: Gives the space's numbers.
            clock: Gives the time.
            generator: Draws; seeded alike, it draws alike.
            selves: Names that the agent goes by.
        """
        self._graph = graph
        self._space = space
        self._tuned = tuned
        self._clock = clock
        self._generator = generator
        self._selves = [entity_key(name) for name in selves]

    def look(self) -> Moment:
        """Return whether somebody talks, and what came to mind lately.

        Raises:
            DatabaseError: It cannot be read.
        """
        now, tuned = self._clock(), self._tuned()
        quiet = tuned.minutes("idle.quiet_minutes")
        row = self._graph.read(
            "mind/read_idle",
            space=self._space,
            since=now - quiet,
            open_until=now + tuned.minutes("session.idle_minutes") - quiet,
            own=IDLE,
            limit=LATELY,
        )[0]
        thoughts = tuple(row["thoughts"])
        return Moment(
            talking=_talking(row, now),
            thoughts=thoughts,
            broaden=entropy([*topics(thoughts)]) < tuned["idle.entropy"],
        )

    def surface(self, moment: Moment) -> Surfaced | None:
        """Return what comes to mind; None where nothing is remembered.

        Raises:
            DatabaseError: It cannot be read.
        """
        pool = self._pool()
        recent = [memory for each in moment.thoughts for memory in each["surfaced"]]
        # Nothing may have to do with it; then chance puts something beside it.
        beside = pool[int(self._generator.integers(len(pool)))].id if pool else None
        found = draw(pool, self._generator, now=self._clock(), broaden=moment.broaden, recent=recent)
        if found is None:
            return None
        drawn, leaning = found
        spread = self._graph.read(
            "mind/spread_thought",
            space=self._space,
            id=drawn.id,
            beside=None if beside == drawn.id else beside,
            selves=self._selves,
            **_SPREAD,
        )
        if not spread:
            return None  # it was erased a moment ago
        return self._companied(drawn, leaning, spread[0])

    def review(self, moment: Moment) -> Surfaced | None:
        """Return a look back at what was followed last, and what was left for it; None where there was one topic only."""
        told = [*topics(moment.thoughts)]
        other = next((each for each in told if each != told[0]), None)
        if other is None:
            return None
        followed, left = inert(told[0], _SHOWN), inert(other, _SHOWN)
        return Surfaced(
            text=f"I went from “{left}” to “{followed}”. Was that right, or is “{left}” worth going back to?",
            leaning=Leaning.CHANCE,
            channel=Channel.REVIEW,
            topic=told[0],
        )

    def _pool(self) -> list[Candidate]:
        """Return what may come to mind: of what has left the working set nothing, unless hardly anything else is there."""
        rows = self._graph.read(
            "mind/sample_pool",
            space=self._space,
            after=self._generator.bytes(16).hex(),
            limit=self._tuned().whole("idle.pool"),
            selves=self._selves,
            own=sorted(OWN),
            now=self._clock(),
        )[0]["pool"]
        present = [row for row in rows if row[-1]]
        drawn = present if len(present) >= _PRESENT else rows
        return [
            Candidate(
                id=memory,
                weight=weight,
                used_at=_EPOCH + used * _MILLISECOND,
                event_at=_EPOCH + happened * _MILLISECOND,
                disputed=disputed,
                about_self=about_self,
            )
            for memory, weight, used, happened, disputed, about_self, _ in drawn
        ]

    def _companied(self, drawn: Candidate, leaning: Leaning, spread: Row) -> Surfaced:
        """Return a memory with what it has to do with, in words."""
        others = [each for each in spread["others"] if each["source_tag"] not in OWN]
        far = max(others, key=lambda each: _disparity(drawn, each), default=None)
        if far is None or _disparity(drawn, far) <= 0.0:
            far = spread["beside"]
        own = next((each for each in others if each["about_self"]), None)
        if own is None and drawn.about_self:
            own = far
        goal = next((each for each in spread["goals"] if each["strength"] > 0.0), None)
        companions = {Channel.GOAL: goal, Channel.INSIGHT: far, Channel.IDENTITY: own}
        possible = [each for each, companion in companions.items() if companion is not None]
        topic = spread["topic"] or _topic(spread["content"], spread["speaker"])
        said = inert(spread["content"], _SHOWN)
        if not possible:
            # It is all that is remembered.
            return Surfaced(
                text=f"I remembered: “{said}”. What follows from it?",
                leaning=leaning,
                channel=Channel.INSIGHT,
                topic=topic,
                memories=(drawn.id,),
            )
        chosen = channel(possible, leaning, self._generator)
        companion = companions[chosen] or {}
        return Surfaced(
            text=_words(chosen, said, companion),
            leaning=leaning,
            channel=chosen,
            topic=topic,
            memories=(drawn.id,) if chosen is Channel.GOAL else (drawn.id, companion["id"]),
            goal=companion["id"] if chosen is Channel.GOAL else None,
        )


def _talking(row: Row, now: datetime) -> str | None:
    if row["said_at"] is not None:
        minutes = max(0, int((now - row["said_at"]) / timedelta(minutes=1)))
        return f"somebody spoke {f'{minutes} minutes ago' if minutes > 1 else 'a moment ago'}"
    if any(is_alive(run, now=now) for run in row["runs"]):
        return "a conversation is open"
    return "a session is in use" if row["open"] else None


def _disparity(drawn: Candidate, other: Row) -> float:
    return disparity(
        strength=other["strength"],
        similarity=other["similarity"],
        associated=other["hops"] > 0,
        apart=abs(drawn.event_at - _EPOCH - other["happened"] * _MILLISECOND),
    )


def _words(chosen: Channel, said: str, companion: Row) -> str:
    """Return a thought in plain words."""
    if chosen is Channel.GOAL:
        return f"I remembered: “{said}”. Does it bear on the goal “{inert(companion['text'], _SHOWN)}”?"
    other = inert(companion["content"], _SHOWN)
    if chosen is Channel.IDENTITY:
        return f"I remembered: “{said}”, and “{other}”. What does that say about me?"
    return f"“{said}” and “{other}” came to mind together. Is there something in it?"


def _topic(text: str, speaker: str | None) -> str:
    """Return the longest word that says something, the first of those; whoever said it is not what it is about."""
    names = {*tokens(speaker or "")}
    words = [each.removesuffix("'s") for each in tokens(text) if not is_negation(each)]
    said = [each for each in words if each not in COMMON and each not in names]
    return max(said, key=len, default=inert(text, 40))
