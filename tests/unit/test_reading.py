"""The library: its own documentation can be read, part by part, and nothing else."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.errors import NotFoundError
from engram.mind.library import PART, Library, shipped
from engram.mind.reading import COUNTED, unfound


@pytest.fixture
def library(tmp_path: Path) -> Library:
    """Give a folder with two pages, beside what is none of its business."""
    root = tmp_path / "own"
    (root / "docs" / "how-to").mkdir(parents=True)
    (root / "README.md").write_text(
        "# Engram\n\n![a picture](it.png)\n\nIt remembers.\nLong.\n", encoding="utf-8"
    )
    long = "# Long\n\n" + "".join(f"Line {number} of it.\n" for number in range(1_000))
    (root / "docs" / "how-to" / "long.md").write_text(long, encoding="utf-8")
    (root / "docs" / "code.py").write_text("a secret", encoding="utf-8")
    (root / "notes.md").write_text("a secret", encoding="utf-8")
    (tmp_path / "secret.md").write_text("a secret", encoding="utf-8")
    (root / "docs" / "link.md").symlink_to(tmp_path / "secret.md")
    (root / "docs" / "out").symlink_to(tmp_path, target_is_directory=True)
    return Library(root)


def test_pages_are_found_by_short_names_too(library: Library) -> None:
    """`docs/` and `.md` may be left out."""
    assert [*library.pages] == ["README.md", "docs/how-to/long.md"]
    assert (
        library.read("how-to/long").page == library.read("docs/how-to/long.md").page == "docs/how-to/long.md"
    )
    assert (library.title("README"), library.summary("README")) == ("Engram", "It remembers. Long.")


@pytest.mark.parametrize(
    "page",
    [
        "../secret.md",
        "docs/../../secret.md",
        "docs/../README.md",
        "link.md",
        "docs/out/secret.md",
        "code.py",
        "docs/code.py",
        "notes.md",
        "/etc/passwd",
        "..",
        "\0",
        "",
    ],
)
def test_nothing_else_can_be_read(library: Library, page: str, tmp_path: Path) -> None:
    """A way up, an absolute path, a link that leads out and another suffix are no pages."""
    for name in (page, f"{tmp_path}/{page}"):
        with pytest.raises(NotFoundError, match="There is no page"):
            library.read(name)


@given(page=st.text(max_size=40))
def test_whatever_is_asked_is_a_page_or_refused(page: str) -> None:
    """No name makes it fail otherwise."""
    try:
        found = shipped().read(page)
    except NotFoundError:
        return
    assert found.page in shipped().pages


def test_parts_make_up_the_whole_page(library: Library) -> None:
    """Each part is bounded and ends with a line; together they are the page; beyond them there is nothing."""
    first = library.read("how-to/long")
    parts = [library.read("how-to/long", part).text for part in range(1, first.parts + 1)]
    assert first.parts > 1
    assert all(len(part) <= PART and part.endswith("\n") for part in parts)
    assert "".join(parts) == library.pages["docs/how-to/long.md"].read_text(encoding="utf-8")
    for part in (0, -1, first.parts + 1):
        with pytest.raises(NotFoundError, match="has no part"):
            library.read("how-to/long", part)


def test_the_documentation_is_there() -> None:
    """Every page of this Engram has a title, and the pages that explain it a first paragraph."""
    library = shipped()
    assert {"README.md", "docs/README.md", "docs/recall.md", "docs/how-to/browse.md"} <= {*library.pages}
    assert all(library.title(page) and library.title(page) != page for page in library.pages)
    assert library.summary("recall")


def test_what_cannot_be_found_by_meaning_is_told_by_number() -> None:
    """One, several, and more than are counted."""
    assert unfound(1).startswith("1 memory has no vector")
    assert unfound(12).startswith("12 memories have no vector")
    assert unfound(COUNTED).startswith("1,000 memories or more have no vector")
