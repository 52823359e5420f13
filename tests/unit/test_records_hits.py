"""Hits, and memories from what the database gives."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.errors import InvalidInputError
from engram.records import FOREVER, PLAIN, TIMES, Hit, Hits, Kind, Memory, memory_from, memory_from_columns

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
MOMENTS = st.datetimes(datetime(1, 1, 3), FOREVER.replace(tzinfo=None), timezones=st.just(UTC))  # noqa: DTZ001


def properties(**more: Any) -> dict[str, Any]:
    """Return a node's properties, each plain one different, with `more` of them replaced."""
    return {
        **{name: f"the {name}" for name in PLAIN},
        **dict.fromkeys(TIMES, NOON),
        "kind": "semantic",
        **more,
    }


def hit(memory_id: str = "m1", **more: Any) -> Hit:
    """Return a hit."""
    return Hit(memory=memory_from(properties(id=memory_id)), rank=1, score=0.5, **more)


def columns(stored: dict[str, Any]) -> tuple[list[Any], list[int]]:
    """Return properties as the two lists of `recall/find_candidates`."""
    times = [(stored[name] - EPOCH) // timedelta(microseconds=1) for name in TIMES]
    return [stored[name] for name in PLAIN], times


# Memories


@given(kind=st.sampled_from(list(Kind)), times=st.lists(MOMENTS, min_size=len(TIMES), max_size=len(TIMES)))
def test_columns_make_the_memory_that_properties_make(kind: Kind, times: list[datetime]) -> None:
    """Both ways out of the database give the same memory, times before 1970 and the open end included."""
    stored = properties(kind=kind.value, **dict(zip(TIMES, times, strict=True)))
    assert memory_from_columns(*columns(stored)) == memory_from(stored)


def test_columns_are_every_property_once() -> None:
    """Plain ones and times together are a memory's fields, but for `created`, which is not stored."""
    assert sorted([*PLAIN, *TIMES, "created"]) == sorted(Memory.__dataclass_fields__)


def test_times_are_in_utc() -> None:
    """A memory from columns says in which zone its times are."""
    memory = memory_from_columns(*columns(properties(event_at=EPOCH - timedelta(microseconds=1))))
    assert memory.event_at == datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)
    assert {getattr(memory, name).tzinfo for name in TIMES} == {UTC}


def test_a_column_too_few_is_an_error() -> None:
    """A statement that returns other columns than `PLAIN` and `TIMES` name shifts nothing silently."""
    plain, times = columns(properties())
    with pytest.raises(ValueError, match="shorter"):
        memory_from_columns(plain[:-1], times)
    with pytest.raises(ValueError, match="longer"):
        memory_from_columns(plain, [*times, 0])


def test_a_memory_leaves_out_what_is_not_its_own() -> None:
    """Other properties of its node stay there, and one that is missing is None."""
    stored = properties(embedding=[0.0, 1.0], space_key="s0")
    del stored["speaker"]
    memory = memory_from(stored, created=False)
    assert not hasattr(memory, "embedding")
    assert memory.speaker is None
    assert memory.created is False
    assert memory_from(stored).created is True


# Verdicts


def test_a_hit_that_is_not_recorded_cannot_be_judged() -> None:
    """The error says how to recall instead."""
    with pytest.raises(InvalidInputError, match="read_only"):
        hit().useful()


def test_a_verdict_reaches_the_record() -> None:
    """Useful unless told otherwise, each time it is said."""
    verdicts: list[bool] = []
    judged = hit(rate=verdicts.append)
    judged.useful()
    judged.useful(False)  # noqa: FBT003  (reads as said)
    assert verdicts == [True, False]


def test_how_a_verdict_travels_is_no_part_of_a_hit() -> None:
    """Two hits that say the same are the same, and what is printed shows no function."""
    recorded = hit(rate=[].append)
    assert recorded == hit()
    assert "rate" not in repr(recorded)


# Hits


def test_hits_are_a_list_that_knows_its_recall() -> None:
    """They are what they hold; the recall and its notes come along."""
    hits = Hits([hit("a"), hit("b")], recall="r1", notes=("not reranked",))
    assert hits == [hit("a"), hit("b")]
    assert [each.memory.id for each in hits] == ["a", "b"]
    assert (hits.recall, hits.notes) == ("r1", ("not reranked",))
    assert not Hits()
    assert (Hits().recall, Hits().notes) == (None, ())


def test_what_was_learned_from_cannot_be_learned_from_again() -> None:
    """All hits of a recall that is recorded count as used already."""
    with pytest.raises(InvalidInputError, match="already"):
        Hits([hit("a")], recall="r1").learn(["a"])


def test_saying_what_was_used_gives_the_recorded_hits() -> None:
    """The learner gets the ids as given, and its hits are the answer."""
    told: list[Sequence[str]] = []

    def learner(used: Sequence[str]) -> Hits:
        told.append(used)
        return Hits([hit("b")], recall="r2")

    hits = Hits([hit("a"), hit("b")])
    hits.used = learner
    learned = hits.learn(["b"])
    assert told == [["b"]]
    assert learned.recall == "r2"
    assert [each.memory.id for each in learned] == ["b"]
