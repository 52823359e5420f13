"""Engram: memory for LLM agents as a graph in Neo4j.

    from engram import Engram

    with Engram.open(space="ines") as memory:
        memory.remember("I moved to Porto in May", speaker="Ines")
        for hit in memory.recall("Where does Ines live?"):
            print(hit.memory.content)

Names are loaded when first used, so that `engram --help` does not wait for the database driver.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engram.config import Settings
    from engram.errors import EngramError
    from engram.loop.agent import Agent
    from engram.memory import Engram
    from engram.records import Evidence, Hit, Ingested, Kind, Memory, Stats, Turn

_HOME = {
    "Agent": "engram.loop.agent",
    "Engram": "engram.memory",
    "EngramError": "engram.errors",
    "Evidence": "engram.records",
    "Hit": "engram.records",
    "Ingested": "engram.records",
    "Kind": "engram.records",
    "Memory": "engram.records",
    "Settings": "engram.config",
    "Stats": "engram.records",
    "Turn": "engram.records",
}

__all__ = [
    "Agent",
    "Engram",
    "EngramError",
    "Evidence",
    "Hit",
    "Ingested",
    "Kind",
    "Memory",
    "Settings",
    "Stats",
    "Turn",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'engram' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__
