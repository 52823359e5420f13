"""Learning from retrieval and from verdicts, against a real Neo4j: what a recall changes, and what it never does."""

import os
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from engram import energy
from engram.config import Settings
from engram.errors import DatabaseUnavailableError, InvalidInputError, NotFoundError
from engram.feedback import read_recall
from engram.graph import Graph
from engram.learning import NEAR_MISSES, PAIRED, Lesson, Use, lost_lessons, new_recall_id
from engram.memory import Engram
from engram.ranking import SEARCH_SHARES
from engram.records import Memory, Turn
from engram.scoring.activation import retrieval_probability
from engram.scoring.relevance import BOUNDS, COMPONENTS, RATE, alphas_after
from engram.scoring.weight import damped
from engram.server import ManagedServer
from engram.testing import FixedClock, HashEmbedder
from engram.tuning import Tuning
from tests.conftest import DIMENSIONS, Address
from tests.graph.beside import run
from tests.graph.learners import Task
from tests.graph.learners import run as run_learners

pytestmark = pytest.mark.graph

Node = dict[str, Any]


def everything(memory: Engram) -> Node:
    """Return all that the space holds, once all of it is written."""
    assert memory.flush()
    return run(memory, "read_space")[0]


def nodes(memory: Engram, label: str) -> dict[str, Node]:
    """Return the properties of the space's nodes of one label, by their ids."""
    found = [node for node in everything(memory)["nodes"] if label in node["labels"]]
    return {
        node["id"]: {
            name: value for name, value in node["properties"].items() if not name.startswith("embedding")
        }
        for node in found
    }


def links(memory: Engram, kind: str) -> dict[tuple[str, str], Node]:
    """Return the properties of the space's relationships of one type, by the ids of both ends."""
    found = [each for each in everything(memory)["relationships"] if each["type"] == kind]
    ends = [(each["start"], each["end"]) for each in found]
    assert len(set(ends)) == len(ends), f"{kind} is doubled"
    return {(each["start"], each["end"]): each["properties"] for each in found}


def lesson_of(query: str, *used: str, missed: tuple[str, ...] = (), at: datetime) -> Lesson:
    """Return what a recall teaches that returned these memories."""
    zero = dict.fromkeys(("base_level", "spreading", "partial_match"), 0.0)
    return Lesson(
        id=new_recall_id(),
        query=query,
        mode="search",
        k=9,
        hops=1,
        session="talk",
        active=(),
        partial=False,
        at=at,
        used=tuple(
            Use(id=each, rank=rank, score=0.5, activation=0.0, terms=zero, lift=[0.0] * len(COMPONENTS))
            for rank, each in enumerate(used, start=1)
        ),
        missed=missed,
    )


def changes(before: dict[str, Node], after: dict[str, Node]) -> dict[str, set[str]]:
    """Return the names of the properties that differ, by the node's id."""
    return {
        key: names
        for key in before.keys() | after.keys()
        if (
            names := {
                name
                for name in before[key].keys() | after[key].keys()
                if before[key].get(name) != after[key].get(name)
            }
        )
    }


def atlas(memory: Engram, volumes: int) -> list[Memory]:
    """Store the volumes of an atlas and return them."""
    return [
        memory.remember(f"Volume {n} of the atlas shows country {n}", importance=0.5) for n in range(volumes)
    ]


def use(memory: Engram, *ids: str, session: str | None = None) -> str:
    """Recall, use exactly these memories, and return the recall's id once that is learned."""
    found = memory.recall("atlas volume country", 100, read_only=True, session=session)
    recall = found.learn(ids).recall
    assert recall is not None
    assert memory.flush()
    return recall


# ----- What a recall writes


@pytest.mark.parametrize("more", [{"read_only": True}, {"as_of": "2026-01-01"}], ids=str)
@pytest.mark.parametrize("mode", ["search", "mind"])
def test_nothing_is_learned_where_nothing_may_be(memory: Engram, more: dict[str, Any], mode: str) -> None:
    """A read_only recall and one of the past leave every node, relationship and property as it was."""
    for n, volume in enumerate(atlas(memory, 5)):
        use(memory, volume.id, session=f"s{n}")
    before = everything(memory)
    hits = memory.recall("atlas", 3, session="s", mode=mode, hops=2, explain=True, **more)
    assert len(hits) == 3
    assert hits.recall is None
    assert everything(memory) == before
    with pytest.raises(InvalidInputError, match="read_only"):
        hits[0].useful()


def test_the_past_can_be_learned_from_on_purpose_only(memory: Engram) -> None:
    """A recall that was learned from at once cannot be learned from again."""
    atlas(memory, 3)
    with pytest.raises(InvalidInputError, match="already"):
        memory.recall("atlas", 2).learn([])


def test_a_use_is_counted_and_dated(memory: Engram, clock: FixedClock) -> None:
    """A hit gains an access, its time, energy from what decay had left, a later end and a little weight."""
    stored = memory.remember("The atlas lies on the shelf")
    before = nodes(memory, "Memory")
    now = clock.advance(timedelta(hours=3))
    memory.recall("atlas", 1)
    after = nodes(memory, "Memory")
    assert changes(before, after) == {
        stored.id: {
            "access_count",
            "accessed_at",
            "last_accessed_at",
            "energy",
            "energy_at",
            "expires_at",
            "weight_alpha",
            "first_used_on",
            "last_used_on",
            "days_used",
        }
    }
    node = after[stored.id]
    expected = energy.energy_now(1.0, stored.energy_at, now, tier="working") + Tuning().access["energy"]
    assert node["energy"] == pytest.approx(expected, abs=1e-9)
    assert (node["access_count"], node["accessed_at"]) == (1, [now])
    assert node["last_accessed_at"] == node["energy_at"] == now
    ends = energy.expires_at(node["energy"], node["energy_at"], rate=energy.DECAY_PER_HOUR["working"])
    assert abs(node["expires_at"] - ends) <= timedelta(milliseconds=1)
    assert node["weight_alpha"] == pytest.approx(1.1, abs=1e-12)


def test_a_life_of_uses_follows_the_formulas(memory: Engram, clock: FixedClock) -> None:
    """Over a hundred uses at odd times energy, weight, access times and the promotion that falls due are exact."""
    stored = memory.remember("The atlas lies on the shelf")
    generator = np.random.default_rng(5)
    course = energy.Course(at=stored.energy_at)
    alpha, beta = stored.weight_alpha, stored.weight_beta
    times: list[datetime] = []
    for n in range(100):
        now = clock.advance(timedelta(seconds=float(generator.exponential(6_000.0))))
        memory.recall("atlas", 1, session=f"session {n}")
        times.append(now)
        course = course.used(now)
        alpha += damped(Tuning().access["weight"], alpha + beta)
        if n % 9 == 0 or n == 99:
            node = nodes(memory, "Memory")[stored.id]
            assert node["energy"] == pytest.approx(course.energy, abs=1e-9)
            assert node["weight_alpha"] == pytest.approx(alpha, abs=1e-9)
            assert node["weight_beta"] == beta
            assert (node["access_count"], node["accessed_at"]) == (n + 1, times[-64:])
            assert node.get("due_tier", "working") == course.tier
            assert node.get("promote_times", []) == [at for _, at, _ in course.promotions]
            assert node.get("promote_energies", []) == pytest.approx([e for *_, e in course.promotions])
    assert course.promotions[0][1] > times[0], "the first use crosses no bar"


@pytest.mark.parametrize(("uses", "crossed"), [(1, False), (2, True)])
def test_crossing_a_bar_makes_promotion_due(
    memory: Engram,
    clock: FixedClock,
    uses: int,
    crossed: bool,  # noqa: FBT001
) -> None:
    """promote_due_at is when energy first rose above 2.0; exactly 2.0 is not above."""
    stored = memory.remember("The atlas lies on the shelf")
    for n in range(uses):
        memory.recall("atlas", 1, session=f"s{n}")
    first = clock.now
    assert nodes(memory, "Memory")[stored.id].get("promote_due_at") == (first if crossed else None)
    clock.advance(timedelta(minutes=1))
    memory.recall("atlas", 1, session="later")
    due = nodes(memory, "Memory")[stored.id]["promote_due_at"]
    assert due == (first if crossed else clock.now)


def test_a_clock_that_runs_behind_takes_nothing_away(memory: Engram, clock: FixedClock) -> None:
    """A use before the last one, by another machine's clock, adds its boost and turns no time back."""
    stored = memory.remember("The atlas lies on the shelf")
    clock.advance(-timedelta(hours=2))
    memory.recall("atlas", 1)
    node = nodes(memory, "Memory")[stored.id]
    assert (node["energy"], node["energy_at"]) == (2.0, stored.energy_at)
    assert node["last_accessed_at"] == stored.last_accessed_at
    ends = energy.expires_at(node["energy"], node["energy_at"], rate=energy.DECAY_PER_HOUR["working"])
    assert abs(node["expires_at"] - ends) <= timedelta(milliseconds=1)


def test_near_misses_matter_a_little_less(memory: Engram) -> None:
    """What ranked behind the hits, down to rank 20, gains evidence against it, and nothing else of it changes."""
    atlas(memory, NEAR_MISSES + 5)
    order = [hit.memory.id for hit in memory.recall("atlas volume 3", 100, read_only=True)]
    before = nodes(memory, "Memory")
    hits = memory.recall("atlas volume 3", 2)
    assert [hit.memory.id for hit in hits] == order[:2]
    after = nodes(memory, "Memory")
    changed = changes(before, after)
    assert changed.keys() == set(order[:NEAR_MISSES])
    for each in order[2:NEAR_MISSES]:
        assert changed[each] - {"missed_on", "missed_count"} == {"weight_beta"}
        assert after[each]["weight_beta"] == pytest.approx(4.05, abs=1e-12)


def test_misses_are_damped_and_capped(memory: Engram, clock: FixedClock) -> None:
    """A day's misses beyond the fourth count nothing, the next day's do again, each less than the one before."""
    hit, miss = atlas(memory, 2)
    beta, evidence = 4.0, 5.0
    for day in range(3):
        for _ in range(6):
            memory.recall("Volume 0 shows country 0", 1)
        for _ in range(int(Tuning().access["session_cap"])):
            beta += damped(Tuning().access["miss"], evidence)
            evidence = 1.0 + beta
        node = nodes(memory, "Memory")[miss.id]
        assert node["weight_beta"] == pytest.approx(beta, abs=1e-9), f"day {day}"
        clock.advance(timedelta(days=1))
    assert beta < 4.0 + 12 * Tuning().access["miss"]
    assert nodes(memory, "Memory")[hit.id]["weight_beta"] == 4.0


def test_what_comes_back_together_belongs_together(memory: Engram, clock: FixedClock) -> None:
    """Each pair of hits gains one CO_ACCESSED from the lower id to the higher, with count, weight and times."""
    one, two, three, _ = (volume.id for volume in atlas(memory, 4))
    first = clock.now
    use(memory, one, two, three)
    last = clock.advance(timedelta(days=1))
    use(memory, three, one)
    half = Tuning()["coactivate.half"]
    low, high = sorted((one, three))
    edges = links(memory, "CO_ACCESSED")
    assert edges.keys() == {(a, b) for a in (one, two, three) for b in (one, two, three) if a < b}
    for pair, edge in edges.items():
        again = pair == (low, high)
        faded = 2.0 ** (-1.0 / Tuning()["coactivate.half_life_days"]) if again else 1.0
        weight = faded + again * half / (half + faded)
        assert edge["weight"] == pytest.approx(weight, abs=1e-12)
        assert (edge["count"], edge["first_at"]) == (1 + again, first)
        assert edge["last_at"] == (last if again else first)


def test_a_long_list_is_no_association(memory: Engram) -> None:
    """Of a hundred hits the best eight are associated, 28 pairs."""
    atlas(memory, 30)
    best = [hit.memory.id for hit in memory.recall("atlas", 30)[:PAIRED]]
    edges = links(memory, "CO_ACCESSED")
    assert len(edges) == PAIRED * (PAIRED - 1) // 2
    assert {each for pair in edges for each in pair} == set(best)


def test_uses_in_a_session_hang_on_it(memory: Engram, clock: FixedClock) -> None:
    """Each hit is ACCESSED_IN the recall's session once, with count, times and its activation; else in none."""
    atlas(memory, 3)
    memory.recall("atlas", 3)
    assert links(memory, "ACCESSED_IN") == {}
    first = clock.now
    memory.recall("atlas", 2, session="talk")
    clock.advance(timedelta(minutes=5))
    hits = memory.recall("atlas", 2, session="talk", explain=True)
    found = links(memory, "ACCESSED_IN")
    assert found.keys() == {(hit.memory.id, "talk") for hit in hits}
    for hit in hits:
        assert hit.terms is not None
        link = found[hit.memory.id, "talk"]
        assert (link["count"], link["first_at"], link["at"]) == (2, first, clock.now)
        parts = sum(hit.terms[name] for name in ("base_level", "spreading", "partial_match"))
        probability = retrieval_probability(np.array([link["activation"]]))[0]
        assert SEARCH_SHARES[1] * probability == pytest.approx(parts, abs=1e-12)


def test_a_session_made_by_a_recall_is_the_talk_that_follows(memory: Engram) -> None:
    """A talk may be recalled for before its first turn is stored; both are one session."""
    atlas(memory, 2)
    memory.recall("atlas", session="talk")
    memory.flush()
    memory.remember_turns([Turn(text="Hello", speaker="A", session="talk")])
    assert list(nodes(memory, "Session")) == ["talk"]


def test_each_recall_is_recorded(memory: Engram, clock: FixedClock) -> None:
    """A recall leaves one :Recall with all that it was asked, and one :RETURNED for each hit."""
    atlas(memory, 6)
    hits = memory.recall("Which atlas?", 4, session="talk", mode="mind", hops=2)
    records = nodes(memory, "Recall")
    assert list(records) == [hits.recall]
    record = records[str(hits.recall)]
    assert record.keys() == {"id", "space", "at", "query", "query_hash", "mode", "k", "hops", "session"} | {
        "active",
        "partial",
    }
    assert (record["query"], record["mode"], record["k"], record["hops"]) == ("Which atlas?", "mind", 4, 2)
    assert (record["session"], record["at"]) == ("talk", clock.now)
    returned = links(memory, "RETURNED")
    assert {end: each["rank"] for (_, end), each in returned.items()} == {
        hit.memory.id: hit.rank for hit in hits
    }


def test_a_recall_that_finds_nothing_is_recorded(memory: Engram) -> None:
    """In an empty space a recall is a recall too, and teaches nothing."""
    assert memory.recall("atlas") == []
    assert len(nodes(memory, "Recall")) == 1
    assert memory.learning.dropped == 0


def test_no_use_moves_truth(memory: Engram, clock: FixedClock) -> None:
    """Whatever is recalled, learned and judged, in whatever way, truth stays where evidence put it."""
    atlas(memory, 12)
    memory.remember_turns(
        Turn(text=f"I like country {n}", speaker="Noor", source_tag=tag)
        for n, tag in enumerate(("external_user", "internal_reply", "external_user"))
    )

    def truths() -> dict[str, tuple[float, float]]:
        return {
            key: (node["truth_alpha"], node["truth_beta"]) for key, node in nodes(memory, "Memory").items()
        }

    before = truths()
    generator = np.random.default_rng(11)
    for _ in range(60):
        clock.advance(timedelta(hours=float(generator.exponential(5.0))))
        hits = memory.recall(
            f"atlas country {generator.integers(12)}",
            int(generator.integers(1, 15)),
            mode=str(generator.choice(["search", "mind"])),
            hops=int(generator.integers(1, 3)),
            session=[None, "a", "b"][generator.integers(3)],
            read_only=bool(generator.random() < 0.3),
        )
        if hits.recall is None:
            hits = hits.learn([hit.memory.id for hit in hits if generator.random() < 0.5])
        if hits and generator.random() < 0.5:
            hits[0].useful(bool(generator.random() < 0.5))
    assert truths() == before
    assert memory.learning.dropped == 0


# ----- What keeps reinforcement from running away


def test_a_session_reinforces_four_times(memory: Engram) -> None:
    """In one session the uses beyond the fourth are counted and add neither energy nor weight; another one's do."""
    volume = atlas(memory, 1)[0]
    for _ in range(6):
        use(memory, volume.id, session="one")
    node = nodes(memory, "Memory")[volume.id]
    assert (node["access_count"], node["energy"]) == (6, 1.0 + 4.0)
    alpha = 1.0
    for _ in range(4):
        alpha += damped(0.1, alpha + 4.0)
    assert node["weight_alpha"] == pytest.approx(alpha, abs=1e-12)
    use(memory, volume.id, session="two")
    node = nodes(memory, "Memory")[volume.id]
    assert (node["access_count"], node["energy"]) == (7, 6.0)
    assert node["weight_alpha"] == pytest.approx(alpha + damped(0.1, alpha + 4.0), abs=1e-12)


def test_outside_of_sessions_a_day_is_one(memory: Engram, clock: FixedClock) -> None:
    """Without a session no more than four uses of one day, in UTC, add energy and weight."""
    clock.now = datetime(2026, 5, 1, 23, 59, 59, tzinfo=UTC)
    volume = atlas(memory, 1)[0]
    for _ in range(6):
        use(memory, volume.id)
    assert nodes(memory, "Memory")[volume.id]["energy"] == 5.0
    clock.now = datetime(2026, 5, 2, tzinfo=UTC)
    # It has left the working tier by then.
    before = energy.energy_now(5.0, datetime(2026, 5, 1, 23, 59, 59, tzinfo=UTC), clock.now, tier="shortTerm")
    for _ in range(6):
        use(memory, volume.id)
    assert nodes(memory, "Memory")[volume.id]["energy"] == pytest.approx(before + 4.0, abs=1e-9)


def test_immutable_memories_keep_their_weight(memory: Engram) -> None:
    """An immutable memory is as easily recalled as any other once used, and matters as much as it did."""
    used, missed = atlas(memory, 2)
    for each in (used, missed):
        run(memory, "set_immutable", id=each.id)
    hits = memory.recall("Volume 0 shows country 0", 1)
    assert hits[0].memory.id == used.id
    after = nodes(memory, "Memory")
    for each in (used, missed):
        assert (after[each.id]["weight_alpha"], after[each.id]["weight_beta"]) == (1.0, 4.0)
    assert (after[used.id]["access_count"], after[used.id]["energy"]) == (1, 2.0)


def test_a_lesson_counts_once(memory: Engram, clock: FixedClock) -> None:
    """The same lesson written again, after an answer that got lost, changes nothing at all."""
    one, two, three = atlas(memory, 3)
    lesson = lesson_of("atlas", one.id, two.id, missed=(three.id,), at=clock.now)
    first = memory.graph.write("write/learn_from_recall", **lesson.parameters(memory.space, Tuning()))
    assert first.rows == [{"used": 2, "missed": 1, "pairs": 1, "over": []}]
    before = everything(memory)
    clock.advance(timedelta(days=1))
    memory.graph.write("write/learn_from_recall", **lesson.parameters(memory.space, Tuning()))
    assert everything(memory) == before


def test_a_lesson_teaches_its_own_space(memory: Engram) -> None:
    """A lesson with ids of another space leaves that space as it was, and records nothing of it."""
    other = Engram(memory.graph, memory.settings, space=f"{memory.space}-b", embedder=memory.embedder)
    theirs = atlas(other, 3)
    mine = atlas(memory, 1)[0]
    before = everything(other)
    lesson = lesson_of(
        "atlas", mine.id, *(each.id for each in theirs[:2]), missed=(theirs[2].id,), at=memory._clock()
    )
    outcome = memory.graph.write("write/learn_from_recall", **lesson.parameters(memory.space, Tuning()))
    assert outcome.rows == [{"used": 1, "missed": 0, "pairs": 0, "over": []}]
    assert everything(other) == before
    assert [end for _, end in links(memory, "RETURNED")] == [mine.id]


# ----- Many at once


def test_many_learners_lose_nothing(neo4j_address: Address, memory: Engram) -> None:
    """Eight processes that learn on the same memories at once lose no increment, and none fails of a deadlock."""
    processes, recalls, k = 8, 150, 4
    volumes = atlas(memory, 6)
    task = Task(
        uri=neo4j_address.uri,
        user=neo4j_address.user,
        password=neo4j_address.password,
        database=neo4j_address.database,
        space=memory.space,
        dimensions=DIMENSIONS,
        queries=[f"atlas volume {n}" for n in range(6)],
        recalls=recalls,
        k=k,
    )
    done = run_learners(task, processes=processes, seconds=120)
    assert [(each.written, each.dropped, each.reason) for each in done] == [(recalls, 0, None)] * processes

    uses, pairs = Counter[str](), Counter[str]()
    for each in done:
        uses.update(each.uses)
        pairs.update(each.pairs)
    stored = nodes(memory, "Memory")
    assert {each.id: stored[each.id]["access_count"] for each in volumes} == {
        each.id: uses[each.id] for each in volumes
    }
    assert uses.total() == processes * recalls * k
    assert len(nodes(memory, "Recall")) == processes * recalls
    assert len(links(memory, "RETURNED")) == uses.total()
    edges = {" ".join(pair): edge["count"] for pair, edge in links(memory, "CO_ACCESSED").items()}
    assert edges == pairs
    blend = memory.graph.read("inspect/read_blend", space=memory.space)[0]
    assert blend["experience"] == processes * recalls


# ----- Verdicts


def offsets(memory: Engram) -> dict[str, float]:
    """Return what verdicts have added to each alpha of the space's blend."""
    row = memory.graph.read("inspect/read_blend", space=memory.space)[0]
    return dict(zip(COMPONENTS, row["offsets"], strict=True))


def history(memory: Engram) -> list[Node]:
    """Return what moved the blend, newest first."""
    changed: list[Node] = memory.graph.read("inspect/read_blend", space=memory.space)[0]["changes"]
    return changed


@pytest.mark.parametrize("verdict", [True, False])
def test_a_verdict_moves_the_blend(memory: Engram, verdict: bool) -> None:  # noqa: FBT001
    """hit.useful() stands on the record, and moves the component that the hit was owed to, with its history."""
    atlas(memory, 5)
    hits = memory.recall("atlas volume 3", 3)
    hits[0].useful(verdict)
    kept = read_recall(memory.graph, space=memory.space, prefix=str(hits.recall))
    assert [each.useful for each in kept.returned] == [verdict, None, None]
    (change,) = history(memory)
    assert (change["recall"], change["useful"]) == (hits.recall, verdict)
    assert change["amount"] == (RATE if verdict else -RATE)
    expected = dict.fromkeys(COMPONENTS, 0.0) | {change["component"]: change["amount"]}
    assert offsets(memory) == pytest.approx(expected, abs=1e-12)


def test_a_verdict_counts_once(memory: Engram) -> None:
    """The same verdict again moves nothing; the opposite one takes back what the first gave."""
    atlas(memory, 5)
    hits = memory.recall("atlas volume 3", 3)
    for _ in range(3):
        hits[0].useful()
    assert len(history(memory)) == 1
    hits[0].useful(verdict=False)
    assert len(history(memory)) == 2
    assert offsets(memory) == pytest.approx(dict.fromkeys(COMPONENTS, 0.0), abs=1e-12)


def test_a_whole_recall_is_judged_at_once(memory: Engram) -> None:
    """judge() of a recall stands on all of its hits, or on those named, and is one outcome."""
    atlas(memory, 5)
    hits = memory.recall("atlas volume 3", 3)
    recall = str(hits.recall)
    memory.judge(recall, useful=True, memories=[hits[1].memory.id])
    assert len(history(memory)) <= 1
    memory.judge(recall, useful=True)
    kept = read_recall(memory.graph, space=memory.space, prefix=recall)
    assert [each.useful for each in kept.returned] == [True] * 3
    assert len(history(memory)) <= 2


@pytest.mark.parametrize("verdict", [True, False])
def test_no_verdicts_take_the_blend_beyond_its_bounds(memory: Engram, verdict: bool) -> None:  # noqa: FBT001
    """However many verdicts, each alpha stays between a quarter and four times what experience gives it."""
    atlas(memory, 5)
    recalls = [memory.recall(f"atlas volume {n % 5}", 3) for n in range(80)]
    for hits in recalls:
        hits[0].useful(verdict)
    row = memory.graph.read("inspect/read_blend", space=memory.space)[0]
    assert row["experience"] == len(recalls)
    base = alphas_after(row["experience"]).as_array()
    alphas = base + np.array(row["offsets"])
    assert (alphas >= BOUNDS[0] * base - 1e-9).all()
    assert (alphas <= BOUNDS[1] * base + 1e-9).all()
    assert np.abs(row["offsets"]).max() > 4 * RATE, "they move it a good way"
    moves = Counter[str]()
    for change in history(memory):
        moves[change["component"]] += change["amount"]
    assert dict(zip(COMPONENTS, row["offsets"], strict=True)) == pytest.approx(
        {name: moves[name] for name in COMPONENTS}, abs=1e-9
    )


def test_verdicts_on_nothing_are_refused(memory: Engram) -> None:
    """An unknown recall, one of another space and memories that did not come back leave no trace."""
    atlas(memory, 3)
    hits = memory.recall("Volume 0", 1)
    unseen = memory.recall("Volume 0", 3, read_only=True)[2].memory.id
    other = Engram(memory.graph, memory.settings, space=f"{memory.space}-b", embedder=memory.embedder)
    before, theirs = everything(memory), everything(other)
    recall = str(hits.recall)
    attempts: list[Callable[[], object]] = [
        lambda: memory.judge("f" * 32, useful=True),
        lambda: memory.judge("", useful=True),
        lambda: memory.judge(recall, useful=True, memories=[unseen]),
        lambda: memory.judge(recall, useful=True, memories=[]),
        lambda: other.judge(recall, useful=False),
        lambda: other.replay(recall),
        lambda: memory.replay("f" * 32),
    ]
    for attempt in attempts:
        with pytest.raises(NotFoundError):
            attempt()
    assert everything(memory) == before
    assert everything(other) == theirs


def test_what_was_used_can_be_said_later(memory: Engram) -> None:
    """After a read_only recall learn() records the hits that were used; what ranked behind them was missed."""
    atlas(memory, 6)
    before = nodes(memory, "Memory")
    found = memory.recall("atlas volume 3", 6, read_only=True)
    ids = [hit.memory.id for hit in found]
    used = found.learn([ids[3], ids[1]])
    assert [(hit.memory.id, hit.rank) for hit in used] == [(ids[3], 4), (ids[1], 2)]
    after = nodes(memory, "Memory")
    changed = changes(before, after)
    assert changed.keys() == {ids[1], ids[3], ids[4], ids[5]}
    assert [after[each]["access_count"] for each in ids] == [0, 1, 0, 1, 0, 0]
    assert {name for each in ids[4:] for name in changed[each]} >= {"weight_beta"}
    assert "weight_beta" not in changed[ids[1]]
    kept = read_recall(memory.graph, space=memory.space, prefix=str(used.recall))
    assert [each.id for each in kept.returned] == [ids[1], ids[3]]
    memory.judge(str(used.recall), useful=True)
    kept = read_recall(memory.graph, space=memory.space, prefix=str(used.recall))
    assert [each.useful for each in kept.returned] == [True, True]


# ----- Replay


def test_replay_of_an_unchanged_graph_is_the_same(memory: Engram, clock: FixedClock) -> None:
    """A recorded recall asked again at the same time finds the same, and asking it writes nothing."""
    atlas(memory, 8)
    hits = memory.recall("atlas volume 3", 4)
    before = everything(memory)
    replay = memory.replay(str(hits.recall))
    assert [each.id for each in replay.then.returned] == [hit.memory.id for hit in hits]
    assert replay.now[0].memory.id == hits[0].memory.id
    assert (replay.then.query, replay.then.k, replay.then.at) == ("atlas volume 3", 4, clock.now)
    assert replay.same
    assert replay.gone == ()
    assert [replay.place_then(hit.memory.id) for hit in hits] == [1, 2, 3, 4]
    assert everything(memory) == before


def test_replay_says_what_is_gone(memory: Engram) -> None:
    """What came back then and has been superseded since is listed, with its rank and its status now."""
    atlas(memory, 8)
    hits = memory.recall("atlas volume 3", 4)
    top = hits[0].memory
    memory.remember("There is no country 3 any more", supersedes=top.id, reason="it fell apart")
    replay = memory.replay(str(hits.recall)[:10])
    assert not replay.same
    assert [(each.id, each.rank, each.status) for each in replay.gone] == [(top.id, 1, "superseded")]


def test_erasing_a_hit_takes_the_question_with_it(memory: Engram) -> None:
    """A recall that returned what is erased forgets its question, which may quote it, and says so on replay."""
    atlas(memory, 2)
    secret = memory.remember("Zanzibar fever is what the doctor found")
    hits = memory.recall("who has Zanzibar fever", 2)
    other = memory.recall("Volume 0", 1)
    assert hits[0].memory.id == secret.id
    memory.flush()
    memory.forget(secret.id, erase=True)
    with pytest.raises(InvalidInputError, match="question is gone"):
        memory.replay(str(hits.recall))
    kept = read_recall(memory.graph, space=memory.space, prefix=str(hits.recall))
    assert (kept.query, len(kept.returned)) == (None, 1)
    assert "anzibar" not in str(everything(memory))
    assert memory.replay(str(other.recall)).then.query == "Volume 0"


def test_a_lesson_under_way_brings_no_erased_words_back(memory: Engram) -> None:
    """What is erased before a recall of it is learned from leaves no question behind either."""
    secret = memory.remember("Zanzibar fever is what the doctor found")
    found = memory.recall("who has Zanzibar fever", 2, read_only=True)
    memory.forget(secret.id, erase=True)
    found.learn([secret.id])
    assert "anzibar" not in str(everything(memory))


# ----- A database that is away


@pytest.fixture(scope="module")
def own_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ManagedServer]:
    """Give a managed server that may be killed."""
    settings = Settings.load(data_dir=tmp_path_factory.mktemp("learning"), server_backend="maven")
    server = ManagedServer(settings)
    yield server
    server.stop()


def test_what_cannot_be_learned_is_counted(own_server: ManagedServer) -> None:
    """With the database gone a recall says so, and a lesson is lost, counted here and in the file, and not tried on."""
    connection = own_server.start(print)
    graph = Graph(connection.uri, connection.user, connection.password, connection.database)
    memory = Engram(graph, own_server.settings, space="away", embedder=HashEmbedder(64))
    memory.ensure_schema()
    atlas(memory, 3)
    memory.recall("atlas", 2)
    assert memory.flush()
    assert (memory.learning.written, memory.learning.dropped) == (1, 0)
    found, later = (memory.recall("atlas", 2, read_only=True) for _ in range(2))

    pid = own_server.status().pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(DatabaseUnavailableError, match="server start"):
        memory.recall("atlas")
    found.learn([found[0].memory.id])
    assert memory.flush()
    lessons = memory.learning
    assert (lessons.written, lessons.waiting, lessons.dropped) == (1, 0, 1)
    assert lessons.reason is not None
    assert connection.uri in lessons.reason
    memory.close()
    assert lost_lessons(own_server.settings.data_dir / "lost-lessons.jsonl") == (1, lessons.reason)
    later.learn([later[0].memory.id])
    assert memory.learning.dropped == 2, "a closed memory learns nothing, and says so"


def test_a_verdict_moves_the_memorys_weight_and_can_be_changed(memory: Engram) -> None:
    """Of use adds 1 to alpha, of none a half to beta; a changed verdict takes the earlier one back."""
    kept = memory.remember("The ferry leaves at nine")
    hit = memory.recall("ferry", 1)[0]
    memory.flush()
    before = memory.get(kept.id)
    hit.useful()
    hit.useful()
    after = memory.get(kept.id)
    assert (after.weight_alpha, after.weight_beta) == (before.weight_alpha + 1.0, before.weight_beta)
    hit.useful(verdict=False)
    after = memory.get(kept.id)
    assert after.weight_alpha == pytest.approx(before.weight_alpha)
    assert after.weight_beta == pytest.approx(before.weight_beta + 0.5)
    assert (after.truth_alpha, after.truth_beta) == (before.truth_alpha, before.truth_beta)


def test_saying_what_was_used_is_checked(memory: Engram) -> None:
    """An id that did not come back is refused, and none at all teaches nothing; neither blames the others."""
    memory.remember("The ferry leaves at nine")
    hits = memory.recall("ferry", read_only=True)
    with pytest.raises(InvalidInputError, match="nope"):
        hits.learn(["nope"])
    assert hits.learn([]) == []
    memory.flush()
    assert memory.learning.written == 0


def test_the_past_is_not_learned_from(memory: Engram) -> None:
    """A recall as of a day cannot be learned from later either."""
    memory.remember("The ferry leaves at nine", known_at="2025-01-01", event_at="2025-01-01")
    hits = memory.recall("ferry", as_of="2025-06-01")
    assert len(hits) == 1
    with pytest.raises(InvalidInputError, match="past"):
        hits.learn([hits[0].memory.id])


def test_odd_sessions_and_ids_are_refused(memory: Engram) -> None:
    """A session is a name like any other, and active is a list of ids."""
    memory.remember("The ferry leaves at nine")
    for odd in ("", "\x1b[2J", 5):
        with pytest.raises(InvalidInputError):
            memory.recall("ferry", session=odd)  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError):
        memory.recall("ferry", active="abcdef")
    with pytest.raises(InvalidInputError):
        memory.recall("ferry", without=["semantics"])


def test_a_partly_used_recall_replays_as_unchanged(memory: Engram) -> None:
    """What was shown and not used is no news when a recall is asked again."""
    for fact in ("The ferry leaves at nine", "The ferry is red", "The harbour is old", "Rain fell on Friday"):
        memory.remember(fact)
    hits = memory.recall("When does the ferry leave?", 4, read_only=True)
    learned = hits.learn([hits[1].memory.id, hits[0].memory.id])
    assert [hit.rank for hit in learned] == [2, 1]
    replay = memory.replay(learned.recall or "")
    assert replay.then.partial
    assert replay.same
    assert replay.gone == ()


def test_a_lesson_that_cannot_be_told_does_not_stop_the_next(memory: Engram) -> None:
    """Whatever one lesson holds, it alone is lost for it, and the thread goes on."""
    stored = memory.remember("The atlas lies on the shelf")
    memory._learner.learn(lesson_of("\ud800", stored.id, at=memory._clock()))
    assert memory.flush()
    assert (memory.learning.written, memory.learning.dropped) == (0, 1)
    assert str(memory.learning.reason).startswith("UnicodeEncodeError")
    memory.recall("atlas", 1)
    assert memory.flush()
    assert (memory.learning.written, memory.learning.dropped) == (1, 1)
