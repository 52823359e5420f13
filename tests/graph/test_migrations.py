"""Databases that older versions made, laid with those versions' own statements, and opened with this one."""

import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engram import statements
from engram.config import Settings
from engram.embedding.protocol import unit_rows
from engram.energy import expires_at
from engram.memory import Engram
from engram.migrations import MIGRATIONS, pending
from engram.records import FOREVER, Kind
from engram.reindexing import catch_up
from engram.schema import VERSION, read_schema
from engram.testing import FixedClock, HashEmbedder
from engram.validation import content_hash, space_key
from tests.graph.apart import ask, connect, empty_database
from tests.graph.test_health import complaints

pytestmark = pytest.mark.graph

OLD_STATEMENTS = Path(__file__).with_name("migrations")
SPACE = "attic"
THEN = datetime(2026, 1, 5, 9, tzinfo=UTC)
EMBEDDER = HashEmbedder(64)
TURNS = (
    "I have moved to Utrecht with Noor",
    "The piano did not fit through the door",
    "So it stands at my aunt's in Ghent now",
)


def run_old(folder: str, name: str, /, **parameters: Any) -> list[dict[str, Any]]:
    """Run a statement as a version had it."""
    return ask((OLD_STATEMENTS / folder / f"{name}.cypher").read_text(encoding="utf-8"), **parameters)


def memory_row(index: int, content: str, at: datetime, *, identity: str, reopen: bool) -> dict[str, Any]:
    """Return what the first version stored of a memory."""
    contextualized = f"{at.day} {at:%B %Y}\nMaya: {content}"
    kind = Kind.SEMANTIC if reopen else Kind.EPISODIC
    return {
        "index": index,
        "id": f"{index:032x}",
        "content_hash": content_hash(kind, content, identity),
        "reopen": reopen,
        "tombstones": [],
        "label": kind.label,
        "embedding": EMBEDDER.embed([contextualized])[0].tolist(),
        "properties": {
            "space_key": space_key(SPACE),
            "kind": kind.value,
            "content": content,
            "contextualized": contextualized,
            "tier": "working",
            "status": "active",
            "source": "session:talk" if not reopen else "user",
            "source_tag": "external_user",
            "source_confidence": 1.0,
            "speaker": "Maya",
            "immutable": False,
            "created_at": at,
            "event_at": at,
            "known_at": at,
            "valid_from": at,
            "valid_to": FOREVER,
            "last_accessed_at": at,
            "access_count": 0,
            "accessed_at": [],
            "seen_count": 1,
            "last_seen_at": at,
            "energy": 1.0,
            "energy_at": at,
            "expires_at": expires_at(1.0, at, rate=0.5, expiry=0.1),
            "weight_alpha": 1.0,
            "weight_beta": 4.0,
            "truth_alpha": 2.0,
            "truth_beta": 1.0,
            "importance": 0.5,
            "embed_model": EMBEDDER.name,
            "version": 1,
        },
    }


def lay_first_version() -> None:
    """Lay what the first version wrote of a conversation and of a fact that was replaced three days later."""
    for name in statements.names("schema")[1:12]:
        ask(statements.load(name).text)
    run_old("v1", "12_memory_embedding", dimensions=EMBEDDER.dimensions)
    run_old("v1", "record_schema", version=1, embed_model=EMBEDDER.name, dimensions=64, now=THEN)
    ask("CALL db.awaitIndexes(60)")
    times = [THEN + timedelta(minutes=n) for n in range(len(TURNS))]
    session = {"id": "talk", "started_at": times[0], "ended_at": times[-1]}
    run_old("v1", "lock_sessions", space=SPACE, sessions=[session], now=THEN)
    talk = [
        memory_row(n, text, at, identity=f"turn:{n}", reopen=False)
        for n, (text, at) in enumerate(zip(TURNS, times, strict=True))
    ]
    facts = [
        memory_row(8, "Our key hangs at the neighbour's", THEN, identity="user", reopen=True),
        memory_row(9, "Our key lies under the pot", THEN + timedelta(days=3), identity="user", reopen=True),
    ]
    ordered = sorted([*talk, *facts], key=lambda row: str(row["content_hash"]))
    run_old("v1", "remember_memories", space=SPACE, rows=ordered, now=THEN)
    run_old(
        "v1",
        "link_turns",
        space=SPACE,
        rows=[
            {
                "turn": f"turn-{n}",
                "session": "talk",
                "text": text,
                "speaker": "Maya",
                "at": at,
                "caption": None,
                "source": None,
                "memory": talk[n]["id"],
                "previous": talk[n - 1]["id"] if n else None,
            }
            for n, (text, at) in enumerate(zip(TURNS, times, strict=True))
        ],
        tails={"talk": talk[-1]["id"]},
        now=THEN,
    )
    replaced = THEN + timedelta(days=3)
    run_old(
        "v1",
        "supersede_memory",
        space=SPACE,
        old=facts[0]["id"],
        new=facts[1]["id"],
        # It was never so, as was found out three days later.
        valid_to=THEN,
        reason="looked",
        by="user",
        now=replaced,
    )


def stamp(version: int) -> None:
    """Let the database say that this version made it."""
    ask("MATCH (s:EngramSchema) SET s.version = $version", version=version)


@pytest.fixture
def settings() -> Settings:
    """Give settings for a database as the first version left it."""
    settings = empty_database()
    lay_first_version()
    return settings


def open_it(settings: Settings, said: list[str] | None = None) -> Engram:
    """Open a database a week later."""
    clock = FixedClock(THEN + timedelta(days=7))
    notify = (said if said is not None else []).append
    return Engram.open(settings, space=SPACE, embedder=EMBEDDER, clock=clock, notify=notify)


def contents(memory: Engram, question: str, **options: Any) -> list[str]:
    """Return what a recall finds."""
    return [hit.memory.content for hit in memory.recall(question, 3, read_only=True, **options)]


def test_the_first_version_opens(settings: Settings) -> None:
    """Everything is found and believed as it was, nothing that the checks look at is wrong, and it goes on from there."""
    laid_is_old(settings)
    with open_it(settings) as memory:
        assert contents(memory, "where is the piano?")[0] in TURNS[1:]
        assert contents(memory, "where is our key?")[0] == "Our key lies under the pot"
        assert complaints(memory) == {}
        assert [step.relationship for step in memory.why(f"{9:032x}")] == ["", "SUPERSEDES"]
        record = read_schema(memory.graph)
        assert record is not None
        assert (record.version, record.migration) == (VERSION, MIGRATIONS[-1].number)
        known_by_name(memory)
        made_as_today(memory)
        again = memory.remember("Our key lies under the pot", speaker="Maya")
        assert (again.id, again.created, again.seen_count) == (f"{9:032x}", False, 2)
        before = contents(memory, "where is our key?", as_of=THEN + timedelta(days=1))
        assert before[0] == "Our key hangs at the neighbour's"
        assert memory.restore(f"{8:032x}").valid_to == FOREVER


def laid_is_old(settings: Settings) -> None:
    """Check that the database has the first version's index, and none of what came later."""
    indexes = {row["name"] for row in ask("SHOW INDEXES YIELD name RETURN name")}
    assert "memory_embedding" in indexes
    assert not indexes & {"entity_key", "memory_cursor", "turn_extract_due", "memory_embed_due"}
    with connect(settings) as graph:
        assert graph.read("migrate/read_quantization") == [{"quantized": True}]


def known_by_name(memory: Engram) -> None:
    """Check that who speaks and is named is known by name, and that facts are drawn from what was said."""
    named = ask("MATCH (:Memory)-[r:MENTIONS]->(e:Entity) RETURN DISTINCT e.name AS name, r.role AS role")
    assert {row["name"]: row["role"] for row in named} == {
        "Maya": "speaker",
        "Utrecht": "named",
        "Noor": "named",
        "Ghent": "named",
    }
    due = memory.graph.read("believe/extract_count_due", space=SPACE, now=memory.now())
    assert due == [{"due": len(TURNS)}]
    assert {row["tag"] for row in ask("MATCH (t:Turn) RETURN t.source_tag AS tag")} == {"external_user"}


def made_as_today(memory: Engram) -> None:
    """Check that vectors of the context alone are made anew of what was said and its context, and rounded by no index."""
    assert catch_up(memory.graph, EMBEDDER, memory.ensure_schema(), most=None).due is False
    assert memory.ensure_schema().due is False
    for row in ask(
        "MATCH (m:Memory) RETURN m.content AS said, m.contextualized AS context, m.embedding AS vector"
    ):
        said, context = EMBEDDER.embed([row["said"], row["context"]])
        assert np.allclose(row["vector"], unit_rows([said + context])[0], atol=1e-6)
    assert memory.graph.read("migrate/read_quantization") == [{"quantized": False}]


def test_an_opening_that_died_is_finished(settings: Settings) -> None:
    """What was migrated already is not migrated again, and the version is recorded when all is done."""

    class PowerCutError(Exception):
        pass

    def die(line: str) -> None:
        if MIGRATIONS[3].title in line:
            raise PowerCutError

    with pytest.raises(PowerCutError):
        Engram.open(settings, space=SPACE, embedder=EMBEDDER, notify=die)
    with connect(settings) as graph:
        record = read_schema(graph)
    assert record is not None
    assert (record.version, record.migration) == (1, MIGRATIONS[2].number)
    said: list[str] = []
    with open_it(settings, said) as memory:
        assert len(said) == len(MIGRATIONS) - 3
        assert complaints(memory) == {}
    with open_it(settings, said):
        assert len(said) == len(MIGRATIONS) - 3


def test_two_openings_at_once(settings: Settings) -> None:
    """Two processes that find an old database migrate it both, to no harm."""
    failures: list[BaseException] = []

    def open_and_look() -> None:
        try:
            with open_it(settings) as memory:
                assert contents(memory, "where is our key?")[0] == "Our key lies under the pot"
        except BaseException as error:  # noqa: BLE001  (told to the test's own thread)
            failures.append(error)

    threads = [threading.Thread(target=open_and_look) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    with open_it(settings) as memory:
        assert complaints(memory) == {}
    assert ask("MATCH (m:Memory)-[r:MENTIONS]->(e) WITH m, e, count(r) AS n WHERE n > 1 RETURN m") == []


def test_what_the_second_version_left_due(settings: Settings) -> None:
    """A promotion that only its time was kept of is complete, and days of use count from the times of access."""
    with open_it(settings):
        pass  # the second version's own constraints are this one's
    ask("MATCH (m:Memory) REMOVE m.embed_due")
    stamp(2)
    used = f"{1:032x}"
    for n in range(4):
        run_old("v2", "learn_from_recall", **lesson(n, used, THEN + timedelta(days=n // 2, minutes=n)))
    row = ask("MATCH (m:Memory {id: $id}) RETURN m", id=used)[0]["m"]
    assert row["promote_due_at"] is not None
    assert "due_tier" not in row
    ask("MATCH (s:EngramSchema) REMOVE s.migration")
    with open_it(settings) as memory:
        assert complaints(memory) == {}
        assert memory.ensure_schema().due is False
    row = ask("MATCH (m:Memory {id: $id}) RETURN m", id=used)[0]["m"]
    assert (row["due_tier"], row["days_used"]) == ("shortTerm", 2)
    assert row["promote_times"] == [row["promote_due_at"]]


def lesson(number: int, used: str, at: datetime) -> dict[str, Any]:
    """Return what the second version learned from a recall of one memory."""
    terms = {"base_level": 0.1, "spreading": 0.0, "partial_match": 0.0}
    return {
        "space": SPACE,
        "ids": [used],
        "hits": [{"id": used, "rank": 1, "score": 1.0, "terms": terms, "lift": [0.0] * 5}],
        "missed": [],
        "pairs": [],
        "recall": {
            "id": f"recall-{number}",
            "query": "the piano",
            "query_hash": "x",
            "mode": "search",
            "k": 1,
            "hops": 1,
            "session": None,
        },
        "rates": {"working": 0.5, "shortTerm": 0.05, "longTerm": 0.001},
        "access": {
            "energy": 1.0,
            "weight": 1.0,
            "miss": 0.1,
            "half": 10.0,
            "prior": 5.0,
            "session_cap": 4,
            "kept": 64,
        },
        "bars": {"working": 1.9, "shortTerm": 5.0},
        "expiry_energy": 0.1,
        "pair_half": 20.0,
        "now": at,
    }


def test_each_version_needs_what_came_after_it() -> None:
    """Migrations are numbered in order, and none is for what a version wrote already as it is today."""
    assert [each.number for each in MIGRATIONS] == list(range(1, len(MIGRATIONS) + 1))
    assert [each.number for each in pending(version=1, done=0)] == [each.number for each in MIGRATIONS]
    assert [each.number for each in pending(version=4, done=0)] == [5]
    assert [each.number for each in pending(version=1, done=6)] == [7]
    assert pending(version=VERSION, done=0) == []
