"""The 3x3 matrix of the exit gate: how relevant and how new something is, and what to do with it (v4 plan, 2.8).

|            | confirming           | novel              | contradicting             |
|------------|----------------------|--------------------|---------------------------|
| core       | reinforce (moderate) | persist (high)     | persist and flag (max)    |
| peripheral | skip (low)           | buffer (moderate)  | persist (high)            |
| irrelevant | drop                 | drop               | drop                      |

In every cell the noise floor persists a few all the same.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engram.importance import estimated_importance
from engram.loop.inputs import Entry

RelevanceLevel = Literal["core", "peripheral", "irrelevant"]
NoveltyLevel = Literal["confirming", "novel", "contradicting"]


class Action(StrEnum):
    """What to do with an entry."""

    PERSIST = "persist"
    PERSIST_AND_FLAG = "persist_and_flag"
    """Both it and what it contradicts are kept, and are in tension."""
    REINFORCE = "reinforce"
    """The memory that it confirms was said again."""
    BUFFER = "buffer"
    """It is looked at again."""
    SKIP = "skip"
    """It says nothing that is not known, on the side of things."""
    DROP = "drop"


@dataclass(frozen=True, slots=True, kw_only=True)
class Focus:
    """What entries are seen in the light of."""

    texts: Sequence[str] = ()
    """The conversation before and around them."""
    goals: Sequence[str] = ()
    identity: Sequence[str] = ()
    depths: NDArray[np.float64] | None = None
    """The subconscious centroid that they are felt against, shape (d,); None where nothing is felt."""
    recalled: Mapping[str, str] = field(default_factory=dict)
    """By memory id, the content of everything recalled where they were said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What becomes of one entry, and why."""

    entry: Entry
    action: Action
    reason: str
    """One line, for people."""
    relevance: float = 0.0
    """0 to 1."""
    relevance_level: RelevanceLevel = "irrelevant"
    novelty_level: NoveltyLevel = "novel"
    similarity: float = 0.0
    """Cosine of it and of the nearest memory's words."""
    nearest: str | None = None
    """That memory's id, or of the entry that becomes one in the same transaction."""
    contradicts: tuple[str, ...] = ()
    """Ids of the memories that say the opposite, or of entries that become some."""
    importance: float = 0.0
    """0 to 1."""
    emotional: float = 0.0
    """How far the gut is from indifference about it, 0 to 1; 0 where nothing is felt."""
    compressed: str = ""
    """It in one line."""


MATRIX: Mapping[tuple[RelevanceLevel, NoveltyLevel], Action] = MappingProxyType(
    {
        ("core", "confirming"): Action.REINFORCE,
        ("core", "novel"): Action.PERSIST,
        ("core", "contradicting"): Action.PERSIST_AND_FLAG,
        ("peripheral", "confirming"): Action.SKIP,
        ("peripheral", "novel"): Action.BUFFER,
        ("peripheral", "contradicting"): Action.PERSIST,
        ("irrelevant", "confirming"): Action.DROP,
        ("irrelevant", "novel"): Action.DROP,
        ("irrelevant", "contradicting"): Action.DROP,
    }
)
LOW, MODERATE, HIGH, MAX = 0.0, 0.1, 0.2, 0.3
_EMPHASIS: Mapping[tuple[RelevanceLevel, NoveltyLevel], float] = MappingProxyType(
    {
        ("core", "confirming"): MODERATE,
        ("core", "novel"): HIGH,
        ("core", "contradicting"): MAX,
        ("peripheral", "novel"): MODERATE,
        ("peripheral", "contradicting"): HIGH,
    }
)
"""What a cell adds to the importance that a text has by its form; the others add nothing."""
CHARGE_BONUS, CHARGED = 0.15, 0.3
"""What an emotional charge above the second adds to relevance."""


def relevance_level(relevance: float, tuning: Mapping[str, float]) -> RelevanceLevel:
    """Return the row of the matrix."""
    if relevance > tuning["gate.core"]:
        return "core"
    return "peripheral" if relevance > tuning["gate.peripheral"] else "irrelevant"


def novelty_level(
    similarity: float, *, opposed: bool, new_facts: bool, tuning: Mapping[str, float]
) -> NoveltyLevel:
    """Return the column of the matrix.

    What lies between the seed's bounds without any opposition is novel, because the gate is permissive; and so is
    what says the same with another number, date or name.

    Args:
        similarity: Cosine of the text and of the nearest memory's.
        opposed: Whether a memory above `gate.contradicting` says the opposite, or one that is not as near but tells
            another number, date, place or name in the same words.
        new_facts: Whether the text names what the nearest memory does not.
        tuning: The space's numbers.
    """
    if opposed:
        return "contradicting"
    return "confirming" if similarity > tuning["gate.confirming"] and not new_facts else "novel"


def importance(
    text: str,
    relevance: RelevanceLevel,
    novelty: NoveltyLevel,
    *,
    similarity: float,
    tuning: Mapping[str, float],
) -> float:
    """Return how important an entry is, 0 to 1: what its form tells, and the weight of its cell.

    Something novel that is not far from what is known, above `gate.novel`, counts one step less.
    """
    emphasis = _EMPHASIS.get((relevance, novelty), LOW)
    if novelty == "novel" and similarity >= tuning["gate.novel"]:
        emphasis = max(LOW, emphasis - MODERATE)
    return min(1.0, estimated_importance(text) + emphasis)


def emotional_charge(gut: float) -> float:
    """Return `|gut - 0.5| * 2`, 0 to 1: how far a feeling is from indifference (v4 plan, 2.8, v0.1).

    Args:
        gut: `engram.mind.gut.score` of the delta between an entry and the subconscious.
    """
    return min(1.0, abs(gut - 0.5) * 2.0)


def charged(relevance: float, charge: float) -> float:
    """Return a relevance with the bonus of what is emotionally charged, at most 1."""
    return min(1.0, relevance + CHARGE_BONUS) if charge > CHARGED else relevance
