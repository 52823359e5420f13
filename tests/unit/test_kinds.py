"""Episode or note."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.beliefs.policy.kinds import MemoryKind, may_reconsolidate, memory_kind
from engram.records import FOREVER, PLAIN, TIMES, Memory, memory_from

EPISODE, NOTE = MemoryKind.EPISODE, MemoryKind.NOTE


def memory(content: str, **changes: Any) -> Memory:
    """Return a memory."""
    noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    stored = dict.fromkeys(PLAIN) | dict.fromkeys(TIMES, noon)
    return memory_from(
        stored
        | {
            "kind": "semantic",
            "content": content,
            "status": "active",
            "immutable": False,
            "valid_to": FOREVER,
        }
        | changes
    )


@pytest.mark.parametrize(
    ("content", "category", "tags", "kind"),
    [
        # A time that dates it comes before everything.
        ("Ada prefers tea since yesterday", "preference", ("note",), EPISODE),
        ("Last Tuesday she decided to stay", "decision", (), EPISODE),
        ("They met on Friday", None, (), EPISODE),
        ("On 2026-01-03 it was cold", "fact", (), EPISODE),
        ("It was two weeks ago", "fact", (), EPISODE),
        # What comes again and again dates nothing.
        ("She swims every Tuesday", "fact", (), NOTE),
        ("The stand-up is on Tuesdays", "fact", (), NOTE),
        # The category comes before tags and words.
        ("The service was deployed", "decision", ("episode",), NOTE),
        ("Ada always sings", "moment", ("note",), EPISODE),
        # A note's tag comes before an episode's, and both before words.
        ("The service was deployed", None, ("event", "Policy"), NOTE),
        ("Ada always sings", None, ("incident",), EPISODE),
        # A verb of the past comes before a word of what stays.
        ("We always merged and deployed", None, (), EPISODE),
        ("Ada always sings", None, (), NOTE),
        ("The service is called Engram", "odd", (), NOTE),
        ("Blue", None, (), EPISODE),
        ("", None, (), EPISODE),
    ],
)
def test_the_first_sign_decides(
    content: str, category: str | None, tags: tuple[str, ...], kind: MemoryKind
) -> None:
    """Time, category, tags, verbs, words, in this order; without any sign it is an episode."""
    assert memory_kind(content, category=category, tags=tags) == kind


@given(content=st.text(), category=st.none() | st.text(), tags=st.lists(st.text(), max_size=3))
def test_any_text_is_one_or_the_other(content: str, category: str | None, tags: list[str]) -> None:
    """No text, category or tag makes it fail, and case makes no difference."""
    kind = memory_kind(content, category=category, tags=tags)
    assert kind in MemoryKind
    if content.isascii():
        assert memory_kind(content.upper(), category=category, tags=tags) == kind


def test_only_notes_are_reconsolidated() -> None:
    """An active note may be updated; an episode, what is immutable and what is out of use may not."""
    note = memory("Ada always sings")
    assert may_reconsolidate(note)
    assert not may_reconsolidate(note, stored="episode")
    assert not may_reconsolidate(memory("We met yesterday"))
    assert may_reconsolidate(memory("We met yesterday"), stored="note")
    assert may_reconsolidate(note, stored="no such kind")
    assert not may_reconsolidate(memory("Ada always sings", immutable=True))
    for status in ("superseded", "archived", "dormant"):
        assert not may_reconsolidate(memory("Ada always sings", status=status), stored="note")
