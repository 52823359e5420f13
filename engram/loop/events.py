"""What the loop yields, step by step; whoever shows it decides how."""

from dataclasses import dataclass
from typing import Literal

from engram.errors import EngramError
from engram.llm.base import Role, StopReason, Usage
from engram.records import Hit


@dataclass(frozen=True, slots=True, kw_only=True)
class Attended:
    """What won attention, where there was something to choose from or it is the agent's own impulse."""

    text: str
    source: str
    report: str
    """The cognitive state report, as the model is told it."""
    entry: str
    """Id of its line in the scratch buffer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """What came to mind; empty where nothing did."""

    hits: tuple[Hit, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """What was said is durable: it is acknowledged, and never lost from here on."""

    role: Role
    turn: str
    """The turn's name within its session."""
    journaled: bool = False
    """Whether it is in the local journal because the database is away; it is written when that is back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """Some more of the model's reply."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Revising:
    """The reply so far was not good enough; what follows replaces it."""

    by: Literal["self", "system2"]
    """Whether the model corrects itself, or the slower one was asked."""
    why: str
    """In a few words, e.g. `not sure enough (0.31 of 0.45)`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replied:
    """The model's reply is complete."""

    text: str
    usage: Usage | None
    stop_reason: StopReason | None
    confidence: float | None = None
    """Composite confidence in it, 0 to 1."""
    escalated: bool = False
    """Whether System 2 was asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quoted:
    """The answer without a model: memories, word for word. It is not stored."""

    text: str
    hits: tuple[Hit, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """Something that the person should know; the turn goes on."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """Something went wrong; the conversation can go on."""

    error: EngramError
    doing: Literal["recall", "store", "reply"]


Event = Attended | Recalled | Stored | Delta | Revising | Replied | Quoted | Notice | Failed


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """Where the loop stands, for a status line."""

    tiers: dict[str, int]
    """Memories by tier."""
    tokens: int
    """Of the last prompt, as far as the provider counted, else estimated."""
    window: int
    """Tokens that a prompt may have."""
    cost_today: float
    """US dollars, all purposes of this space."""
    budget: float | None
    pressure: float
    """Consolidation pressure: lines in the scratch buffer by 50. From 0.5 a note, over 1.0 due."""
    waiting: int
    """Inputs that wait for attention."""
    model: str | None
