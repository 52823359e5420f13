"""What the loop takes in: a person's message or the agent's own impulse, all of one form."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType


class Source(StrEnum):
    """Where an input comes from; the value is the source tag that it is stored with."""

    USER = "external_user"
    REPLY = "internal_reply"
    """What the agent itself answered: it passes the same gates, and never wins attention."""
    DMN = "internal_dmn"
    """A self-prompt of the default mode network: "I just remembered X"."""
    CONSOLIDATION = "internal_consolidation"
    GUT = "internal_gut"
    SCHEDULE = "internal_schedule"


URGENCY: Mapping[Source, float] = MappingProxyType(
    {
        Source.USER: 0.8,
        Source.SCHEDULE: 0.6,
        Source.GUT: 0.4,
        Source.CONSOLIDATION: 0.3,
        Source.DMN: 0.2,
        Source.REPLY: 0.0,
    }
)
"""Urgency of a new input, 0 to 1 (v4 plan, 3.10: user 0.8, gut 0.4, DMN 0.2; the others stand between)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """One candidate for attention."""

    id: str
    text: str
    source: Source
    at: datetime
    confidence: float = 1.0
    """Of the source in it, 0 to 1."""
    urgency: float
    """0 to 1, as of `at`."""
    emotional: float = 0.0
    """|gut delta|, 0 to 1; 0 where nothing is felt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line of the scratch buffer: what was heard or said, on its way to the exit gate."""

    id: str
    session: str
    run: str
    """Id of the run of the loop that heard it."""
    speaker: str
    text: str
    at: datetime
    source_tag: str
    source_confidence: float = 1.0
    source: str
    """Where the turn came from, e.g. `chat`."""
    turn: str
    """The turn's own name within its session."""
    signals: tuple[str, ...] = ()
    """Names of what the signal scan found."""
    urgent: bool = False
    """Whether one of the signals is high: it does not wait for the next flush."""
    skipped: bool = False
    """Whether the entry gate let it pass by: its raw turn is kept, and it never becomes a memory."""
    looked: int = 0
    """How many times the exit gate has looked at it."""
    awaits: bool = False
    """Whether somebody waits for the answer to it."""
    answers: str | None = None
    """Id of the entry that it answers."""
