"""Storing a reading: portions, counts and refusals, against a store that only counts."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from engram.errors import InvalidInputError
from engram.importing import Tally, find_refusals, read_turns, store_turns
from engram.importing.store import MAX_PORTION, PORTION
from engram.records import Ingested, Kind, Memory, Turn


class Counting:
    """A store that keeps what it is given, in batches of 10, and refuses the word `bad`."""

    def __init__(self, stop_after: int | None = None) -> None:
        self.portions: list[list[Turn]] = []
        self.facts: list[tuple[str, Kind | str, str]] = []
        self._left = stop_after

    def remember_turns(
        self, turns: Iterable[Turn], *, progress: Callable[[int], None] | None = None
    ) -> Ingested:
        """Keep a portion, and stop where told to."""
        portion = list(turns)
        self.portions.append(portion)
        for start in range(0, len(portion), 10):
            if self._left is not None and self._left <= 0:
                raise KeyboardInterrupt
            if progress is not None:
                progress(len(portion[start : start + 10]))
            if self._left is not None:
                self._left -= 10
        refused = tuple((index, "said bad") for index, turn in enumerate(portion) if turn.text == "bad")
        return Ingested(stored=len(portion) - len(refused), seen=0, refused=refused, memories=())

    def remember(
        self,
        content: str,
        *,
        kind: Kind | str = Kind.SEMANTIC,
        event_at: datetime | str | None = None,
        source: str = "user",
        speaker: str | None = None,
        category: str | None = None,
    ) -> Memory:
        """Keep a fact."""
        if "bad" in content:
            raise InvalidInputError("said bad")
        self.facts.append((content, kind, source))
        now = datetime(2026, 1, 1, tzinfo=UTC)
        return Memory(
            id="1", space="s", kind=Kind(kind), content=content, contextualized=content, category=category,
            compressed=None, tier="working", status="active", source=source, source_tag="", source_confidence=1.0,
            speaker=speaker, immutable=False, created_at=now, event_at=now, known_at=now, valid_from=now,
            valid_to=now, last_accessed_at=now, access_count=0, seen_count=1, energy=1.0, energy_at=now,
            expires_at=now, weight_alpha=1.0, weight_beta=4.0, truth_alpha=2.0, truth_beta=1.0, importance=0.5,
            embed_model="", version=1,
        )  # fmt: skip


def turn(number: int, session: str = "s") -> Turn:
    """Return the turn of this number."""
    return Turn(text=f"turn {number}", speaker="A", session=session)


def test_portions_end_with_their_session() -> None:
    """A portion is cut between sessions where it can be, so that a turn's neighbours come along."""
    store, tally = Counting(), Tally()
    store_turns(store, [turn(n, f"s{n // 700}") for n in range(2_100)], tally)

    assert [len(portion) for portion in store.portions] == [1_400, 700]
    assert (tally.done, tally.stored) == (2_100, 2_100)
    assert PORTION < 1_400


def test_one_endless_session_is_cut_all_the_same() -> None:
    """However long a session is, no more than a bounded number of turns is held."""
    store = Counting()
    store_turns(store, (turn(n) for n in range(MAX_PORTION + 1)), Tally())

    assert [len(portion) for portion in store.portions] == [MAX_PORTION, 1]


def test_refusals_of_file_and_store_are_counted_with_their_lines(tmp_path: Path) -> None:
    """What the reader and what the memory refuses ends in one list, each with its line."""
    path = tmp_path / "a.jsonl"
    path.write_text('{"speaker": "A", "text": "x"}\nnonsense\n\n{"speaker": "A", "text": "bad"}\n')
    tally = Tally()
    store_turns(Counting(), read_turns(path), tally)

    assert sorted(each.line for each in tally.reasons) == [2, 4]
    assert (tally.stored, tally.refused) == (1, 2)


def test_an_interruption_leaves_the_count_right() -> None:
    """What was acknowledged before an interruption is counted, no more and no less."""
    tally = Tally()
    with pytest.raises(KeyboardInterrupt):
        store_turns(Counting(stop_after=20), [turn(n) for n in range(100)], tally)

    assert tally.done == 20


def test_progress_adds_up_to_the_turns() -> None:
    """The steps of the progress bar add up to the number of turns."""
    steps: list[int] = []
    store_turns(Counting(), [turn(n) for n in range(25)], Tally(), progress=steps.append)

    assert sum(steps) == 25


def test_notes_of_another_kind_are_remembered_as_such(tmp_path: Path) -> None:
    """A note whose front matter names a kind becomes a memory of that kind; what is refused is counted."""
    path = tmp_path / "a.md"
    path.write_text("---\nkind: preference\n---\n# A\nTea, no milk.\n# B\nbad\n")
    store, tally = Counting(), Tally()
    store_turns(store, read_turns(path), tally)

    assert [(content, kind) for content, kind, _ in store.facts] == [("A\nTea, no milk.", Kind.PREFERENCE)]
    assert store.facts[0][2].startswith("import:a.md#")
    assert (tally.done, tally.stored, tally.refused) == (2, 1, 1)


def test_refusals_can_be_found_without_storing(tmp_path: Path) -> None:
    """A strict import sees every refusal, too long texts included, before anything is stored."""
    path = tmp_path / "a.jsonl"
    path.write_text('{"speaker": "A", "text": "xxxx"}\nnonsense\n{"speaker": "A", "text": "x"}\n')

    assert [each.line for each in find_refusals(read_turns(path), max_content_bytes=3)] == [1, 2]
