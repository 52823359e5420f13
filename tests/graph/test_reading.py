"""What it knows of itself: its documentation becomes memory, and what cannot be found by meaning is told and mended."""

from pathlib import Path

import pytest

from engram.errors import NotFoundError
from engram.loop.agent import Agent
from engram.memory import Engram
from engram.mind.library import Library
from engram.mind.reading import IMPORTANCE, Reading
from engram.schema import read_schema
from engram.testing import FixedClock, HashEmbedder
from tests.graph.beside import run
from tests.graph.talking import memories, nodes, talk

pytestmark = pytest.mark.graph


def reading(agent: Agent, library: Library | None = None) -> Reading:
    """Return the part of a conversation that reads."""
    return Reading(agent._presence.feeling.situation, library=library)


def read(part: Reading, page: str = "", number: int = 1) -> str:
    """Use the tool."""
    (tool,) = part.tools()
    return tool.use(tool.parameters.model_validate({"page": page, "part": number}))


def shelf(folder: Path, text: str) -> Library:
    """Return a library of one page."""
    (folder / "docs").mkdir(exist_ok=True)
    (folder / "docs" / "bees.md").write_text(text, encoding="utf-8")
    return Library(folder)


def test_it_reads_its_own_documentation(memory: Engram, clock: FixedClock) -> None:
    """Without a page it hears which there are; a page is told in parts, each with how to go on; no other file is read."""
    with talk(memory, clock) as agent:
        part = reading(agent)
        assert "docs/recall.md: How a recall works" in read(part).splitlines()
        assert memories(memory) == []
        told = read(part, "reference/schema")
        assert told.startswith("docs/reference/schema.md, part 1 of ")
        assert told.endswith("Next: part 2.")
        for page in ("../pyproject.toml", "/etc/passwd", "docs/../engram/memory.py"):
            with pytest.raises(NotFoundError, match="There is no page"):
                read(part, page)


def test_what_it_read_is_a_memory_of_little_weight(memory: Engram, clock: FixedClock, tmp_path: Path) -> None:
    """Title and first paragraph are remembered as its own, once however often it reads; what says otherwise, anew."""
    with talk(memory, clock) as agent:
        part = reading(agent, shelf(tmp_path, "# Bees\n\nBees keep\ntime.\n\nMore.\n"))
        for _ in range(3):
            read(part, "bees")
        (held,) = nodes(memory, "memories")
        assert held["content"] == "My documentation has a page “Bees” (docs/bees.md): Bees keep time."
        assert (held["source"], held["source_tag"]) == ("docs", "internal_docs")
        assert (held["importance"], held["seen_count"]) == (IMPORTANCE, 1)
        read(reading(agent, shelf(tmp_path, "# Bees\n\nBees keep time by the sun.\n")), "bees")
    assert len(memories(memory)) == 2


def test_what_was_erased_is_read_all_the_same(memory: Engram, clock: FixedClock, tmp_path: Path) -> None:
    """A page that may not be remembered can still be read."""
    with talk(memory, clock) as agent:
        library = shelf(tmp_path, "# Bees\n\nBees keep time.\n")
        read(reading(agent, library), "bees")
        (held,) = nodes(memory, "memories")
        memory.forget(held["id"], erase=True)
        assert "Bees keep time." in read(reading(agent, library), "bees")
    assert memories(memory) == []


def test_what_has_no_vector_is_told_found_by_its_words(memory: Engram, clock: FixedClock) -> None:
    """A conversation begins with a word on it; no vector search finds it, its words do."""
    stored = memory.remember("The ferry to Texel leaves at noon")
    vector = run(memory, "read_vector", id=stored.id)[0]["embedding"]
    near = {"rows": [{"index": 0, "vector": vector, "turn": ""}], "width": 5, "nearest": 5}
    assert stored.id in str(memory.graph.read("inspect/find_nearest", space=memory.space, **near))
    for _ in range(3):
        run(memory, "set_properties", id=stored.id, properties={"embed_due": True, "embedding": None})
        with talk(memory, clock) as agent:
            greeting = agent.greeting or ""
            found = memory.graph.read("inspect/find_nearest", space=memory.space, **near)
            by_words = [hit.memory.id for hit in memory.recall("Texel ferry", 3, read_only=True)]
            undisturbed = run(memory, "read_vector", id=stored.id)[0]["embedding"] is None
        if undisturbed:  # else another test has opened the database meanwhile, and made it
            break
    assert greeting.startswith("1 memory has no vector of the embedding model in use yet.")
    assert stored.id not in str(found)
    assert by_words == [stored.id]


def test_what_has_no_vector_gets_one(memory: Engram, clock: FixedClock) -> None:
    """The end of a conversation makes vectors, so many at a time; then there is nothing to tell any more."""
    record = read_schema(memory.graph)
    assert record is not None
    assert isinstance(memory.embedder, HashEmbedder)
    memory.embedder.name = record.embed_model
    stored = memory.remember("The ferry to Texel leaves at noon")
    vector = run(memory, "read_vector", id=stored.id)[0]["embedding"]
    run(memory, "set_properties", id=stored.id, properties={"embed_due": True, "embedding": None})
    for _ in range(50):  # other tests' memories lack vectors too, and may come first
        with talk(memory, clock):
            pass
        if run(memory, "read_vector", id=stored.id)[0]["embedding"]:
            break
    assert run(memory, "read_vector", id=stored.id)[0]["embedding"] == pytest.approx(vector)
    with talk(memory, clock) as agent:
        assert agent.greeting is None
