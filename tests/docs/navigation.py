"""The site's navigation, from the folders: a new page is in it without a word."""

from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

FIRST = {"README.md": "Map", "tutorial.md": "Tutorial"}
"""Pages that come first, with their titles there; all others bear their own."""
FOLDERS = {"how-to": "How to", "reference": "Reference"}


def navigation(docs: Path) -> list[dict[str, Any]]:
    """Return the navigation over a folder of pages: a title, and a page or a list of pages."""
    explanation = sorted(page.name for page in docs.glob("*.md") if page.name not in FIRST)
    return [
        *({title: name} for name, title in FIRST.items()),
        *({title: _pages(docs, folder)} for folder, title in FOLDERS.items()),
        {"Explanation": explanation},
    ]


def _pages(docs: Path, folder: str) -> list[str]:
    return sorted(f"{folder}/{page.name}" for page in (docs / folder).glob("*.md"))


def on_config(config: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Give MkDocs its navigation."""
    config["nav"] = navigation(Path(config["docs_dir"]))
    return config
