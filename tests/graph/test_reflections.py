"""The reflection bank and immutable memories, on a real server."""

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engram.embedding.protocol import Task
from engram.loop.escalation import Correction
from engram.loop.reflections import SIMILAR, find_corrections, store_correction
from engram.memory import Engram
from engram.records import REPLY_TAG, Kind, Memory
from engram.remembering import embed_memories
from engram.testing import FixedClock

pytestmark = pytest.mark.graph

BIRTHDAY = Correction(
    trigger="Asked for the date of a birthday",
    error_type="wrong date",
    original_reasoning="The date of the talk was taken for the date of the birthday.",
    correction="Look for the date that was named for the birthday.",
)
FOCUS = "What is the date of the birthday?"


def find(memory: Engram, focus: str, k: int = 3, space: str | None = None) -> tuple[Memory, ...]:
    """Return the corrections that a focus brings to mind."""
    vector = memory.embedder.embed([focus], Task.QUERY)[0]
    return find_corrections(memory.graph, vector.tolist(), space or memory.space, k)


def test_a_correction_is_found_by_a_similar_focus(memory: Engram, clock: FixedClock) -> None:
    """It comes to mind where the same is attended to, and nowhere else."""
    at = clock.now - timedelta(hours=1)
    stored = store_correction(memory, BIRTHDAY, at=at)
    assert (stored.kind, stored.category, stored.source) == (Kind.CORRECTION, "wrong date", "reflection")
    assert (stored.event_at, stored.source_tag) == (at, REPLY_TAG)
    assert [each.id for each in find(memory, FOCUS)] == [stored.id]
    assert find(memory, "Felix bakes rye bread") == ()
    assert stored.content.startswith("Situation: Asked for the date of a birthday.")


def test_a_correction_says_nothing_about_truth(memory: Engram, clock: FixedClock) -> None:
    """It is the model's own word: a prior without an observation. What it was drawn from is its evidence."""
    fact = memory.remember("Ana's birthday is on the 3rd of May")
    stored = store_correction(memory, BIRTHDAY, at=clock.now, derived_from=[fact.id])
    assert (stored.truth_alpha, stored.truth_beta) == (1.0, 1.0)
    assert (fact.truth_alpha, fact.truth_beta) == (2.0, 1.0)
    assert fact.id in {step.id for step in memory.why(stored.id)}


def test_the_same_correction_is_stored_once(memory: Engram, clock: FixedClock) -> None:
    """A second time it is seen again."""
    first = store_correction(memory, BIRTHDAY, at=clock.now)
    again = store_correction(memory, BIRTHDAY, at=clock.advance(timedelta(days=1)))
    assert (again.id, again.created, again.seen_count) == (first.id, False, 2)


def test_the_nearest_corrections_come_first_and_others_never(memory: Engram, clock: FixedClock) -> None:
    """At most k, nearest first; no other kind of memory, and nothing that was forgotten."""
    vague = BIRTHDAY.model_copy(
        update={"trigger": "Asked for the time of a train and other things of no interest"}
    )
    near, far = (store_correction(memory, each, at=clock.now) for each in (BIRTHDAY, vague))
    memory.remember(FOCUS, kind=Kind.REFLECTION)
    assert [each.id for each in find(memory, FOCUS)] == [near.id, far.id]
    assert [each.id for each in find(memory, FOCUS, k=1)] == [near.id]
    memory.forget(near.id)
    assert [each.id for each in find(memory, FOCUS)] == [far.id]


def test_the_context_brings_a_correction_to_mind(memory: Engram, clock: FixedClock) -> None:
    """A correction in general terms is found by what is like the question that it came up with."""
    general = BIRTHDAY.model_copy(
        update={"trigger": "Several are named", "original_reasoning": "", "correction": "Compare them."}
    )
    store_correction(memory, general, at=clock.now)
    assert find(memory, "When does the concert of Zoë in Ghent begin?") == ()
    store_correction(memory, general, at=clock.now, context="When does the concert of Zoë in Ghent begin?")
    assert len(find(memory, "When did the concert in Ghent begin?")) == 1


def test_spaces_do_not_mix(memory: Engram, clock: FixedClock) -> None:
    """Nobody is told of another's errors."""
    store_correction(memory, BIRTHDAY, at=clock.now)
    assert find(memory, FOCUS, space=f"{memory.space}-other") == ()


WORDS = ("birthday", "date", "train", "bread", "atlas", "river", "concert")


def test_found_corrections_are_the_exact_ones(memory: Engram, clock: FixedClock) -> None:
    """What is found is what comparing the vectors themselves gives: the three nearest over the floor."""
    bank = {}
    for word in WORDS:
        made = BIRTHDAY.model_copy(
            update={"trigger": f"Asked about the {word}", "error_type": f"wrong {word}"}
        )
        stored = store_correction(memory, made, at=clock.now)
        bank[stored.id] = embed_memories(
            memory.embedder, [(stored.kind, stored.content, stored.contextualized)]
        )[0]

    @given(
        st.lists(st.sampled_from([*WORDS, "wrong", "asked", "felix"]), min_size=1, max_size=5).map(" ".join)
    )
    @settings(max_examples=15, deadline=None)
    def holds(focus: str) -> None:
        vector = memory.embedder.embed([focus], Task.QUERY)[0]
        cosines = {each: float(row @ vector) for each, row in bank.items()}
        found = [each.id for each in find(memory, focus)]
        assert found == sorted(found, key=lambda each: -cosines[each])
        assert all(cosines[each] >= SIMILAR - 1e-6 for each in found)
        left = [cosine for each, cosine in cosines.items() if each not in found]
        bar = cosines[found[-1]] if len(found) == 3 else SIMILAR
        assert all(cosine <= bar + 1e-6 for cosine in left)

    holds()


def test_immutable_memories_round_trip_and_keep_their_weight(memory: Engram, clock: FixedClock) -> None:
    """What is remembered as immutable stays so, and neither use, near misses nor time change how much it matters."""
    rule = memory.remember("Volume 0 shows the rule", immutable=True)
    other = memory.remember("Volume 1 shows the rule of Volume 0")
    assert memory.get(rule.id).immutable
    assert not memory.get(other.id).immutable
    memory.recall("Volume 0 shows the rule", 1)
    memory.recall("Volume 1 shows the rule of Volume 0", 1)
    memory.flush()
    clock.advance(timedelta(days=400))
    memory.recall("Volume 1 shows the rule of Volume 0", 1)
    memory.flush()
    kept = memory.get(rule.id)
    assert (kept.weight_alpha, kept.weight_beta, kept.access_count) == (1.0, 4.0, 1)
    moved = memory.get(other.id)
    assert (moved.weight_alpha, moved.weight_beta) != (1.0, 4.0)


def test_what_is_known_already_becomes_immutable(memory: Engram) -> None:
    """Remembering it again as immutable makes it so; remembering it again without does not undo that."""
    first = memory.remember("Never share the key")
    again = memory.remember("Never share the key", immutable=True)
    assert (again.id, again.created, again.immutable) == (first.id, False, True)
    assert memory.remember("Never share the key").immutable
    assert memory.get(first.id).immutable


def test_whose_thought_it_is(memory: Engram) -> None:
    """A source tag of the agent's own is stored as it is, and counts as no evidence."""
    own = memory.remember("Ana likes tea", source_tag=REPLY_TAG)
    said = memory.remember("Ana likes coffee")
    assert (own.source_tag, own.truth_alpha) == (REPLY_TAG, 1.0)
    assert (said.source_tag, said.truth_alpha) == ("external_user", 2.0)
