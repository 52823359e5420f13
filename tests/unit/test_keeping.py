"""Whether two facts are the same one: the rules, without a graph."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from engram.beliefs.facts import HeldFact
from engram.beliefs.keeping.sameness import Known, find_same, is_same
from engram.records import FOREVER

START = datetime(2025, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)
NEAR = 0.92

HOME = HeldFact(
    id="1",
    content="Noor lives in Leiden",
    category="fact",
    subject="noor",
    slot="home",
    value="Leiden",
    single=True,
    negated=False,
    speaker="Noor",
    source_tag="external_user",
    status="active",
    immutable=False,
    event_at=START,
    valid_from=START,
    entities=("noor",),
)
PLAIN = replace(HOME, content="Noor has a flat in Leiden", slot=None, value=None, similarity=0.95)
"""Held, near, without an attribute."""

values = st.sampled_from(["Leiden", "the leiden", "LEIDEN!", "Utrecht", None])
facts = st.builds(
    replace,
    st.just(HOME),
    subject=st.sampled_from(["noor", "tom", None]),
    slot=st.sampled_from(["home", "city", None]),
    value=values,
    negated=st.booleans(),
    similarity=st.sampled_from([0.5, 0.95, 1.0]),
    content=st.sampled_from(
        ["Noor lives in Leiden", "Noor never lived in Leiden", "Noor has a flat in Leiden"]
    ),
    entities=st.sampled_from([(), ("noor",), ("leiden",)]),
)


def known(held: HeldFact, *, worded: bool = False, told: bool = False) -> Known:
    """Return a held fact as a new one is compared with it."""
    return Known(held=held, worded=worded, told=told, leaning=())


def test_of_the_same_attribute_the_values_decide() -> None:
    """The words do not matter where subject and slot are the same; the value and its negation do."""
    assert is_same(replace(HOME, content="The Leiden girl"), replace(HOME, value="the leiden"), least=NEAR)
    assert not is_same(HOME, replace(HOME, value="Utrecht", similarity=1.0), least=NEAR)
    assert not is_same(HOME, replace(HOME, negated=True, similarity=1.0), least=NEAR)


def test_likeness_alone_makes_nothing_the_same() -> None:
    """Near is not enough: it takes a shared subject or entity, no other value, and no opposition in the words."""
    new = replace(PLAIN, similarity=None)
    assert is_same(new, PLAIN, least=NEAR)
    assert not is_same(new, replace(PLAIN, subject="tom", entities=("tom",)), least=NEAR)
    assert not is_same(replace(new, value="Leiden"), replace(PLAIN, value="Utrecht"), least=NEAR)
    assert not is_same(new, replace(PLAIN, content="Noor has no flat in Leiden"), least=NEAR)
    assert not is_same(new, replace(PLAIN, similarity=0.9), least=NEAR)


@given(facts, facts)
def test_a_negation_is_never_the_same(one: HeldFact, other: HeldFact) -> None:
    """Whatever else two facts share, what the one denies the other does not say."""
    if one.negated != other.negated:
        assert not is_same(one, other, least=0.0)


@given(facts, facts)
def test_being_the_same_is_mutual(one: HeldFact, other: HeldFact) -> None:
    """It does not matter which of two facts was told first."""
    alike = replace(other, similarity=one.similarity)
    assert is_same(one, alike, least=NEAR) == is_same(alike, one, least=NEAR)


def test_the_episode_of_its_time_comes_first() -> None:
    """What rests on the same turn, then what was replaced but held at the time, then what holds now."""
    past = replace(HOME, id="2", status="superseded", valid_to=START + 9 * DAY)
    later = replace(HOME, id="3", status="superseded", valid_from=START + 20 * DAY, valid_to=START + 30 * DAY)
    now = replace(HOME, id="4", valid_from=START + 40 * DAY, valid_to=FOREVER)
    told = replace(HOME, id="5", status="archived", valid_from=START + 60 * DAY)
    held = [known(later), known(now), known(past)]
    new = replace(HOME, valid_from=START + DAY)

    def found(*more: Known, at: timedelta) -> str | None:
        same = find_same(replace(new, valid_from=START + at), [*held, *more], least=NEAR)
        return same.held.id if same else None

    assert found(at=DAY) == "2"
    assert found(at=25 * DAY) == "3"
    assert found(at=15 * DAY) == "4"
    assert found(known(told, told=True), at=DAY) == "5"
    assert found(known(told), at=70 * DAY) == "4"


def test_what_was_put_away_or_is_over_is_not_what_is_told_anew() -> None:
    """An archived fact, or one that was replaced before, begins again as another episode."""
    over = replace(HOME, status="superseded", valid_to=START + DAY)
    away = replace(HOME, status="archived")
    new = replace(HOME, valid_from=START + 9 * DAY)
    assert find_same(new, [known(over, worded=True), known(away, worded=True)], least=NEAR) is None
