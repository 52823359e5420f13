"""The idle mind: while nobody talks, memories come to mind and are offered to the loop as anything else is (v4 plan, 4.7).

It has no way of thinking of its own. What comes to mind is an input of the cognitive loop: it waits in the scratch
buffer, competes for attention, and is thought through by the model that there is. Without one it is kept, and waits.
"""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Self
from uuid import uuid4

import numpy as np

from engram.errors import BudgetError, EngramError
from engram.llm import Models
from engram.llm.base import ChatModel
from engram.loop.agent import Agent
from engram.loop.events import Attended, Failed, Replied
from engram.loop.inputs import URGENCY, Input, Source
from engram.memory import Engram
from engram.mind.pressing import IDLE
from engram.mind.rations import RationedModel, Rations
from engram.mind.replaying import FULL, Replayer
from engram.mind.surfacing import Moment, Surfaced, Surfacing
from engram.mind.thoughts import Thought, Thoughts
from engram.mind.wandering import Channel

_PHASE = "idle"
"""Of the lease."""
_THOUGHT_THROUGH = frozenset({Channel.GOAL, Channel.REVIEW})
_SOURCES = {
    Channel.GOAL: Source.DMN,
    Channel.REVIEW: Source.DMN,
    Channel.INSIGHT: Source.CONSOLIDATION,
    Channel.IDENTITY: Source.GUT,
}
"""As what each channel is offered."""
_WAITING = 5
"""Thoughts of earlier runs that are taken up again."""
_KEPT = timedelta(hours=24)
"""For how long: so long a line stays in the scratch buffer."""
NO_MODEL = "There is no language model: what comes to mind is kept, and waits to be thought through."
EMPTY = "Nothing is remembered yet."
BUSY = "Another process lets this space's mind wander."
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cycle:
    """What one cycle came to."""

    thought: Thought | None = None
    answered: Thought | None = None
    """The thought that was thought through: what weighs most wins attention, and that may be one that waited."""
    reply: str | None = None
    """What came of thinking it through."""
    why: str | None = None
    """Why nothing came to mind, or why it was not thought through."""
    broadened: bool = False
    """Whether the leanings counted less, because the same topics had kept coming up."""

    @property
    def empty(self) -> bool:
        """Whether there is nothing that could come to mind; that does not change by waiting."""
        return self.why == EMPTY


class IdleMind:
    """Lets one space's mind wander, a cycle at a time; used from one thread, as a context manager."""

    def __init__(
        self,
        memory: Engram,
        model: ChatModel | None = None,
        *,
        generator: np.random.Generator | None = None,
        run: str | None = None,
        clock: Callable[[], datetime] | None = None,
        assistant: str = "assistant",
        worker: str = "idle",
    ) -> None:
        """Prepare; nothing is read or written yet.

        Args:
            memory: The space.
            model: Thinks; its calls are metered already, as nobody's to wait for. None: nobody thinks.
            generator: Draws; a fresh one if left out.
            run: Id of the run; random if left out.
            clock: Gives the time; the memory's if left out.
            assistant: The agent's name.
            worker: Who runs it, for whoever finds the lease taken.
        """
        self.run = run or uuid4().hex
        self._memory = memory
        self._clock = clock or memory.now
        self._generator = generator or np.random.default_rng()
        self._assistant = assistant
        self._worker = worker
        self._rations = Rations(memory.graph, space=memory.space, tuned=memory.tuned, clock=self._clock)
        self._model = None if model is None else RationedModel(model, self._rations)
        self._thoughts = Thoughts(memory.graph, space=memory.space)
        self._surfacing = Surfacing(
            memory.graph,
            space=memory.space,
            tuned=memory.tuned,
            clock=self._clock,
            generator=self._generator,
            selves=(assistant,),
        )
        self._agent: Agent | None = None
        self._waiting: dict[str, Thought] = {}
        """Thoughts that wait for attention, by their lines in the scratch buffer."""
        self._held_until = 0.0
        self._exhausted: tuple[date, str] | None = None
        """On which day, in UTC, nothing more is thought through, and why."""
        self.notes: list[str] = []
        """What a person should know of the run."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End: what waits in the scratch buffer is decided, and others may go on."""
        agent, self._agent = self._agent, None
        try:
            if agent is not None:
                agent.finish()
        finally:
            if self._held_until:
                self._held_until = 0.0
                self._memory.graph.write("write/release_lease", **self._lease)

    def last_at(self) -> datetime | None:
        """Return when something came to mind last; None where nothing ever did.

        Raises:
            DatabaseError: It cannot be read.
        """
        thoughts = self._surfacing.look().thoughts
        return thoughts[0]["at"] if thoughts else None

    def imagine(self) -> Cycle | Surfaced:
        """Return what would come to mind, or why nothing would; nothing is written.

        Raises:
            DatabaseError: It cannot be read.
        """
        moment = self._surfacing.look()
        if moment.talking is not None:
            return Cycle(why=f"It stays quiet: {moment.talking}.")
        return self._next(moment) or Cycle(why=EMPTY)

    def cycle(self) -> Cycle:
        """Let one thing come to mind, unless somebody talks, and have it thought through where that is due.

        Raises:
            EngramError: It could not be read or kept.
        """
        moment = self._surfacing.look()
        if moment.talking is not None:
            return Cycle(why=f"It stays quiet: {moment.talking}.")
        surfaced = self._next(moment)
        if surfaced is None:
            return Cycle(why=EMPTY)
        if not self._hold():
            return Cycle(why=BUSY)
        agent = self._agent or self._begin()
        thought = self._offer(agent, surfaced)
        if thought.channel not in _THOUGHT_THROUGH:
            return Cycle(thought=thought, broadened=moment.broaden)
        self._waiting[thought.entry] = thought
        answered, reply, why = self._think(agent)
        return Cycle(thought=thought, answered=answered, reply=reply, why=why, broadened=moment.broaden)

    def _next(self, moment: Moment) -> Surfaced | None:
        review = self._surfacing.review(moment) if moment.review_due else None
        return review or self._surfacing.surface(moment)

    def _begin(self) -> Agent:
        """Open the conversation with itself, and take up what an earlier run has left."""
        memory, now = self._memory, self._clock()
        self._agent = agent = Agent(
            memory,
            Models(system1=self._model),
            session=f"{IDLE}{now:%Y-%m-%d}",
            clock=self._clock,
            assistant=self._assistant,
            generator=self._generator,
            idle=True,
        )
        if self._model is None:
            self.notes.append(NO_MODEL)
        else:
            self._resume(agent, now)
        self._replay()
        return agent

    def _resume(self, agent: Agent, now: datetime) -> None:
        left = self._thoughts.list(since=now - _KEPT, limit=_WAITING, state="waiting")
        for each in left:
            source = _SOURCES[each.channel]
            agent.resume(
                Input(id=each.entry, text=each.text, source=source, at=each.at, urgency=URGENCY[source])
            )
            self._waiting[each.entry] = each
        if left:
            self.notes.append(f"{len(left)} thoughts of earlier runs wait to be thought through.")

    def _replay(self) -> None:
        try:
            done = Replayer(self._memory.graph, space=self._memory.space, clock=self._clock).replay(FULL)
        except EngramError as error:
            self.notes.append(f"Nothing was replayed: {error.message}")
            return
        if done.connections:
            self.notes.append(f"Replayed: {len(done.connections)} episodes connected with goals.")

    def _offer(self, agent: Agent, surfaced: Surfaced) -> Thought:
        """Keep it, and let it wait for attention where it is to be thought through."""
        thinks = surfaced.channel in _THOUGHT_THROUGH
        impulse = agent.offer(surfaced.text, source=_SOURCES[surfaced.channel], competes=thinks)
        thought = Thought(
            id=uuid4().hex,
            at=impulse.at,
            text=impulse.text,
            leaning=surfaced.leaning,
            channel=surfaced.channel,
            topic=surfaced.topic,
            state="waiting" if thinks else "offered",
            entry=impulse.id,
            run=self.run,
            surfaced=surfaced.memories,
            goal=surfaced.goal,
        )
        self._thoughts.store(thought)
        return thought

    def _think(self, agent: Agent) -> tuple[Thought | None, str | None, str | None]:
        """Have what wins attention thought through; return it with what came of it, or why nothing did."""
        if (exhausted := self._spent(agent)) is not None:
            return None, None, exhausted
        won, reply = "", None
        why = "It waits to be thought through."
        for event in agent.think():
            match event:
                case Attended(entry=entry):
                    won = entry
                case Replied(text=text):
                    reply = text
                case Failed(error=error):
                    why = error.message
                    if isinstance(error, BudgetError):
                        self._exhausted = self._today(), why
                case _:
                    pass
        if reply is None:
            return None, None, None if self._model is None else why
        answered = self._waiting.pop(won, None)
        if answered is not None:
            self._thoughts.mark(answered.id, now=self._clock())
        return answered, reply, None

    def _spent(self, agent: Agent) -> str | None:
        """Return why nothing is thought through today; on a new day what waits is taken up again."""
        if self._exhausted is None:
            return None
        day, why = self._exhausted
        if day == self._today():
            return why
        self._exhausted = None
        self._resume(agent, self._clock())
        return None

    def _today(self) -> date:
        return self._clock().astimezone(UTC).date()

    @property
    def _lease(self) -> dict[str, str]:
        return {"space": self._memory.space, "phase": _PHASE, "run": self.run}

    def _hold(self) -> bool:
        """Take the space's lease, or renew it in good time; return False where another process has it."""
        seconds = self._memory.tuned().whole("claim.lease_seconds")
        now = time.monotonic()
        if now < self._held_until - seconds / 2:
            return True
        more = {"lease_seconds": seconds, "worker": self._worker}
        held: bool = self._memory.graph.write("write/take_lease", **self._lease, **more).rows[0]["held"]
        self._held_until = now + seconds if held else 0.0
        return held
