"""Whatever somebody writes is a text: kept as it came or refused, and never part of a statement."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from engram.errors import EngramError, InvalidInputError
from engram.goals import Goals
from engram.memory import Engram
from engram.records import Turn
from engram.testing import FixedClock
from engram.validation import check_content, check_name
from tests.graph.beside import another, everything
from tests.graph.hostile import HOSTILE

pytestmark = pytest.mark.graph


def usable(check: Callable[[str], str]) -> dict[str, str]:
    """Return the texts that a check lets through, with what it makes of each."""
    found = {}
    for text in HOSTILE:
        try:
            found[text] = check(text)
        except InvalidInputError:
            continue
    return found


def names() -> dict[str, str]:
    """Return the texts that may be names."""
    return usable(lambda text: check_name(text, "The name"))


def contents(memory: Engram) -> dict[str, str]:
    """Return the texts that may be remembered."""
    return usable(lambda text: check_content(text, limit=memory.settings.max_content_bytes))


@pytest.fixture
def schema(memory: Engram) -> Any:
    """Compare the schema before and after."""
    before = memory.graph.read("inspect/list_indexes")
    yield before
    assert memory.graph.read("inspect/list_indexes") == before


def test_there_are_200_hostile_texts() -> None:
    """The list is as long as it says, and some of it is refused as a name, some as content."""
    assert len(HOSTILE) == 200
    assert 150 < len(names()) < 200


def test_every_text_comes_back_as_it_was_said(memory: Engram, clock: FixedClock, schema: Any) -> None:
    """As what was said and as who said it where, 200 texts are stored as they are; nothing else is, and no schema."""
    beside = another(memory, clock)
    beside.remember("I live next door")
    before = everything(beside)
    allowed, called = contents(memory), names()
    turns = [
        Turn(
            text=text,
            speaker=text if text in called else "Ada",
            session=text if text in called else "usual",
            id=text if text in called else None,
            source=text if text in called else None,
            at=clock.now + timedelta(minutes=place),
        )
        for place, text in enumerate(HOSTILE)
    ]
    done = memory.remember_turns(turns)
    assert done.stored == len(allowed)
    assert {index for index, _ in done.refused} == {
        index for index, text in enumerate(HOSTILE) if text not in allowed
    }
    held = [node for node in everything(memory)[0] if "Memory" in node["labels"]]
    assert sorted(node["properties"]["content"] for node in held) == sorted(allowed.values())
    speakers = {called.get(text, "Ada") for text in allowed}
    assert {node["properties"]["speaker"] for node in held} == speakers
    assert {*memory.stats().by_kind} == {"episodic"}
    assert memory.stats().sessions == len({called.get(text, "usual") for text in allowed})
    assert everything(beside) == before


def test_every_text_may_be_asked(memory: Engram, schema: Any) -> None:
    """As a question a text finds what it says or is refused; it never fails, and reaches no other space."""
    memory.remember("I have a cat")
    other = another(memory, FixedClock())
    other.remember("somebody else's secret: DETACH DELETE n")
    for text in HOSTILE[:120]:
        try:
            hits = memory.recall(text, 5, read_only=True)
        except InvalidInputError:
            continue
        assert {hit.memory.content for hit in hits} <= {"I have a cat"}


@pytest.mark.parametrize(
    "field", ["speaker", "source", "category", "source_tag", "reason", "kind", "event_at"]
)
def test_every_field_is_a_value(memory: Engram, field: str, schema: Any) -> None:
    """In every other field of what is remembered a text is kept as it is, or refused as a whole."""
    older = memory.remember("the first of all")
    texts = HOSTILE[:40]
    stored = 0
    for place, text in enumerate(texts):
        more: dict[str, Any] = {field: text}
        if field == "reason":
            more["supersedes"] = older.id
        try:
            kept = memory.remember(f"thing {field} {place}", **more)
        except EngramError:
            continue
        older = kept
        stored += 1
        if hasattr(kept, field):
            assert str(getattr(kept, field)) == check_name(text, "x")
    assert memory.stats().memories == stored + 1
    assert (stored > 20) is (field not in {"kind", "event_at"})


def test_every_text_may_name_a_space(memory: Engram, clock: FixedClock, schema: Any) -> None:
    """A space of any name holds what was put there, and nothing of another's."""
    unique = uuid4().hex[:8]
    for text in [*names()][::6]:
        name = f"test-{unique} {text}"[:200]
        space = Engram(memory.graph, memory.settings, space=name, embedder=memory.embedder, clock=clock)
        space.remember("only here")
        assert space.stats().memories == 1
        assert [hit.memory.content for hit in space.recall("here", 5, read_only=True)] == ["only here"]
    assert memory.stats().memories == 0


def test_a_goal_is_a_text_too(memory: Engram, clock: FixedClock, schema: Any) -> None:
    """Goals take any text as it is, and nothing else comes of it."""
    goals = Goals(memory.graph, memory.embedder, space=memory.space, clock=clock)
    memory.remember("Ada is here", speaker="Ada")
    allowed = [text for text in contents(memory) if len(text) <= 400][:40]
    for text in allowed:
        assert goals.add(text).text == check_content(text, limit=1_000)
    sorts = {tuple(node["labels"]) for node in everything(memory)[0]}
    # The space has one manifest, which whoever changes goals locks.
    assert sorts == {("Goal",), ("Memory", "Semantic"), ("Entity",), ("AgentManifest",)}
