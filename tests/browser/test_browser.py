"""Neo4j Browser itself on a small lived memory: logging in, the guide, the colours, every saved query."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from engram.config import Settings
from engram.explore import queries, style
from engram.explore.address import Address, address
from engram.explore.picture import picture
from engram.explore.rendering import page as drawn_page
from engram.explore.serving import Pages, serving
from engram.graph import Graph
from engram.memory import Engram
from engram.pasting import parameter_lines
from engram.server import Home, ManagedServer
from engram.testing import FixedClock, HashEmbedder
from tests.browser.looking import drawn, enter, log_in, set_parameters
from tests.browser.webdriver import Page, browser, chromium
from tests.graph.test_explore import draw, live

pytestmark = [pytest.mark.browser, pytest.mark.skipif(not chromium(), reason="no chromium with chromedriver")]

SPACE = """Noor's; "year" //one \\ {a}"""
DIMENSIONS = 384


@pytest.fixture(scope="module", autouse=True)
def _wanted(request: pytest.FixtureRequest) -> None:
    if "browser" not in (request.config.getoption("-m") or ""):
        pytest.skip("run by `make test-browser`: it starts a Neo4j and a Chromium of its own")


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """What the tests look at."""

    memory: Engram
    place: Address
    pages: Pages


@pytest.fixture(scope="module")
def looked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Looked]:
    """Give a small lived memory in a managed server, and the guide served."""
    settings = Settings.load(data_dir=tmp_path_factory.mktemp("neo4j"), server_backend="maven")
    server, clock = ManagedServer(settings), FixedClock()
    connection = server.start(print)
    try:
        graph = Graph(connection.uri, connection.user, connection.password, connection.database)
        embedder = HashEmbedder(DIMENSIONS)
        with Engram(graph, settings, space=SPACE, embedder=embedder, clock=clock) as memory:
            memory.ensure_schema()
            live(memory, clock)
            place = address(connection, Home.of(settings).password_file)
            with serving(queries.parameters(SPACE, limit=6), place.origins) as pages:
                yield Looked(memory=memory, place=place, pages=pages)
    finally:
        server.stop()


@pytest.fixture(scope="module")
def page(looked: Looked, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """Give Browser, logged in by the address that `engram browse --serve` prints."""
    with browser(tmp_path_factory.mktemp("profile")) as opened:
        url = looked.place.with_guide(looked.pages.guide)
        assert url
        log_in(opened, url, looked.place.password)
        yield opened


def test_the_guide_opens_by_itself(page: Page, looked: Looked) -> None:
    """Logged in, the guide stands beside the frames; its link loads the colours, a grey box fills the editor."""
    page.wait(lambda: "Each page asks the graph one question" in page.text(), "the guide")
    page.click("[data-exec^=style]")
    page.wait(lambda: "node.Semantic" in page.text(), "the style sheet")
    page.click("pre.runnable")
    written = page.wait(lambda: page.run("return document.querySelector('.view-lines').innerText"), "a query")
    assert ":param" in written
    assert looked.pages.style in page.text()


def test_each_query_is_drawn(page: Page) -> None:
    """Pasted as they are printed, for a space with an odd name, all draw: in the sheet's colours, and no numbers."""
    page.drop(".filedrop", style.FILE, style.sheet())
    set_parameters(page, "\n".join(parameter_lines(queries.parameters(SPACE, limit=6))))
    colors = {look.color.lower() for look in style.nodes().values()}
    captions = {look.caption for look in style.relationships().values()}
    for query in queries.saved_queries():
        enter(page, query.statement)
        nodes, relationships = drawn(page)
        assert len(nodes) > 1, query.name
        assert relationships, query.name
        assert not [text for text in nodes if len(text) > 60 or re.search(r"\d\.\d{3}", text)], query.name
        assert {text for text in relationships if "…" not in text} <= captions, query.name
        fills = page.run(
            "return [...document.querySelectorAll('g.node circle.b-outline')].map(e => e.getAttribute('fill'))"
        )
        assert {fill.lower() for fill in fills} <= colors, query.name


def test_favourites_can_be_dropped(page: Page) -> None:
    """The archive becomes a folder of saved scripts, named by their questions."""
    page.drop(".filedrop", "engram.zip", queries.archive(queries.parameters(SPACE)))
    page.click("button[name=Favorites]")
    page.click("[data-testid=expandFolder-Engram]")
    page.wait(lambda: "What contradicts?" in page.text(), "the questions")


def test_a_page_of_ones_own_needs_no_network(page: Page, looked: Looked, tmp_path: Path) -> None:
    """What `engram view --html` writes draws itself from the file alone, and runs nothing that was remembered."""
    looked.memory.remember(
        """</script><script>document.title = 'run'</script><img src=x onerror="document.title = 'run'">"""
    )
    file = tmp_path / "memory.html"
    file.write_text(drawn_page(picture(draw(looked.memory, "memories"))), encoding="utf-8")
    page.open(file.as_uri())
    page.wait(lambda: page.find("canvas"), "the drawing")
    assert (
        page.run(
            "return performance.getEntriesByType('resource').map(e => e.name).filter(n => n.startsWith('http'))"
        )
        == []
    )
    assert page.run("return document.title") != "run"
