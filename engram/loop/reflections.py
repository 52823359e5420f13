"""The reflection bank: what was corrected once is told before it happens again.

Source: v4 plan, 3.7. A correction is a memory like any other (kind `correction`), with its chain of evidence.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime

from engram.graph import Graph
from engram.loop.escalation import Correction
from engram.loop.inputs import Source
from engram.memory import Engram
from engram.records import Kind, Memory, memory_from
from engram.text import inert
from engram.validation import MAX_NAME

REFLECTION = "reflection"
"""Source of what the agent drew from its own doing."""
SIMILAR = 0.3
"""Least cosine of a correction and the attention focus; with all-MiniLM-L6-v2 unrelated texts lie mostly under 0.2."""
LONGEST_PART = 2_000
"""Characters of each part of a correction."""


def store_correction(
    memory: Engram,
    correction: Correction,
    *,
    at: datetime,
    context: str = "",
    derived_from: Iterable[str] = (),
) -> Memory:
    """Store a correction and return its memory once it is durable; the same one twice is one memory.

    It is the agent's own thought: it says nothing about what is true.

    Args:
        memory: Where.
        correction: What was wrong, and what would have been right.
        at: When it was corrected.
        context: What was attended to then. A situation in general terms alone is far from what is asked next time.
        derived_from: Ids of the memories that it was drawn from.

    Raises:
        ErasedError: A person had it erased for good.
    """
    return memory.remember(
        paragraph(correction, context),
        kind=Kind.CORRECTION,
        event_at=at,
        source=REFLECTION,
        source_tag=Source.REPLY.value,
        category=inert(correction.error_type, MAX_NAME) or None,
        derived_from=derived_from,
    )


def paragraph(correction: Correction, context: str = "") -> str:
    """Return a correction as one readable paragraph; the situation comes first, it is what one is reminded by."""
    parts = {
        "Situation": correction.trigger,
        "It came up with": context,
        "Error": correction.error_type,
        "It was reasoned": correction.original_reasoning,
        "Right would have been": correction.correction,
    }
    return " ".join(f"{name}: {_sentence(text)}" for name, text in parts.items() if text.strip())


def _sentence(text: str) -> str:
    line = inert(text, LONGEST_PART)
    return line if line.endswith((".", "!", "?", "\u2026")) else f"{line}."


def find_corrections(graph: Graph, vector: Sequence[float], space: str, k: int = 3) -> tuple[Memory, ...]:
    """Return the corrections nearest to what the agent attends to, the nearest first; far ones stay away.

    Args:
        graph: The connection.
        vector: Unit vector of the attention focus, shape (d,), embedded as a query.
        space: Whose.
        k: How many at most.
    """
    rows = graph.read(
        "inspect/find_corrections",
        space=space,
        vector=[float(value) for value in vector],
        similarity=SIMILAR,
        limit=k,
    )
    return tuple(memory_from(row["memory"]) for row in rows)
