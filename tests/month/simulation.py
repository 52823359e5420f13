"""Living through the month: conversations, idle time and jobs, with the clock moved by hand."""

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from pkgutil import resolve_name
from statistics import fmean
from typing import Any

import numpy as np

from engram.errors import EngramError
from engram.graph import Row
from engram.graph.retries import retried
from engram.llm import Models
from engram.loop.agent import Agent
from engram.loop.events import Failed, Notice
from engram.memory import Engram
from engram.mind.readiness import readiness
from engram.testing import FixedClock
from tests.month.script import HOUR, Act, Visit

START = datetime(2026, 3, 2, tzinfo=UTC)
"""A Monday."""
DAILY = (
    "decay", "promote", "reinforce", "extract", "coactivate", "cluster", "replay", "boxes", "entities", "patterns",
    "dream", "safety", "idle", "gut", "state", "sweep",
)  # fmt: skip
"""Jobs that run at the end of a day, in this order."""
WEEKLY = ("rank", "archive", "adapt", "health")
IDLE_RUNS = (8, 14)
"""Hours of a day at which the idle mind has its turn besides."""

JOBS: Mapping[str, Any] = resolve_name("engram.jobs.scheduler:JOBS")
run_job: Callable[..., Any] = resolve_name("engram.jobs.job:run_job")
Means: Any = resolve_name("engram.jobs.means:Means")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """Where a space stood at the end of a day."""

    day: int
    at: datetime
    row: Row
    """What `sample.cypher` returns."""
    reached: tuple[int, ...]
    """Numbers of the achievements that are reached."""

    @property
    def energies(self) -> dict[str, float]:
        """Mean energy by tier."""
        by_tier: dict[str, list[float]] = {}
        for each in self.row["energies"]:
            by_tier.setdefault(each["tier"], []).append(each["energy"])
        return {tier: fmean(values) for tier, values in by_tier.items()}

    @property
    def cost(self) -> float:
        """US dollars of the day."""
        return math.fsum(each["cost"] for each in self.row["calls"] if each["at"].date() == self.at.date())


@dataclass(slots=True, kw_only=True)
class Month:
    """One life."""

    memory: Engram
    clock: FixedClock
    models: Callable[[], Models]
    """Who answers in conversations."""
    quiet: Callable[[], Models]
    """Whom jobs ask."""
    generator: np.random.Generator
    samples: list[Sample] = field(default_factory=list)
    mentions: dict[str, datetime] = field(default_factory=dict)
    """When a person last spoke of a goal, by its text."""
    failures: list[str] = field(default_factory=list)
    """What went wrong, in words."""
    notes: list[str] = field(default_factory=list)
    """What runs of jobs said."""
    notices: list[str] = field(default_factory=list)
    """What a person was told beside answers."""

    def live(self, visits: Sequence[Visit], days: int) -> "Month":
        """Live through so many days."""
        by_day = {visit.day: visit for visit in visits}
        for day in range(days):
            midnight = START + timedelta(days=day)
            for hour in IDLE_RUNS:
                self.clock.now = midnight + timedelta(hours=hour)
                self.work("idle")
            if day in by_day:
                self.clock.now = midnight + timedelta(hours=HOUR)
                self.visit(by_day[day])
            self.clock.now = midnight + timedelta(hours=23)
            self.work(*DAILY, *(WEEKLY if day % 7 == 6 else ()))
            self.samples.append(self.sample(day))
        return self

    def visit(self, visit: Visit) -> None:
        """Hold one conversation."""
        with Agent(
            self.memory,
            self.models(),
            session=f"day-{visit.day}",
            clock=self.clock,
            user="Noor",
            generator=self.generator.spawn(1)[0],
        ) as agent:
            if agent.greeting:
                self.notices.append(agent.greeting)
            for act in visit.acts:
                self.clock.advance(timedelta(minutes=2))
                self.act(agent, act)
        self.memory.flush()

    def act(self, agent: Agent, act: Act) -> None:
        """Do one thing of a conversation."""
        match act.doing:
            case "say":
                self.say(agent, act.text)
            case "mention":
                self.mentions[act.text] = self.clock.now
                self.say(agent, f"I thought about this: {act.text.lower()}")
            case "good" | "bad":
                with suppress(EngramError):  # nothing was answered from a memory
                    agent.judge(useful=act.doing == "good")
            case "goal":
                agent.goals.add(act.text)
            case "done":
                goals = {goal.text: goal.id for goal in agent.goals.list()}
                agent.goals.done(goals[act.text])
            case "note":
                self.memory.remember(act.text, speaker="Noor")
            case "settle":
                self.settle(act.text)

    def settle(self, holds: str) -> None:
        """Say of what contradicts what, which of both holds."""
        beliefs = self.memory.beliefs
        for tension in beliefs.tensions():
            for side in tension.sides:
                if holds in side.content:
                    beliefs.resolve(tension.id or side.id, side.id)

    def say(self, agent: Agent, text: str) -> None:
        """Say something, and note what failed."""
        for event in agent.say(text):
            match event:
                case Failed(error=error, doing=doing):
                    self.failures.append(f"{self.clock.now:%m-%d} {doing}: {error}")
                case Notice(text=told):
                    self.notices.append(told)
                case _:
                    pass

    def work(self, *names: str) -> None:
        """Run jobs."""
        for name in names:
            # Facts are drawn plainly: to read a text is no part of what this script plays.
            models = Models if name == "extract" else self.quiet
            with Means(self.memory, models=models, clock=self.clock) as means:
                run = run_job(
                    JOBS[name], self.memory.graph, space=self.memory.space, clock=self.clock, means=means
                )
                self.notes += [f"{name}: {note}" for note in run.notes]
                if run.failed:
                    self.failures.append(f"{self.clock.now:%m-%d} {name}: {run.error}")

    def sample(self, day: int) -> Sample:
        """Return where the space stands."""
        assert self.memory.flush()
        row = read(self.memory, "sample", now=self.clock.now)[0]
        reached = readiness(self.memory.graph, space=self.memory.space)
        return Sample(
            day=day,
            at=self.clock.now,
            row=row,
            reached=tuple(place for place, each in enumerate(reached, 1) if each.at is not None),
        )


def read(memory: Engram, name: str, **parameters: Any) -> list[Row]:
    """Run a statement of this folder."""
    text = Path(__file__).with_name(f"{name}.cypher").read_text(encoding="utf-8")
    return retried(lambda: memory.graph._run("READ", text, {"space": memory.space, **parameters}))
