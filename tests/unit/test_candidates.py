"""From a row of the database to arrays."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.candidates import Candidates, candidates_from
from engram.records import FOREVER, PLAIN, TIMES, Kind
from engram.scoring.relevance import COLD_START, Learned

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
DORMANT_ABOVE = 0.9

Found = list[Any]


def microseconds(time: datetime) -> int:
    """Return a time as the database gives it."""
    return (time - EPOCH) // timedelta(microseconds=1)


def found(
    memory_id: str,
    *,
    similarity: float | None = None,
    lexical: float | None = None,
    roles: Sequence[str] = (),
    accessed_at: Sequence[datetime] | None = (),
    **stored: Any,
) -> Found:
    """Return a candidate as `recall/find_candidates` gives it, new at noon unless `stored` says otherwise."""
    properties: dict[str, Any] = {
        **dict.fromkeys(PLAIN),
        **dict.fromkeys(TIMES, NOON),
        "id": memory_id,
        "kind": "episodic",
        "content": f"what {memory_id} says",
        "status": "active",
        "access_count": 0,
        "weight_alpha": 1.0,
        "weight_beta": 4.0,
        "importance": 0.5,
        "valid_to": FOREVER,
        **stored,
    }
    return [
        similarity,
        lexical,
        list(roles),
        None if accessed_at is None else [microseconds(time) for time in accessed_at],
        [properties[name] for name in PLAIN],
        [microseconds(properties[name]) for name in TIMES],
    ]


def gathered(
    *memories: Found,
    edges: Sequence[Sequence[Any]] = (),
    entities: Sequence[str] = (),
    blend: dict[str, Any] | None = None,
    dormant_above: float | None = DORMANT_ABOVE,
) -> Candidates:
    """Return the candidates of a row with these memories."""
    row = {"candidates": list(memories), "edges": list(edges), "entities": list(entities), "blend": blend}
    return candidates_from(row, asked="What is it?", dormant_above=dormant_above)


def ids(candidates: Candidates) -> list[str]:
    """Return the ids in order."""
    return [candidates.id(index) for index in range(len(candidates))]


def test_columns_are_what_the_row_says() -> None:
    """Each property is in its array, in its unit, at its memory's place."""
    hour = timedelta(hours=1)
    one = gathered(
        found(
            "a",
            similarity=0.75,
            lexical=3.5,
            roles=["named", "speaker"],
            accessed_at=[NOON, NOON + hour],
            importance=0.7,
            access_count=9,
            weight_alpha=2.5,
            weight_beta=4.5,
            created_at=NOON - hour,
            event_at=NOON - 2 * hour,
            last_accessed_at=NOON + hour,
        ),
        entities=["anna"],
    )
    noon = NOON.timestamp()
    assert one.similarity == pytest.approx([0.5])
    assert one.lexical.tolist() == [3.5]
    assert one.speaks.tolist() == one.named.tolist() == [True]
    assert one.importance.tolist() == [0.7]
    assert one.access_count.tolist() == [9]
    assert (one.weight_alpha.tolist(), one.weight_beta.tolist()) == ([2.5], [4.5])
    assert one.created_at.tolist() == [noon - 3600]
    assert one.event_at.tolist() == [noon - 7200]
    assert one.last_accessed_at.tolist() == [noon + 3600]
    assert one.accessed_at.tolist() == [[noon, noon + 3600]]
    assert one.names


def test_a_memory_is_read_back_from_its_row() -> None:
    """The one at an index is the memory with its id, its kind and its times to the microsecond."""
    event = NOON - timedelta(days=9, microseconds=1)
    pair = gathered(found("a"), found("b", kind="preference", event_at=event))
    memory = pair.memory(1)
    assert memory.id == pair.id(1) == "b"
    assert memory.kind is Kind.PREFERENCE
    assert memory.event_at == event
    assert memory.valid_to == FOREVER
    assert memory.content == "what b says"


def test_nothing_found_is_nothing_to_choose_from() -> None:
    """An empty row gives empty arrays of the right shapes."""
    none = gathered()
    assert len(none) == 0
    assert none.accessed_at.shape == (0, 0)
    assert none.similarity.shape == none.edges.weights.shape == (0,)
    assert none.access_count.dtype == np.int64
    assert not none.names


def test_what_is_not_known_is_said_so() -> None:
    """No vector is NaN, no matching word is 0, nobody named is False, and no access leaves no time."""
    pair = gathered(
        found("a", accessed_at=None), found("b", similarity=0.0, roles=["named"], accessed_at=[NOON])
    )
    assert np.isnan(pair.similarity).tolist() == [True, False]
    assert pair.similarity[1] == -1.0
    assert pair.lexical.tolist() == [0.0, 0.0]
    assert pair.speaks.tolist() == [False, False]
    assert pair.named.tolist() == [False, True]
    assert np.isnan(pair.accessed_at).tolist() == [[True], [False]]


@given(st.lists(st.lists(st.integers(0, 10**15), max_size=5), min_size=1, max_size=5))
def test_accesses_are_padded_to_the_longest_list(histories: list[list[int]]) -> None:
    """Each row begins with its memory's accesses, in order, and is NaN from there on."""
    times = [[EPOCH + timedelta(microseconds=value) for value in history] for history in histories]
    table = gathered(*(found(f"m{i}", accessed_at=each) for i, each in enumerate(times))).accessed_at
    assert table.shape == (len(histories), max(map(len, histories)))
    for row, history in zip(table, histories, strict=True):
        assert row[: len(history)] == pytest.approx(np.array(history) / 1e6)
        assert np.isnan(row[len(history) :]).all()


def test_newest_first_then_by_id() -> None:
    """The order is that of the events; of one time, that of the ids, whatever order the server has."""
    later = NOON + timedelta(microseconds=1)
    memories = [found("c"), found("a"), found("z", event_at=later), found("b", created_at=later)]
    assert ids(gathered(*memories)) == ["z", "a", "b", "c"]


EVENTS = st.lists(st.integers(0, 3), min_size=1, max_size=6)
"""Hours after noon: few, so that some coincide."""


@given(events=EVENTS, data=st.data())
def test_the_servers_order_does_not_matter(events: list[int], data: st.DataObject) -> None:
    """The same candidates in another order make the same arrays."""
    memories = [
        found(
            f"m{i}",
            similarity=None if i % 3 == 0 else i / 8,
            lexical=i / 2 or None,
            roles=["speaker"] * (i % 2),
            accessed_at=[NOON] * i,
            event_at=NOON + timedelta(hours=hours),
            access_count=i,
        )
        for i, hours in enumerate(events)
    ]
    edges = [[f"m{i}", f"m{(i * i + 1) % len(events)}", 1.0 + i, i % 3, 2] for i in range(len(events))]
    one = gathered(*memories, edges=edges)
    other = gathered(*data.draw(st.permutations(memories)), edges=edges)
    assert ids(one) == ids(other)
    assert list(one.rows) == list(other.rows)
    for name in ("similarity", "lexical", "speaks", "event_at", "accessed_at", "access_count"):
        assert np.array_equal(
            getattr(one, name), getattr(other, name), equal_nan=name in {"similarity", "accessed_at"}
        )
    for name in ("sources", "targets", "weights", "hops", "fans"):
        assert np.array_equal(getattr(one.edges, name), getattr(other.edges, name))


@given(st.floats(-1.0, 1.0))
def test_dormant_memories_come_back_only_above_the_cosine(cosine: float) -> None:
    """The cosine itself is not above; active ones come back in any case."""
    score = (1.0 + cosine) / 2.0
    pair = gathered(found("awake", similarity=score), found("dormant", similarity=score, status="dormant"))
    assert ids(pair) == (["awake", "dormant"] if 2.0 * score - 1.0 > DORMANT_ABOVE else ["awake"])


def test_a_dormant_memory_that_only_words_found_stays_asleep() -> None:
    """Without a vector there is no cosine that could wake it; with one, any cosine passes a bar below -1."""
    assert ids(gathered(found("a", lexical=20.0, status="dormant"))) == []
    assert ids(gathered(found("a", similarity=0.0, status="dormant"), dormant_above=-2.0)) == ["a"]


@pytest.mark.parametrize("status", ["superseded", "archived"])
def test_only_dormancy_asks_for_a_cosine(status: str) -> None:
    """What the statement let through for another reason stays."""
    assert ids(gathered(found("a", similarity=0.1, status=status))) == ["a"]


def test_edges_lead_from_place_to_place() -> None:
    """Ids become places in the order of the candidates, with the edge's weight, hop and fan."""
    edges = gathered(
        found("old"), found("new", event_at=NOON + timedelta(days=1)), edges=[["old", "new", 2.5, 1, 7]]
    ).edges
    assert (edges.sources.tolist(), edges.targets.tolist()) == ([1], [0])
    assert (edges.weights.tolist(), edges.hops.tolist(), edges.fans.tolist()) == ([2.5], [1], [7.0])


def test_edges_to_what_is_no_candidate_are_dropped() -> None:
    """A partner of another time, or a dormant one, gets nothing and gives nothing on."""
    edges = gathered(
        found("a"),
        found("b"),
        found("asleep", status="dormant", similarity=0.5),
        edges=[["a", "unknown", 1.0, 1, 1], ["a", "b", 1.0, 1, 3], ["a", "asleep", 1.0, 1, 3]],
    ).edges
    assert (edges.sources.tolist(), edges.targets.tolist(), edges.fans.tolist()) == ([0], [1], [3.0])


def test_sources_that_are_no_candidates_stand_behind_the_last() -> None:
    """Each has one place, however many edges start from it, and no candidate's."""
    edges = gathered(
        found("a"),
        found("b"),
        edges=[
            ["at hand", "a", 1.0, 0, 2],
            ["other", "b", 1.0, 0, 1],
            ["at hand", "b", 1.0, 0, 2],
            ["b", "a", 1.0, 1, 1],
        ],
    ).edges
    assert list(zip(edges.sources.tolist(), edges.targets.tolist(), strict=True)) == [
        (2, 0),
        (2, 1),
        (1, 0),
        (3, 1),
    ]


def test_the_spaces_blend_comes_along() -> None:
    """What it has learned is used; a space without any starts cold."""
    offsets = [0.5, 0.0, -0.1, 0.0, 0.25]
    assert gathered(blend={"experience": 7.0, "offsets": offsets}).learned == Learned(7.0, tuple(offsets))
    assert gathered().learned.alphas() == COLD_START


def test_a_named_person_need_not_have_spoken() -> None:
    """The question may name somebody of whom no candidate is, or who is only spoken of."""
    spoken_of = gathered(found("a", roles=["named"]), entities=["anna"])
    assert spoken_of.names


def test_asking_for_the_past_keeps_the_dormant() -> None:
    """Without a bar every dormant memory stays, even where no vector says how near it is."""
    assert len(gathered(found("a", status="dormant", similarity=None), dormant_above=None)) == 1


@given(order=st.permutations(range(4)))
def test_edges_have_no_order(order: list[int]) -> None:
    """However the server orders edges, the arrays are the same to the last digit."""
    edges = [["x", "a", 1.0, 0, 2], ["y", "b", 2.0, 0, 1], ["a", "b", 1.0, 1, 2], ["b", "a", 3.0, 1, 1]]
    first = gathered(found("a"), found("b"), edges=edges).edges
    again = gathered(found("a"), found("b"), edges=[edges[i] for i in order]).edges
    assert first.sources.tolist() == again.sources.tolist()
    assert first.weights.tolist() == again.weights.tolist()
