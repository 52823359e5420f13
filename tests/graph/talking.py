"""What the tests of the loop have in common: conversations in which nothing is left to chance, and a look at what they left."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import Any

import numpy as np

from engram.llm import Models
from engram.loop.agent import Agent
from engram.loop.events import Event
from engram.loop.inputs import Entry
from engram.memory import Engram
from engram.testing import FixedClock, ScriptedModel
from tests.graph.beside import run


def talk(
    memory: Engram,
    clock: FixedClock,
    system1: ScriptedModel | None = None,
    system2: ScriptedModel | None = None,
    quiet: ScriptedModel | None = None,
    **more: Any,
) -> Agent:
    """Begin a conversation; whoever begins it ends it."""
    options: dict[str, Any] = {"session": "evening", "generator": np.random.default_rng(1)} | more
    return Agent(memory, Models(system1=system1, system2=system2, quiet=quiet), clock=clock, **options)


def kinds(events: Iterable[Event]) -> list[str]:
    """Return the events' names, with all words of one answer as one."""
    names = [type(event).__name__ for event in events]
    return [
        name for name, before in zip(names, ["", *names], strict=False) if (name, before) != ("Delta",) * 2
    ]


def only(events: Iterable[Event], kind: type[Any]) -> Any:
    """Return the one event of this kind."""
    (found,) = [event for event in events if isinstance(event, kind)]
    return found


def entry(name: str, at: datetime, *, run: str = "run", **more: Any) -> Entry:
    """Return a line of the scratch buffer that a person said."""
    said = Entry(
        id=name,
        session="evening",
        run=run,
        speaker="user",
        text=f"I said {name}",
        at=at,
        source_tag="external_user",
        source="chat",
        turn=name,
    )
    return replace(said, **more)


def written(memory: Engram) -> dict[str, list[Any]]:
    """Return what the loop has written in the space, see `read_talk.cypher`."""
    return run(memory, "read_talk")[0]


def nodes(memory: Engram, what: str) -> list[dict[str, Any]]:
    """Return the properties of some of it: `turns`, `sessions`, `memories`, `calls`, `runs` or `counters`."""
    return written(memory)[what]


def lines(memory: Engram) -> list[dict[str, Any]]:
    """Return the properties of the lines of the scratch buffer, the oldest first."""
    return nodes(memory, "lines")


def memories(memory: Engram) -> list[str]:
    """Return what is remembered, in the order of its text."""
    return [each["content"] for each in nodes(memory, "memories")]
