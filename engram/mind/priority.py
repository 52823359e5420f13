"""Which goal presses most: recency, mention, tractability and connections multiplied.

Source: DMN algorithms, 1 (Klinger's current concerns: what presses comes to mind by itself). `mind/rank_goals` computes
the same in the graph; the two are held together by a test.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType

RECENCY_DAYS = 7.0
"""Days without activity after which 1/e is left of a goal's recency."""
MENTION_HOURS = 24.0
"""Hours after which 1/e is left of what a mention adds."""
MENTION_BOOST = 2.0
"""What a mention adds at once: a goal mentioned just now counts threefold."""
CONNECTION = 0.1
"""What each connected active goal adds."""
RATES: Mapping[str, float] = MappingProxyType(
    {
        "recency_days": RECENCY_DAYS,
        "mention_hours": MENTION_HOURS,
        "mention_boost": MENTION_BOOST,
        "connection": CONNECTION,
    }
)
"""The same, as `mind/rank_goals` takes them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What a priority is the product of."""

    recency: float
    """0 to 1."""
    mention: float
    """1 to 3."""
    tractability: float
    """0 to 1: how much can be done without the person."""
    connections: float
    """1 and more."""

    @property
    def priority(self) -> float:
        """Their product, 0 and more."""
        return self.recency * self.mention * self.tractability * self.connections


def terms(
    *,
    active_at: datetime,
    mentioned_at: datetime | None,
    tractability: float,
    connected: int,
    now: datetime,
) -> Terms:
    """Return what a goal's priority is made of.

    Args:
        active_at: When something was last done about it.
        mentioned_at: When the person last spoke of it; None: never.
        tractability: How much can be done without the person, 0 to 1.
        connected: How many other active goals are about something that it is about.
        now: When. What lies after it counts as now.
    """
    return Terms(
        recency=math.exp(-_since(active_at, now) / timedelta(days=RECENCY_DAYS)),
        mention=1.0
        if mentioned_at is None
        else 1.0 + MENTION_BOOST * math.exp(-_since(mentioned_at, now) / timedelta(hours=MENTION_HOURS)),
        tractability=tractability,
        connections=1.0 + CONNECTION * connected,
    )


def _since(then: datetime, now: datetime) -> timedelta:
    return max(now - then, timedelta())
