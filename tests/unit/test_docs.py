"""The documentation: its generated pages are those of the code, and every link leads somewhere."""

import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

import pytest

from engram import statements
from tests.docs.graph import head_of, in_use
from tests.docs.markdown import docstring, escaped
from tests.docs.pages import DOCS, generated
from tests.docs.words import LABELS, RELATIONSHIPS

ROOT = Path(__file__).parents[2]
OUTSIDE = [ROOT / "README.md", *sorted((ROOT / ".github").glob("*.md")), ROOT / "cypher" / "README.md"]
"""Pages that are no part of the site."""
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)[^)]*\)|!\[[^\]]*\]\(([^)\s]+)[^)]*\)")
_PLACES = ("/root/", "/home/", "/tmp/", "/work/", "site-packages")


@pytest.fixture(scope="module")
def fresh() -> dict[str, str]:
    """Give the generated pages as the code would have them now."""
    return generated()


def links(page: Path) -> list[str]:
    """Return what a page links to, code and addresses left out."""
    text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    found = (first or second for first, second in _LINK.findall(text))
    return [unquote(each) for each in found if not re.match(r"[a-z]+:", each)]


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    heads = re.findall(r"^#+ (.+?)\s*$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def test_generated_pages_are_those_of_the_code(fresh: dict[str, str]) -> None:
    """What the reference says is what the code says; `make docs` writes it anew."""
    names = {page.relative_to(DOCS).as_posix() for page in (DOCS / "reference").glob("*.md")} | {"README.md"}
    there = {name: (DOCS / name).read_text(encoding="utf-8") for name in names}
    stale = sorted(name for name in fresh.keys() | there.keys() if fresh.get(name) != there.get(name))
    assert not stale, f"run make docs: {', '.join(stale)}"


def test_generated_pages_know_nothing_of_this_machine(
    fresh: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Whoever generates them, wherever their folders lie, gets the same pages."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("ENGRAM_SPACE", "mine")
    assert generated() == fresh
    assert not [f"{name}: {place}" for name, text in fresh.items() for place in _PLACES if place in text]


def test_every_label_and_relationship_is_described() -> None:
    """Whatever the statements name is described in tests/docs/words.py, and nothing else is."""
    labels, types = in_use()
    assert set(labels) == set(LABELS)
    assert set(types) == set(RELATIONSHIPS)


def test_every_command_has_its_section(fresh: dict[str, str]) -> None:
    """Commands of groups too."""
    for command in ("remember", "recall", "why", "jobs run", "config set", "server start", "schema apply"):
        assert re.search(rf"^#+ engram {command}$", fresh["reference/cli.md"], re.MULTILINE), command


def test_a_head_is_told_apart_into_its_parts() -> None:
    """A parameter's second line belongs to it, and each part of a head comment comes to its place."""
    head = head_of(statements.load("write/take_lease"))
    assert head.text.startswith("Take the lease on doing one thing in a space")
    assert list(head.parameters) == ["space", "phase", "run", "worker", "lease_seconds"]
    assert head.parameters["phase"] == "string, what is done, e.g. 'cluster'"
    assert head.returns == "one row: held (boolean), whether the run has it"
    assert head.twice == "the run that has it has it still."


def test_docstrings_and_comments_become_markdown() -> None:
    """Sections become lists, continued lines stay with their item, and plain text stays plain."""
    text = docstring(
        "Do it.\n\nArgs:\n    one: The first,\n        with more.\n\nReturns:\n    What came\n    of it."
    )
    assert text == (
        "Do it.\n\n**Arguments**\n\n- `one`: The first,\n  with more.\n\n**Returns**\n\nWhat came\nof it."
    )
    assert escaped("a_b <c> `d_e` [f]") == r"a\_b \<c\> `d_e` \[f\]"


def test_site_builds_without_a_warning(tmp_path: Path) -> None:
    """Every link between pages leads to a page and an anchor that are there; addresses are not fetched."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    done = subprocess.run(
        [*command, "--config-file", str(ROOT / "tests" / "docs" / "mkdocs.yml")],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "tutorial.html").is_file()
    assert "fonts.googleapis" not in (tmp_path / "index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", OUTSIDE, ids=lambda page: str(page.relative_to(ROOT)))
def test_pages_outside_of_the_site_link_to_what_is_there(page: Path) -> None:
    """Every relative link leads to a file that is there, and to a heading where it names one."""
    for link in links(page):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_the_map_leads_everywhere() -> None:
    """Every page of the documentation is linked from docs/README.md."""
    pages = {page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")} - {"README.md"}
    assert not sorted(pages - {link.partition("#")[0] for link in links(DOCS / "README.md")})
