"""Gate tuning: what came of the gates' decisions, and which of their numbers that moves, by how much and why.

What was held back and was needed later says that a gate is too strict; what was let in and is never used, that it is
too lax. Outcomes are counted by the week of the decision (`:GateOutcome`). Weeks are looked at once each, when all that
was decided in them has shown what it was worth: the newest of them is kept apart, to try the advice on.

Source: v4 plan, 4.5, which gives no figures; those below are ours, and cautious. What is dropped is gone, and what is
kept fades by itself, so a little need opens a gate and only great disuse closes it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from types import MappingProxyType
from typing import Any

import numpy as np

from engram.loop.entry_gate import EntryGate
from engram.loop.matrix import Action
from engram.loop.signals import Signals
from engram.safety import Change
from engram.safety.measures import FEWEST
from engram.tuning import NUMBERS

MOST_WEEKS = 12
"""Weeks that advice is drawn from at most, the newest: how a person talked before tells little of today."""
AGAINST = 2
"""So many times the evidence is needed for a step against the last one, so that a number does not swing."""
CALM = 0.5
"""Share of `Rule.much` up to which what is held back keeps no gate from closing."""
_DIGITS = 6


class Cause(StrEnum):
    """Why something was held back or let in: what the number decides that is judged by it."""

    IRRELEVANT = "irrelevant"
    """Dropped by the exit gate for what it is about."""
    SHORT = "short"
    """Skipped by the entry gate for its length."""
    MECHANICAL = "mechanical"
    """Skipped by the entry gate as the output of a machine."""
    CORE = "core"
    """Kept for what it is about."""
    EDGE = "edge"
    """Kept at the edge of what was talked about."""
    CHANCE = "chance"
    """Kept though the exit gate would have held it back."""
    SHORT_IN = "short_in"
    """Kept though short."""
    MECHANICAL_IN = "mechanical_in"
    """Kept though a machine's output."""

    @property
    def kept(self) -> bool:
        """Whether it became a memory."""
        return self not in {Cause.IRRELEVANT, Cause.SHORT, Cause.MECHANICAL}

    @property
    def worthy(self) -> str:
        """The name of the counter of those that were worth keeping: needed later, or used."""
        return f"{self.value}_worthy"


@dataclass(frozen=True, slots=True)
class Tally:
    """How many there were of a cause, and how many of them were worth keeping."""

    count: int = 0
    worthy: int = 0

    @property
    def share(self) -> float:
        """The share of those worth keeping, 0 of none."""
        return self.worthy / self.count if self.count else 0.0

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(self.count + other.count, self.worthy + other.worthy)


Outcomes = Mapping[Cause, Tally]
"""What came of the decisions of one week; a cause that is not there did not occur."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """How one number follows outcomes."""

    key: str
    held_back: Cause
    """What is held back because of it."""
    let_in: Cause
    """What is let in because of it."""
    opens: int
    """1 where a higher number lets in more, -1 where it holds back more."""
    step: float
    """By so much it moves at a time."""
    low: float
    high: float
    """Between them it stays, and they are nearer to the default than what a person may set."""
    much: float = 0.05
    """More than this share of what was held back was needed: too strict."""
    little: float = 0.1
    """Less than this share of what was let in was used: too lax."""

    @property
    def default(self) -> float:
        """Where the number began."""
        return NUMBERS[self.key].default

    def load(self, value: float) -> float:
        """Return how far a value is from where the number began, as a share of that."""
        return abs(value - self.default) / self.default


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        rule.key: rule
        for rule in (
            Rule(
                key="gate.peripheral",
                held_back=Cause.IRRELEVANT,
                let_in=Cause.EDGE,
                opens=-1,
                step=0.02,
                low=0.2,
                high=0.4,
            ),
            # Nothing is lost at the edge: there the question is whether most of it belonged to the core.
            Rule(
                key="gate.core",
                held_back=Cause.EDGE,
                let_in=Cause.CORE,
                opens=-1,
                step=0.02,
                low=0.5,
                high=0.7,
                much=0.5,
            ),
            Rule(
                key="gate.noise",
                held_back=Cause.IRRELEVANT,
                let_in=Cause.CHANCE,
                opens=1,
                step=0.005,
                low=0.01,
                high=0.03,
            ),
            Rule(
                key="gate.skip_short",
                held_back=Cause.SHORT,
                let_in=Cause.SHORT_IN,
                opens=-1,
                step=0.02,
                low=0.85,
                high=0.99,
            ),
            Rule(
                key="gate.skip_mechanical",
                held_back=Cause.MECHANICAL,
                let_in=Cause.MECHANICAL_IN,
                opens=-1,
                step=0.02,
                low=0.8,
                high=0.98,
            ),
        )
    }
)
"""The numbers that follow outcomes, by key. The time that entries wait in the scratch buffer is no number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A number as it stands."""

    value: float
    last: int = 0
    """The direction of its last step: 1 opened the gate, -1 closed it, 0: it has never moved."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """What outcomes say about one number."""

    key: str
    before: float
    after: float
    """The same where it should stay."""
    direction: int
    """1 opens the gate, -1 closes it, 0 leaves it."""
    why: str
    """In one sentence, for people."""
    gain: float | None = None
    """By how much the week that was kept apart is beyond the bar too; None: there was too little in it."""

    @property
    def moves(self) -> bool:
        """Whether the number changes."""
        return self.after != self.before

    def change(self) -> Change:
        """Return the move as the two gates of safety look at it; a load is the distance from the default."""
        rule = RULES[self.key]
        return Change(
            subject=self.key, before=rule.load(self.before), after=rule.load(self.after), gain=self.gain
        )


def advise(rule: Rule, weeks: Sequence[Outcomes], held: Held, *, enough: int) -> Advice | None:
    """Return what outcomes say about a number, or None where they do not say enough yet.

    Args:
        rule: The number's.
        weeks: Those not looked at before, oldest first; at least two are needed, and `MOST_WEEKS` count.
        held: The number as it stands.
        enough: Outcomes of one sort without which nothing is concluded.
    """
    if len(weeks) < 2:
        return None
    *drawn, apart = weeks[-MOST_WEEKS:]
    back = sum((week.get(rule.held_back, Tally()) for week in drawn), Tally())
    let = sum((week.get(rule.let_in, Tally()) for week in drawn), Tally())
    direction, told, evidence = _direction(rule, back, let, enough)
    if not direction:
        if min(back.count, let.count) < enough:
            return None
        return Advice(key=rule.key, before=held.value, after=held.value, direction=0, why=told)
    if direction == -held.last and evidence < AGAINST * enough:
        return None
    after = _stepped(rule, held.value, direction)
    return Advice(
        key=rule.key,
        before=held.value,
        after=after,
        direction=direction if after != held.value else 0,
        why=told if after != held.value else f"{told}; it stays, being at its bound",
        gain=_gain(rule, apart, direction),
    )


def _direction(rule: Rule, back: Tally, let: Tally, enough: int) -> tuple[int, str, int]:
    """Return where the gate should move, why, and on how many outcomes that rests."""
    if back.count >= enough and back.share > rule.much:
        return (
            1,
            f"of {back.count} held back ({rule.held_back}) {back.share:.0%} were worth keeping",
            back.count,
        )
    calm = back.share <= CALM * rule.much
    if calm and let.count >= enough and let.share < rule.little:
        return -1, f"of {let.count} let in ({rule.let_in}) only {let.share:.0%} were used", let.count
    return (
        0,
        f"of {back.count} held back {back.share:.0%} were worth keeping, of {let.count} let in {let.share:.0%}",
        0,
    )


def _stepped(rule: Rule, value: float, direction: int) -> float:
    """Return the value one step on, within the band; a value outside of it is no further outside."""
    wanted = value + direction * rule.opens * rule.step
    low, high = min(rule.low, value), max(rule.high, value)
    return round(min(max(wanted, low), high), _DIGITS)


def _gain(rule: Rule, apart: Outcomes, direction: int) -> float | None:
    """Return by how much the week that was kept apart speaks for the same step."""
    tally = apart.get(rule.held_back if direction > 0 else rule.let_in, Tally())
    if tally.count < FEWEST:
        return None
    return tally.share - rule.much if direction > 0 else rule.little - tally.share


# ----- Reading decisions and weeks


def cause_of(entry: Mapping[str, Any]) -> Cause | None:
    """Return what a decision about an entry of the scratch buffer is judged as; None: as nothing.

    Echoes and what is known already are held back without a loss, and no number decides about short questions.

    Args:
        entry: Its properties `state`, `text`, `signals`, `action`, `reason`, `novelty` and `memory`.
    """
    skipped = None if entry["signals"] else _skipped(entry["text"])
    if entry["state"] == "skipped":
        return skipped
    level, _, _ = (entry["reason"] or "").partition(" ")
    if entry["action"] == Action.DROP and level == "irrelevant" and entry["novelty"] != "confirming":
        return Cause.IRRELEVANT
    if entry["action"] not in {Action.PERSIST, Action.PERSIST_AND_FLAG} or entry["memory"] is None:
        return None
    if "kept by chance" in entry["reason"]:
        return Cause.CHANCE
    if skipped is not None:
        return Cause.MECHANICAL_IN if skipped is Cause.MECHANICAL else Cause.SHORT_IN
    return {"core": Cause.CORE, "peripheral": Cause.EDGE}.get(level)


def _skipped(text: str) -> Cause | None:
    """Return why the entry gate skips a text but for chance, None where it does not."""
    gate = EntryGate(np.random.default_rng(0), lambda: _ALWAYS)
    verdict = gate.lets_in(text, signals=Signals())
    if not verdict.skip:
        return None
    return Cause.SHORT if verdict.why == Cause.SHORT else Cause.MECHANICAL


_ALWAYS: Mapping[str, float] = {"gate.skip_short": 1.0, "gate.skip_mechanical": 1.0}


def outcomes_of(counters: Mapping[str, Any]) -> Outcomes:
    """Return the outcomes that a `:GateOutcome` counts."""
    return {
        cause: Tally(int(counters[cause.value]), int(counters.get(cause.worthy) or 0))
        for cause in Cause
        if counters.get(cause.value)
    }


def week_of(at: datetime) -> str:
    """Return the ISO week of a time in UTC, e.g. `2026-W03`; weeks sort as they follow each other."""
    year, week, _ = at.isocalendar()
    return f"{year}-W{week:02d}"


def week_end(week: str) -> datetime:
    """Return when a week is over, in UTC."""
    return datetime.strptime(f"{week}-1+0000", "%G-W%V-%u%z") + timedelta(weeks=1)
