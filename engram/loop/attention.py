"""Attention: what waits to be thought about competes, and the most salient wins (v4 plan, 3.10).

This is computed before the model is asked. The report of it goes into the prompt (3.4), so that the model can
reason about its own attention; it cannot change it.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from engram.embedding.protocol import Vectors
from engram.errors import EmbeddingError, InvalidInputError
from engram.loop.fencing import shortened
from engram.loop.inputs import Input, Source
from engram.loop.tokens import count_tokens

WEIGHTS = {"novelty": 0.3, "relevance": 0.3, "emotional": 0.2, "urgency": 0.2}
"""What the terms of salience count (v4 plan, 3.10)."""
HALF_LIFE_MINUTES = 30.0
"""Minutes of waiting that halve an input's urgency.

The seed asks for decay and names no rate. Half an hour is the pause after which a session counts as ended: what was
pressing in one conversation is not in the next, and within a conversation the order of urgencies stays as it was.
"""
LARGEST_QUEUE = 100
"""Inputs that wait at most."""
SHOWN = 5
"""Candidates in the report; the others are counted."""
SHOWN_TOKENS = 20
"""Of each candidate's text: with its label and salience, five of them and the frame stay within 200 tokens."""

Embed = Callable[[Sequence[str]], Vectors]

_LABELS = {
    Source.USER: "User message",
    Source.REPLY: "Own reply",
    Source.DMN: "DMN thought",
    Source.CONSOLIDATION: "Consolidation insight",
    Source.GUT: "Gut signal",
    Source.SCHEDULE: "Scheduled task",
}
_REASONS = {
    "novelty": "it is new",
    "relevance": "it bears on active goals",
    "emotional": "emotional charge",
    "urgency": "urgency bias applied",
}


def salience(novelty: float, relevance: float, emotional: float, urgency: float) -> float:
    """Return `0.3·novelty + 0.3·relevance + 0.2·emotional + 0.2·urgency`; all of them 0 to 1 (v4 plan, 3.10)."""
    return (
        WEIGHTS["novelty"] * novelty
        + WEIGHTS["relevance"] * relevance
        + WEIGHTS["emotional"] * emotional
        + WEIGHTS["urgency"] * urgency
    )


def urgency_after(urgency: float, waited_minutes: float, half_life_minutes: float) -> float:
    """Return the urgency that is left: `urgency · 2^(-waited / half-life)`; nothing decays before its time."""
    return urgency * math.exp2(-max(0.0, waited_minutes) / half_life_minutes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A candidate and what its salience is made of; each term 0 to 1."""

    input: Input
    novelty: float
    """1 less the largest cosine to the recent context; 1 where there is none."""
    relevance: float
    """The largest cosine to an active goal; 0 where there is none."""
    emotional: float
    urgency: float
    """What is left of it."""

    @property
    def salience(self) -> float:
        """How much it draws attention, 0 to 1."""
        return salience(self.novelty, self.relevance, self.emotional, self.urgency)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What won, against what."""

    winner: Input
    saliences: tuple[Scored, ...]
    """All candidates, the most salient first."""
    report: str
    """The cognitive state report for the prompt."""


@dataclass(frozen=True, slots=True)
class _Known:
    """The terms that do not change by waiting, as of the last look."""

    novelty: float = 1.0
    relevance: float = 0.0


class Attention:
    """What waits to be thought about."""

    def __init__(self, *, half_life_minutes: float = HALF_LIFE_MINUTES, largest: int = LARGEST_QUEUE) -> None:
        """Begin with nothing waiting.

        Args:
            half_life_minutes: Minutes of waiting that halve an urgency.
            largest: Inputs that wait at most.

        Raises:
            InvalidInputError: One of them is not positive.
        """
        if not half_life_minutes > 0 or largest < 1:
            raise InvalidInputError("A half-life and a queue's size must be positive.")
        self._half_life = half_life_minutes
        self._largest = largest
        self._waiting: dict[str, Input] = {}
        self._known: dict[str, _Known] = {}
        self._vectors: dict[str, NDArray[np.float32]] = {}

    @property
    def waiting(self) -> tuple[Input, ...]:
        """What waits, the oldest first."""
        return tuple(sorted(self._waiting.values(), key=_age))

    def offer(self, candidate: Input) -> tuple[Input, ...]:
        """Let an input wait for attention, in the place of one of the same id.

        Returns:
            What had to go because too many wait: the least salient by what the last look knew of it.
        """
        self.withdraw(candidate.id)
        self._waiting[candidate.id] = candidate
        ranked = sorted((self._score(each, candidate.at) for each in self._waiting.values()), key=_order)
        dropped = tuple(scored.input for scored in ranked[self._largest :])
        for each in dropped:
            self.withdraw(each.id)
        return dropped

    def withdraw(self, input_id: str) -> Input | None:
        """Take an input back, and return it; None where it does not wait."""
        self._known.pop(input_id, None)
        self._vectors.pop(input_id, None)
        return self._waiting.pop(input_id, None)

    def choose(self, now: datetime, embed: Embed, recent: Vectors, goals: Vectors) -> Choice:
        """Return what wins attention, and let the others wait on.

        Of two that are as salient the older wins, then the one whose id comes first. Where texts cannot be
        embedded, everything counts as new and nothing as relevant, and urgency and charge decide.

        Args:
            now: The time.
            embed: Returns a unit vector per text, shape (n, d).
            recent: Unit vectors of the recent context, shape (m, d); may be empty.
            goals: Unit vectors of the active goals, shape (g, d); may be empty.

        Raises:
            InvalidInputError: Nothing waits.
        """
        if not self._waiting:
            raise InvalidInputError("Nothing waits for attention.")
        self._look(embed, recent, goals)
        ranked = tuple(sorted((self._score(each, now) for each in self._waiting.values()), key=_order))
        winner = ranked[0].input
        self.withdraw(winner.id)
        return Choice(winner=winner, saliences=ranked, report=report(ranked))

    def _look(self, embed: Embed, recent: Vectors, goals: Vectors) -> None:
        """Compare what waits with the context and the goals; each text is embedded once."""
        new = [each for each in self._waiting.values() if each.id not in self._vectors]
        try:
            vectors = embed([each.text for each in new]) if new else ()
        except (EmbeddingError, InvalidInputError):
            vectors = ()
        self._vectors |= {each.id: vector for each, vector in zip(new, vectors, strict=False)}
        self._known = {
            each: _Known(novelty=1.0 - nearest(vector, recent), relevance=nearest(vector, goals))
            for each, vector in self._vectors.items()
        }

    def _score(self, candidate: Input, now: datetime) -> Scored:
        known = self._known.get(candidate.id, _Known())
        minutes = (now - candidate.at).total_seconds() / 60.0
        return Scored(
            input=candidate,
            novelty=known.novelty,
            relevance=known.relevance,
            emotional=min(1.0, max(0.0, candidate.emotional)),
            urgency=urgency_after(min(1.0, max(0.0, candidate.urgency)), minutes, self._half_life),
        )


def report(ranked: Sequence[Scored]) -> str:
    """Return the cognitive state report in the seed's form (v4 plan, 3.4), within about 200 tokens.

    Args:
        ranked: The candidates, the winner first.
    """
    lines = ["[COGNITIVE STATE]", "Attention candidates this cycle:"]
    for scored in ranked[:SHOWN]:
        text = shortened(scored.input.text, SHOWN_TOKENS, count_tokens).replace('"', "'")
        lines.append(f'  - {_LABELS[scored.input.source]}: "{text}" (salience: {scored.salience:.2f})')
    if len(ranked) > SHOWN:
        lines.append(f"  - {len(ranked) - SHOWN} more, less salient")
    lines.append(f"Winner: {_LABELS[ranked[0].input.source]} ({_why(ranked)})")
    return "\n".join(lines)


def _why(ranked: Sequence[Scored]) -> str:
    """Return the term that did most to set the winner apart from the next."""
    if len(ranked) == 1:
        return "the only candidate"
    winner, second = ranked[:2]
    leads = {
        name: weight * (getattr(winner, name) - getattr(second, name)) for name, weight in WEIGHTS.items()
    }
    name = max(leads, key=lambda each: leads[each])
    return _REASONS[name] if leads[name] > 0 else "it has waited longest"


def nearest(vector: NDArray[np.float32], others: Vectors) -> float:
    """Return the largest cosine to any of `others`, 0 to 1; 0 where there are none."""
    if len(others) == 0:
        return 0.0
    return float(np.clip(np.max(others @ vector), 0.0, 1.0))


def _age(candidate: Input) -> tuple[datetime, str]:
    return candidate.at, candidate.id


def _order(scored: Scored) -> tuple[float, datetime, str]:
    return -scored.salience, *_age(scored.input)
