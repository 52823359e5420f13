"""What holds a conversation together in a real Neo4j: what followed what, context that grows, who is named."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from engram.embedding.protocol import Vectors
from engram.graph import Graph
from engram.memory import Engram
from engram.records import Kind, Memory, Turn
from engram.remembering import embed_memories
from engram.testing import FixedClock
from tests.conftest import Address
from tests.graph.beside import run

pytestmark = pytest.mark.graph

START = datetime(2026, 3, 1, 9, tzinfo=UTC)
Node = dict[str, Any]


def links(memory: Engram, kind: str) -> dict[tuple[str, str], Node]:
    """Return the properties of the space's relationships of one type, by the ids of both ends."""
    found = [each for each in run(memory, "read_space")[0]["relationships"] if each["type"] == kind]
    ends = [(each["start"], each["end"]) for each in found]
    assert len(set(ends)) == len(ends), f"{kind} is doubled"
    return {(each["start"], each["end"]): each["properties"] for each in found}


def entities(memory: Engram) -> dict[str, str]:
    """Return the name that each of the space's entities is shown by, by its key."""
    found = [node for node in run(memory, "read_space")[0]["nodes"] if "Entity" in node["labels"]]
    assert len({node["id"] for node in found}) == len(found), "an entity is doubled"
    return {node["id"]: node["properties"]["name"] for node in found}


def mentions(memory: Engram, kept: Memory | str) -> dict[str, str]:
    """Return in what role a memory mentions each entity, by its key."""
    memory_id = kept if isinstance(kept, str) else kept.id
    return {
        key: each["role"] for (start, key), each in links(memory, "MENTIONS").items() if start == memory_id
    }


def vector(memory: Engram, memory_id: str) -> Vectors:
    """Return the vector that a memory is stored with, shape (d,)."""
    return np.array(run(memory, "read_vector", id=memory_id)[0]["embedding"], dtype=np.float32)


def says(memory: Engram, kept: Memory) -> bool:
    """Return whether a memory's stored vector is that of its content in its stored context."""
    expected = embed_memories(memory.embedder, [(Kind(kept.kind), kept.content, kept.contextualized)])[0]
    return bool(np.allclose(vector(memory, kept.id), expected, atol=1e-6))


def talk(*lines: str, session: str = "talk", begin: int = 0) -> list[Turn]:
    """Return a conversation of two, a minute between turns, the first of them `begin` minutes in."""
    return [
        Turn(
            text=line,
            speaker=("Noor", "Felix")[place % 2],
            at=START + timedelta(minutes=place),
            session=session,
        )
        for place, line in enumerate(lines, start=begin)
    ]


def store(memory: Engram, turns: Iterable[Turn]) -> list[str]:
    """Store turns and return the ids of their memories."""
    done = memory.remember_turns(turns)
    assert done.refused == ()
    return list(done.memories)


def follows(*ids: str) -> set[tuple[str, str]]:
    """Return what follows what where the memories were said in this order."""
    return {(later, earlier) for earlier, later in pairwise(ids)}


# ----- What followed what


@pytest.mark.parametrize("batch_size", [1, 2, 200])
def test_each_turn_follows_the_one_before(memory: Engram, batch_size: int) -> None:
    """Every memory of a talk FOLLOWS the one said before it in the same session, across batches, and no other."""
    small = Engram(
        memory.graph,
        memory.settings.model_copy(update={"batch_size": batch_size}),
        space=memory.space,
        embedder=memory.embedder,
    )
    one = talk("alpha", "beta", "gamma", "delta", session="one")
    two = talk("eins", "zwei", "drei", "vier", session="two")
    ids = store(small, (turn for pair in zip(one, two, strict=True) for turn in pair))
    assert set(links(memory, "FOLLOWS")) == follows(*ids[0::2]) | follows(*ids[1::2])


def test_a_later_call_goes_on_where_the_talk_ended(memory: Engram) -> None:
    """Turns stored one by one follow each other as if stored at once; storing them again adds nothing."""
    turns = talk("alpha", "beta", "gamma")
    ids = [store(memory, [turn])[0] for turn in turns]
    assert set(links(memory, "FOLLOWS")) == follows(*ids)
    assert store(memory, turns) == ids
    assert set(links(memory, "FOLLOWS")) == follows(*ids)


def test_what_is_erased_leaves_no_gap(memory: Engram) -> None:
    """Where a turn is erased the one after it follows the one before it; at the end the talk goes on from there."""
    first, second, third = store(memory, talk("alpha", "beta", "gamma"))
    memory.forget(second, erase=True)
    assert set(links(memory, "FOLLOWS")) == follows(first, third)
    memory.forget(third, erase=True)
    (fourth,) = store(memory, talk("delta", begin=3))
    assert set(links(memory, "FOLLOWS")) == follows(first, fourth)


# ----- The context that the next turn completes


def test_the_last_turn_gets_the_next_into_its_context(memory: Engram) -> None:
    """When a talk goes on in a later call its last turn is given context and vector as if stored at once."""
    lines = ("I sold the boat", "To whom?", "To a man from Turku")
    first, second = store(memory, talk(*lines[:2]))
    before = [memory.get(each) for each in (first, second)]
    store(memory, talk(lines[2], begin=2))
    after = [memory.get(each) for each in (first, second)]

    assert after[0] == before[0], "its context was complete"
    assert "Turku" not in before[1].contextualized
    assert after[1].contextualized.endswith(
        "Noor: I sold the boat\nFelix: To whom?\nNoor: To a man from Turku"
    )
    assert (after[1].content, after[1].version) == (before[1].content, before[1].version + 1)
    assert says(memory, after[1])

    at_once = Engram(memory.graph, memory.settings, space=f"{memory.space}-at-once", embedder=memory.embedder)
    ids = store(at_once, talk(*lines))
    assert at_once.get(ids[1]).contextualized == after[1].contextualized
    np.testing.assert_allclose(vector(memory, second), vector(at_once, ids[1]), atol=1e-6)


def test_the_answer_leads_to_the_completed_question(memory: Engram) -> None:
    """The indexes know the new context: words of the next turn find the one that it completes, and no earlier."""
    first, last = store(memory, talk("Shall we?", "To whom?"))

    def found() -> set[str]:
        hits = memory.recall("Zanzibar", 9, read_only=True, explain=True)
        return {hit.memory.id for hit in hits if hit.terms is not None and hit.terms["lexical"] > 0.0}

    assert found() == set()
    (answer,) = store(memory, talk("To Zanzibar", begin=2))
    assert found() == {last, answer}
    assert first not in found()


def test_several_talks_go_on_in_one_batch(memory: Engram) -> None:
    """Each session of a batch completes its own last turn, with its own next one."""
    names = [f"s{n}" for n in range(5)]
    lasts = {name: store(memory, talk("hello", f"last of {name}", session=name))[1] for name in names}
    untouched = store(memory, talk("alone", session="other"))[0]
    store(
        memory,
        (
            turn
            for line in ("first", "second")
            for name in names
            for turn in talk(f"{line} reply in {name}", session=name, begin=2 + (line == "second"))
        ),
    )
    for name, last in lasts.items():
        kept = memory.get(last)
        assert kept.version == 2
        assert kept.contextualized.endswith(f"last of {name}\nNoor: first reply in {name}")
        assert "second" not in kept.contextualized
        assert says(memory, kept)
    assert memory.get(untouched).version == 1


def test_nothing_is_rewritten_where_nothing_changes(memory: Engram) -> None:
    """Stored again, or followed by what is there already, a turn keeps its version, context and vector."""
    turns = talk("alpha", "beta", "gamma")
    ids = store(memory, turns)
    before = [memory.get(each) for each in ids]
    for again in (turns, turns[:2], turns[1:], turns[2:]):
        assert store(memory, again) == ids[turns.index(again[0]) :][: len(again)]
    assert [memory.get(each) for each in ids] == before
    memory.remember("a fact that is no turn")
    store(memory, talk("another talk", session="another"))
    assert [memory.get(each) for each in ids] == before


def test_only_the_last_turn_is_completed(memory: Engram) -> None:
    """A talk that goes on twice rewrites each end once."""
    ids = [store(memory, [turn])[0] for turn in talk("alpha", "beta", "gamma", "delta")]
    assert [memory.get(each).version for each in ids] == [2, 2, 2, 1]
    contexts = [memory.get(each).contextualized for each in ids]
    assert ["beta" in contexts[0], "gamma" in contexts[0]] == [True, False]


def test_a_batch_completes_the_one_before(memory: Engram) -> None:
    """Within one call the batch's border leaves no trace: nothing is rewritten, and each context is complete."""
    small = Engram(
        memory.graph,
        memory.settings.model_copy(update={"batch_size": 3}),
        space=memory.space,
        embedder=memory.embedder,
    )
    lines = [f"line {word}" for word in ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta")]
    ids = store(small, talk(*lines))
    for place, memory_id in enumerate(ids):
        kept = memory.get(memory_id)
        assert kept.version == 1
        said = [line for line in lines if line in kept.contextualized]
        assert said == lines[max(0, place - 2) : place + 2]


def test_an_erased_end_is_not_completed(memory: Engram) -> None:
    """Where the last turn was erased, the one before it gets the next turn into its context."""
    first, second = store(memory, talk("alpha", "my secret is Zanzibar"))
    memory.forget(second, erase=True)
    store(memory, talk("gamma", begin=2))
    kept = memory.get(first)
    assert kept.contextualized.endswith("Noor: alpha\nNoor: gamma")
    assert says(memory, kept)


def test_a_forgotten_end_is_not_brought_back(memory: Engram) -> None:
    """A last turn that is archived stays archived, and its words come into no new context."""
    first, second = store(memory, talk("alpha", "never mind Zanzibar"))
    memory.forget(second)
    (third,) = store(memory, talk("gamma", begin=2))
    assert memory.get(second).status == "archived"
    assert "Zanzibar" not in memory.get(third).contextualized
    assert memory.get(first).content == "alpha"


# ----- Who and what is named


@pytest.mark.parametrize(
    "spellings",
    [
        ("Zoë", "ZOË", "Zoe", "Zoe\u0308", "zoë"),
        ("Ana María", "ANA MARIA", "ana  maría"),
        ("O'Neil", "O'NEIL"),
        ("Straße", "STRASSE"),
        ("日本", "日本"),
    ],
    ids=lambda names: names[0],
)
def test_a_name_is_one_entity_however_it_is_spelled(memory: Engram, spellings: tuple[str, ...]) -> None:
    """Case, accents and spacing make no other entity; it is shown as it was first spelled."""
    kept = [memory.remember(f"thing {n}", speaker=name) for n, name in enumerate(spellings)]
    found = entities(memory)
    assert list(found.values()) == [spellings[0]]
    assert [mentions(memory, each) for each in kept] == [dict.fromkeys(found, "speaker")] * len(kept)


def test_roles_say_who_spoke_and_who_was_named(memory: Engram) -> None:
    """Whoever says a thing mentions themselves as the speaker, once, and others as named."""
    kept = memory.remember("yesterday Zoë and Noor met Felix's sister in New York, said Noor", speaker="Noor")
    assert mentions(memory, kept) == {
        "noor": "speaker",
        "zoe": "named",
        "felix": "named",
        "new york": "named",
    }
    (turn,) = store(memory, [Turn(text="I told Felix", speaker="Zoë", session="s")])
    assert mentions(memory, turn) == {"zoe": "speaker", "felix": "named"}
    bare = memory.remember("nobody was there")
    assert mentions(memory, bare) == {}


def test_seen_again_mentions_nobody_twice(memory: Engram) -> None:
    """Remembering or importing the same again leaves each mention as it was."""
    memory.remember("Here comes Zoë", speaker="Noor")
    store(memory, talk("Here comes Zoë"))
    before = links(memory, "MENTIONS")
    memory.remember("Here comes Zoë", speaker="Noor")
    store(memory, talk("Here comes Zoë"))
    assert links(memory, "MENTIONS") == before
    assert len(before) == 4


def test_erasing_takes_the_names_that_nobody_else_mentions(memory: Engram) -> None:
    """An entity goes with the last memory that mentions it, and stays while another one does."""
    secret = memory.remember("At last Zoë told Felix", speaker="Noor")
    other = memory.remember("I saw Felix", speaker="Noor")
    memory.forget(secret.id, erase=True)
    assert set(entities(memory)) == {"noor", "felix"}
    assert mentions(memory, other) == {"noor": "speaker", "felix": "named"}
    memory.forget(other.id)
    assert set(entities(memory)) == {"noor", "felix"}, "forgetting keeps everything"
    memory.forget(other.id, erase=True)
    assert entities(memory) == {}


def test_erasing_takes_all_episodes_and_their_names(memory: Engram, clock: FixedClock) -> None:
    """Names that only the erased memory's several episodes mention go with them."""
    first = memory.remember("The cat is called Mitzi", speaker="Noor")
    clock.advance(timedelta(days=1))
    second = memory.remember("The cat is called Fritz", speaker="Vera", supersedes=first.id, reason="renamed")
    clock.advance(timedelta(days=1))
    memory.remember("The cat is called Mitzi", speaker="Noor", supersedes=second.id, reason="renamed back")
    memory.forget(first.id, erase=True)
    assert set(entities(memory)) == {"fritz", "vera"}


def test_a_name_in_two_spaces_is_two_entities(memory: Engram) -> None:
    """Spaces share no entity, and erasing in one leaves the other's."""
    other = Engram(memory.graph, memory.settings, space=f"{memory.space}-b", embedder=memory.embedder)
    mine = memory.remember("hello", speaker="Zoë")
    theirs = other.remember("hello", speaker="Zoë")
    memory.forget(mine.id, erase=True)
    assert entities(memory) == {}
    assert entities(other) == {"zoe": "Zoë"}
    assert mentions(other, theirs) == {"zoe": "speaker"}


def test_imports_that_share_speakers_share_their_entities(neo4j_address: Address, memory: Engram) -> None:
    """Conversations of the same people imported at once leave one entity for each, and every mention."""
    names = ("Noor", "Felix", "Zoë", "ZOE", "José", "jose", "Ana María")
    imports, length = 8, 60

    def import_one(n: int) -> int:
        # Connections of their own, as other processes have, in an order of their own.
        with Graph(
            neo4j_address.uri, neo4j_address.user, neo4j_address.password, neo4j_address.database
        ) as graph:
            settings = memory.settings.model_copy(update={"batch_size": 10})
            own = Engram(graph, settings, space=memory.space, embedder=memory.embedder)
            return own.remember_turns(
                Turn(
                    text=f"and then {names[(n + place * 3) % 7]} said {place}",
                    speaker=names[(place + n) % 7],
                    at=START + timedelta(minutes=place),
                    session=f"talk {n}",
                )
                for place in range(length)
            ).stored

    with ThreadPoolExecutor(imports) as pool:
        stored = list(pool.map(import_one, range(imports)))
    assert stored == [length] * imports
    assert set(entities(memory)) == {"noor", "felix", "zoe", "jose", "ana maria"}
    roles = [each["role"] for each in links(memory, "MENTIONS").values()]
    assert roles.count("speaker") == imports * length
    assert len(links(memory, "FOLLOWS")) == imports * (length - 1)


def test_erasing_beside_a_remember_keeps_shared_names(memory: Engram) -> None:
    """A name that is mentioned anew while its last memory is erased is there afterwards, with its mention."""
    for n in range(10):
        last = memory.remember(f"secret {n}", speaker="Zoë")
        with ThreadPoolExecutor(2) as pool:
            erased = pool.submit(memory.forget, last.id, erase=True)
            kept = pool.submit(memory.remember, f"public {n}", speaker="Zoë").result()
            erased.result()
        assert mentions(memory, kept) == {"zoe": "speaker"}
        assert entities(memory).keys() == {"zoe"}
        memory.forget(kept.id, erase=True)
        assert entities(memory) == {}
