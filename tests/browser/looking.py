"""What a person does in Neo4j Browser, step by step."""

import time
from pathlib import Path

from tests.browser.webdriver import Page

_FRAME = "article[data-testid=frame]"
_DRAWN = "return [...document.querySelectorAll(arguments[0])].map(each => each.textContent)"


def log_in(page: Page, url: str, password: str) -> None:
    """Open Browser at an address that has the rest filled in, and give the password."""
    page.open(url)
    page.type("[data-testid=password]", password)
    page.click("[data-testid=connect]")
    page.wait(lambda: "You are connected as user" in page.text(), "the connection")


def enter(page: Page, command: str) -> None:
    """Paste a command or a statement into the editor, run it, and wait for its frame, which is then the only one."""
    _run(page, ":clear")
    page.wait(lambda: not page.find(_FRAME), "an empty page")
    _run(page, command)
    page.wait(lambda: page.find(_FRAME), f"the frame of {command}")


def _run(page: Page, command: str) -> None:
    page.click("[data-testid=editor-discard]")
    page.run("document.querySelector('.monaco-editor textarea').focus()")
    page.insert(command)
    page.click("[data-testid=editor-Run]")


def frame(page: Page) -> str:
    """Return the words of the newest frame."""
    return str(page.run("return document.querySelector(arguments[0])?.innerText ?? ''", _FRAME))


def set_parameters(page: Page, lines: str) -> None:
    """Set parameters, and wait until Browser has evaluated all of them."""
    enter(page, lines)
    last = lines.rpartition(":param ")[2].partition(" ")[0]

    def known() -> bool:
        enter(page, ":params")
        return f'"{last}"' in frame(page)

    page.wait(known, last)


def drawn(page: Page) -> tuple[list[str], list[str]]:
    """Return the captions of the nodes and of the relationships of the graph that is drawn, once it is."""
    nodes = page.wait(lambda: page.run(_DRAWN, "g.node"), "a graph")
    return nodes, page.run(_DRAWN, "g.relationship")


def fill_screen(page: Page) -> None:
    """Give the graph the whole window."""
    page.click("[title=Fullscreen]")
    time.sleep(2)  # an animation, of which nothing tells the end
    page.click("[aria-label=zoom-to-fit]")
    time.sleep(2)


def photograph(page: Page, file: Path) -> None:
    """Save what is drawn, on the whole window."""
    drawn(page)
    fill_screen(page)
    page.screenshot(file)
