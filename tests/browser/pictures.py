"""Takes the pictures for docs/: `python -m tests.browser.pictures SPACE MEMORY`, of the server that the settings name."""

import sys
import tempfile
from pathlib import Path

from engram.config import Settings
from engram.explore import queries, style
from engram.explore.address import address
from engram.pasting import parameter_lines
from engram.server import Home, connect
from tests.browser.looking import enter, log_in, photograph, set_parameters
from tests.browser.webdriver import browser

DOCS = Path(__file__).parents[2] / "docs"
PICTURES = {"memory-graph": ("memories", 12), "why-chain": ("why", 40)}
"""The query of each picture, and how much is drawn."""


def main(space: str, memory: str) -> None:
    """Write the pictures of one space: its newest memories, and why one of them is believed."""
    settings = Settings.load()
    place = address(connect(settings, print), Home.of(settings).password_file)
    with tempfile.TemporaryDirectory() as profile, browser(Path(profile), width=1600, height=1000) as page:
        log_in(page, place.url or "", place.password)
        page.drop(".filedrop", style.FILE, style.sheet())
        for name, (query, limit) in PICTURES.items():
            values = queries.parameters(space, memory=memory, limit=limit)
            set_parameters(page, "\n".join(parameter_lines(values)))
            enter(page, queries.saved_query(query).code)
            photograph(page, DOCS / f"{name}.png")
            page.click("article [title='Close fullscreen'], article [title=Fullscreen]")


if __name__ == "__main__":
    main(*sys.argv[1:])
