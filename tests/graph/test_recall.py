"""Recall against a real Neo4j: which legs find a memory, what a score is made of, and what stays out."""

import re
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from engram.embedding.protocol import Task, Vectors, unit_rows
from engram.errors import EmbeddingError
from engram.feedback import read_recall
from engram.learning import Lesson, new_recall_id
from engram.memory import Engram
from engram.ranking import EVIDENCE, NEUTRAL_MOOD
from engram.recall import PARTNERS, RARE
from engram.records import Hit, Kind, Memory, Turn
from engram.scoring.relevance import edge_strength
from engram.testing import FixedClock, HashEmbedder
from engram.tuning import Tuning

pytestmark = pytest.mark.graph

YESTERDAY = datetime(2025, 12, 31, 12, tzinfo=UTC)
"""A day before what the clock fixture shows."""
CROWD = 120
"""More than either leg returns."""
BEARINGS = {"blah": 0.0, "filler": 10.0, "aside": 45.0, "near": 25.0, "far": 26.0}
"""Degrees between any question and a text with the word, the first of these that it has; otherwise 0.

cos 25° is .906 and cos 26° is .899.
"""


class Compass:
    """Embeds a text as the bearing of its words, so that each cosine is known exactly."""

    name = "compass"
    dimensions = 384
    uses_prefixes = False
    uses_tasks = False

    def embed(self, texts: Sequence[str], task: Task = Task.DOCUMENT) -> Vectors:
        """Return one unit vector per text, shape (n, d)."""
        rows = np.zeros((len(texts), self.dimensions))
        for row, text in zip(rows, texts, strict=True):
            words = set(re.findall(r"\w+", text.casefold()))
            bearing = np.deg2rad(next((BEARINGS[word] for word in BEARINGS if word in words), 0.0))
            row[:2] = np.cos(bearing), np.sin(bearing)
        return unit_rows(rows)

    def close(self) -> None:
        """Do nothing."""


class Broken(HashEmbedder):
    """Fails in the tasks that it is told to: raises an error, or gives NaN."""

    def __init__(self, *tasks: Task, error: bool) -> None:
        super().__init__(384)
        self._tasks = tasks
        self._error = error

    def embed(self, texts: Sequence[str], task: Task = Task.DOCUMENT) -> Vectors:
        """Return vectors, none, or NaN."""
        if task not in self._tasks:
            return super().embed(texts, task)
        if self._error:
            raise EmbeddingError("The model has been unplugged.")
        return np.full((len(texts), self.dimensions), np.nan, dtype=np.float32)


def beside(memory: Engram, **other: Any) -> Engram:
    """Return another memory on the same graph that differs in some arguments."""
    same: dict[str, Any] = {"space": memory.space, "embedder": memory.embedder, "clock": memory._clock}
    return Engram(memory.graph, memory.settings, **same | other)


@pytest.fixture
def compass(memory: Engram) -> Iterator[Engram]:
    """Give a memory whose cosines are known, full of what is near any question and says nothing.

    Nothing else gets into the nearest hundred, and a memory "aside" with an importance of 1 would be the
    first hit if any leg found it.
    """
    opened = beside(memory, embedder=Compass())
    opened.remember_turns(
        Turn(text="filler?", speaker="Crowd", at=YESTERDAY + timedelta(seconds=n), session="crowd")
        for n in range(CROWD)
    )
    yield opened
    opened.flush()


def aside(memory: Engram, content: str = "aside", **more: Any) -> Memory:
    """Return a new memory that the vector leg does not find for the crowd."""
    return memory.remember(f"aside {content}", importance=1.0, **more)


def found(memory: Engram, query: str, k: int = 50, **more: Any) -> dict[str, Hit]:
    """Return the hits of an explained recall that writes nothing, by their memories' ids."""
    return {hit.memory.id: hit for hit in memory.recall(query, k, explain=True, read_only=True, **more)}


def alike(one: Mapping[str, Hit], other: Mapping[str, Hit]) -> bool:
    """Say whether two recalls, a moment apart, came to the same.

    How rare a word is, is counted over all that the full-text index holds: what the tests beside this one write
    meanwhile moves each share of a score a little.
    """
    return one.keys() == other.keys() and all(
        (hit.memory, hit.similarity, hit.notes)
        == (other[each].memory, other[each].similarity, other[each].notes)
        and hit.terms == pytest.approx(other[each].terms, abs=0.02)
        for each, hit in one.items()
    )


def contents(memory: Engram, query: str, k: int = 5, **more: Any) -> list[str]:
    """Return the contents of such a recall's hits, best first."""
    return [hit.memory.content for hit in found(memory, query, k, **more).values()]


def term(hit: Hit, name: str) -> float:
    """Return one term of a score."""
    assert hit.terms is not None
    return hit.terms[name]


def associate(memory: Engram, *pairs: tuple[str, str], times: int = 1) -> int:
    """Lay co-access between memories as `times` joint recalls would, and return how many edges were written."""
    lesson = Lesson(
        id=new_recall_id(),
        query="together",
        mode="search",
        k=2,
        hops=1,
        session=None,
        active=(),
        partial=False,
        at=memory._clock(),
        used=(),
        missed=(),
    )
    ordered = [sorted(pair) for pair in pairs for _ in range(times)]
    outcome = memory.graph.write(
        "write/learn_from_recall", **lesson.parameters(memory.space, Tuning()) | {"pairs": ordered}
    )
    return int(outcome.rows[0]["pairs"])


def weight_after(joint_recalls: int) -> float:
    """Return the weight of an edge after that many joint recalls."""
    weight, half = 0.0, Tuning()["coactivate.half"]
    for _ in range(joint_recalls):
        weight += half / (half + weight)
    return weight


def fill(memory: Engram) -> list[Memory]:
    """Store a small life with names, times, kinds and associations, and return it."""
    names = ("Noor", "Felix", "Zoë")
    memory.remember_turns(
        Turn(
            text=f"{names[n % 3]} and I saw the {('harbour', 'museum', 'castle')[n // 3 % 3]} number {n}",
            speaker=names[(n + 1) % 3],
            at=YESTERDAY - timedelta(days=5 * n),
            session=f"talk {n // 10}",
        )
        for n in range(30)
    )
    facts = [
        memory.remember(f"The harbour of {city} freezes", kind=kind, importance=importance)
        for city, kind, importance in (
            ("Oslo", Kind.SEMANTIC, 0.9),
            ("Turku", Kind.PREFERENCE, 0.1),
            ("Riga", Kind.CORRECTION, 0.5),
        )
    ]
    associate(memory, (facts[0].id, facts[1].id), (facts[1].id, facts[2].id), times=5)
    return facts


# ----- Which legs find a memory


def test_the_vector_finds_what_shares_no_word(compass: Engram) -> None:
    """A memory that no word of the question leads to comes back for its meaning, with a cosine and no words."""
    near = compass.remember("near", importance=1.0)
    compass.forget(near.id)
    assert near.id not in found(compass, "quokka")
    compass.restore(near.id)
    # The crowd is nearer, so only a wider search reaches it.
    hit = found(compass, "quokka", CROWD + 1)[near.id]
    assert hit.similarity == pytest.approx(np.cos(np.deg2rad(25.0)), abs=1e-5)
    assert term(hit, "lexical") == 0.0
    assert term(hit, "semantic") > 0.0


def test_words_find_what_the_vector_does_not(compass: Engram) -> None:
    """A memory too far away for the vector comes back for its words, with its exact cosine."""
    stored = aside(compass, "quokka")
    assert stored.id not in found(compass, "penguin")
    hit = found(compass, "quokka")[stored.id]
    assert hit.similarity == pytest.approx(np.cos(np.deg2rad(45.0)), abs=1e-5)
    assert term(hit, "lexical") > 0.0


def test_both_legs_add_up(compass: Engram) -> None:
    """Of memories alike but for the legs that find them, the one that both find leads."""
    both = compass.remember("a quokka")
    words = compass.remember("a far quokka")
    hits = found(compass, "quokka")
    assert list(hits)[:2] == [both.id, words.id]
    assert term(hits[both.id], "semantic") > term(hits[words.id], "semantic")


@pytest.mark.parametrize("first", [0, 1], ids=["said before", "said after"])
def test_a_neighbour_of_the_best_comes_along(compass: Engram, first: int) -> None:
    """What was said right before or after the best hit is a candidate though neither leg finds it."""
    best = f"{'blah ' * 80} quokka."  # beyond what a neighbour's context quotes
    beside_it = f"aside {'on and on 7 ' * 60}."
    talk = [best, beside_it] if first else [beside_it, best]

    def say(*sessions: str) -> str:
        done = compass.remember_turns(
            Turn(text=text, speaker="A", at=YESTERDAY + timedelta(minutes=n), session=session)
            for n, (text, session) in enumerate(zip(talk, sessions, strict=True))
        )
        return done.memories[first]

    apart, together = say("one", "another"), say("talk", "talk")
    hits = found(compass, "quokka")
    assert together in hits
    assert apart not in hits
    assert term(hits[together], "lexical") == 0.0


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        ("Zoë", "ZOE"),
        ("Zoe", "zoë"),
        ("Zoë", "zoe\u0308"),
        ("ZOË", "Zoe's"),
        ("Ana María", "ana  maria"),
        ("\u0397\u03c1\u03ce", "\u03b7\u03c1\u03c9"),
    ],
)
def test_a_rare_name_brings_its_memories(compass: Engram, stored: str, asked: str) -> None:
    """What somebody said, and what names them, comes back for the name, in any case and with or without accents."""
    said = aside(compass, "it was cold", speaker=stored)
    named = aside(compass, f"in winter with {stored} there")
    stranger = aside(compass, "by a stranger", speaker="Noor")
    hits = found(compass, f"quokka {asked} ?")
    assert {said.id, named.id} <= set(hits)
    assert stranger.id not in hits
    assert term(hits[said.id], "entity") > 0.0
    assert term(hits[said.id], "entity") >= term(hits[named.id], "entity")


def test_a_name_on_every_page_brings_nothing(compass: Engram) -> None:
    """An entity mentioned more often than `RARE` says nothing about what is meant."""
    first = aside(compass, "thing 0", speaker="Zoë")
    for n in range(1, RARE):
        aside(compass, f"thing {n}", speaker="Zoë")
    assert first.id in found(compass, "ZOE", CROWD)
    aside(compass, "one thing more", speaker="Zoë")
    assert first.id not in found(compass, "ZOE", 100)


def test_a_time_in_the_question_is_preferred(memory: Engram) -> None:
    """Of memories alike, those of the month that the question names lead, and only they have a date term."""
    compass = beside(memory, embedder=Compass())
    ids = {
        month: compass.remember("The regatta was held", source=f"log {month}", event_at=f"2023-{month}-20").id
        for month in ("04", "05", "06")
    }
    assert next(iter(found(compass, "What of the regatta?"))) == ids["06"], "the latest is the most present"
    hits = found(compass, "What of the regatta in May 2023?")
    assert next(iter(hits)) == ids["05"]
    assert {month for month, each in ids.items() if term(hits[each], "date") > 0.0} == {"05"}
    assert {term(hit, "date") for hit in found(compass, "What of the regatta?").values()} == {0.0}


def test_a_time_in_the_question_finds_what_no_leg_does(compass: Engram, clock: FixedClock) -> None:
    """Memories of the time that the question speaks of are candidates however many others are nearer."""
    then = aside(compass, event_at=clock.now - timedelta(weeks=2))
    assert then.id not in found(compass, "quokka five weeks ago")
    assert then.id in found(compass, "quokka two weeks ago")
    assert then.id not in found(compass, "quokka two weeks ago", without=["date"])


def test_ago_counts_from_the_clock_or_from_as_of(memory: Engram, clock: FixedClock) -> None:
    """Two weeks ago is two weeks before now, and asked as of a day two weeks before that day."""
    turns = {
        age: Turn(text="The regatta was held", speaker="Noor", at=clock.now - timedelta(days=age))
        for age in (7, 14, 53, 60)
    }
    done = dict(zip(turns, memory.remember_turns(reversed(turns.values())).memories[::-1], strict=True))

    def dated(**more: Any) -> list[str]:
        hits = found(memory, "What of the regatta two weeks ago?", **more)
        assert next(iter(hits)) in {each for each, hit in hits.items() if term(hit, "date") > 0.0}
        return [each for each, hit in hits.items() if term(hit, "date") > 0.0]

    assert dated() == [done[14]]
    assert dated(as_of=clock.now - timedelta(days=46)) == [done[60]]


# ----- Association


@pytest.mark.parametrize("joint", [1, 3, 500])
def test_partners_come_along(compass: Engram, joint: int) -> None:
    """What is used together with the best hit comes back, for 0.3 at most of what a partner at hand gives.

    What is two associations away comes only where asked to, for 0.1 at most, however often they were used
    together.
    """
    best, partner, far = compass.remember("a quokka"), aside(compass, "one"), aside(compass, "two")
    at_hand, its_partner, alone = (aside(compass, name) for name in ("three", "four", "five"))
    associate(compass, (best.id, partner.id), (partner.id, far.id), (at_hand.id, its_partner.id), times=joint)
    near = found(compass, "quokka", active=[at_hand.id])
    wide = found(compass, "quokka", active=[at_hand.id], hops=2)

    assert {far.id, alone.id, at_hand.id}.isdisjoint(near)
    assert {alone.id}.isdisjoint(wide)
    strength = edge_strength(np.array([weight_after(joint)]))[0]
    for hits in (near, wide):
        direct = term(hits[its_partner.id], "coaccess")
        assert direct > 0.0
        assert term(hits[partner.id], "coaccess") == pytest.approx(0.3 * direct, abs=1e-12)
    for reached in (best, far):
        assert term(wide[reached.id], "coaccess") == pytest.approx(0.1 * strength * direct, abs=1e-12)
    assert term(near[best.id], "coaccess") == 0.0
    assert term(near[partner.id], "spreading") > 0.0
    assert its_partner.id not in found(compass, "quokka")


def test_coaccess_stays_within_its_share(memory: Engram) -> None:
    """However strong an association, its term stays below the blend's share for co-access, and grows towards it."""
    compass = beside(memory, embedder=Compass())
    at_hand, partner = compass.remember("blah one"), compass.remember("blah two")
    terms = []
    for _ in range(3):
        associate(compass, (at_hand.id, partner.id), times=200)
        hit = found(compass, "blah", active=[at_hand.id])[partner.id]
        alphas = compass.blend().alphas
        # Mood is neutral, half of its share; that says what a share is worth in this mode.
        share = term(hit, "emotional") / NEUTRAL_MOOD * alphas["coaccess"] / alphas["emotional"]
        terms.append(term(hit, "coaccess") / share)
    assert 0.5 < terms[0] < terms[1] < terms[2] < 1.0


def test_only_the_strongest_partners_come_along(compass: Engram) -> None:
    """Of many partners the three that were used together most often come back."""
    best = compass.remember("a quokka")
    partners = [aside(compass, f"number {n}").id for n in range(6)]
    for n, partner in enumerate(partners):
        associate(compass, (best.id, partner), times=1 + n)
    assert set(partners) & set(found(compass, "quokka", 100)) == set(partners[-PARTNERS:])


@pytest.mark.parametrize("junk", [["nobody"], [""], ["'; //"], [f"{n:032x}" for n in range(500)]])
def test_unknown_ids_at_hand_mean_nothing(memory: Engram, junk: list[str]) -> None:
    """Ids that are nobody's change nothing."""
    fill(memory)
    assert alike(found(memory, "harbour", active=junk), found(memory, "harbour"))


# ----- What stays out


def test_nothing_crosses_spaces(memory: Engram) -> None:
    """No leg, neighbour, name, time, partner or id at hand brings anything of another space."""
    other = beside(memory, space=f"{memory.space}-other")
    mine, theirs = fill(memory), fill(other)
    assert associate(memory, *((a.id, b.id) for a in mine for b in theirs), times=2) == 0
    ids = [each.id for each in theirs] + [
        hit.memory.id for hit in other.recall("harbour", 50, read_only=True)
    ]
    before = found(memory, "Which harbour did Zoë see in December 2025?", 1_000, hops=2)
    after = found(memory, "Which harbour did Zoë see in December 2025?", 1_000, hops=2, active=ids)
    assert alike(after, before)
    assert len(after) == 33
    for mode in ("search", "mind"):
        for query in ("harbour", "ZOE", "two weeks ago", "the", "Noor and Felix", memory.space, other.space):
            hits = memory.recall(query, 1_000, mode=mode, hops=2, active=ids, as_of=memory._clock())
            assert {hit.memory.space for hit in hits} == {memory.space}


def test_a_full_neighbour_takes_no_room(memory: Engram) -> None:
    """Hundreds of better matches of another space cost this one none of its hits."""
    other = beside(memory, space=f"{memory.space}-other")
    other.remember_turns(
        Turn(text="the quokka of Zoë", speaker="Zoë", at=YESTERDAY + timedelta(seconds=n)) for n in range(500)
    )
    mine = [memory.remember(f"a quokka, number {n}").id for n in range(30)]
    assert set(found(memory, "the quokka of Zoë", 100)) == set(mine)


def test_expired_is_found_and_revived(memory: Engram, clock: FixedClock) -> None:
    """What has left the working set is found all the same, and has energy again once it was."""
    stored = memory.remember("The spare key hangs behind the clock")
    clock.advance(timedelta(days=400))
    assert stored.expires_at < clock.now
    assert memory.recall("spare key", 1)[0].memory.id == stored.id
    memory.flush()
    revived = memory.get(stored.id)
    assert revived.energy == pytest.approx(1.0, abs=1e-9)
    assert revived.expires_at > clock.now


def test_only_active_memories_come_back(memory: Engram) -> None:
    """Superseded and archived memories stay out of every leg: words, meaning, neighbours, names, partners."""
    fill(memory)
    hits = memory.recall("harbour Zoë", 100, read_only=True)
    archived, superseded = hits[0].memory.id, hits[1].memory.id
    associate(memory, *((hits[0].memory.id, hit.memory.id) for hit in hits[2:6]), times=5)
    associate(memory, *((hits[1].memory.id, hit.memory.id) for hit in hits[2:6]), times=5)
    memory.forget(archived)
    memory.supersede(superseded, hits[2].memory.id, "newer")
    for query in ("harbour Zoë", hits[0].memory.content, hits[1].memory.content, "in December 2025"):
        later = found(memory, query, 1_000, hops=2, active=[archived, superseded])
        assert {archived, superseded}.isdisjoint(later)
        assert len(later) == len(hits) - 2
        assert {hit.memory.status for hit in later.values()} == {"active"}


def set_status(memory: Engram, memory_id: str, status: str) -> None:
    """Put a memory into a status."""
    statuses = ["active", "dormant", "archived"]
    memory.graph.write(
        "write/set_status", **{"space": memory.space, "id": memory_id, "from": statuses, "to": status}
    )
    assert memory.get(memory_id).status == status


def test_dormant_wakes_only_to_its_own_call(memory: Engram) -> None:
    """A dormant memory comes back above a cosine of 0.9 only, whatever words match, and is active from then on."""
    compass = beside(memory, embedder=Compass())
    near, far = compass.remember("near quokka"), compass.remember("far quokka")
    for each in (near, far):
        set_status(compass, each.id, "dormant")
    assert set(found(compass, "quokka")) == {near.id}
    assert compass.get(near.id).status == "dormant", "read_only wakes nobody"
    assert [hit.memory.id for hit in compass.recall("quokka")] == [near.id]
    compass.flush()
    assert (compass.get(near.id).status, compass.get(far.id).status) == ("active", "dormant")


def test_dormant_sleeps_on_without_a_vector(memory: Engram) -> None:
    """Where words alone answer, nothing says how near a dormant memory is, and it stays out."""
    stored = memory.remember("quokka")
    set_status(memory, stored.id, "dormant")
    assert contents(beside(memory, embedder=Broken(Task.QUERY, error=True)), "quokka") == []


# ----- Then


@pytest.mark.parametrize("status", ["dormant", "archived", "superseded"])
def test_as_of_goes_by_the_intervals(memory: Engram, clock: FixedClock, status: str) -> None:
    """What was valid and known then answers whatever has become of it; before and after it does not."""
    start = clock.now
    stored = memory.remember("Felix lives in Boston")
    end = clock.advance(timedelta(days=30))
    later = memory.remember("Felix has no fixed abode")
    if status == "superseded":
        memory.supersede(stored.id, later.id, "he moved")
    else:
        set_status(memory, stored.id, status)
    clock.advance(timedelta(days=30))
    query = "paragliding"  # far from both, by meaning and by words
    assert list(found(memory, query, as_of=start)) == [stored.id]
    assert found(memory, query, as_of=start - timedelta(microseconds=1)) == {}
    at_the_end = {later.id} if status == "superseded" else {stored.id, later.id}
    assert set(found(memory, query, as_of=end)) == at_the_end
    assert set(found(memory, query)) == {later.id}


def test_as_of_holds_in_every_leg(compass: Engram, clock: FixedClock) -> None:
    """Words, names, times and partners bring nothing that was not known, or not valid, then."""
    then = clock.now
    clock.advance(timedelta(days=10))
    best = compass.remember("a quokka")
    partner, at_hand = aside(compass, "one"), aside(compass, "two")
    named = aside(compass, "three", speaker="Zoë")
    dated = aside(compass, "four", event_at="2020-05-10")
    over = aside(
        compass, "five", speaker="Zoë", known_at=YESTERDAY, valid_from="2020-01-01", valid_to="2021-01-01"
    )
    associate(compass, (best.id, partner.id), (at_hand.id, over.id), times=9)
    query = "What quokka of ZOE in May 2020?"
    now = found(compass, query, 100, active=[at_hand.id])
    assert {best.id, partner.id, named.id, dated.id, over.id} <= set(now)
    hits = found(compass, query, 100, as_of=then, active=[at_hand.id])
    assert {hit.memory.content for hit in hits.values()} == {"filler?"}
    year = found(compass, query, 100, as_of="2020-06-01", active=[at_hand.id])
    assert year == {}, "known since yesterday only"


def test_old_conversations_answer_as_of_their_own_days(memory: Engram, clock: FixedClock) -> None:
    """Asked as of any day, an imported conversation gives what had been said by then, and no more."""
    start = datetime(2019, 5, 1, tzinfo=UTC)
    turns = [
        Turn(text=f"The boat is at buoy {n}", speaker="Noor", at=start + timedelta(days=n)) for n in range(9)
    ]
    memory.remember_turns(turns)
    for n in range(9):
        at_that_time = contents(memory, "boat buoy", 20, as_of=start + timedelta(days=n))
        assert set(at_that_time) == {turn.text for turn in turns[: n + 1]}
    assert contents(memory, "boat buoy", as_of=start - timedelta(seconds=1)) == []


# ----- What a score is made of


@pytest.mark.parametrize("mode", ["search", "mind"])
@pytest.mark.parametrize(
    ("query", "more"),
    [
        ("Which harbour freezes?", {"hops": 2}),
        ("What did Zoë see in December 2025?", {}),
        ("paragliding", {}),
        ("harbour", {"without": ["lexical", "importance"]}),
        ("the", {}),
    ],
    ids=["associations", "name and time", "far", "without", "stop word"],
)
def test_terms_add_up_and_are_kept(memory: Engram, query: str, more: dict[str, Any], mode: str) -> None:
    """Each hit's terms add up to its score, and the same terms, ranks and scores stand on the record."""
    facts = fill(memory)
    hits = memory.recall(query, 20, mode=mode, explain=True, active=[facts[0].id], **more)
    assert len(hits) == 20
    memory.flush()
    assert hits.recall is not None
    kept = read_recall(memory.graph, space=memory.space, prefix=hits.recall)
    assert (kept.query, kept.mode, kept.k) == (query, mode, 20)
    assert [each.id for each in kept.returned] == [hit.memory.id for hit in hits]
    assert [hit.rank for hit in hits] == [each.rank for each in kept.returned] == list(range(1, 21))
    for hit, each in zip(hits, kept.returned, strict=True):
        assert hit.terms is not None
        assert sum(hit.terms.values()) == pytest.approx(hit.score, abs=1e-6)
        assert each.terms == pytest.approx(hit.terms, abs=1e-12)
        assert each.score == pytest.approx(hit.score, abs=1e-12)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_what_is_left_out_has_no_term(memory: Engram) -> None:
    """Evidence that a recall goes without adds nothing to any score."""
    fill(memory)
    for name in EVIDENCE:
        hits = found(memory, "Which harbour did Zoë see in December 2025?", 20, without=[name])
        assert {term(hit, name) for hit in hits.values()} == {0.0}, name


def test_search_is_deterministic(memory: Engram) -> None:
    """mode="search" gives the same hits, scores and terms to anybody who asks, whatever generator they have."""
    fill(memory)
    first = memory.recall("Which harbour did Zoë see?", 30, explain=True, read_only=True, hops=2)
    for seed in range(5):
        again = beside(memory, generator=np.random.default_rng(seed))
        assert again.recall("Which harbour did Zoë see?", 30, explain=True, read_only=True, hops=2) == first


def test_mind_wanders_and_mostly_comes_back(memory: Engram) -> None:
    """mode="mind" gives many orders, but the clearly best hit leads most of the time."""
    fill(memory)
    best = memory.remember("The old lighthouse keeper collects brass barometers", importance=0.7)
    orders = Counter(
        tuple(
            found(beside(memory, generator=np.random.default_rng(seed)), "brass barometers", 5, mode="mind")
        )
        for seed in range(100)
    )
    assert len(orders) > 50
    assert len({order[1] for order in orders}) > 1
    leads = sum(count for order, count in orders.items() if order[0] == best.id)
    assert leads > 80


def test_a_seed_fixes_the_mind(memory: Engram) -> None:
    """The same generator state gives the same hits and terms, another one others."""
    fill(memory)

    def wander(seed: int) -> list[dict[str, Hit]]:
        mind = beside(memory, generator=np.random.default_rng(seed))
        return [found(mind, "harbour", 20, mode="mind") for _ in range(3)]

    assert all(map(alike, wander(7), wander(7)))
    assert not all(map(alike, wander(7), wander(8)))
    first, second, _ = wander(7)
    assert not alike(first, second)


# ----- Any question


def test_k_goes_up_to_a_thousand(memory: Engram) -> None:
    """Asked for the most there can be, recall gives a thousand different memories of the space, best first."""
    memory.remember_turns(
        Turn(text=f"thing number {n} was seen", speaker="A", at=YESTERDAY + timedelta(seconds=n))
        for n in range(1_050)
    )
    hits = memory.recall("thing number 7", 1_000, read_only=True)
    assert len({hit.memory.id for hit in hits}) == len(hits) == 1_000
    assert hits[0].memory.content == "thing number 7 was seen"
    assert [hit.rank for hit in hits] == list(range(1, 1_001))


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        ("私は東京に住んでいます", "東京に住んでいますか"),
        ("أعيش في القاهرة منذ سنتين", "من يعيش في القاهرة؟"),
        ("Μένει η Ελένη στην Αθήνα", "ποιος μένει στην Αθήνα;"),
        ("मैं दिल्ली में रहता हूँ", "दिल्ली में कौन रहता है"),
    ],
    ids=["Japanese", "Arabic", "Greek", "Hindi"],
)
def test_other_scripts_are_answered(memory: Engram, stored: str, asked: str) -> None:
    """A question in another script finds what was said in it, by words and by vector."""
    fill(memory)
    memory.remember(stored)
    hits = memory.recall(asked, 5, explain=True)
    assert hits[0].memory.content == stored
    assert term(hits[0], "semantic") > 0.0
    assert term(hits[0], "lexical") > 0.0


def test_a_long_question_is_answered(memory: Engram) -> None:
    """Ten thousand different words are a question like any other, and what they are about leads."""
    fill(memory)
    best = memory.remember("brass barometers and sextants", importance=0.5)
    words = [f"brass barometers sextants w{n}" for n in range(10_000)]
    assert memory.recall(" ".join(words), 5)[0].memory.id == best.id
    assert memory.flush()
    assert memory.learning.dropped == 0


def test_stop_words_are_no_words(memory: Engram) -> None:
    """A question of stop words alone is answered by its vector; no hit counts a word."""
    fill(memory)
    hits = found(memory, "to the of and it", 10)
    assert len(hits) == 10
    assert {term(hit, "lexical") for hit in hits.values()} == {0.0}


# ----- Faults


@pytest.mark.parametrize("error", [True, False], ids=["error", "NaN"])
def test_without_a_vector_words_answer(memory: Engram, error: bool) -> None:  # noqa: FBT001
    """Where the question cannot be embedded, words alone answer, and the recall and each hit say so."""
    fill(memory)
    broken = beside(memory, embedder=Broken(Task.QUERY, error=error))
    hits = broken.recall("Which harbour of Oslo freezes?", 5, explain=True)
    assert hits[0].memory.content == "The harbour of Oslo freezes"
    assert len(hits.notes) == 1
    assert hits.notes[0].startswith("found by words alone")
    assert not error or "unplugged" in hits.notes[0]
    for hit in hits:
        assert hit.notes == hits.notes
        assert hit.similarity is None
        assert hit.terms is not None
        assert sum(hit.terms.values()) == pytest.approx(hit.score, abs=1e-6)
    assert broken.flush()
    assert broken.learning.dropped == 0


@pytest.mark.parametrize("error", [True, False], ids=["error", "NaN"])
def test_without_a_vector_nothing_is_stored(memory: Engram, error: bool) -> None:  # noqa: FBT001
    """What cannot be embedded is refused, and leaves neither a memory nor a turn, a session or a name behind."""
    broken = beside(memory, embedder=Broken(Task.DOCUMENT, error=error))
    turns = [Turn(text=f"Noor saw Zoë at {n}", speaker="Noor", at=YESTERDAY) for n in range(3)]
    for attempt in (lambda: broken.remember("We met Zoë"), lambda: broken.remember_turns(turns)):
        with pytest.raises(EmbeddingError):
            attempt()
    stats = memory.stats()
    assert (stats.memories, stats.turns, stats.sessions, stats.relationships) == (0, 0, 0, 0)
    assert memory.recall("Zoë") == []


def test_one_bad_vector_refuses_its_batch(memory: Engram) -> None:
    """Of a conversation in which one text cannot be embedded, no turn of the same batch is stored."""

    class Fastidious(HashEmbedder):
        def embed(self, texts: Sequence[str], task: Task = Task.DOCUMENT) -> Vectors:
            vectors = super().embed(texts, task)
            vectors[[n for n, text in enumerate(texts) if text == "spinach"], 7] = np.nan
            return vectors

    picky = beside(memory, embedder=Fastidious(384))
    with pytest.raises(EmbeddingError, match="NaN"):
        picky.remember_turns(Turn(text=text, speaker="A") for text in ("bread", "spinach", "cheese"))
    assert memory.stats().memories == 0


def test_erasing_does_not_disturb_a_recall(memory: Engram) -> None:
    """While memories are erased, recalls are answered from what is left, and their lessons are learned."""
    kept = memory.remember("Volume 0 of the atlas of Zoë")
    ids = [memory.remember(f"Volume {n} of the atlas of Zoë").id for n in range(1, 41)]
    done = threading.Event()

    def ask() -> int:
        count = 0
        while not done.is_set():
            assert kept.id in {hit.memory.id for hit in memory.recall("atlas of Zoë", 50, hops=2)}
            count += 1
            if memory.learning.waiting > 200:
                memory.flush()  # nobody asks so fast for so long; no more than a thousand may wait
        return count

    with ThreadPoolExecutor(3) as pool:
        asking = [pool.submit(ask) for _ in range(3)]
        try:
            for each in ids:
                memory.forget(each, erase=True)
        finally:
            done.set()
        assert all(each.result() for each in asking)
    assert memory.flush()
    assert memory.learning.dropped == 0
    assert contents(memory, "atlas of Zoë", 50) == [kept.content]
