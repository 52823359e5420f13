"""Markdown notes: front matter, cutting into parts, folders."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engram.errors import ImportFileError
from engram.importing import Reading, Refused, markdown, read_turns
from engram.importing.markdown import MAX_PART_CHARS, PART_CHARS, Note
from engram.records import Kind


def note(folder: Path, name: str, text: str) -> Path:
    """Write a note."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def notes(reading: Reading) -> list[Note]:
    """Return the parts that were read."""
    return [item for item in reading if isinstance(item, Note)]


def refusals(reading: Reading) -> list[Refused]:
    """Return what was refused."""
    return [item for item in reading if isinstance(item, Refused)]


def test_front_matter_says_when_who_and_what(tmp_path: Path) -> None:
    """Date, title, tags, speaker and kind reach every part of the note."""
    front = "---\ndate: 2026-05-01 10:00\ntitle: Bread\ntags: [kitchen, flour]\nauthor: Ada\nkind: Procedural\n---\n"
    (part,) = notes(read_turns(note(tmp_path, "bread.md", front + "Feed the starter.\n")))

    assert part.at == datetime(2026, 5, 1, 10, tzinfo=UTC)
    assert (part.speaker, part.kind, part.category) == ("Ada", Kind.PROCEDURAL, "kitchen")
    assert part.text == "Bread [kitchen, flour]\nFeed the starter."
    assert (part.session, part.source) == ("bread", "import:bread.md")


def test_a_note_is_cut_at_headings(tmp_path: Path) -> None:
    """Each section is a part that begins with the headings it stands under; code is never a heading."""
    text = "Intro.\n# One\ntext\n```sh\n# not a heading\n\nls\n```\n## Deep ##\nmore\n# Two\nend\n"
    parts = notes(read_turns(note(tmp_path, "a.md", text)))

    assert [part.text.split("\n")[0] for part in parts] == ["Intro.", "One", "One > Deep", "Two"]
    assert "# not a heading\n\nls" in parts[1].text


def test_long_sections_are_cut_at_sentences(tmp_path: Path) -> None:
    """Parts stay of a size that an embedder reads, short paragraphs are put together, and no word is lost."""
    sentence = "The river rose again in the night, and nobody slept. "
    text = "# Log\n" + "short one\n\nshort two\n\n" + sentence * 100
    parts = [part.text.removeprefix("Log\n") for part in notes(read_turns(note(tmp_path, "a.md", text)))]

    assert all(len(part) <= MAX_PART_CHARS for part in parts)
    assert parts[0].startswith("short one\n\nshort two")
    assert " ".join(" ".join(parts).split()) == " ".join(text.removeprefix("# Log\n").split())


@pytest.mark.parametrize(
    ("front", "reason"),
    [
        ("title: [unclosed", "not YAML"),
        ("date: 2026-13-45", "not YAML|not a time"),
        ("date: someday", "its date 'someday' is not a time"),
        ("kind: dream", "its kind 'dream' is none of"),
        ("x: " + "[" * 5_000, "not YAML"),
        ('x: !!int ""', "not YAML"),
        ("x: !!python/object/apply:os.system [ls]", "not YAML"),
        ("? [a]\n: b\n? {c: d}\n: e", "not YAML"),
    ],
)
def test_unusable_front_matter_is_refused(tmp_path: Path, front: str, reason: str) -> None:
    """Front matter that cannot be read, or says what cannot be, refuses the file with the reason."""
    (refused,) = refusals(read_turns(note(tmp_path, "a.md", f"---\n{front}\n---\nbody\n")))

    assert any(each in refused.reason for each in reason.split("|"))


def test_a_rule_at_the_top_is_not_front_matter(tmp_path: Path) -> None:
    """Prose between two rules is text."""
    (part,) = notes(read_turns(note(tmp_path, "a.md", "---\njust words\n---\nmore words\n")))

    assert "just words" in part.text


def test_a_folder_is_walked_without_hidden_files_and_links(tmp_path: Path) -> None:
    """Every markdown file below is read, with its place as session; hidden files, links and others are not."""
    vault = tmp_path / "vault"
    note(vault, "b.md", "bee")
    note(vault, "sub/a.markdown", "ay")
    note(vault, ".hidden.md", "no")
    note(vault, ".git/c.md", "no")
    note(vault, "d.txt", "Ann: no")
    outside = note(tmp_path, "outside/e.md", "no")
    (vault / "link.md").symlink_to(outside)
    (vault / "linked").symlink_to(outside.parent)

    found = notes(read_turns(vault))

    assert [(part.session, part.source, part.text) for part in found] == [
        ("b", "import:b.md", "bee"),
        ("sub/a", "import:a.markdown", "ay"),
    ]


def test_a_broken_note_does_not_stop_the_others(tmp_path: Path) -> None:
    """A file of a folder that cannot be read is refused by name, and the rest goes on."""
    note(tmp_path, "a.md", "first")
    (tmp_path / "b.md").write_bytes(b"caf\xe9")
    note(tmp_path, "c.md", "last")
    items = list(read_turns(tmp_path))

    assert [part.text for part in items if isinstance(part, Note)] == ["first", "last"]
    (refused,) = [item for item in items if isinstance(item, Refused)]
    assert refused.reason.startswith("b.md: b.md is not UTF-8 text")


def test_a_bomb_of_yaml_is_refused(tmp_path: Path) -> None:
    """Front matter whose aliases unfold without end, or that is too long to be any, is refused at once."""
    levels = [f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}]}}" for n in range(1, 12)]
    note(tmp_path, "a.md", "\n".join(["---", "a0: &a0 {x: 1}", *levels, "---", "text"]))
    note(tmp_path, "b.md", f"---\ntitle: {'x' * 70_000}\n---\ntext\n")
    note(tmp_path, "c.md", "last")
    items = list(read_turns(tmp_path))
    assert [item.reason for item in items if isinstance(item, Refused)] == [
        "a.md: its front matter is not YAML: aliases are not read at line 3",
        "b.md: its front matter is longer than 65,536 characters",
    ]


def test_a_folder_of_too_many_files_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that holds more files than anybody has notes is taken for the wrong one."""
    monkeypatch.setattr(markdown, "MAX_NOTES", 3)
    for n in range(4):
        note(tmp_path, f"{n}.md", "text")
    with pytest.raises(ImportFileError, match="more than 3 files"):
        list(read_turns(tmp_path))


def test_a_folder_without_notes_holds_no_turns(tmp_path: Path) -> None:
    """A folder in which no markdown is found is a clear error."""
    with pytest.raises(ImportFileError, match="holds no turns"):
        list(read_turns(tmp_path))


def test_undated_notes_have_their_own_files_time(tmp_path: Path) -> None:
    """Each undated note of a folder is dated by the last change of its own file."""
    path = note(tmp_path, "a.md", "text")
    reading = read_turns(tmp_path)
    (part,) = notes(reading)

    assert part.at == datetime.fromtimestamp(path.stat().st_mtime, UTC)
    assert reading.undated == 1


def test_a_transcript_with_a_markdown_suffix_is_a_transcript(tmp_path: Path) -> None:
    """Content decides before the suffix."""
    path = note(tmp_path, "chat.md", "**Ann:** hi\n\n**Bob:** yes\n")

    assert read_turns(path).format == "transcript"


def test_prose_can_be_forced_to_notes(tmp_path: Path) -> None:
    """`markdown` as a forced format takes any text."""
    path = note(tmp_path, "a.txt", "It was a dark night.\n")

    assert [part.text for part in notes(read_turns(path, format="markdown"))] == ["It was a dark night."]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.sampled_from("ab# \n-`~:>[]!*&é日。."), max_size=200))
def test_no_markdown_crashes_the_reader(tmp_path: Path, text: str) -> None:
    """Any mixture of markdown's marks gives parts with unique ids, a refusal, or an ImportFileError."""
    path = tmp_path / "a.md"
    path.write_text(text)
    try:
        items = list(read_turns(path, format="markdown"))
    except ImportFileError:
        return
    ids = [item.id for item in items if isinstance(item, Note)]
    assert len(set(ids)) == len(ids)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(st.sampled_from("ab. "), min_size=1, max_size=3 * PART_CHARS), max_size=4))
def test_cutting_loses_no_letter(tmp_path: Path, paragraphs: list[str]) -> None:
    """All letters of a note are in its parts, in order."""
    path = tmp_path / "a.md"
    path.write_text("\n\n".join(paragraphs))
    try:
        found = "".join(part.text for part in notes(read_turns(path, format="markdown")))
    except ImportFileError:
        found = ""
    assert "".join(found.split()) == "".join("".join(paragraphs).split())


def test_other_files_of_a_folder_are_named(tmp_path: Path) -> None:
    """A folder is read for its notes; conversations beside them are left alone, and said so."""
    note(tmp_path, "a.md", "A note.")
    note(tmp_path, "talk/log.txt", "Ann: hi")
    note(tmp_path, ".hidden/b.txt", "x: y")
    reading = read_turns(tmp_path)
    assert len(list(reading)) == 1
    assert len(reading.notices) == 1
    assert "1 other files were left alone (talk/log.txt)" in reading.notices[0]
