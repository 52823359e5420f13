"""What the tests of dreams have in common: a space to dream of, a model with a script, and a look at what came of it."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import timedelta
from pkgutil import resolve_name
from typing import Any

from engram.llm import Models
from engram.memory import Engram
from engram.records import Turn
from engram.testing import Asked, FixedClock, ScriptedModel
from tests.graph.beside import everything

JOB: Any = resolve_name("engram.jobs.dream:JOB")
TIMED: Any = resolve_name("engram.jobs.dream:TIMED")
Means: Any = resolve_name("engram.jobs.means:Means")
run_job: Callable[..., Any] = resolve_name("engram.jobs.job:run_job")

OPENINGS = ("", "Really, ", "Yes, ", "Well, ", "Again, ")
ENDINGS = ("", " too", " now", " indeed")
SAID = [f"{one}I prefer simple tools for the garden{other}" for one in OPENINGS for other in ENDINGS]
"""Twenty turns that say the same in other words."""
FEW = SAID[:6]

Script = dict[str, Any]
"""By the name of a shape, without its underscore, the answer: a value, or what makes one of the question."""


def say(memory: Engram, clock: FixedClock, said: Sequence[str] = FEW, *, speaker: str = "Noor") -> list[str]:
    """Say something, one turn a day; return the ids of its memories."""
    start = clock.now - timedelta(days=len(said))
    done = memory.remember_turns(
        Turn(text=text, speaker=speaker, session=f"talk {speaker} {day}", at=start + timedelta(days=day))
        for day, text in enumerate(said)
    )
    return list(done.memories)


def scripted(**answers: Any) -> ScriptedModel:
    """Return a model that answers by what shape is asked for; where the script has nothing, with nothing."""

    def respond(asked: Asked) -> str:
        name = asked.shape.__name__.removeprefix("_") if asked.shape else ""
        answer = answers.get(name, {})
        value = answer(asked) if callable(answer) else answer
        return value if isinstance(value, str) else json.dumps(value)

    return ScriptedModel(respond=respond)


def shapes(model: ScriptedModel) -> Counter[str]:
    """Return how often a model was asked for each shape."""
    return Counter(asked.shape.__name__.removeprefix("_") for asked in model.asked if asked.shape)


def dream(
    memory: Engram, clock: FixedClock, model: ScriptedModel | None = None, *, job: Any = JOB, **options: Any
) -> Any:
    """Run the job."""
    with Means(memory, models=lambda: Models(quiet=model)) as means:
        return run_job(job, memory.graph, space=memory.space, clock=clock, means=means, **options)


def dreamed(memory: Engram, sort: str | None = None, status: str = "active") -> list[dict[str, Any]]:
    """Return the properties of what was dreamed, with `cites` (ids), by content."""
    nodes, links = everything(memory)
    cites: dict[str, list[str]] = {}
    for link in links:
        if link["type"] == "DERIVED_FROM":
            cites.setdefault(link["start"], []).append(link["end"])
    found = [
        node["properties"] | {"cites": sorted(cites.get(node["id"], []))}
        for node in nodes
        if node["properties"].get("dreamed") and node["properties"]["status"] == status
    ]
    return sorted(
        (each for each in found if sort in {None, each["dreamed"]}), key=lambda each: str(each["content"])
    )


def held(memory: Engram, label: str) -> list[dict[str, Any]]:
    """Return the properties of the space's nodes of a label."""
    return [node["properties"] for node in everything(memory, leave_out=())[0] if label in node["labels"]]


def properties(memory: Engram, memory_id: str) -> dict[str, Any]:
    """Return the properties of one memory."""
    (found,) = [each for each in held(memory, "Memory") if each["id"] == memory_id]
    return found
