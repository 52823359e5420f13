"""What comes to mind when nobody speaks: a draw with four leanings, kept from going in circles (v4 plan, 4.7)."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

IDLE = timedelta(days=14)
"""Without a use for so long, half of what neglect can add is added."""
FAR = timedelta(days=90)
"""So long ago, half of what distance can add is added."""
SHARES = {"neglected": 4.0, "disputed": 2.0, "distant": 2.0, "self": 2.0}
"""What each leaning adds at most to the even chance of 1 that every memory has."""
BROADENED = 0.25
"""What is left of all leanings while the same topics keep coming up."""


class Channel(StrEnum):
    """Where what came to mind goes (v4 plan, 4.7)."""

    GOAL = "goal"
    """With a goal: it is thought through, as a prompt of the agent to itself."""
    INSIGHT = "insight"
    """With a memory that lies far from it: it is kept for consolidation."""
    IDENTITY = "identity"
    """With what the agent is: it is kept, to be evaluated."""
    REVIEW = "review"
    """A look back at what was followed: it is thought through."""


CHANCES = {Channel.GOAL: 0.5, Channel.INSIGHT: 0.3, Channel.IDENTITY: 0.2}
"""How often each channel is taken where all of them are open."""


class Leaning(StrEnum):
    """Why something was drawn."""

    NEGLECTED = "neglected"
    """It weighs much and was not used for long."""
    DISPUTED = "disputed"
    """It is in tension with something."""
    DISTANT = "distant"
    """It was long ago."""
    SELF = "self"
    """It is about the agent and weighs much."""
    CHANCE = "chance"
    """None of them stands out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One memory of the pool."""

    id: str
    weight: float
    """The centre of its Beta, 0 to 1."""
    used_at: datetime
    event_at: datetime
    disputed: int
    """Unresolved tensions."""
    about_self: bool


def leanings(pool: Sequence[Candidate], now: datetime) -> dict[Leaning, Floats]:
    """Return what each leaning adds to the chance of each candidate, shape (n,) each, 0 and more."""
    weight = np.array([each.weight for each in pool])
    idle = _aged([now - each.used_at for each in pool], IDLE)
    far = _aged([now - each.event_at for each in pool], FAR)
    disputed = np.array([min(each.disputed, 3) / 3.0 for each in pool])
    own = np.array([each.about_self for each in pool], dtype=np.float64)
    return {
        Leaning.NEGLECTED: SHARES["neglected"] * weight * idle,
        Leaning.DISPUTED: SHARES["disputed"] * disputed,
        Leaning.DISTANT: SHARES["distant"] * far,
        Leaning.SELF: SHARES["self"] * weight * own,
    }


def draw(
    pool: Sequence[Candidate],
    generator: np.random.Generator,
    *,
    now: datetime,
    broaden: bool = False,
    recent: Sequence[str] = (),
) -> tuple[Candidate, Leaning] | None:
    """Return one candidate and why it was drawn; None out of nothing.

    Every memory can be drawn: exploration never ends.

    Args:
        pool: Candidates.
        generator: Draws.
        now: When.
        broaden: Whether the same topics keep coming up: the leanings then count a quarter.
        recent: Ids of what came to mind lately, the newest first: they do not come again, as long as half of the pool is
            left without them.
    """
    known = {each.id for each in pool}
    lately = [each for each in dict.fromkeys(recent) if each in known][: len(pool) // 2]
    fresh = [each for each in pool if each.id not in lately]
    if not fresh:
        return None
    added = leanings(fresh, now)
    share = BROADENED if broaden else 1.0
    chances = 1.0 + share * np.sum([*added.values()], axis=0)
    place = int(generator.choice(len(fresh), p=chances / chances.sum()))
    why = max(added, key=lambda leaning: float(added[leaning][place]))
    return fresh[place], why if added[why][place] > 0.1 else Leaning.CHANCE


def channel(open_ones: Collection[Channel], leaning: Leaning, generator: np.random.Generator) -> Channel:
    """Return where a thought goes: what is about the agent to identity, all else by `CHANCES`.

    Args:
        open_ones: The channels for which a companion was found, at least one.
        leaning: Why it was drawn.
        generator: Draws.
    """
    if leaning is Leaning.SELF and Channel.IDENTITY in open_ones:
        return Channel.IDENTITY
    choice = [each for each in CHANCES if each in open_ones]
    chances = np.array([CHANCES[each] for each in choice])
    return choice[int(generator.choice(len(choice), p=chances / chances.sum()))]


def disparity(*, strength: float, similarity: float, associated: bool, apart: timedelta) -> float:
    """Return how much two memories that belong together lie apart, 0 to 1: what a creative association is worth.

    Two that are used together are the further apart the less they resemble each other; two that resemble each other,
    the longer ago one of them was.

    Args:
        strength: Of the association, or of the resemblance, 0 to 1.
        similarity: Cosine, -1 to 1.
        associated: Whether they are used together.
        apart: Between their times.
    """
    held = min(1.0, max(0.0, strength))
    if associated:
        return held * (1.0 - min(1.0, max(0.0, similarity)))
    return held * float(_aged([apart], FAR)[0])


def entropy(topics: Sequence[str]) -> float:
    """Return Shannon's entropy of how often topics came up, 0 (one alone) to 1 (all alike); 1 for fewer than two."""
    _, counts = np.unique(np.array(topics), return_counts=True) if topics else ((), np.array([]))
    if len(topics) < 2:
        return 1.0
    shares = counts / counts.sum()
    return float(-(shares * np.log(shares)).sum() / np.log(len(topics))) + 0.0


def _aged(ages: Sequence[timedelta], half: timedelta) -> Floats:
    """Return how much of a span's effect is there, 0 to 1: half of it after `half`."""
    days = np.array([max(0.0, age / half) for age in ages])
    return days / (1.0 + days)
