"""How long a memory is kept at hand, and how far it is to be believed."""

import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.beliefs.policy.rules import (
    PROTECTED_CATEGORIES,
    RETRIEVAL,
    RETRIEVAL_DISPUTED,
    Bounds,
    LifecycleState,
    PolicyClass,
    Reason,
    VerificationState,
    bounds_of,
    decide,
    retrieval_effect,
)
from engram.beliefs.policy.standing import Standing, decay, heat, tier_value, value_inputs
from engram.records import FOREVER, REPLY_TAG, USER_TAG
from engram.tuning import Tuning

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)
CATEGORIES = [
    None, "fact", "preference", "correction", "entity", "decision",
    "relationship", "principle", "commitment", "moment", "skill",
]  # fmt: skip
FRACTIONS = st.floats(0.0, 1.0)
DAYS_AGO = st.floats(0.0, 4_000.0).map(lambda days: NOW - days * DAY)

FRESH = Standing(
    kind="semantic",
    category="fact",
    status="active",
    importance=0.5,
    source_confidence=1.0,
    source_tag=USER_TAG,
    immutable=False,
    raw=False,
    access_count=0,
    seen_count=1,
    sources=1,
    useful=0,
    useless=0,
    disputed=False,
    created_at=NOW,
    last_accessed_at=NOW,
    restored_at=None,
    valid_to=FOREVER,
    resolved_at=None,
    archive_reason=None,
    held={},
)


def aged(days: float, **changes: object) -> Standing:
    """Return a fact that was stored so many days ago and not used since."""
    then = NOW - days * DAY
    return replace(FRESH, **{"created_at": then, "last_accessed_at": then} | changes)  # type: ignore[arg-type]


STANDINGS = st.builds(
    Standing,
    kind=st.sampled_from(["semantic", "episodic", "preference", "procedural", "correction", "reflection"]),
    category=st.sampled_from(CATEGORIES),
    status=st.sampled_from(["active", "archived"]),
    importance=FRACTIONS,
    source_confidence=FRACTIONS,
    source_tag=st.sampled_from([USER_TAG, REPLY_TAG]),
    immutable=st.booleans(),
    raw=st.booleans(),
    access_count=st.integers(0, 1_000),
    seen_count=st.integers(0, 50),
    sources=st.integers(0, 50),
    useful=st.integers(0, 50),
    useless=st.integers(0, 50),
    disputed=st.booleans(),
    created_at=DAYS_AGO,
    last_accessed_at=DAYS_AGO,
    restored_at=st.none() | DAYS_AGO,
    valid_to=DAYS_AGO | st.just(FOREVER),
    resolved_at=st.none() | DAYS_AGO,
    archive_reason=st.none(),
    held=st.just({}),
)


@given(standing=STANDINGS)
def test_every_figure_is_a_share(standing: Standing) -> None:
    """Heat, decay and value are between 0 and 1, whatever a memory's standing is."""
    inputs = value_inputs(standing, NOW)
    for figure in (
        inputs.confidence,
        inputs.access,
        inputs.recency,
        inputs.importance,
        inputs.feedback,
        heat(inputs),
        decay(standing, inputs, NOW),
        tier_value(inputs, correction=True, confirmed=True),
    ):
        assert 0.0 <= figure <= 1.0


@given(standing=STANDINGS, more=st.integers(1, 100))
def test_more_use_never_lowers_the_value(standing: Standing, more: int) -> None:
    """Used more often, confirmed or found useful, a memory is worth no less; disputed, no more."""
    value = tier_value(value_inputs(standing, NOW))
    used = replace(standing, access_count=standing.access_count + more)
    assert tier_value(value_inputs(used, NOW)) >= value
    disputed = replace(standing, disputed=True)
    assert tier_value(value_inputs(disputed, NOW)) <= value
    assert tier_value(value_inputs(standing, NOW), confirmed=True) >= value


def test_value_by_hand() -> None:
    """The value is the sum that the seed gives: used as often as can be and today, it is worth 0.9 of all."""
    inputs = value_inputs(replace(FRESH, access_count=20, importance=1.0), NOW)
    assert tier_value(inputs) == pytest.approx(0.24 + 0.26 + 0.20 + 0.20 + 0.05)
    assert heat(inputs) == pytest.approx(0.25 + 0.30 + 0.20 + 0.15 + 0.05)
    idle = value_inputs(aged(45, access_count=3), NOW)
    assert idle.recency == pytest.approx(0.5)
    assert idle.access == pytest.approx(math.log(4) / math.log(21))


@given(standing=STANDINGS)
def test_what_is_protected_is_never_archived(standing: Standing) -> None:
    """Immutable memories, corrections, preferences, decisions, principles and what a person protects stay."""
    assert decide(replace(standing, immutable=True), Bounds(), NOW).archive is None
    assert decide(replace(standing, kind="correction"), Bounds(), NOW).archive is None
    for category in (PROTECTED_CATEGORIES - {"commitment"}) | {"correction"}:
        assert decide(replace(standing, category=category), Bounds(), NOW).archive is None
    held = replace(standing, held={"policy_class": "protected"})
    assert decide(held, Bounds(), NOW).archive is None


@given(standing=STANDINGS)
def test_raw_turns_are_left_alone_unless_a_number_says_otherwise(standing: Standing) -> None:
    """By default no turn of a conversation is archived, whenever it was said."""
    assert decide(replace(standing, raw=True), Bounds(), NOW).archive is None
    dull = aged(1_000, raw=True, importance=0.1)
    assert decide(dull, Bounds(raw_turns=True), NOW).archive == Reason.UNUSED


@given(standing=STANDINGS)
def test_nothing_young_is_archived(standing: Standing) -> None:
    """What was stored, used or brought back today is not archived, however long ago it happened."""
    for touch in ("created_at", "last_accessed_at", "restored_at"):
        assert decide(replace(standing, **{touch: NOW}), Bounds(), NOW).archive is None  # type: ignore[arg-type]


@given(standing=STANDINGS)
def test_what_was_archived_does_not_go_back_and_forth(standing: Standing) -> None:
    """What is archived now is not restored by the same look, and what is restored is not archived again."""
    now = decide(replace(standing, status="active"), Bounds(), NOW)
    if now.archive is not None:
        assert not decide(replace(standing, status="archived"), Bounds(), NOW).restore
    back = decide(replace(standing, status="archived"), Bounds(), NOW)
    if back.restore:
        assert decide(replace(standing, status="active", restored_at=NOW), Bounds(), NOW).archive is None


def test_commitments_wait_until_they_are_resolved() -> None:
    """An open commitment stays for ever; one fulfilled or expired goes 90 days later, by when it was stored too."""
    opened = aged(1_000, category="commitment", importance=0.1)
    assert decide(opened, Bounds(), NOW).archive is None
    for days, reason in ((89, None), (91, Reason.COMMITMENT)):
        fulfilled = replace(opened, resolved_at=NOW - days * DAY)
        expired = replace(opened, valid_to=NOW - days * DAY)
        assert decide(fulfilled, Bounds(), NOW).archive == reason
        assert decide(expired, Bounds(), NOW).archive == reason
    imported = aged(2, category="commitment", valid_to=NOW - 900 * DAY)
    assert decide(imported, Bounds(), NOW).archive is None


def test_speculation_lives_for_a_month_unless_it_is_confirmed() -> None:
    """Below a confidence of 0.40 a fact that was seen once goes after 30 days; seen again, it stays."""
    for days, reason in ((29, None), (31, Reason.SPECULATION)):
        assert decide(aged(days, source_confidence=0.39), Bounds(), NOW).archive == reason
    assert decide(aged(31, source_confidence=0.40), Bounds(), NOW).archive is None
    for confirmed in ({"seen_count": 2}, {"sources": 2}):
        assert (
            decide(aged(31, source_confidence=0.39, importance=1.0, **confirmed), Bounds(), NOW).archive
            is None
        )


def test_facts_go_only_where_all_speaks_for_it() -> None:
    """Older than 90 days, of importance below 0.3 and used at most twice; each alone is not enough."""
    gone = aged(91, importance=0.29, access_count=2)
    assert decide(gone, Bounds(), NOW).archive == Reason.UNUSED
    for kept in (
        aged(89, importance=0.29, access_count=2),
        replace(gone, importance=0.3),
        replace(gone, access_count=3),
        replace(gone, last_accessed_at=NOW - 89 * DAY),
    ):
        assert decide(kept, Bounds(), NOW).archive is None


def test_what_is_ephemeral_goes_cold_by_its_value() -> None:
    """Meant for a short time, a fact goes after two weeks if its value is low, and stays while it is in use."""
    held = {"policy_class": "ephemeral"}
    dull = aged(60, held=held, source_confidence=0.5, importance=0.2)
    assert decide(dull, Bounds(), NOW).archive == Reason.EPHEMERAL
    assert decide(replace(dull, access_count=50), Bounds(), NOW).archive is None
    assert decide(aged(13, held=held, source_confidence=0.0, importance=0.0), Bounds(), NOW).archive is None


def test_what_is_worth_it_comes_back() -> None:
    """An archived fact whose reason has passed comes back once its value is high, or a person protects it."""
    cold = aged(10, status="archived", archive_reason=Reason.UNUSED.value, importance=0.1)
    assert not decide(cold, Bounds(), NOW).restore
    assert decide(replace(cold, access_count=20, importance=0.9), Bounds(), NOW).restore
    assert decide(replace(cold, held={"policy_class": "protected"}), Bounds(), NOW).restore


def test_states_say_how_far_to_trust() -> None:
    """New is a candidate; said again, validated; in use and confirmed, active; long out of use, stale."""
    state = LifecycleState
    used = {"access_count": 10, "importance": 0.9}
    for standing, lifecycle, verification in (
        (FRESH, state.CANDIDATE, "unverified"),
        (aged(30, seen_count=2), state.VALIDATED, "user_confirmed"),
        (replace(FRESH, **used), state.VALIDATED, "unverified"),  # type: ignore[arg-type]
        (replace(FRESH, seen_count=2, **used), state.ACTIVE, "user_confirmed"),  # type: ignore[arg-type]
        (replace(FRESH, source_tag=REPLY_TAG, **used), state.ACTIVE, "system_inferred"),  # type: ignore[arg-type]
        (aged(400, source_confidence=0.6), state.STALE, "unverified"),
        (replace(FRESH, disputed=True), state.CANDIDATE, "disputed"),
    ):
        decision = decide(standing, Bounds(), NOW)
        assert (decision.lifecycle, decision.verification) == (lifecycle, verification)
    archived = decide(replace(FRESH, status="archived"), Bounds(), NOW)
    assert archived.lifecycle == state.ARCHIVED


def test_what_is_set_by_hand_stays() -> None:
    """A state that somebody has set is the state, whatever the standing says."""
    held = {"verification_state": "user_confirmed", "policy_class": "ephemeral"}
    decision = decide(replace(FRESH, disputed=True, category="preference", held=held), Bounds(), NOW)
    assert decision.verification == VerificationState.USER_CONFIRMED
    assert decision.policy_class == PolicyClass.EPHEMERAL


def test_what_has_no_state_scores_as_before() -> None:
    """States move a score by little: up for active and validated, down for candidate, more for stale and disputed."""
    assert retrieval_effect() == retrieval_effect(None, None) == 0.0
    assert retrieval_effect("active") == retrieval_effect("validated") > 0.0
    assert 0.0 > retrieval_effect("candidate") > retrieval_effect("stale")
    assert retrieval_effect("active", "disputed") == pytest.approx(RETRIEVAL["active"] + RETRIEVAL_DISPUTED)
    assert retrieval_effect("no such state", "unverified") == 0.0


def test_bounds_are_the_numbers_of_the_space() -> None:
    """The defaults of the rules are the defaults of the numbers."""
    assert bounds_of(Tuning()) == Bounds()
    assert bounds_of(Tuning({"archive.raw_turns": 1, "archive.fact_days": 7})) == Bounds(
        raw_turns=True, fact_days=7
    )
