"""LangGraph's store on the real graph: it behaves as LangGraph's own reference store, and keeps Engram's rules."""

import asyncio
import threading
from collections.abc import Iterator
from datetime import timedelta
from typing import Any, TypedDict

import pytest
from langgraph.graph import END, START, StateGraph
from langgraph.store.base import (
    BaseStore,
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    SearchOp,
)
from langgraph.store.memory import InMemoryStore

from engram import statements
from engram.doors.langgraph_store import EngramStore
from engram.errors import ErasedError, InvalidInputError
from engram.memory import Engram
from engram.records import Turn
from engram.testing import FixedClock
from tests.graph.beside import another, everything

pytestmark = pytest.mark.graph

ITEMS: tuple[tuple[tuple[str, ...], str, dict[str, Any]], ...] = (
    (("users", "ines"), "diet", {"text": "Ines is allergic to peanuts", "weight": 3, "tags": ["food"]}),
    (("users", "ines"), "home", {"text": "She lives in Porto", "weight": 5, "at": {"city": "Porto"}}),
    (
        ("users", "ines", "old"),
        "home",
        {"text": "She lived in Ghent", "weight": 1.5, "at": {"city": "Ghent"}},
    ),
    (("users", "noor"), "diet", {"text": "Noor eats everything", "weight": -2, "gone": None}),
    (("users2", "ines"), "diet", {"text": "another tenant", "weight": 3}),
    (("docs", "ünïcode", "a_%"), "clé 🗝", {"text": "naïve façade", "nested": [{"deep": [1, {"x": True}]}]}),
    (("users", "noor"), "empty", {}),
)


@pytest.fixture
def store(memory: Engram) -> Iterator[EngramStore]:
    """Give a store on a clean space."""
    with EngramStore(memory) as opened:
        yield opened


def fill(store: BaseStore) -> BaseStore:
    """Put what the tests look for, some of it twice, and delete one."""
    store.put(("users", "ines"), "home", {"text": "She lives in Braga"})
    store.put(("users", "noor"), "gone", {"text": "deleted below"})
    for namespace, key, value in ITEMS:
        store.put(namespace, key, value)
    store.delete(("users", "noor"), "gone")
    store.delete(("users", "noor"), "never there")
    return store


def found(result: Any) -> Any:
    """Return a result with all but times and scores, and what has no order in order."""
    if isinstance(result, list):
        return sorted(map(found, result), key=repr)
    return (
        result
        if result is None or isinstance(result, tuple)
        else (result.namespace, result.key, result.value)
    )


def condition(kind: Any, *path: str) -> MatchCondition:
    """Return a condition on namespaces."""
    return MatchCondition(match_type=kind, path=path)


READS: list[Op] = [
    *(GetOp(namespace, key) for namespace, key, _ in ITEMS),
    GetOp(("users", "noor"), "gone"),
    GetOp(("users",), "home"),
    *(
        SearchOp(prefix, limit=100)
        for prefix in ((), ("users",), ("users", "ines"), ("user",), ("docs", "ünïcode"))
    ),
    *(
        SearchOp(("users",), filter=wanted, limit=100)
        for wanted in (
            {"weight": 3},
            {"weight": {"$eq": 3}},
            {"text": {"$ne": "She lives in Porto"}},
            {"at": {"city": "Porto"}},
            {"tags": ["food"]},
            {"missing": None},
            {"missing": 1},
            {"gone": None, "weight": -2},
        )
    ),
    *(
        SearchOp(("users", "ines"), filter=wanted, limit=100)
        for wanted in (
            {"weight": {"$gt": 3}},
            {"weight": {"$gte": 3}},
            {"weight": {"$lt": 3}},
            {"weight": {"$lte": 3, "$gt": 1}},
        )
    ),
    *(
        ListNamespacesOp(match_conditions=conditions, max_depth=depth, limit=limit, offset=offset)
        for conditions, depth, limit, offset in (
            (None, None, 100, 0),
            (None, 1, 100, 0),
            (None, 2, 2, 1),
            ((condition("prefix", "users"),), None, 100, 0),
            ((condition("prefix", "users", "*"),), 2, 100, 0),
            ((condition("suffix", "ines"),), None, 100, 0),
            ((condition("prefix", "*", "ines"), condition("suffix", "old")), None, 100, 0),
            ((condition("suffix", "*", "*", "*", "*"),), None, 100, 0),
        )
    ),
]


def test_reads_as_the_reference_store_does(store: EngramStore) -> None:
    """After the same writes, every read gives what LangGraph's own in-memory store gives."""
    given = fill(store).batch(READS)
    # One by one: the reference store lists a namespace from when it is first looked into.
    expected = [fill(InMemoryStore()).batch([op])[0] for op in READS]
    for op, mine, theirs in zip(READS, given, expected, strict=True):
        assert found(mine) == found(theirs), op


def test_a_batch_reads_what_was_there_before_it(store: EngramStore) -> None:
    """Reads of a batch see nothing of its puts, results keep the order, and the last put of a key counts."""
    ops: list[Op] = [
        PutOp(("n",), "k", {"v": 1}),
        GetOp(("n",), "k"),
        PutOp(("n",), "k", {"v": 2}),
        SearchOp(("n",)),
    ]
    reference = InMemoryStore()
    assert store.batch(ops) == reference.batch(ops) == [None, None, None, []]
    assert store.get(("n",), "k").value == reference.get(("n",), "k").value == {"v": 2}  # type: ignore[union-attr]


def test_async_methods(store: EngramStore) -> None:
    """Every method has its awaited form, and many at once are carried out."""

    async def use() -> None:
        await asyncio.gather(
            *(store.aput(("many",), f"k{i}", {"n": i, "text": f"note {i}"}) for i in range(8))
        )
        assert {item.value["n"] for item in await store.asearch(("many",), limit=20)} == set(range(8))
        assert (await store.aget(("many",), "k3")).value["n"] == 3  # type: ignore[union-attr]
        await store.adelete(("many",), "k3")
        assert await store.aget(("many",), "k3") is None
        assert await store.alist_namespaces() == [("many",)]

    asyncio.run(use())


def test_search_answers_in_plain_language(store: EngramStore) -> None:
    """A query ranks by meaning and words within its namespace, with falling scores, filters and pages."""
    fill(store)
    best = store.search(("users",), query="what must Ines not eat, is she allergic to peanuts?")
    assert (best[0].namespace, best[0].key) == (("users", "ines"), "diet")
    assert [item.score for item in best] == sorted((item.score or 0 for item in best), reverse=True)
    assert {item.namespace[0] for item in best} == {"users"}
    light = store.search(("users",), query="lived in Ghent", filter={"weight": {"$lt": 3}})
    assert [item.key for item in light] == ["home", "diet"]
    pages = [store.search(("users",), query="diet", limit=2, offset=at) for at in (0, 2, 4)]
    # An empty value has no words to be found by.
    assert len({(item.namespace, item.key) for page in pages for item in page}) == 4


def test_a_large_namespace_does_not_starve_a_small_one(store: EngramStore, memory: Engram) -> None:
    """A search finds the one item of its namespace, though the space holds a hundred that are nearer."""
    memory.remember_turns(Turn(text=f"The ferry to Texel leaves at {i}", speaker="Noor") for i in range(120))
    store.put(("small",), "only", {"text": "A ferry sails to Texel"})
    assert [item.key for item in store.search(("small",), query="The ferry to Texel leaves at 7")] == ["only"]


def test_index_says_what_a_search_finds(store: EngramStore, memory: Engram) -> None:
    """`index` names the searched fields; with False an item is read and listed, and no query finds it."""
    value = {"title": "harbour", "body": [{"line": "peanuts"}, {"line": "ferries"}], "secret": "marzipan"}
    store.put(("n",), "fields", value, index=["title", "body[*].line"])
    store.put(("n",), "hidden", {"text": "harbour"}, index=False)
    text = memory.recall("harbour peanuts ferries", read_only=True)[0].memory.content
    assert text == "harbour\npeanuts\nferries"
    assert [item.key for item in store.search(("n",), query="harbour")] == ["fields"]
    assert {item.key for item in store.search(("n",))} == {"fields", "hidden"}
    assert store.get(("n",), "hidden").value == {"text": "harbour"}  # type: ignore[union-attr]


def test_an_item_is_a_memory_with_its_history(store: EngramStore, memory: Engram, clock: FixedClock) -> None:
    """A put that replaces supersedes: recall has the new one, `why` both, and the item keeps its first time."""
    store.put(("users", "ines"), "home", {"text": "Ines lives in Ghent"})
    first = clock.now
    clock.advance(timedelta(hours=1))
    store.put(("users", "ines"), "home", {"text": "Ines lives in Porto"})
    item = store.get(("users", "ines"), "home")
    assert item is not None
    assert (item.created_at, item.updated_at) == (first, clock.now)
    (hit,) = memory.recall("Where does Ines live?", read_only=True)
    assert hit.memory.source_tag == "external_agent"
    assert hit.memory.truth_alpha == 1.0
    assert [step.relationship for step in memory.why(hit.memory.id)][1:] == ["SUPERSEDES"]
    old = memory.recall("Where does Ines live?", as_of=first, read_only=True)
    assert "Ghent" in old[0].memory.content


def test_searching_teaches_and_can_be_told_not_to(store: EngramStore, memory: Engram) -> None:
    """What a search finds was used, as after a recall; a store that does not learn changes nothing."""
    store.put(("n",), "k", {"text": "the ferry"})
    before = everything(memory)
    EngramStore(memory, learn=False).search(("n",), query="ferry")
    assert everything(memory) == before
    store.search(("n",), query="ferry")
    store.close()
    assert memory.recall("ferry", read_only=True)[0].memory.access_count == 1


def test_put_again_after_delete_begins_anew(store: EngramStore, memory: Engram) -> None:
    """The same value comes back after a delete; put twice it is one memory; what was deleted is out of recall."""
    for _ in range(2):
        store.put(("n",), "k", {"text": "the ferry"})
    assert memory.stats().memories == 1
    store.delete(("n",), "k")
    assert memory.recall("ferry", read_only=True) == []
    store.put(("n",), "k", {"text": "the ferry"})
    assert store.get(("n",), "k").value == {"text": "the ferry"}  # type: ignore[union-attr]
    assert memory.stats().by_status == {"active": 1, "archived": 1}


def test_erase_leaves_no_version(store: EngramStore, memory: Engram) -> None:
    """Erasing a key takes every version, a namespace all below it, and neither what only begins alike."""
    fill(store)
    assert store.erase(("users", "ines"), "home") == 2
    assert store.erase(("users",)) == 5
    assert "Braga" not in repr(everything(memory, leave_out=("Tombstone",)))
    assert store.list_namespaces() == [("docs", "ünïcode", "a_%"), ("users2", "ines")]
    with pytest.raises(ErasedError):
        store.put(("users", "ines"), "diet", ITEMS[0][2])
    store.put(("users", "ines"), "diet", {"text": "eats all"})


def test_erase_counts_a_value_that_was_put_again(store: EngramStore, memory: Engram) -> None:
    """A value that was put, replaced and put again stands twice: erasing takes all three versions, and says so."""
    for text in ("the ferry", "the train", "the ferry"):
        store.put(("n",), "k", {"text": text})
    assert memory.stats().memories == 3
    assert store.erase(("n",), "k") == 3
    assert memory.stats().memories == 0
    assert store.erase(("n",), "k") == 0


def test_spaces_are_apart(store: EngramStore, memory: Engram, clock: FixedClock) -> None:
    """A store sees, lists, finds, deletes and erases nothing of another space, under the same names."""
    with EngramStore(another(memory, clock)) as other:
        fill(other)
        before = everything(other.memory)
        assert store.batch([GetOp(("users", "ines"), "home"), SearchOp(()), ListNamespacesOp()]) == [
            None,
            [],
            [],
        ]
        assert store.search((), query="Where does she live?") == []
        store.delete(("users", "ines"), "home")
        assert store.erase(("users",)) == 0
        assert everything(other.memory) == before


@pytest.mark.parametrize("name", [each for each in statements.names() if each.startswith("store/")])
def test_statements_read_no_other_memories(memory: Engram, name: str) -> None:
    """What a store asks for is found by its index, however much else the database remembers."""
    plan = memory.graph.explain(name, **dict.fromkeys(statements.load(name).declared))
    assert any("IndexSeek" in operator for operator in plan)
    assert not [operator for operator in plan if "Scan" in operator]


def test_two_writers_of_one_key_leave_one_standing(store: EngramStore, memory: Engram) -> None:
    """However many put a key at once, one value stands afterwards, and every read gave some value."""
    barrier = threading.Barrier(6)

    def write(number: int) -> None:
        barrier.wait()
        for turn in range(3):
            store.put(("n",), "k", {"text": f"value {number} {turn}"})

    writers = [threading.Thread(target=write, args=(number,)) for number in range(6)]
    for each in writers:
        each.start()
    for each in writers:
        each.join()
    assert memory.stats().by_status == {"active": 1, "superseded": 17}
    assert len(store.search(())) == 1


@pytest.mark.parametrize("namespace", [("a.b",), ("a", ""), (1,), ("a\x00",)])
def test_bad_namespaces_are_refused(store: EngramStore, namespace: Any) -> None:
    """A label with a full stop, empty, no text or with a NUL is refused, past the public methods too."""
    with pytest.raises(InvalidNamespaceError):
        store.batch([PutOp(namespace, "k", {"a": 1})])
    with pytest.raises(InvalidNamespaceError):
        store.batch([SearchOp(namespace)])


@pytest.mark.parametrize("value", [{"a": object()}, {"a": float("nan")}, {"a": "\ud800"}, {"a": "x" * 2**20}])
def test_unusable_values_are_refused_whole(store: EngramStore, memory: Engram, value: Any) -> None:
    """What is no JSON, no text or too long is refused with a reason, and nothing is stored."""
    with pytest.raises(InvalidInputError):
        store.put(("n",), "k", value)
    with pytest.raises(InvalidInputError):
        store.put(("n",), "k" * 2_001, {"a": 1})
    assert memory.stats().memories == 0


def test_unknown_operators_and_ttl_are_refused(store: EngramStore) -> None:
    """A filter operator that there is not, and time to live, are errors and no empty answers."""
    store.put(("n",), "k", {"a": 1})
    with pytest.raises(InvalidInputError, match=r"\$regex"):
        store.search(("n",), filter={"a": {"$regex": "x"}})
    with pytest.raises(NotImplementedError):
        store.put(("n",), "k", {"a": 1}, ttl=5)
    assert store.search(("n",), filter={"a": {"$gt": "text"}}) == []


class Talk(TypedDict):
    """The state of a graph."""

    said: str


def test_a_graph_uses_it(store: EngramStore) -> None:
    """A LangGraph graph that is compiled with the store reads and writes it from its nodes."""

    def note(state: Talk, *, store: BaseStore) -> Talk:
        store.put(("notes",), "last", {"text": state["said"]})
        return {"said": store.search(("notes",), query="ferry")[0].value["text"].upper()}

    builder = StateGraph(Talk)
    builder.add_node("note", note)
    builder.add_edge(START, "note")
    builder.add_edge("note", END)
    assert builder.compile(store=store).invoke({"said": "the ferry"}) == {"said": "THE FERRY"}
