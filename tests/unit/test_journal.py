"""The journal: what was heard while the database is away is on the disk, and is written once when it is back."""

import json
import stat
import threading
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engram.config import Settings
from engram.errors import DatabaseError, DatabaseUnavailableError
from engram.loop.inputs import Entry
from engram.loop.journal import Journal, journals

NOW = datetime(2026, 5, 4, 9, 30, tzinfo=UTC)
HEARD = Entry(
    id="e1",
    session="s",
    run="r",
    speaker="Ada",
    text="My cat is called Mies",
    at=NOW,
    source_tag="external_user",
    source="chat",
    turn="r-0001",
    signals=("relationship", "fact"),
    urgent=True,
    awaits=True,
    answers="e0",
)


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    """Give an empty journal."""
    return Journal(Settings.load(data_dir=tmp_path), space="s", database="db")


def drained(journal: Journal) -> list[Entry]:
    """Return what is written from it."""
    written: list[Entry] = []
    journal.drain(written.extend)
    return written


def test_what_is_kept_is_given_back_whole(journal: Journal) -> None:
    """Every field of an entry survives the file, and a drained journal is empty and gone."""
    journal.append(HEARD)
    assert len(journal) == 1
    assert drained(journal) == [HEARD]
    assert len(journal) == 0
    assert not journal.file.exists()
    assert drained(journal) == []


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), max_size=4))
def test_any_text_is_given_back(journal: Journal, texts: list[str]) -> None:
    """Line breaks of any kind, quotes and what looks like JSON come back as they were, in order."""
    for text in texts:
        journal.append(replace(HEARD, text=text))
    assert [entry.text for entry in drained(journal)] == texts


def test_only_its_owner_reads_it(journal: Journal) -> None:
    """What a person says stays private on a shared machine."""
    journal.append(HEARD)
    assert stat.S_IMODE(journal.file.stat().st_mode) == 0o600


def test_a_line_that_was_cut_short_hides_no_other(journal: Journal) -> None:
    """The end of a process may cut a line anywhere; what was kept before and after it is written."""
    journal.append(HEARD)
    line = journal.file.read_bytes().strip()
    later = replace(HEARD, id="e2")
    for end in range(0, len(line), 37):
        journal.file.write_bytes(b"\n" + line + b"\n\n" + line[:end])
        journal.append(later)
        assert drained(journal) == [HEARD, later]


def test_garbage_is_no_entry(journal: Journal) -> None:
    """A file that something else has written into is read as far as it goes."""
    journal.append(HEARD)
    with journal.file.open("ab") as file:
        file.write(b'\xff\xfe\n[]\n1\nnull\n{"at": 3}\n' + json.dumps({"id": "x"}).encode() + b"\n")
    assert drained(journal) == [HEARD]


def test_what_cannot_be_written_stays(journal: Journal) -> None:
    """Where the database refuses, nothing is lost, and the next attempt has all of it."""
    journal.append(HEARD)

    def refuse(_: Sequence[Entry]) -> None:
        raise RuntimeError

    with pytest.raises(RuntimeError):
        journal.drain(refuse)
    assert drained(journal) == [HEARD]


def test_what_is_heard_meanwhile_stays(journal: Journal) -> None:
    """An entry that comes while the others are being written is not thrown away with them."""
    journal.append(HEARD)
    later = replace(HEARD, id="e2")
    written: list[Entry] = []

    def write(entries: Sequence[Entry]) -> None:
        written.extend(entries)
        # As another process does it.
        thread = threading.Thread(
            target=lambda: Journal(
                Settings.load(data_dir=journal.file.parents[1]), space="s", database="db"
            ).append(later)
        )
        thread.start()
        thread.join(5)

    journal.drain(write)
    assert written == [HEARD]
    assert drained(journal) == [later]


def test_two_do_not_write_it_at_once(journal: Journal) -> None:
    """While one process writes it, another leaves it alone and goes on."""
    journal.append(HEARD)
    other = Journal(Settings.load(data_dir=journal.file.parents[1]), space="s", database="db")
    seen: list[int] = []
    assert journal.drain(lambda _: seen.append(other.drain(lambda _: pytest.fail("written twice")))) == 1
    assert seen == [0]


@pytest.mark.parametrize(
    ("erased", "left"),
    [
        ("my CAT is called mies", ["cat", "Yes, I agree", "yes"]),
        ("cat", ["My cat is called Mies", "Yes, I agree", "yes"]),
        ("YES", ["My cat is called Mies", "cat", "Yes, I agree"]),
        ("agree", ["My cat is called Mies", "cat", "Yes, I agree", "yes"]),
        ("unknown", ["My cat is called Mies", "cat", "Yes, I agree", "yes"]),
    ],
)
def test_what_is_erased_goes(journal: Journal, erased: str, left: list[str]) -> None:
    """Each line that holds the erased words goes, whatever their case; what is short has to be all of it."""
    for text in ("My cat is called Mies", "cat", "Yes, I agree", "yes"):
        journal.append(replace(HEARD, text=text))
    journal.forget(erased)
    assert [entry.text for entry in drained(journal)] == left


def test_what_quotes_somebodys_own_words_is_erased_with_them(journal: Journal) -> None:
    """Words that are long enough to be one's own are erased from whatever holds them."""
    for text in ("You said: my cat is called Mies and she is nine.", "My cat is called Mies"):
        journal.append(replace(HEARD, text=text))
    journal.forget("My cat is called Mies and she is nine")
    assert [entry.text for entry in drained(journal)] == ["My cat is called Mies"]


def test_erasing_needs_no_journal(journal: Journal) -> None:
    """Where nothing was kept there is nothing to take out, and no file appears."""
    journal.forget("anything")
    assert not journal.file.parent.exists()


def test_each_space_has_its_own(tmp_path: Path) -> None:
    """Whatever a space is called, its journal is a file of its own in the journal folder."""
    at = Settings.load(data_dir=tmp_path)
    spaces = ["a", "A", "../../etc/passwd", "a/b", "x" * 300]
    for space in spaces:
        Journal(at, space=space, database="db").append(replace(HEARD, text=space))
    assert len(journals(at)) == len(spaces)
    assert {file.parent for file in journals(at)} == {tmp_path / "journal"}
    for space in spaces:
        assert [entry.text for entry in drained(Journal(at, space=space, database="db"))] == [space]


def test_a_full_disk_is_told(tmp_path: Path) -> None:
    """Where the entry cannot be kept, whoever wanted to keep it hears of it."""
    (tmp_path / "journal").write_text("a file where the folder should be", encoding="utf-8")
    with pytest.raises(OSError, match=r"journal"):
        Journal(Settings.load(data_dir=tmp_path), space="s", database="db").append(HEARD)


def test_what_the_database_refuses_is_set_aside(journal: Journal) -> None:
    """One entry that cannot be written holds no other up, and is not lost."""

    def write(entries: Sequence[Entry]) -> None:
        if any(entry.text == "refused" for entry in entries):
            raise DatabaseError("No.")
        written.extend(entry.text for entry in entries)

    written: list[str] = []
    for text in ("one", "refused", "two"):
        journal.append(replace(HEARD, text=text))
    journal.drain(write)
    assert written == ["one", "two"]
    assert len(journal) == 0
    (aside,) = journal.file.with_suffix(".aside").read_text().splitlines()
    assert json.loads(aside)["text"] == "refused"


def test_a_database_that_is_away_keeps_everything_in_the_journal(journal: Journal) -> None:
    """Nothing is set aside for what is no fault of its own."""

    def write(_: Sequence[Entry]) -> None:
        raise DatabaseUnavailableError

    journal.append(HEARD)
    with pytest.raises(DatabaseUnavailableError):
        journal.drain(write)
    assert drained(journal) == [HEARD]
    assert not journal.file.with_suffix(".aside").exists()


def test_a_line_of_another_version_is_set_aside(journal: Journal) -> None:
    """What is whole and not understood is kept for a version that understands it."""
    journal.append(HEARD)
    with journal.file.open("a", encoding="utf-8") as file:
        file.write('{"id": "e9", "text": "from the future", "mood": "new"}\n')
    assert drained(journal) == [HEARD]
    assert "from the future" in journal.file.with_suffix(".aside").read_text()


def test_another_database_has_a_journal_of_its_own(tmp_path: Path) -> None:
    """What was said to one database is not written into another of the same space."""
    at = Settings.load(data_dir=tmp_path)
    Journal(at, space="s", database="one").append(HEARD)
    assert drained(Journal(at, space="s", database="two")) == []
    assert drained(Journal(at, space="s", database="one")) == [HEARD]
