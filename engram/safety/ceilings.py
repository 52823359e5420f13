"""The ceilings: each a value with a pure check, so that it can be tried before it is enforced."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum
from functools import partial
from types import MappingProxyType
from uuid import uuid4

from engram.scoring.weight import WEIGHT_CAP
from engram.tuning import Tuning

GOAL_SHARE = 0.4
"""Most that one goal may have of the weight of all active goals (v4 plan, 3.9)."""
_ROUNDING = 1e-9


class Phase(IntEnum):
    """When a ceiling is meant to be enforced; `safety.enforced_phase` says up to which one they are."""

    A = 1
    """From the first day."""
    B = 2
    """Once consolidation runs."""
    C = 3
    """Once patterns emerge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What is about to change or has changed, in the unit of the ceiling that it is held against."""

    subject: str
    """Id of a memory or a goal, name of a parameter; empty where it is the whole space."""
    before: float
    after: float
    exempt: bool = False
    """Whether the ceiling does not apply: an immutable memory, goals too few to share a budget."""
    gain: float | None = None
    """What a parameter's change gains by validation; None where there is nothing to validate it on."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a change passes."""

    passed: bool
    reason: str = ""
    """Why it does not, in a sentence's part; empty where it does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SafetyEvent:
    """A ceiling that fired."""

    id: str
    at: datetime
    ceiling: str
    phase: Phase
    enforced: bool
    """Whether the change was stopped or cut short; else it was only noticed."""
    subject: str
    reason: str
    before: float
    after: float
    """What it would have become, or has become where nothing stopped it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceiling:
    """One ceiling, with its limits and whether it is enforced."""

    name: str
    phase: Phase
    enforced: bool
    check: Callable[[Change], Verdict]
    """Says whether a change passes; pure."""

    def fired(self, change: Change, *, at: datetime, stopped: bool = True) -> SafetyEvent | None:
        """Return the event where `change` does not pass, else None.

        Args:
            change: What is checked.
            at: When.
            stopped: Whether there is still something to stop; False where the change has happened already.
        """
        verdict = self.check(change)
        return None if verdict.passed else self.event(change, reason=verdict.reason, at=at, stopped=stopped)

    def event(self, change: Change, *, reason: str, at: datetime, stopped: bool = True) -> SafetyEvent:
        """Return the event of a change that does not pass, e.g. as a statement has found it under its lock."""
        return SafetyEvent(
            id=uuid4().hex,
            at=at,
            ceiling=self.name,
            phase=self.phase,
            enforced=self.enforced and stopped,
            subject=change.subject,
            reason=reason,
            before=change.before,
            after=change.after,
        )


def two_gate(gain: float | None, load: float, *, margin: float, capacity: float) -> Verdict:
    """Return whether the engine may move a parameter of its own: both gates must let it pass.

    Args:
        gain: What the change gains on cases that it was not drawn from; None where there are too few.
        load: How far the parameters would then be from where they began, as a share.
        margin: The first gate: the least gain.
        capacity: The second gate: the most load.
    """
    if gain is None:
        return Verdict(passed=False, reason="there is too little to validate it on")
    if gain < margin:
        return Verdict(
            passed=False, reason=f"it gains {gain:.4g} on other cases, under the margin of {margin:.4g}"
        )
    if load > capacity:
        return Verdict(
            passed=False, reason=f"it would use {load:.0%} of the base, over the capacity of {capacity:.0%}"
        )
    return Verdict(passed=True)


def ceilings(tuning: Tuning) -> Mapping[str, Ceiling]:
    """Return every ceiling by name, with the limits of a space and enforced up to its phase."""
    enforced = tuning["safety.enforced_phase"]
    return MappingProxyType(
        {
            name: Ceiling(name=name, phase=phase, enforced=phase <= enforced, check=check)
            for name, phase, check in _rules(tuning)
        }
    )


def _rules(tuning: Tuning) -> Iterator[tuple[str, Phase, Callable[[Change], Verdict]]]:
    yield "weight_cap", Phase.A, partial(_capped, cap=WEIGHT_CAP)
    yield "goal_budget", Phase.A, partial(_shared, share=GOAL_SHARE)
    yield "rate_limit", Phase.B, partial(_slow, rate=tuning["safety.rate"])
    gates = partial(_gated, margin=tuning["safety.margin"], capacity=tuning["safety.capacity"])
    yield "two_gate", Phase.B, gates
    yield "circuit_breaker", Phase.C, partial(_unbroken, cycles=tuning.whole("safety.breaker_cycles"))
    yield "entropy", Phase.C, partial(_kept, drop=tuning["safety.entropy_drop"])
    yield "coherence", Phase.C, partial(_kept, drop=tuning["safety.coherence_drop"])


def _capped(change: Change, *, cap: float) -> Verdict:
    """Refuse to lift a weight's centre above the cap; what stands above it already may stay there or fall."""
    if change.exempt or change.after <= max(cap, change.before) + _ROUNDING:
        return Verdict(passed=True)
    return Verdict(passed=False, reason=f"the weight would be {change.after:.4f}, over {cap:g}")


def _shared(change: Change, *, share: float) -> Verdict:
    """Refuse one goal more than its share of the weight of all."""
    if change.exempt or change.after <= share + _ROUNDING:
        return Verdict(passed=True)
    return Verdict(passed=False, reason=f"{change.after:.0%} of the weight of all goals, over {share:.0%}")


def _slow(change: Change, *, rate: float) -> Verdict:
    """Refuse a change by more than a share of what was."""
    moved = abs(change.after - change.before) / change.before
    if change.exempt or moved <= rate + _ROUNDING:
        return Verdict(passed=True)
    return Verdict(passed=False, reason=f"the weight moved by {moved:.1%} in a cycle, over {rate:.0%}")


def _gated(change: Change, *, margin: float, capacity: float) -> Verdict:
    """Refuse a parameter's change that does not pass both gates; `after` is the load."""
    return two_gate(change.gain, change.after, margin=margin, capacity=capacity)


def _unbroken(change: Change, *, cycles: int) -> Verdict:
    """Trip once, at the cycle that makes it so many in a row."""
    if change.exempt or not change.before < cycles <= change.after:
        return Verdict(passed=True)
    return Verdict(passed=False, reason=f"reinforced for {cycles} cycles in a row without new evidence")


def _kept(change: Change, *, drop: float) -> Verdict:
    """Refuse a fall by more than `drop`."""
    if change.before - change.after <= drop + _ROUNDING:
        return Verdict(passed=True)
    fall = change.before - change.after
    return Verdict(passed=False, reason=f"it fell by {fall:.3f} in a cycle, over {drop:g}")


CEILINGS: Mapping[str, Ceiling] = ceilings(Tuning())
"""Every ceiling by name, as a space has it that departs from no default."""
