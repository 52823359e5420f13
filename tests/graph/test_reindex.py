"""Another embedding model while the memory is in use, on a database of its own."""

import io
import threading
from collections.abc import Callable, Iterator, Sequence

import pytest

from engram.config import Settings
from engram.embedding import Task
from engram.embedding.protocol import Vectors
from engram.errors import DatabaseError, EmbedderMismatchError, EmbeddingError, InvalidInputError
from engram.goals import Goals
from engram.identity import person
from engram.memory import Engram
from engram.moving.exporting import export_space
from engram.moving.files import Source
from engram.moving.labels import KEYS
from engram.moving.restoring import Restored, restore_file
from engram.moving.script import write_script
from engram.moving.stage import Advance
from engram.records import Turn
from engram.reindexing import Reindexed, confirm, go_back, reindex, standing
from engram.testing import FixedClock, HashEmbedder
from tests.graph.apart import ask, empty_database
from tests.graph.beside import run
from tests.graph.test_health import complaints
from tests.graph.test_moving import held, lay_all, live

pytestmark = pytest.mark.graph

OLD, NEW = 64, 96
"""Dimensions of the two models."""
KEY = "Maya keeps the red key under the blue stone"
SAID = [KEY] + [
    f"In the year {year} the harbour of Ostend had {year % 89} boats" for year in range(1900, 1959)
]
QUESTION = "Where does Maya keep the red key?"
SINGLE = frozenset(label for label, names in KEYS.items() if not names)
"""Labels of which a space that is lived in may have its one node."""


class Watched(HashEmbedder):
    """Counts the texts that it embeds, and does something before each batch."""

    def __init__(self, dimensions: int, before: Callable[[int], None] = lambda _: None) -> None:
        super().__init__(dimensions)
        self.texts = 0
        self._before = before

    def embed(self, texts: Sequence[str], task: Task = Task.DOCUMENT) -> Vectors:
        """Return one unit vector per text."""
        self._before(self.texts)
        self.texts += len(texts)
        return super().embed(texts, task)


@pytest.fixture
def settings() -> Settings:
    """Give settings for an empty database."""
    return empty_database(indexes=True)


@pytest.fixture
def opened(settings: Settings) -> Iterator[Callable[..., Engram]]:
    """Give what opens the database as another process would."""
    memories: list[Engram] = []

    def open_it(dimensions: int, space: str = "harbour") -> Engram:
        memory = Engram.open(settings, space=space, embedder=HashEmbedder(dimensions), clock=FixedClock())
        memories.append(memory)
        return memory

    yield open_it
    for memory in memories:
        memory.close()


def lay(memory: Engram) -> None:
    """Store a conversation of 60 turns."""
    memory.remember_turns(Turn(text=text, speaker="Maya", session="talk") for text in SAID)


def found(memory: Engram, question: str) -> str:
    """Return the best answer to a question, which has been found by its vector too."""
    best = memory.recall(question, 3, read_only=True)[0]
    assert best.similarity is not None
    return best.memory.content


def lacking(slot: str) -> int:
    """Count the memories that have no vector in a slot."""
    count: int = ask(f"MATCH (m:Memory) WHERE m.{slot} IS NULL RETURN count(m) AS n")[0]["n"]
    return count


def test_recall_goes_on_and_then_switches(opened: Callable[..., Engram]) -> None:
    """The old vectors answer until the new ones are there; then all spaces have those, and new processes only those."""
    memory, other = opened(OLD), opened(OLD, "kitchen")
    lay(memory)
    other.remember("Tea is served at four")
    asked = []

    def recall(_: int) -> None:
        asked.append(found(memory, QUESTION))

    done = reindex(memory.graph, Watched(NEW, recall))
    assert done == Reindexed(state="kept", made=61, embed_model="hash-96", dimensions=NEW, slot="b")
    assert len(asked) > 1
    assert {*asked} == {KEY}
    now = standing(memory.graph)
    assert (now.state, now.other_model, now.memories, now.made) == ("kept", "hash-64", 61, 61)
    with pytest.raises(EmbedderMismatchError, match="engram config set embed_model"):
        opened(OLD).recall(QUESTION)
    fresh = opened(NEW)
    assert found(fresh, QUESTION) == KEY
    assert {hit.memory.embed_model for hit in fresh.recall(QUESTION, 20)} == {"hash-96"}
    assert found(opened(NEW, "kitchen"), "When is tea served?") == "Tea is served at four"
    # What was open before goes on with the vectors that it knows.
    assert found(memory, QUESTION) == KEY
    assert complaints(fresh) == {}
    for row in fresh.graph.read(
        "inspect/get_memory", space="harbour", prefix=fresh.recall(QUESTION)[0].memory.id
    ):
        assert row["memory"]["embedding"] is row["memory"]["embedding_b"] is None


def test_nothing_stored_meanwhile_is_lost(opened: Callable[..., Engram]) -> None:
    """What others store while the vectors are made, and after the switch by who has not noticed, is found by meaning."""
    memory, writer = opened(OLD), opened(OLD)
    lay(memory)
    written: list[str] = []
    over = threading.Event()

    def write() -> None:
        while not over.is_set():
            written.append(f"The ferry number {len(written)} came in late")
            writer.remember(written[-1])

    thread = threading.Thread(target=write)

    def begin(texts: int) -> None:
        if not texts:
            thread.start()

    try:
        reindex(memory.graph, Watched(NEW, begin))
    finally:
        over.set()
        thread.join()
    written.append("The tram came in late")
    writer.remember(written[-1])
    writer.remember_turns([Turn(text="And after that the rain", speaker="Maya", session="talk", id="last")])
    fresh = opened(NEW)
    assert found(fresh, "the tram") == "The tram came in late"
    assert found(fresh, "the rain after that") == "And after that the rain"
    assert len(written) > 3
    assert lacking("embedding_b") == 0
    assert ask("MATCH (m:Memory) RETURN DISTINCT m.embed_model AS name, m.embed_due AS due") == [
        {"name": "hash-96", "due": None}
    ]
    assert complaints(fresh) == {}


def test_cut_off_it_goes_on(opened: Callable[..., Engram]) -> None:
    """What is made already is not made again, and only what was under way is."""
    memory = opened(OLD)
    lay(memory)

    def fail(texts: int) -> None:
        if texts:
            raise EmbeddingError

    with pytest.raises(EmbeddingError):
        reindex(memory.graph, Watched(NEW, fail))
    now = standing(memory.graph)
    assert (now.state, now.other_model, now.made) == ("filling", "hash-96", 50)
    assert found(opened(OLD), QUESTION) == KEY
    again = Watched(NEW)
    assert reindex(memory.graph, again).made == 10
    assert again.texts == 2 * 10
    with pytest.raises(InvalidInputError, match="third"):
        reindex(memory.graph, HashEmbedder(32))


def test_one_at_a_time(opened: Callable[..., Engram]) -> None:
    """A second reindex is told who is at it; one that has died holds up nobody."""
    memory, other = opened(OLD), opened(OLD)
    lay(memory)
    refused = []

    def second(_: int) -> None:
        with pytest.raises(DatabaseError, match="under way already") as error:
            reindex(other.graph, HashEmbedder(NEW))
        refused.append(error.value.message)

    lease = {"space": "", "phase": "reindex", "lease_seconds": 600}
    memory.graph.write("write/take_lease", run="dead", worker=f"{person()}:999999999", **lease)
    reindex(memory.graph, Watched(NEW, second))
    assert refused
    assert all(person() in message for message in refused)


def test_there_and_back_and_for_good(opened: Callable[..., Engram]) -> None:
    """Back with what was stored meanwhile, forward again for nothing but that, and confirmed nothing old is left."""
    memory = opened(OLD)
    lay(memory)
    old, new = HashEmbedder(OLD), Watched(NEW)
    reindex(memory.graph, new)
    fresh = opened(NEW)
    fresh.remember("The lighthouse is open on Sundays")
    with pytest.raises(EmbedderMismatchError, match="hash-64"):
        go_back(fresh.graph, lambda: new)
    assert standing(fresh.graph).state == "returning"
    assert go_back(fresh.graph, lambda: old).embed_model == "hash-64"
    back = opened(OLD)
    assert found(back, "Is the lighthouse open on Sundays?") == "The lighthouse is open on Sundays"
    assert {hit.memory.embed_model for hit in back.recall(QUESTION, 20)} == {"hash-64"}

    back.remember("The pier is closed on Mondays")
    new.texts = 0
    assert reindex(back.graph, new).made == 1
    assert new.texts == 2
    assert confirm(back.graph, lambda: new).state == "confirmed"
    fresh = opened(NEW)
    assert found(fresh, "Is the pier closed on Mondays?") == "The pier is closed on Mondays"
    assert lacking("embedding") == 62
    assert {row["name"] for row in ask("SHOW VECTOR INDEXES YIELD name RETURN name")} == {
        "memory_embedding_b"
    }
    assert ask("MATCH (n) WHERE n.centroid IS NOT NULL OR n.embedding IS NOT NULL RETURN n LIMIT 1") == []
    assert standing(fresh.graph).state is None
    with pytest.raises(InvalidInputError):
        go_back(fresh.graph, lambda: old)
    with pytest.raises(InvalidInputError, match="nothing to confirm"):
        confirm(fresh.graph, lambda: new)

    # The next one goes into the slot that is free now, and may be given up.
    def stop(texts: int) -> None:
        if texts:
            raise EmbeddingError

    with pytest.raises(EmbeddingError):
        reindex(fresh.graph, Watched(32, stop))
    assert go_back(fresh.graph, lambda: new).state == "abandoned"
    assert found(opened(NEW), QUESTION) == KEY
    assert lacking("embedding") == 62
    assert fresh.ensure_schema().other is None


def test_who_slept_through_it_is_told(opened: Callable[..., Engram]) -> None:
    """A process from before whose vectors are gone is told to open again; what it stores is found all the same."""
    memory = opened(OLD)
    lay(memory)
    reindex(memory.graph, HashEmbedder(NEW))
    asleep = opened(NEW)
    asleep.graph.slot, asleep.graph.generation = "a", 0  # as of before the switch
    confirm(memory.graph, lambda: HashEmbedder(NEW))
    with pytest.raises(EmbedderMismatchError, match="switched"):
        asleep.recall(QUESTION)
    stored = asleep.remember("The baker is on holiday")
    assert ask("MATCH (m:Memory {id: $id}) RETURN m.embedding AS v", id=stored.id) == [{"v": None}]
    # Vectors of a third model, in the slot that it knows, are none of its own either.
    reindex(memory.graph, HashEmbedder(NEW + 1))
    with pytest.raises(EmbedderMismatchError, match="hash-97"):
        asleep.recall("what")
    assert found(opened(NEW + 1), "Is the baker on holiday?") == "The baker is on holiday"


def test_what_is_made_of_vectors_is_made_anew(opened: Callable[..., Engram]) -> None:
    """Goals get vectors of the new model; clusters, boxes and traces the mean of what belongs to them."""
    memory = opened(OLD)
    lay(memory)
    goals = Goals(memory.graph, memory.embedder, space="harbour", clock=FixedClock())
    goals.add("See the harbour of Ostend")
    ids = sorted(row["id"] for row in ask("MATCH (m:Memory) RETURN m.id AS id"))
    memory.graph.write(
        "consolidate/form_clusters",
        space="harbour",
        rows=[{"id": "boats", "size": 60, "label": "boats", "sample": ids, "split_from": None}],
        now=FixedClock().now,
    )
    memory.graph.write(
        "consolidate/add_cluster_members", space="harbour", pairs=[[id_, "boats"] for id_ in ids]
    )
    ask(
        "MATCH (m:Memory) WITH m ORDER BY m.id LIMIT 5 WITH collect(m) AS some "
        "CREATE (b:MemoryBox {id: 'box', space: 'harbour', size: 5, centroid: some[0].embedding})"
        "-[:IN_TRACE]->(t:Trace {id: 'trace', space: 'harbour', boxes: 1, centroid: some[0].embedding}) "
        "FOREACH (m IN some | CREATE (m)-[:IN_BOX {place: 0}]->(b))"
    )
    reindex(memory.graph, HashEmbedder(NEW))
    fresh = opened(NEW)
    goals = Goals(fresh.graph, fresh.embedder, space="harbour", clock=FixedClock())
    assert [len(goal.embedding) for goal in goals.list()] == [NEW]
    made = ask(
        "MATCH (n) WHERE n.centroid IS NOT NULL RETURN labels(n)[0] AS what, size(n.centroid_b) AS size, "
        "sqrt(reduce(s = 0.0, x IN n.centroid_b | s + x * x)) AS length ORDER BY what"
    )
    assert [(row["what"], row["size"]) for row in made] == [
        ("MemoryBox", NEW),
        ("SemanticCluster", NEW),
        ("Trace", NEW),
    ]
    assert all(row["length"] == pytest.approx(1.0, abs=1e-5) for row in made)
    # Formed anew by the new model, a cluster has no mean of the old one; going back makes it.
    fresh.graph.write(
        "consolidate/form_clusters",
        space="harbour",
        rows=[{"id": "boats", "size": 60, "label": "boats", "sample": ids, "split_from": None}],
        now=FixedClock().now,
    )
    assert ask("MATCH (c:SemanticCluster) RETURN c.centroid AS c") == [{"c": None}]
    go_back(fresh.graph, lambda: HashEmbedder(OLD))
    assert ask("MATCH (c:SemanticCluster) RETURN size(c.centroid) AS c") == [{"c": OLD}]


def exported(memory: Engram) -> bytes:
    """Return a file of the memory's space."""
    assert memory.flush()
    file = io.BytesIO()
    record = memory.ensure_schema()
    export_space(memory.graph, record, file, space=memory.space, embeddings=True, now=memory.now())
    return file.getvalue()


def restored(
    memory: Engram, data: bytes, meanwhile: Callable[[], None] = lambda: None, *, copy: bool = True
) -> Restored:
    """Restore a file in small portions, into its own space or beside it, and do something after the first one."""
    waiting = [meanwhile]

    def advance(_: int) -> None:
        if waiting:
            waiting.pop()()

    def stage(what: str, total: int | None) -> Advance:
        del total
        return advance if what == "restoring" else lambda _: None

    source = Source(io.BytesIO(data), "file")
    return restore_file(
        memory.graph,
        lambda: memory.embedder,
        source,
        space="copy" if copy else None,
        new_ids=copy,
        portion=20,
        stage=stage,
    )


def test_no_reindex_during_a_restore(opened: Callable[..., Engram]) -> None:
    """Neither begins while the other is under way; one that slept while the model was changed stops, and can go on."""
    memory, other = opened(OLD), opened(OLD)
    lay(memory)
    data = exported(memory)
    refused = []

    def refuse(begin: Callable[[], object], said: str) -> None:
        with pytest.raises(DatabaseError, match=said):
            begin()
        refused.append(said)

    def begin_reindex() -> None:
        refuse(
            lambda: reindex(other.graph, HashEmbedder(NEW)),
            "restore into the space 'copy' is under way already",
        )
        refuse(lambda: restored(other, data), "restore into the space 'copy' is under way already")

    def begin_restore(_: int) -> None:
        refuse(lambda: restored(other, data), "A reindex is under way already")

    restored(memory, data, begin_reindex)
    reindex(memory.graph, Watched(NEW, begin_restore))
    assert len(refused) > 2

    fresh = opened(NEW)

    def sleep() -> None:
        ask("MATCH (a:ConsolidationAttempt) SET a.lease_until = datetime() - duration('PT1S')")
        go_back(other.graph, lambda: HashEmbedder(OLD))

    ask("MATCH (n {space: 'copy'}) DETACH DELETE n")
    with pytest.raises(DatabaseError, match="switched to another embedding model"):
        restored(fresh, data, sleep)
    restored(opened(OLD), data)
    assert lacking("embedding") == 0
    assert found(opened(OLD, "copy"), QUESTION) == KEY


def test_a_script_rebuilds_the_space(opened: Callable[..., Engram], settings: Settings) -> None:
    """Run statement by statement, it brings back all but vectors; these are made when the database is opened."""
    memory = opened(OLD)
    lay(memory)
    live(memory, FixedClock())
    lay_all(memory, leave_out=SINGLE)
    vectors = {"embedding", "centroid", "embed_due"}
    before = held(memory, without=vectors)
    script = io.BytesIO()
    write_script(Source(io.BytesIO(exported(memory)), "file"), script)
    assert empty_database(indexes=True) == settings
    for statement in script.getvalue().decode().split(";\n"):
        if statement.strip():
            ask(statement)
    assert held(memory, without=vectors) == before
    assert lacking("embedding") > len(SAID)
    assert lacking("embed_due") == 0
    assert found(opened(OLD), QUESTION) == KEY
    assert lacking("embedding") == 0


def test_a_stale_vector_is_made_anew(opened: Callable[..., Engram]) -> None:
    """A vector that was due to be made anew is not in the file; restored, the memory has that of its text."""
    memory = opened(OLD)
    stored = memory.remember("Ada keeps bees.")
    fresh = run(memory, "read_vector", id=stored.id)[0]["embedding"]
    stale = memory.embedder.embed(["Something else."])[0].tolist()
    run(memory, "set_properties", id=stored.id, properties={"embed_due": True, "embedding": stale})
    data = exported(memory)
    ask("MATCH (n {space: $space}) DETACH DELETE n", space=memory.space)

    done = restored(memory, data, copy=False)
    assert done.embedded == 1
    assert run(memory, "read_vector", id=stored.id)[0]["embedding"] == pytest.approx(fresh)
    assert "embed_due" not in repr(held(memory))
    again = restored(memory, data, copy=False)
    assert (again.created.total, again.embedded) == (0, 0)
