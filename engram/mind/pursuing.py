"""Goals in a conversation: which press, which were mentioned, what sounds like another one, and which are stuck."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import numpy as np

from engram.embedding.protocol import Vectors
from engram.goals import MAX_BYTES, Goal, Goals
from engram.goals.mentioning import mentioned
from engram.goals.proposing import goal_in, tells_progress
from engram.goals.records import OPEN
from engram.goals.session import Worked
from engram.loop.events import Event, Notice
from engram.mind.incubation import LONGEST, MINUTES_STUCK, SESSIONS_STUCK, Progress, next_step
from engram.mind.part import MindPart, Situation, Utterance
from engram.mind.replaying import BRIEF, STRONG, Replayer
from engram.remembering import turn_key
from engram.text import inert, short

NOVEL = 0.7
"""Cosine to all that was said about a goal below which something new is tried."""
_WIDTH = 20
"""Memories that what is said is compared with."""
_TOLD = 80
"""Characters of a goal or a memory in a line for a person."""


@dataclass(slots=True, kw_only=True)
class _Talked:
    """What was said about one goal in this conversation."""

    goal: Goal
    times: list[datetime] = field(default_factory=list)
    vectors: list[Vectors] = field(default_factory=list)
    progress: bool = False

    def worked(self, *, new_approach: bool) -> Worked:
        return Worked(
            mentions=len(self.times),
            spent=self.times[-1] - self.times[0],
            last=self.times[-1],
            progress=self.progress,
            new_approach=new_approach,
        )


class Pursuing(MindPart):
    """Goals in a conversation."""

    def __init__(self, situation: Situation) -> None:
        super().__init__(situation)
        self._began = situation.clock()
        self._talked: dict[str, _Talked] = {}
        self._heard = False

    def begin(self) -> Sequence[str]:
        """Rank the goals, take up what a connection has come up for, and say what a person should decide."""
        goals = self._goals.pending()
        if not goals:
            return ()
        goals = self._goals.rank()
        if self.situation.idle:
            return ()  # there is nobody to hear of it, and to decide
        connected = self._connected(goals)
        lines = [line for goal in goals if (line := self._resting_line(goal, connected.get(goal.id)))]
        proposed = sum(goal.state == "proposed" for goal in goals)
        if proposed:
            what = (
                "One goal that I found in what you said waits"
                if proposed == 1
                else f"{proposed} goals that I found in what you said wait"
            )
            lines.append(f"{what} for your word: /goals.")
        return lines

    def hear(self, utterance: Utterance) -> Sequence[Event]:
        """Note which goals are mentioned, and propose what sounds like another one."""
        self._heard = True
        if self.situation.away():
            return ()
        known = self._goals.among(OPEN)
        if known:
            vector = self.situation.embed([utterance.text])[0]
            self._note(mentioned(known, utterance.text, vector), utterance, vector)
        return [*self._proposals(utterance)]

    def end(self) -> None:
        """Count the conversation for the goals it touched and those that rest, and replay briefly."""
        if not self._heard or self.situation.away():
            return
        worked = {
            key: talked.worked(new_approach=self._tried_new(talked)) for key, talked in self._talked.items()
        }
        if self._goals.pending():
            self._goals.end_session(worked, since=self._began)
            memory = self.situation.memory
            Replayer(memory.graph, space=memory.space, clock=self.situation.clock).replay(BRIEF)

    @property
    def _goals(self) -> Goals:
        memory = self.situation.memory
        # The embedder may have changed since: a reindex puts another in its place.
        return Goals(memory.graph, memory.embedder, space=memory.space, clock=self.situation.clock)

    def _note(self, found: Sequence[Goal], utterance: Utterance, vector: Vectors) -> None:
        """Note that goals were mentioned; they press more from now on."""
        if not found:
            return
        progress = tells_progress(utterance.text)
        for goal in found:
            talked = self._talked.setdefault(goal.id, _Talked(goal=goal))
            talked.times.append(self.situation.clock())
            talked.vectors.append(vector)
            talked.progress |= progress
        self._goals.mention([goal.id for goal in found])
        self.situation.knowing.pursue(self._goals.list(state="active"))

    def _proposals(self, utterance: Utterance) -> Iterator[Notice]:
        wanted = goal_in(utterance.text)
        if wanted is None or len(wanted.encode()) > MAX_BYTES:
            return
        entry = utterance.entry
        turn = None if entry is None else turn_key(entry.session, entry.turn, entry.speaker, entry.text)
        goal = self._goals.propose(wanted, found_in=turn)
        if goal is not None:
            name = short(goal.id)
            yield Notice(
                text=f"That sounds like a goal: “{inert(goal.text, _TOLD)}”. "
                f"/goals accept {name} keeps it, /goals refuse {name} drops it."
            )

    def _connected(self, goals: Sequence[Goal]) -> Mapping[str, Mapping[str, object]]:
        if not any(goal.state == "incubating" for goal in goals):
            return {}
        memory = self.situation.memory
        rows = memory.graph.read("mind/find_connected", space=memory.space, strength=STRONG)
        return {row["goal"]: row for row in rows}

    def _resting_line(self, goal: Goal, connected: Mapping[str, object] | None) -> str | None:
        """Do what is due for a goal that rests, and return what a person should hear of it."""
        if goal.state != "incubating":
            return None
        rested, what, name = goal.incubated or 0, f"“{inert(goal.text, _TOLD)}”", short(goal.id)
        if rested == 0:
            if goal.sessions_without < SESSIONS_STUCK:
                return None  # the person has set it aside, and knows
            return (
                f"{what} is set aside, since nothing came of it lately; it stays in mind. "
                f"/goals resume {name} goes on with it."
            )
        step = next_step(_resting(goal, connected=connected is not None))
        if step == "come back" and connected is not None:
            self._goals.resume(goal.id)
            because = (
                f": “{inert(str(connected['content']), _TOLD)}” may help" if connected["content"] else ""
            )
            return f"{what} has rested for {_conversations(rested)} and is taken up again{because}."
        if step == "escalate" and rested % LONGEST == 0:
            return (
                f"{what} has rested for {_conversations(rested)} and nothing came up. Try another way "
                f"(/goals resume {name}), ask somebody for help, or give it up (/goals drop {name})."
            )
        return None

    def _tried_new(self, talked: _Talked) -> bool:
        """Say whether something was said about a goal that is unlike it and unlike what was remembered before."""
        if (talked.times[-1] - talked.times[0]).total_seconds() <= 60.0 * MINUTES_STUCK:
            return False  # it cannot be stuck, so nobody asks
        memory = self.situation.memory
        rows = memory.graph.read(
            "mind/find_said_before",
            space=memory.space,
            rows=[{"index": index, "vector": vector.tolist()} for index, vector in enumerate(talked.vectors)],
            before=self._began,
            width=_WIDTH,
        )
        own = np.asarray(talked.goal.embedding)
        return any(
            max(row["similarity"] or 0.0, float(own @ vector)) < NOVEL
            for row, vector in zip(rows, talked.vectors, strict=True)
        )


def _resting(goal: Goal, *, connected: bool) -> Progress:
    return Progress(
        sessions_without=goal.sessions_without,
        spent=timedelta(),
        new_approach=False,
        incubated=goal.incubated or 0,
        connected=connected,
    )


def _conversations(count: int) -> str:
    return f"{count} conversation{'' if count == 1 else 's'}"
