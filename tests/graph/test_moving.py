"""Export and restore against a real Neo4j."""

import io
import json
from collections.abc import Callable, Collection
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from engram.errors import ImportFileError, NotFoundError
from engram.memory import Engram
from engram.moving.exporting import Exported, export_space
from engram.moving.files import Source
from engram.moving.labels import KEYS, TYPES
from engram.moving.restoring import Restored, restore_file
from engram.moving.stage import Advance
from engram.records import Turn
from engram.schema import SchemaRecord, read_schema
from engram.testing import FixedClock

from .beside import another, run

pytestmark = pytest.mark.graph

SECRET = "The password of the old safe is marzipan and thunder."


def record_of(memory: Engram) -> SchemaRecord:
    """Return what the database says of its set-up."""
    record = read_schema(memory.graph)
    assert record is not None
    # The database's own model is another than the tests' embedder, which it shall be taken for.
    return record


def export(memory: Engram, *, embeddings: bool = True) -> tuple[bytes, Exported]:
    """Return a file of the memory's space, and what the export told of it."""
    assert memory.flush()
    file = io.BytesIO()
    exported = export_space(
        memory.graph,
        record_of(memory),
        file,
        space=memory.space,
        embeddings=embeddings,
        now=memory.now(),
    )
    return file.getvalue(), exported


def restore(memory: Engram, data: bytes, **more: Any) -> Restored:
    """Restore a file into the memory's space."""
    return restore_file(
        memory.graph,
        lambda: memory.embedder,
        Source(io.BytesIO(data), "file"),
        space=memory.space,
        **more,
    )


def held(memory: Engram, *, without: Collection[str] = ()) -> tuple[list[Any], list[Any]]:
    """Return all that the space holds but its name and some properties of nodes, in an order of its own."""
    found = run(memory, "move_read_all")[0]
    nodes = sorted(
        repr((sorted(labels), sorted(each for each in properties if each[0] not in without)))
        for labels, properties in found["nodes"]
    )
    links = sorted(repr((*ends, sorted(properties))) for *ends, properties in found["relationships"])
    return nodes, links


def live(memory: Engram, clock: FixedClock) -> None:
    """Have a little of everything happen."""
    memory.remember_turns(
        Turn(text=text, speaker=speaker, session="one", at=clock.now)
        for speaker, text in (
            ("Ada", "I moved to Berlin."),
            ("Bo", "Is the kiln in Berlin too?"),
            ("Ada", "The kiln stayed in Boston."),
        )
    )
    first = memory.remember("Ada keeps bees.")
    memory.remember("Ada sold her bees.", supersedes=first.id, reason="sold")
    memory.tune("decay.working", 0.4)
    clock.advance(timedelta(hours=3, microseconds=7))
    memory.recall("Where is the kiln?", session="one")
    memory.recall("Who keeps bees?")
    assert memory.flush()


def lay_all(memory: Engram, *, leave_out: frozenset[str] = frozenset()) -> None:
    """Lay one node of every label and relationships of every type, with values of all types."""
    labels = []
    for label, names in KEYS.items():
        if label in leave_out:
            continue
        key: dict[str, Any] = {name: 7 if name == "version" else uuid4().hex for name in names}
        if label == "Memory":
            key |= {"kind": "semantic", "content_hash": uuid4().hex, "version": 1}
            key |= dict.fromkeys(("content", "contextualized"), "Laid by hand.")
        labels.append({"labels": [label, "Semantic"] if label == "Memory" else [label], "key": key})
    run(memory, "move_lay_all", labels=labels, types=sorted(TYPES), zone="Europe/Berlin")


def delete(memory: Engram) -> None:
    """Delete the space, as no command does."""
    run(memory, "move_delete_space")


def test_every_label_type_and_value_comes_back(memory: Engram, clock: FixedClock) -> None:
    """Restored into another space, every node, relationship and property is what it was, to the nanosecond and bit."""
    lay_all(memory)
    before = held(memory)
    data, exported = export(memory)
    delete(memory)
    other = another(memory, clock)
    done = restore(other, data)

    assert {*exported.counts.nodes} == {*KEYS}
    assert {*exported.counts.relationships} == TYPES
    assert (exported.counts.nodes.total(), exported.counts.relationships.total()) == tuple(map(len, before))
    assert not exported.left_out
    assert done.created == exported.counts
    assert held(other) == before
    again, repeated = export(other)
    assert repeated.counts == exported.counts
    assert sorted(again.replace(other.space.encode(), memory.space.encode()).splitlines()[1:-1]) == sorted(
        data.splitlines()[1:-1]
    )


@pytest.mark.parametrize("embeddings", [True, False])
def test_a_restored_space_answers_as_before(memory: Engram, clock: FixedClock, *, embeddings: bool) -> None:
    """Recall finds the same memories in the same order; without its vectors they are made anew, and are the same."""
    live(memory, clock)
    asked = "Where did Ada move?"
    before = memory.recall(asked, read_only=True)
    content = held(memory)
    data, _ = export(memory, embeddings=embeddings)
    delete(memory)
    done = restore(memory, data)

    after = memory.recall(asked, read_only=True)
    assert len(before) >= 3
    assert [hit.memory for hit in after] == [hit.memory for hit in before]
    # The words' part of a score depends on what else the database's full-text index has held.
    assert [hit.score for hit in after] == pytest.approx([hit.score for hit in before], abs=0.05)
    assert held(memory) == content
    assert bool(done.embedded) is not embeddings


def test_restoring_goes_on_after_a_kill_and_twice_changes_nothing(memory: Engram, clock: FixedClock) -> None:
    """What a killed restore left half done, the next one completes; another one finds all of it there."""
    live(memory, clock)
    before = held(memory)
    data, exported = export(memory)
    delete(memory)

    def dying(portions: int) -> Callable[[str, int | None], Advance]:
        left = portions

        def advance(_: int) -> None:
            nonlocal left
            left -= 1
            if left == 0:
                raise KeyboardInterrupt

        return lambda what, _: advance if what == "restoring" else lambda _: None

    for portions in (2, 5):
        with pytest.raises(KeyboardInterrupt):
            restore(memory, data, stage=dying(portions), portion=10)
        assert held(memory) != before
    completed = restore(memory, data)
    assert completed.there.nodes
    assert held(memory) == before
    again = restore(memory, data)
    assert held(memory) == before
    assert (again.created.total, again.there, again.kept) == (0, exported.counts, 0)


def test_a_space_that_lived_on_is_left_alone_unless_wished(memory: Engram, clock: FixedClock) -> None:
    """What differs or is not in the file refuses the restore; with keep, it stays and only what is missing comes."""
    live(memory, clock)
    data, _ = export(memory)
    kept = memory.remember("Bees are back.")
    moved = memory.recall("kiln", k=1)
    assert memory.flush()
    before = held(memory)
    with pytest.raises(ImportFileError, match=r"\d+ things differ.* nodes are not in the file"):
        restore(memory, data)
    assert held(memory) == before

    done = restore(memory, data, keep=True)
    assert held(memory) == before
    assert done.kept > 0
    assert done.created.total == 0
    assert memory.get(kept.id).content == kept.content
    assert memory.get(moved[0].memory.id).access_count == moved[0].memory.access_count + 1


def test_a_copy_beside_the_original_gets_ids_of_its_own(memory: Engram, clock: FixedClock) -> None:
    """Ids are unique in a database: a copy is refused unless new ids are wished, which then hold in every reference."""
    live(memory, clock)
    before = held(memory)
    data, exported = export(memory)
    other = another(memory, clock)
    with pytest.raises(ImportFileError, match="--new-ids"):
        restore(other, data)
    assert held(other) == ([], [])

    done = restore(other, data, new_ids=True)
    assert done.created == exported.counts
    assert held(memory) == before
    asked = "Where is the kiln?"
    own, copied = (each.recall(asked, read_only=True) for each in (memory, other))
    assert [hit.memory.content for hit in copied] == [hit.memory.content for hit in own]
    assert not {hit.memory.id for hit in copied} & {hit.memory.id for hit in own}
    everything = repr(held(other))
    assert not any(hit.memory.id in everything for hit in own)
    assert restore(other, data, new_ids=True).created.total == 0


def test_what_was_erased_does_not_come_back(memory: Engram, clock: FixedClock) -> None:
    """Tombstones keep away what they name, its turn, and every quotation of it; an export made later holds no trace."""
    live(memory, clock)
    memory.remember_turns(
        Turn(text=text, speaker="Ada", session="safe", at=clock.now + timedelta(minutes=place))
        for place, text in enumerate(["Listen.", SECRET, "Do not tell anybody."])
    )
    memory.recall(SECRET)
    data, _ = export(memory)
    assert b"marzipan" in data
    secret = next(hit.memory for hit in memory.recall(SECRET, read_only=True) if hit.memory.content == SECRET)
    memory.forget(secret.id, erase=True)
    after, _ = export(memory)
    assert b"marzipan" not in after

    def restored(*, wiped: bool) -> Restored:
        if wiped:
            tombstones = [line for line in after.splitlines() if b'["Tombstone"]' in line]
            assert tombstones
            delete(memory)
            run(memory, "move_lay_tombstones", hashes=[_hash(line) for line in tombstones])
        return restore(memory, data, keep=True)

    for wiped in (False, True):
        done = restored(wiped=wiped)
        assert done.barred >= 2
        assert "marzipan" not in repr(held(memory))
        assert any(hit.memory.content == "Listen." for hit in memory.recall("Listen.", read_only=True))


def test_what_is_erased_meanwhile_stays_erased(memory: Engram, clock: FixedClock) -> None:
    """An erasure in the middle of a restore holds for all that is still to come, and for what quotes the erased."""
    live(memory, clock)
    memory.remember_turns(
        Turn(text=text, speaker="Ada", session="safe", at=clock.now + timedelta(minutes=place))
        for place, text in enumerate(["Listen.", SECRET, "Do not tell anybody.", "Nor write it down."])
    )
    memory.recall(SECRET)
    data, exported = export(memory)
    secret = next(hit.memory for hit in memory.recall(SECRET, read_only=True) if hit.memory.content == SECRET)
    delete(memory)
    erased: list[str] = []

    def erase(_: int) -> None:
        if not erased and run(memory, "read_vector", id=secret.id):
            erased.append(secret.id)
            memory.forget(secret.id, erase=True)

    done = restore(
        memory, data, stage=lambda what, _: erase if what == "restoring" else lambda _: None, portion=1
    )
    assert erased
    assert "marzipan" not in repr(held(memory))
    assert done.barred >= 2
    assert (done.created.nodes + done.there.nodes)["Memory"] >= exported.counts.nodes["Memory"] - 1
    assert any(hit.memory.content == "Listen." for hit in memory.recall("Listen.", read_only=True))


def _hash(line: bytes) -> str:
    return str(json.loads(line)["properties"]["content_hash"])


def test_what_is_not_engrams_is_told(memory: Engram) -> None:
    """A node that somebody else has put into the space is left out, and named."""
    memory.remember("Ada keeps bees.")
    run(memory, "move_lay_stranger")
    _, exported = export(memory)
    assert exported.left_out["Stranger"] == 1
    assert exported.left_out["KNOWS"] == 1
    assert "Stranger" not in exported.counts.nodes


def test_an_empty_space_is_not_exported(memory: Engram) -> None:
    """A misspelt space gives an error and no file that looks like a backup."""
    with pytest.raises(NotFoundError, match="holds nothing"):
        export(memory)
