"""Statements that only the tests run, from the `.cypher` files beside this one."""

from pathlib import Path
from typing import Any

from engram.graph import Row
from engram.memory import Engram


def run(memory: Engram, name: str, **parameters: Any) -> list[Row]:
    """Run the statement `name` in the memory's space."""
    text = Path(__file__).with_name(f"{name}.cypher").read_text(encoding="utf-8")
    return memory.graph._run("WRITE", text, {"space": memory.space, **parameters})
