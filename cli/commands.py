"""What the commands of a conversation do: words to the agent, and what it says of them to the screen."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import cast, get_args

from engram.costs import cost_report, cost_table
from engram.errors import InvalidInputError
from engram.goals import Explained, Goal, Goals, GoalState
from engram.loop.agent import Agent
from engram.loop.quoting import answers, related, who
from engram.loop.recollecting import SEARCHED
from engram.mind.readiness import readiness
from engram.questions import asks
from engram.records import Hit
from engram.sessions import Session, list_sessions
from engram.text import short, single_line

from .goals import explained_data, explained_lines, goal_lines, listed
from .readiness import readiness_lines
from .screens import Screen, hit_data
from .slashes import COMMANDS, Slash, help_lines, unknown, usage
from .state import State
from .why import evidence_lines

FOUND = 10
"""Memories that `/memories WORDS` lists."""
SAFETY_LISTED = 10
"""Safety events that `/safety` lists."""
FIRST_WORDS = 60
"""Characters of a conversation's first turn that are shown."""


class Commands:
    """Carries out the commands of one conversation."""

    def __init__(self, agent: Agent, screen: Screen) -> None:
        self._agent = agent
        self._screen = screen
        self._actions: dict[str, Callable[[str], None]] = {
            "/help": self._help,
            "/memories": self._memories,
            "/why": self._why,
            "/good": lambda which: self._judge(which, useful=True),
            "/bad": lambda which: self._judge(which, useful=False),
            "/note": self._note,
            "/forget": self._forget,
            "/goals": self._goals,
            "/cost": self._cost,
            "/state": self._state,
            "/readiness": self._readiness,
            "/safety": self._safety,
            "/sessions": self._sessions,
        }

    def carry_out(self, slash: Slash) -> None:
        """Do what a line asks for; what is missing or unknown is answered with a hint.

        Raises:
            EngramError: It cannot be done.
        """
        action = self._actions.get(slash.name)
        if action is None:
            self._screen.hint(unknown(slash.name))
        elif not slash.rest and COMMANDS[slash.name][0][:1].isalpha():
            self._screen.hint(usage(slash.name))  # its argument is not optional
        else:
            action(slash.rest)

    def _help(self, _: str) -> None:
        for line in help_lines():
            self._screen.hint(line)

    def _memories(self, words: str) -> None:
        agent = self._agent
        if words:
            found = agent.memory.recall(words, k=SEARCHED, read_only=True)
            # Words that tell rather than ask are those of the memory that is looked for.
            hits = answers(found, words if asks(words) else "", user=agent.user)[:FOUND]
            # A search always finds the nearest; what has nothing to do with the words is none of it.
            hits = related(words, hits, agent.memory.embedder)
        else:
            hits = agent.used  # by the numbers that /good and /bad take
        if not hits:
            self._screen.hint(
                "Nothing was found." if words else "Nothing came to mind. /memories WORDS searches."
            )
        lines = [f"{place}. {hit_line(hit)}" for place, hit in enumerate(hits, start=1)]
        self._screen.show("memories", lines, memories=[hit_data(hit) for hit in hits])

    def _why(self, memory_id: str) -> None:
        steps = self._agent.memory.why(memory_id)
        self._screen.show("why", evidence_lines(steps), steps=[asdict(step) for step in steps])

    def _judge(self, which: str, *, useful: bool) -> None:
        judged = self._agent.judge(useful=useful, which=which or None)
        self._screen.hint(verdict(judged, useful=useful))

    def _note(self, text: str) -> None:
        memory = self._agent.note(text)
        line = f"Noted: [{short(memory.id)}] {single_line(memory.content)}"
        self._screen.show("noted", [line], id=memory.id, content=memory.content)

    def _forget(self, memory_id: str) -> None:
        memory = self._agent.forget(memory_id)
        line = f"Forgotten: [{short(memory.id)}] {single_line(memory.content)}"
        self._screen.show("forgot", [line], id=memory.id, content=memory.content)

    def _goals(self, asked: str) -> None:
        goals = self._agent.goals
        what, _, rest = asked.partition(" ")
        change = self._goal_changes(goals).get(what)
        only: GoalState | None = None
        match what, rest.strip():
            case "" | "list", "":
                pass
            case "why", goal if goal:
                self._explain(goals.explain(goal))
                return
            case "list", state if state in get_args(GoalState):
                only = cast("GoalState", state)
            case _, words if words and change is not None:
                change(words)
            case _:
                raise InvalidInputError(usage("/goals"))
        found = listed(goals, only)
        if not found:
            self._screen.hint("There is no goal. /goals add TEXT sets one.")
        self._screen.show("goals", [*goal_lines(found)], goals=[State.plain(goal) for goal in found])

    @staticmethod
    def _goal_changes(goals: Goals) -> dict[str, Callable[[str], Goal]]:
        """Return what can be said of goals, by the word for it."""

        def block(words: str) -> Goal:
            goal, _, why = words.partition(" ")
            return goals.block(goal, why.strip() or None)

        return {
            "add": goals.add,
            "done": goals.done,
            "drop": goals.drop,
            "block": block,
            "incubate": goals.incubate,
            "resume": goals.resume,
            "progress": goals.progress,
            "accept": goals.accept,
            "refuse": goals.refuse,
        }

    def _explain(self, found: Explained) -> None:
        self._screen.show("goal", [*explained_lines(found)], **explained_data(found))

    def _cost(self, _: str) -> None:
        agent = self._agent
        lines = cost_report(agent.ledger, agent.session)
        if not lines:
            self._screen.hint("No language model was asked in this session or today.")
        self._screen.show("cost", cost_table(lines), lines=[asdict(line) for line in lines])

    def _state(self, _: str) -> None:
        lines = self._agent.describe()
        self._screen.show("state", lines, state=lines, status=asdict(self._agent.status()))

    def _readiness(self, _: str) -> None:
        memory = self._agent.memory
        found = readiness(memory.graph, space=memory.space)
        self._screen.show(
            "readiness", [*readiness_lines(found)], milestones=[State.plain(each) for each in found]
        )

    def _safety(self, _: str) -> None:
        events = self._agent.safety.events()[:SAFETY_LISTED]
        if not events:
            self._screen.hint("No ceiling fired in the last 30 days.")
        lines = [
            f"{event.at:%Y-%m-%d %H:%M} {event.ceiling}, {'enforced' if event.enforced else 'noticed'}: "
            f"{single_line(event.reason)}"
            for event in events
        ]
        self._screen.show("safety", lines, events=[asdict(event) for event in events])

    def _sessions(self, _: str) -> None:
        memory = self._agent.memory
        found = list_sessions(memory.graph, space=memory.space)
        if not found:
            self._screen.hint("There is no conversation yet.")
        lines = [session_line(each, current=self._agent.session) for each in found]
        self._screen.show("sessions", lines, sessions=[asdict(each) for each in found])


def hit_line(hit: Hit) -> str:
    """Return a memory that was found as one line: its id, when, who, what."""
    memory = hit.memory
    return f"[{short(memory.id)}] {memory.event_at:%Y-%m-%d} {who(memory.speaker)}: {single_line(memory.content)}"


def verdict(judged: Sequence[Hit], *, useful: bool) -> str:
    """Say what was judged, and how."""
    what = f"“{single_line(judged[0].memory.content)}”" if len(judged) == 1 else f"all {len(judged)} memories"
    return f"Noted: {what} {'was' if len(judged) == 1 else 'were'} of {'use' if useful else 'no use'}."


def session_line(session: Session, *, current: str) -> str:
    """Return a conversation as one line: when, how much, its name, how it began."""
    first = single_line(session.first)
    first = first if len(first) <= FIRST_WORDS else first[: FIRST_WORDS - 1] + "…"
    count = f"{session.turns:,} turn{'' if session.turns == 1 else 's'}"
    here = " (this one)" if session.id == current else ""
    start, end = session.started_at, session.ended_at
    until = f"{end:%H:%M}" if start.date() == end.date() else f"{end:%Y-%m-%d %H:%M}"
    name = single_line(session.id)
    return f"{start:%Y-%m-%d %H:%M} to {until}, {count}: {name}{here}  “{first}”"
