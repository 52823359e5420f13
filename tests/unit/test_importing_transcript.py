"""Plain transcripts: who speaks, when, and what is only part of a message."""

import io
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.errors import ImportFileError
from engram.importing import Reading, Refused, read_turns
from engram.records import Turn


def reading_of(text: str, form: str | None = "transcript") -> Reading:
    """Read a transcript from a stream."""
    return read_turns(io.BytesIO(text.encode()), format=form)


def said(text: str) -> list[tuple[str, str]]:
    """Return who said what."""
    items = list(reading_of(text, None))
    return [(item.speaker, item.text) for item in items if isinstance(item, Turn)]


def times(text: str) -> list[datetime | None]:
    """Return when each turn was said."""
    return [item.at for item in reading_of(text, None) if isinstance(item, Turn)]


def test_a_turn_goes_on_until_the_next_name() -> None:
    """Lines without a name, blank ones too, belong to the turn before them."""
    assert said("Ann: hi\nhow are you?\n\nwell?\nBob:\nfine\n") == [
        ("Ann", "hi\nhow are you?\n\nwell?"),
        ("Bob", "fine"),
    ]


@pytest.mark.parametrize(
    "name", ["José María Núñez", "Dr. O'Neill", "Anna van Dijk", "張偉", "user_42", "Zoë-Lou (work)", "ann"]
)
def test_names_may_have_spaces_accents_and_titles(name: str) -> None:
    """A speaker's name is taken as it is written."""
    assert said(f"{name}: hi\nBob: yes\n")[0] == (name, "hi")


@pytest.mark.parametrize(
    "line",
    [
        "http://example.org/a: b",
        "see https://example.org",
        "12:30: lunch",
        "at 12:30 we met",
        "she said: no",
        "this is what I think about all of it: nothing",
        "C++ is fine; a::b is not",
        "- item: one",
    ],
)
def test_what_only_looks_like_a_name_is_text(line: str) -> None:
    """Addresses, clock times and sentences with a colon do not begin a turn."""
    assert said(f"Ann: hi\n{line}\nBob: yes\n") == [("Ann", f"hi\n{line}"), ("Bob", "yes")]


def test_bold_names_of_exported_chats_are_names() -> None:
    """Both ways of setting a name in bold are read."""
    assert said("**Ann:** hi\n\n**Bob Lee**: yes\n") == [("Ann", "hi"), ("Bob Lee", "yes")]


@pytest.mark.parametrize(
    "stamp",
    [
        "[2024-05-13 10:05] ",
        "[2024-05-13T10:05:00Z] ",
        "[2024-05-13 12:05+02:00] ",
        "2024-05-13 10:05 - ",
        "2024-05-13 10:05:00 ",
        "13/05/2024, 10:05 - ",
        "5/13/24, 10:05\u202fAM - ",
        "\u200e[13.05.24, 10:05:00] ",
        "(2024/05/13 10:05 am) ",
    ],
)
def test_times_in_front_of_names_are_read(stamp: str) -> None:
    """The ways in which chat programs write a time all mean the same instant."""
    (item,) = list(reading_of(f"{stamp}Ann Lee: hi\n", None))

    assert isinstance(item, Turn)
    assert (item.at, item.speaker, item.text) == (datetime(2024, 5, 13, 10, 5, tzinfo=UTC), "Ann Lee", "hi")


def test_in_a_log_with_times_only_times_begin_turns() -> None:
    """Where turns have times, a name without one is part of a message."""
    text = "[2024-05-01 10:00] Ann: list\nEggs: 6\n[2024-05-01 10:01] my brother: ok\n"

    assert said(text) == [("Ann", "list\nEggs: 6"), ("my brother", "ok")]


def test_lines_of_the_chat_program_are_left_out_and_told() -> None:
    """A line with a time but no speaker is no turn; how many there were is a notice."""
    reading = reading_of("2024-05-01 10:00 - Ann joined\n2024-05-01 10:00 - +44 7700 900123: hi\n", None)
    (turn,) = list(reading)

    assert isinstance(turn, Turn)
    assert turn.speaker == "+44 7700 900123"
    assert "left out: 1" in reading.notices[0]


def test_a_line_with_the_date_dates_what_follows() -> None:
    """A date alone on its line is the day of the turns below, with or without clock times."""
    text = "--- 1 May 2024 ---\n10:00 Ann: a\n10:05 Bob: b\nThursday, May 2nd, 2024\nAnn: c\n# 2024-05-03\nAnn: d\n"

    assert times(text) == [
        datetime(2024, 5, 1, 10, tzinfo=UTC),
        datetime(2024, 5, 1, 10, 5, tzinfo=UTC),
        datetime(2024, 5, 2, tzinfo=UTC),
        datetime(2024, 5, 3, tzinfo=UTC),
    ]


def test_a_turn_without_a_time_has_that_of_the_one_before() -> None:
    """Where only some turns have times, the others are said at the last known one."""
    assert (
        times("[2024-05-01 10:00] Ann: a\n[2024-05-01 10:01] Bob: b\n\n2024-05-02\nBob: c\nAnn: d\n")[2:]
        == [
            datetime(2024, 5, 2, tzinfo=UTC),
        ]
        * 2
    )


def test_the_order_of_day_and_month_is_told_by_the_whole_file() -> None:
    """One date that can only be read one way settles all of them."""
    text = "1/2/24, 9:00 - Ann: a\n1/31/24, 9:00 - Ann: b\n"

    assert times(text)[0] == datetime(2024, 1, 2, 9, tzinfo=UTC)
    assert times(text.replace("1/31", "31/1"))[0] == datetime(2024, 2, 1, 9, tzinfo=UTC)


def test_dates_that_can_be_read_two_ways_are_told() -> None:
    """Where nothing settles the order, the day comes first, and a notice says so."""
    reading = reading_of("1/2/24, 9:00 - Ann: a\n", None)
    (turn,) = list(reading)

    assert isinstance(turn, Turn)
    assert turn.at == datetime(2024, 2, 1, 9, tzinfo=UTC)
    assert "day/month" in reading.notices[0]


def test_a_name_with_nothing_said_is_refused() -> None:
    """A turn without text is refused with the line it stands on."""
    items = list(reading_of("Ann: hi\nBob:\nAnn: yes\n"))

    assert items[1] == Refused(line=2, reason="has no text")


def test_prose_is_no_transcript(tmp_path: Path) -> None:
    """Text in which nobody speaks is an error that says what is read."""
    path = tmp_path / "a.txt"
    path.write_text("It was a dark night.\nNothing happened.\n")

    with pytest.raises(ImportFileError, match="--format"):
        read_turns(path)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_no_text_crashes_the_reader(text: str) -> None:
    """Any text gives turns with unique ids, refusals, or an ImportFileError."""
    try:
        items = list(reading_of(text))
    except ImportFileError:
        return
    ids = [item.id for item in items if isinstance(item, Turn)]
    assert len(set(ids)) == len(ids)


fragments = st.sampled_from(
    [
        "Ann",
        ":",
        " ",
        "\n",
        "[",
        "]",
        "2024-05-01",
        "31/12/23",
        ", ",
        "10:00",
        "99:99",
        " PM",
        " - ",
        "**",
        "http://x",
        "\uff1a",
        "é",
    ]
)


@given(st.lists(fragments, max_size=40).map("".join))
def test_no_mixture_of_times_and_names_crashes_the_reader(text: str) -> None:
    """Pieces of transcripts in any order are read without a crash, and nothing blank is said."""
    try:
        items = list(reading_of(text))
    except ImportFileError:
        return
    assert all(item.text.strip() and item.speaker.strip() for item in items if isinstance(item, Turn))


def test_a_date_alone_before_a_name_begins_a_turn() -> None:
    """A date without a clock time dates the turn, and lines without a name are counted as continuing it."""
    reading = reading_of("2026-01-06 Bob: hi\n2026-01-07 was late\n", None)
    (turn,) = list(reading)

    assert isinstance(turn, Turn)
    assert (turn.speaker, turn.at) == ("Bob", datetime(2026, 1, 6, tzinfo=UTC))
    assert reading.notices[-1].endswith("continuing the turn before them: 1")
