"""Sameness: what is near in meaning and still says something else is not taken for what is known."""

from datetime import UTC, datetime, timedelta

import pytest

from engram.beliefs.facts import HeldFact
from engram.beliefs.keeping.sameness import Known, find_same

AT = datetime(2026, 3, 4, 12, tzinfo=UTC)
DAY = timedelta(days=1)


def fact(content: str, category: str = "fact", *, status: str = "active") -> HeldFact:
    """Return a fact about Noor without a slot, as near to any other as can be."""
    return HeldFact(
        id="held",
        content=content,
        category=category,
        subject="noor",
        slot=None,
        value=None,
        single=False,
        negated=False,
        speaker="Noor",
        source_tag="external_user",
        status=status,
        immutable=False,
        event_at=AT,
        valid_from=AT,
        similarity=1.0,
    )


def known(held: HeldFact, *, worded: bool = False, put_away_at: datetime | None = None) -> Known:
    """Return it as something that a fact is compared with."""
    return Known(held=held, worded=worded, told=False, leaning=(), put_away_at=put_away_at)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Noor's exam is on 3 May.", "Noor's exam is on 10 May.", False),
        ("Noor met Ana at the pool.", "Noor met Tom at the pool.", False),
        ("Noor has a small garden.", "Noor has a small garden behind the house.", True),
        ("Noor swims at Penarth.", "Noor swims.", True),
    ],
)
def test_other_numbers_and_names_are_other_facts(one: str, other: str, *, same: bool) -> None:
    """However near, two sentences that each name a date, a number or a name of their own are two; saying more is not."""
    assert (find_same(fact(one), [known(fact(other))], least=0.9) is not None) is same


def test_a_deed_is_not_the_promise_of_it() -> None:
    """What happened is never known as what was meant to happen."""
    promise = fact("Noor promised to bring the tent back.", "commitment")
    deed = fact("Noor brought the tent back.", "moment")
    assert find_same(deed, [known(promise)], least=0.9) is None
    assert find_same(deed, [known(fact("Noor took the tent back.", "moment"))], least=0.9) is not None


@pytest.mark.parametrize(
    ("put_away_at", "found"), [(AT + DAY, True), (AT, False), (AT - DAY, False), (None, False)]
)
def test_what_was_put_away_is_known_of_the_time_before(put_away_at: datetime | None, *, found: bool) -> None:
    """The same words from before a job put them away are no news; later, or forgotten by hand, they are so again."""
    held = known(
        fact("Noor may move.", status="archived"),
        worded=True,
        put_away_at=put_away_at,
    )
    assert (find_same(fact("Noor may move."), [held], least=0.9) is not None) is found
