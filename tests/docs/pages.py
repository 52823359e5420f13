"""Which pages of the documentation are generated, and from what."""

from pathlib import Path

from tests.docs.commands import cli
from tests.docs.figures import errors_page, numbers, settings
from tests.docs.graph import schema, statements_page
from tests.docs.library import python_api

DOCS = Path(__file__).parents[2] / "docs"
MAP = DOCS / "README.md"
BEGIN, END = "<!-- how-to:begin -->", "<!-- how-to:end -->"
"""What is between them in the map is generated: a line for each page of the folder."""
_PAGES = {
    "reference/cli.md": cli,
    "reference/errors.md": errors_page,
    "reference/numbers.md": numbers,
    "reference/python-api.md": python_api,
    "reference/schema.md": schema,
    "reference/settings.md": settings,
    "reference/statements.md": statements_page,
}


def generated() -> dict[str, str]:
    """Return the text of every generated page, by its path in `docs`; of the map a part is generated."""
    return {name: make() for name, make in _PAGES.items()} | {MAP.name: _map()}


def _map() -> str:
    head, _, rest = MAP.read_text(encoding="utf-8").partition(BEGIN)
    pages = {_title(page): page.relative_to(DOCS).as_posix() for page in (DOCS / "how-to").glob("*.md")}
    lines = "\n".join(f"- [{title}]({pages[title]})" for title in sorted(pages))
    return f"{head}{BEGIN}\n\n{lines}\n\n{END}{rest.partition(END)[2]}"


def _title(page: Path) -> str:
    """Return a page's first heading."""
    return page.read_text(encoding="utf-8").partition("# ")[2].partition("\n")[0].strip()
