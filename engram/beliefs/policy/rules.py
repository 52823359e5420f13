"""Policy: how long a memory is kept at hand, and how far it is to be believed. Pure functions of its standing.

Three properties say it in the graph, all absent on memories that no job has looked at yet; absent means no effect.

- `lifecycle_state`: candidate, validated, active, stale, archived
- `verification_state`: unverified, user_confirmed, system_inferred, disputed
- `policy_class`: ephemeral, durable, protected

Source: the lifecycle policy and the hot and cold tiers of the project's second seed, with their thresholds. It moves
from state to state and keeps the last one where no rule fires; here a state is a function of the present standing, so
that it does not depend on how often somebody looked. Where it deletes, Engram archives.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from engram.beliefs.policy.standing import (
    Standing,
    ValueInputs,
    days_between,
    decay,
    heat,
    tier_value,
    value_inputs,
)
from engram.records import USER_TAG, Kind

PROTECTED_CATEGORIES = frozenset({"commitment", "preference", "decision", "principle"})
"""What is never archived for being old, unimportant and unused."""


class LifecycleState(StrEnum):
    """How much of a place a memory has."""

    CANDIDATE = "candidate"
    VALIDATED = "validated"
    ACTIVE = "active"
    STALE = "stale"
    ARCHIVED = "archived"


class VerificationState(StrEnum):
    """Who stands for a memory."""

    UNVERIFIED = "unverified"
    USER_CONFIRMED = "user_confirmed"
    SYSTEM_INFERRED = "system_inferred"
    DISPUTED = "disputed"


class PolicyClass(StrEnum):
    """How long a memory is meant to be kept at hand."""

    EPHEMERAL = "ephemeral"
    DURABLE = "durable"
    PROTECTED = "protected"
    """No job archives it."""


class Reason(StrEnum):
    """Why a memory is archived."""

    COMMITMENT = "a commitment that was resolved long ago"
    SPECULATION = "a speculation that nothing has confirmed"
    EPHEMERAL = "meant for a short time, and of little value now"
    UNUSED = "old, unimportant and hardly used"


RETRIEVAL: Mapping[str, float] = {
    LifecycleState.ACTIVE: 0.02,
    LifecycleState.VALIDATED: 0.02,
    LifecycleState.CANDIDATE: -0.01,
    LifecycleState.STALE: -0.05,
}
"""Share of its score that a memory gains or loses in a recall by its lifecycle state."""
RETRIEVAL_DISPUTED = -0.05
"""What being disputed adds to that."""


def retrieval_effect(lifecycle: str | None = None, verification: str | None = None) -> float:
    """Return the share of its score that a memory gains or loses by its states; 0 where it has none.

    A share and not a summand: a state says how far to trust an answer, and makes nothing an answer.
    """
    effect = RETRIEVAL.get(lifecycle, 0.0) if lifecycle is not None else 0.0
    return effect + (RETRIEVAL_DISPUTED if verification == VerificationState.DISPUTED else 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """The numbers that the rules run on; see `engram.tuning.NUMBERS`."""

    commitment_days: float = 90.0
    speculation_days: float = 30.0
    speculation_confidence: float = 0.40
    fact_days: float = 90.0
    importance: float = 0.3
    accesses: int = 2
    ephemeral_days: float = 14.0
    cold_value: float = 0.35
    hot_value: float = 0.70
    active_heat: float = 0.55
    stale_decay: float = 0.65
    raw_turns: bool = False


def bounds_of(tuning: Mapping[str, float]) -> Bounds:
    """Return the bounds that a space's numbers set."""
    return Bounds(
        commitment_days=tuning["archive.commitment_days"],
        speculation_days=tuning["archive.speculation_days"],
        speculation_confidence=tuning["archive.speculation_confidence"],
        fact_days=tuning["archive.fact_days"],
        importance=tuning["archive.importance"],
        accesses=int(tuning["archive.accesses"]),
        ephemeral_days=tuning["archive.ephemeral_days"],
        cold_value=tuning["archive.cold_value"],
        hot_value=tuning["archive.hot_value"],
        active_heat=tuning["archive.active_heat"],
        stale_decay=tuning["archive.stale_decay"],
        raw_turns=bool(tuning["archive.raw_turns"]),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What follows from a memory's standing."""

    lifecycle: LifecycleState
    verification: VerificationState
    policy_class: PolicyClass
    archive: Reason | None
    """Why it is to be archived now; None where it is not, or is already."""
    restore: bool
    """Whether what a job archived is worth its place again."""
    value: float


def decide(standing: Standing, bounds: Bounds, now: datetime) -> Decision:
    """Return a memory's states, and whether it goes from hot to cold or back.

    A state that somebody has set by hand stays.
    """
    held = standing.held
    verification = VerificationState(held.get("verification_state") or _verification(standing))
    policy_class = PolicyClass(held.get("policy_class") or _policy_class(standing, bounds))
    inputs = value_inputs(standing, now)
    value = tier_value(
        inputs,
        correction=_corrects(standing),
        confirmed=verification == VerificationState.USER_CONFIRMED,
    )
    reason = _reason(standing, policy_class, value, bounds, now)
    cold = standing.status == "archived"
    restore = cold and reason is None and (value >= bounds.hot_value or policy_class == PolicyClass.PROTECTED)
    archive = None if cold else reason
    if archive is not None or (cold and not restore):
        lifecycle = LifecycleState.ARCHIVED
    else:
        lifecycle = _lifecycle(standing, inputs, verification, bounds, now)
    return Decision(
        lifecycle=lifecycle,
        verification=verification,
        policy_class=policy_class,
        archive=archive,
        restore=restore,
        value=value,
    )


def _verification(standing: Standing) -> VerificationState:
    if standing.disputed:
        return VerificationState.DISPUTED
    if standing.source_tag != USER_TAG:
        return VerificationState.SYSTEM_INFERRED
    if standing.confirmations > 1:
        return VerificationState.USER_CONFIRMED
    return VerificationState.UNVERIFIED


def _policy_class(standing: Standing, bounds: Bounds) -> PolicyClass:
    # A commitment is kept until it is resolved, and not for ever.
    lasting = standing.category in PROTECTED_CATEGORIES - {"commitment"}
    if standing.immutable or _corrects(standing) or lasting:
        return PolicyClass.PROTECTED
    if _speculative(standing, bounds):
        return PolicyClass.EPHEMERAL
    return PolicyClass.DURABLE


def _lifecycle(
    standing: Standing,
    inputs: ValueInputs,
    verification: VerificationState,
    bounds: Bounds,
    now: datetime,
) -> LifecycleState:
    if decay(standing, inputs, now) >= bounds.stale_decay:
        return LifecycleState.STALE
    confirmed = standing.confirmations > 1
    if not confirmed and not standing.access_count:
        # Being new and important makes nothing more than a candidate.
        return LifecycleState.CANDIDATE
    hot = heat(inputs) >= bounds.active_heat
    if hot and verification in {VerificationState.USER_CONFIRMED, VerificationState.SYSTEM_INFERRED}:
        return LifecycleState.ACTIVE
    return LifecycleState.VALIDATED if hot or confirmed else LifecycleState.CANDIDATE


def _reason(
    standing: Standing, policy_class: PolicyClass, value: float, bounds: Bounds, now: datetime
) -> Reason | None:
    """Return why a memory is better archived, the most particular reason first; None where it is not."""
    if policy_class == PolicyClass.PROTECTED or standing.immutable or _corrects(standing):
        return None
    if standing.raw and not bounds.raw_turns:
        return None
    idle = days_between(standing.touched_at, now)
    resolved = _resolved_at(standing, now)
    if resolved is not None and min(idle, days_between(resolved, now)) > bounds.commitment_days:
        return Reason.COMMITMENT
    if _speculative(standing, bounds) and standing.confirmations <= 1 and idle > bounds.speculation_days:
        return Reason.SPECULATION
    ephemeral = policy_class == PolicyClass.EPHEMERAL
    if ephemeral and idle > bounds.ephemeral_days and value <= bounds.cold_value:
        return Reason.EPHEMERAL
    unused = (
        idle > bounds.fact_days
        and standing.importance < bounds.importance
        and standing.access_count <= bounds.accesses
        and standing.category not in PROTECTED_CATEGORIES
    )
    return Reason.UNUSED if unused else None


def _resolved_at(standing: Standing, now: datetime) -> datetime | None:
    """Return when a commitment was fulfilled or expired; None where it is open, or no commitment."""
    if standing.category != "commitment":
        return None
    if standing.resolved_at is not None:
        return standing.resolved_at
    return standing.valid_to if standing.valid_to <= now else None


def _speculative(standing: Standing, bounds: Bounds) -> bool:
    return standing.source_confidence < bounds.speculation_confidence


def _corrects(standing: Standing) -> bool:
    return standing.kind == Kind.CORRECTION or standing.category == "correction"
