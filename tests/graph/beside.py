"""Statements that only the tests run, from the `.cypher` files beside this one."""

from pathlib import Path
from typing import Any
from uuid import uuid4

from engram.graph import Row
from engram.graph.retries import retried
from engram.memory import Engram
from engram.testing import FixedClock


def run(memory: Engram, name: str, **parameters: Any) -> list[Row]:
    """Run the statement `name` in the memory's space."""
    text = Path(__file__).with_name(f"{name}.cypher").read_text(encoding="utf-8")
    # The memory's own writers may hold what this wants to lock: one of the two is told to try again.
    return retried(lambda: memory.graph._run("WRITE", text, {"space": memory.space, **parameters}))


def everything(memory: Engram, *, leave_out: tuple[str, ...] = ("JobRun",)) -> tuple[list[Any], list[Any]]:
    """Return all nodes and relationships of the memory's space, but nodes of those labels, once all is written."""
    assert memory.flush()
    held = run(memory, "read_space")[0]
    nodes = [node for node in held["nodes"] if not {*leave_out} & {*node["labels"]}]
    return nodes, held["relationships"]


def another(memory: Engram, clock: FixedClock) -> Engram:
    """Return a memory on another clean space."""
    return Engram(
        memory.graph,
        memory.settings,
        space=f"test-{uuid4().hex[:12]}",
        embedder=memory.embedder,
        clock=clock,
    )
