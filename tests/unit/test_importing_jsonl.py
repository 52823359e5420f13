"""JSONL and LoCoMo-style JSON: what comes in, what is refused, and how turns are named."""

import gzip
import io
import json
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.errors import ImportFileError, InvalidInputError
from engram.importing import Reading, Refused, read_turns
from engram.importing.source import MAX_DOCUMENT_BYTES, MAX_LINE_CHARS
from engram.records import Turn

words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip)
times = st.integers(-2_000_000_000, 4_000_000_000).map(lambda seconds: datetime.fromtimestamp(seconds, UTC))
turns = st.builds(
    Turn,
    text=words,
    speaker=words,
    at=times,
    session=words,
    id=words,
    caption=st.none() | words,
    source=words,
)


def written(path: Path, *lines: object) -> Path:
    """Write records as JSON, and text as it is, one a line."""
    path.write_text("".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines))
    return path


def as_record(turn: Turn) -> dict[str, str | None]:
    """Return a turn as the JSON object that means it."""
    record = {name: getattr(turn, name) for name in ("text", "speaker", "session", "id", "caption", "source")}
    return record | {"at": turn.at.isoformat() if turn.at else None}


def given_turns(reading: Reading) -> list[Turn]:
    """Read to the end; nothing may be refused."""
    items = list(reading)
    assert not [item for item in items if isinstance(item, Refused)]
    return [item for item in items if isinstance(item, Turn)]


@given(st.lists(turns, min_size=1, unique_by=lambda turn: (turn.session, turn.id)), st.sampled_from([1, 0]))
def test_jsonl_reads_back_what_was_written(conversation: list[Turn], ascii_only: int) -> None:
    """Any list of turns written as JSONL reads back equal."""
    text = "".join(json.dumps(as_record(turn), ensure_ascii=bool(ascii_only)) + "\n" for turn in conversation)

    assert given_turns(read_turns(io.BytesIO(text.encode()), format="jsonl")) == conversation


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from(["yes", "no"])), min_size=1))
def test_made_ids_are_unique_and_stable(said: list[tuple[str, str]]) -> None:
    """Turns without an id get one each, the same at every reading, however often the same is said."""
    text = "".join(json.dumps({"speaker": who, "text": what}) + "\n" for who, what in said)
    first, second = (given_turns(read_turns(io.BytesIO(text.encode()))) for _ in range(2))

    assert len({turn.id for turn in first}) == len(said)
    assert first == second


def test_made_ids_survive_a_line_put_before_them(tmp_path: Path) -> None:
    """A log that grew at its top keeps the ids of what was there."""
    lines = [{"speaker": "Ada", "text": text} for text in ("one", "two")]
    before = given_turns(read_turns(written(tmp_path / "log.jsonl", *lines)))
    after = given_turns(
        read_turns(written(tmp_path / "log.jsonl", {"speaker": "Bo", "text": "zero"}, *lines))
    )

    assert [turn.id for turn in after[1:]] == [turn.id for turn in before]


def test_defaults_come_from_the_file(tmp_path: Path) -> None:
    """Session, source and a missing time come from the file's stem, name and last change."""
    path = written(tmp_path / "talk.jsonl", {"speaker": "Ada", "text": "hello"})
    reading = read_turns(path)
    (turn,) = given_turns(reading)

    assert (turn.session, turn.source) == ("talk", "import:talk.jsonl")
    assert turn.at == datetime.fromtimestamp(path.stat().st_mtime, UTC)
    assert reading.undated == 1


def test_a_moved_file_gives_the_same_turns(tmp_path: Path) -> None:
    """A file's folder plays no part in what its turns are."""
    (tmp_path / "elsewhere").mkdir()
    record = {"speaker": "Ada", "text": "hello", "at": "2024-05-01"}
    here = given_turns(read_turns(written(tmp_path / "a.jsonl", record)))
    there = given_turns(read_turns(written(tmp_path / "elsewhere" / "a.jsonl", record)))

    assert here == there


def test_a_stream_has_no_time_of_its_own() -> None:
    """Undated turns from a stream stay undated, since a stream has no last change."""
    (turn,) = given_turns(read_turns(io.StringIO('{"role": "user", "content": "hi"}\n')))

    assert (turn.at, turn.session, turn.source, turn.speaker) == (None, "stdin", "import:stdin", "user")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2024-05-01T10:00:00Z", datetime(2024, 5, 1, 10, tzinfo=UTC)),
        ("2024-05-01T10:00:00+02:00", datetime(2024, 5, 1, 8, tzinfo=UTC)),
        ("2024-05-01", datetime(2024, 5, 1, tzinfo=UTC)),
        ("1:56 pm on 8 May, 2023", datetime(2023, 5, 8, 13, 56, tzinfo=UTC)),
        (1714557600, datetime(2024, 5, 1, 10, tzinfo=UTC)),
        (1714557600000, datetime(2024, 5, 1, 10, tzinfo=UTC)),
    ],
)
def test_times_are_read_as_utc(tmp_path: Path, value: object, expected: datetime) -> None:
    """A time in any of the usual spellings becomes the same instant in UTC."""
    (turn,) = given_turns(
        read_turns(written(tmp_path / "a.jsonl", {"speaker": "A", "text": "x", "at": value}))
    )

    assert turn.at == expected
    assert turn.at is not None
    assert turn.at.utcoffset() == timedelta(0)


def test_broken_lines_are_refused_one_by_one(tmp_path: Path) -> None:
    """A line that is no turn is reported with its number and reason, and the rest goes on."""
    path = written(
        tmp_path / "a.jsonl",
        {"speaker": "A", "text": "first"},
        '{"speaker": \n',
        "[1, 2]\n",
        "\n",
        {"speaker": "A", "text": "   "},
        {"text": "nobody"},
        {"speaker": "A", "text": 3.5},
        {"speaker": "A", "text": "\ud800"},
        {"speaker": "A", "text": "x", "at": "2024-99-01"},
        {"speaker": "A", "text": "x", "at": 1e300},
        "[" * 100_000 + "\n",
        '{"speaker": "A", "text": "x", "n": ' + "9" * 5_000 + "}\n",
        {"speaker": "A", "text": "last"},
    )
    items = list(read_turns(path))

    assert [item.text for item in items if isinstance(item, Turn)] == ["first", "last"]
    refused = {item.line: item.reason for item in items if isinstance(item, Refused)}
    assert list(refused) == [2, 3, 5, 6, 7, 8, 9, 10, 11, 12]
    assert refused[2].startswith("is not JSON")
    assert refused[6] == "has no speaker"
    assert "half a character" in refused[8]
    assert "'2024-99-01' is not a time" in refused[9]
    assert refused[11] == "is nested too deeply"


def test_an_id_that_comes_twice_is_refused(tmp_path: Path) -> None:
    """Ids are unique within a session; the second turn of the same id is refused, in another session it is not."""
    same = {"speaker": "A", "id": "1"}
    path = written(
        tmp_path / "a.jsonl", same | {"text": "x"}, same | {"text": "y"}, same | {"text": "z", "session": "s"}
    )
    items = list(read_turns(path))

    assert [isinstance(item, Turn) for item in items] == [True, False, True]


def test_a_line_too_long_is_refused_without_being_held(tmp_path: Path) -> None:
    """A line over the limit is refused, and the next one is read as usual."""
    path = tmp_path / "a.jsonl"
    path.write_text("x" * (MAX_LINE_CHARS + 70_000) + '\n{"speaker": "A", "text": "hi"}\n')
    items = list(read_turns(path))

    assert isinstance(items[0], Refused)
    assert items[0].line == 1
    assert isinstance(items[1], Turn)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_encodings_are_told_by_their_mark(tmp_path: Path, encoding: str) -> None:
    """UTF-8 with and without its mark and UTF-16 with its mark read the same."""
    mark = "\ufeff" if encoding in ("utf-16-le", "utf-16-be") else ""
    path = tmp_path / "a.jsonl"
    path.write_bytes((mark + '{"speaker": "Åsa", "text": "çà 日本 🙂"}\r\n').encode(encoding))
    (turn,) = given_turns(read_turns(path))

    assert (turn.speaker, turn.text) == ("Åsa", "çà 日本 🙂")


def test_another_encoding_is_an_error_with_its_byte(tmp_path: Path) -> None:
    """Text that is not UTF-8 says at which byte, counted from the file's start, also far into the file."""
    path = tmp_path / "a.txt"
    path.write_bytes(b"Ann: hi\n" * 20_000 + "Ann: café".encode("latin-1"))

    with pytest.raises(ImportFileError, match=r"a\.txt is not UTF-8 text: .* at byte 160008"):
        read_turns(path)


@pytest.mark.parametrize(
    "content", [b"\x89PNG\r\n\0\0", "Ann: hi".encode("utf-16-le"), "A: x".encode("utf-32")]
)
def test_a_binary_file_is_an_error(tmp_path: Path, content: bytes) -> None:
    """A binary file, and text in an encoding that cannot be told, are refused before any turn."""
    path = tmp_path / "a.txt"
    path.write_bytes(content)

    with pytest.raises(ImportFileError, match="Save it as UTF-8"):
        read_turns(path)


@pytest.mark.parametrize("content", ["", "\n \n", "\ufeff"])
def test_an_empty_file_holds_no_turns(tmp_path: Path, content: str) -> None:
    """A file without a word is a clear error."""
    path = tmp_path / "a.txt"
    path.write_text(content)

    with pytest.raises(ImportFileError, match="holds no turns"):
        list(read_turns(path))


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        (
            "m.txt",
            b"Noor: " + b"x" * 1_100_000 + b"\n",
            "begins with a line of more than 1,048,576 characters",
        ),
        ("a.graphml", b'<?xml version="1.0"?>\n<graphml>\nName: Alice\nBo: yes\n', "is XML or HTML"),
        ("a.html", b"<!DOCTYPE html>\nAda: hello\nBo: yes\n", "is XML or HTML"),
        (
            "a.jsonl",
            b'{"engram":"export","space":"a"}\n{"node":["Memory"]}\n',
            "was written by `engram export`",
        ),
        ("a.jsonl.gz", gzip.compress(b"Ada: hello\n", mtime=0), "is compressed"),
    ],
)
def test_what_is_no_conversation_is_told_for_what_it_is(
    tmp_path: Path, name: str, content: bytes, told: str
) -> None:
    """Markup, an export, a packed file and one endless line are refused by what they are, before any turn."""
    path = tmp_path / name
    path.write_bytes(content)

    with pytest.raises(ImportFileError, match=told) as refused:
        read_turns(path)
    assert refused.value.remedy


def test_missing_files_and_unknown_formats_are_clear_errors(tmp_path: Path) -> None:
    """A path that is not there, a folder of another format and an unknown format each say so."""
    with pytest.raises(ImportFileError, match="There is no file"):
        read_turns(tmp_path / "none.jsonl")
    with pytest.raises(ImportFileError, match="is a folder"):
        read_turns(tmp_path, format="jsonl")
    with pytest.raises(InvalidInputError, match="no format 'csv'"):
        read_turns(tmp_path / "none", format="csv")


@given(st.binary(max_size=300))
def test_any_bytes_give_turns_refusals_or_a_clear_error(content: bytes) -> None:
    """No content at all brings anything but turns, refusals or an ImportFileError."""
    try:
        items = list(read_turns(io.BytesIO(content)))
    except ImportFileError:
        return
    assert all(isinstance(item, Turn | Refused) for item in items)


ORIGINAL = {
    "sample_id": "pair-7",
    "conversation": {
        "speaker_a": "Ada",
        "speaker_b": "Bo",
        "session_10_date_time": "9:05 am on 3 June, 2024",
        "session_10": [{"speaker": "Bo", "dia_id": "D10:1", "text": "Later."}],
        "session_2_date_time": "1:56 pm on 8 May, 2024",
        "session_2": [
            {"speaker": "Ada", "dia_id": "D2:1", "text": "Look!", "blip_caption": "a red kite"},
            {"speaker": "Bo", "dia_id": "D2:2", "text": "Lovely."},
        ],
        "session_3_date_time": "no session of this number",
    },
    "qa": [],
}


def test_the_original_locomo_layout_is_read(tmp_path: Path) -> None:
    """Sessions come in the order of their numbers, with their date, the turns' ids and captions."""
    path = tmp_path / "a.json"
    path.write_text(json.dumps(ORIGINAL, indent=2))
    reading = read_turns(path)
    found = given_turns(reading)

    assert reading.format == "locomo"
    assert [(turn.session, turn.id) for turn in found] == [
        ("pair-7/session_2", "D2:1"),
        ("pair-7/session_2", "D2:2"),
        ("pair-7/session_10", "D10:1"),
    ]
    assert found[0].caption == "a red kite"
    assert found[0].at == datetime(2024, 5, 8, 13, 56, tzinfo=UTC)


def test_conversations_in_one_file_stay_apart(tmp_path: Path) -> None:
    """The first sessions of two conversations are two sessions."""
    turn = {"id": "D1:1", "session": "s1", "at": "2024-05-08T13:56:00+00:00", "speaker": "Ada", "text": "Hi."}
    path = tmp_path / "a.json"
    path.write_text(json.dumps([{"id": name, "turns": [turn], "questions": []} for name in ("x", "y")]))

    assert [turn.session for turn in given_turns(read_turns(path))] == ["x/s1", "y/s1"]


def test_a_list_of_turns_is_read(tmp_path: Path) -> None:
    """A JSON list of turns is a conversation, too."""
    path = tmp_path / "a.json"
    path.write_text(json.dumps([{"speaker": "Ada", "text": text} for text in ("x", "y")]))

    assert [turn.text for turn in given_turns(read_turns(path))] == ["x", "y"]


def test_a_session_with_an_unreadable_date_is_refused_whole(tmp_path: Path) -> None:
    """A date that is none is reported, and the other sessions are read."""
    conversation = {"session_1": [{"speaker": "A", "text": "x"}], "session_1_date_time": "soon"}
    path = tmp_path / "a.json"
    path.write_text(
        json.dumps({"conversation": conversation | {"session_2": [{"speaker": "A", "text": "y"}]}})
    )
    items = list(read_turns(path))

    assert isinstance(items[0], Refused)
    assert "'soon' is not a time" in items[0].reason
    assert isinstance(items[1], Turn)


@pytest.mark.parametrize("content", ["[" * 100_000, '{"a": 1}', '{\n"sample_id": "x"\n}', "[]", '[\n{"a":'])
def test_other_json_is_a_clear_error_or_refused(tmp_path: Path, content: str) -> None:
    """JSON that is no conversation, is cut off or nested too deeply never gives a turn and never crashes."""
    path = tmp_path / "a.json"
    path.write_text(content)

    with suppress(ImportFileError):
        assert not [item for item in read_turns(path) if isinstance(item, Turn)]


def test_a_document_too_large_is_refused(tmp_path: Path) -> None:
    """A JSON document over the limit is not parsed."""
    path = tmp_path / "a.json"
    path.write_text("[" + " " * MAX_DOCUMENT_BYTES + "]")

    with pytest.raises(ImportFileError, match="write it as JSONL"):
        list(read_turns(path, format="locomo"))


def test_zones_do_not_change_the_turn(tmp_path: Path) -> None:
    """The same instant in two zones is the same turn."""
    turn = Turn(text="x", speaker="A", at=datetime(2024, 5, 1, 10, tzinfo=timezone(timedelta(hours=2))))
    first = written(tmp_path / "a.jsonl", as_record(replace(turn, session="s")))
    (in_zone,) = given_turns(read_turns(first))
    assert turn.at is not None
    second = written(tmp_path / "a.jsonl", as_record(replace(turn, session="s", at=turn.at.astimezone(UTC))))

    assert given_turns(read_turns(second)) == [in_zone]


@pytest.mark.parametrize("name", ["event_at", "said_at"])
def test_engrams_own_names_for_a_time_are_read(tmp_path: Path, name: str) -> None:
    """A time under Engram's own names is read, and refused where it is none."""
    line = {"speaker": "A", "content": "x"}
    path = written(tmp_path / "a.jsonl", line | {name: "2024-05-01"}, line | {name: "soon"})
    good, bad = list(read_turns(path))

    assert isinstance(good, Turn)
    assert good.at == datetime(2024, 5, 1, tzinfo=UTC)
    assert bad == Refused(line=2, reason=f"{name} 'soon' is not a time")


def test_a_session_can_be_named_by_hand(tmp_path: Path) -> None:
    """A given session is that of all turns that name none."""
    line = {"speaker": "A", "text": "x"}
    path = written(tmp_path / "a.jsonl", line, line | {"session": "own"})

    assert [turn.session for turn in given_turns(read_turns(path, session="mine"))] == ["mine", "own"]


def test_a_device_goes_by_its_name() -> None:
    """An empty device is told by its path."""
    with pytest.raises(ImportFileError, match="/dev/null holds no turns: it is empty"):
        read_turns(Path("/dev/null"))
