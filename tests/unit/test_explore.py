"""Neo4j Browser's style sheet, guide and saved queries, and the pictures for those without it."""

import io
import re
import shutil
import subprocess
import sys
import zipfile
from html.parser import HTMLParser
from http.client import HTTPConnection
from itertools import combinations
from pathlib import Path
from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree as ET

import pytest

from engram.errors import ConfigurationError, InvalidInputError
from engram.explore import queries, style
from engram.explore.address import address
from engram.explore.guide import guide
from engram.explore.picture import CAPTION, Picture, picture
from engram.explore.rendering import graphviz, page, svg
from engram.explore.serving import serving
from engram.graph import Node, Step
from engram.graph import Path as GraphPath
from engram.pasting import literal
from engram.records import Kind
from engram.server import Connection

CYPHER = Path(__file__).parents[2] / "cypher"
HOSTILE = """it's </script><script>alert("x")</script> \\N {b} ]; "d" <img src=x onerror=alert(1)> a;b//c"""
DRAWN = [*(kind.label for kind in Kind), "Turn", "Session", "Entity", "SemanticCluster", "Recall", "Archived"]
"""Labels that the saved queries put side by side."""
BROWSER = "http://localhost:7474"


def code() -> str:
    """Return all statements without comments and texts."""
    files = sorted(CYPHER.rglob("*.cypher"))
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    return re.sub(r"'[^'\n]*'", "''", "\n".join(line for line in lines if not line.lstrip().startswith("//")))


def labels() -> set[str]:
    """Return every label that a statement names, and those that are put in for `$(label)`."""
    chains = re.findall(r"(?<=[\w(]):((?:[A-Z]\w*[|&:]?)+)", code())
    named = {label for chain in chains for label in re.split(r"[|&:]", chain) if label}
    return {each for each in named if not each.isupper()} | {kind.label for kind in Kind}


def types() -> set[str]:
    """Return every relationship type that a statement names."""
    chains = re.findall(r"\[\w*:([A-Z_|]+)", code())
    return {each for chain in chains for each in chain.split("|") if each}


def test_everything_has_a_colour_and_a_caption() -> None:
    """A label or a relationship type that some statement uses has a rule in the style sheet."""
    assert len(labels()) > 30
    assert len(types()) > 25
    assert labels() - style.nodes().keys() == set()
    assert types() - style.relationships().keys() == set()
    assert not [name for name, look in style.nodes().items() if name and not look.caption]
    assert not [name for name, look in style.relationships().items() if len(look.caption) not in range(2, 15)]


def test_browser_can_read_the_sheet() -> None:
    """Browser's parser knows no comments, and cuts a property at each colon and each semicolon."""
    for line in style.sheet().splitlines():
        assert re.fullmatch(
            r"|(node|relationship)(\.\w+)? \{|  [\w-]+: (#[0-9A-F]{6}|\d+px|'[^':;]+');|\}", line
        ), line


def test_colours_tell_kinds_apart() -> None:
    """What stands side by side differs visibly (CIE76, 2.3 is just noticeable), and each caption can be read (WCAG)."""
    for one, other in combinations(DRAWN, 2):
        pair = style.nodes()[one].color, style.nodes()[other].color
        assert _distance(*pair) > 20, (one, other)
    for label, look in style.nodes().items():
        assert not label or _contrast(look.color, look.text_color) >= 4.5, label


def test_every_file_is_a_saved_query() -> None:
    """Each statement of the group is offered, asks a question, and takes only parameters that are ready."""
    files = {file.stem for file in (CYPHER / "explore").glob("*.cypher")}
    assert files == {f"draw_{name}" for name in queries.ORDER} | {"draw_around"}
    for query in queries.saved_queries():
        assert query.question.count("?") == 1
        assert query.about.endswith(".")
        assert {"space", "limit"} <= {*query.parameters} <= queries.parameters("x").keys()
        assert not re.search(r"^//", query.code, re.MULTILINE)
    with pytest.raises(InvalidInputError, match="no saved query 'fadin'"):
        queries.saved_query("fadin")


def test_a_parameter_stays_one_literal() -> None:
    """No name of a space, however odd, ends its literal or the line, and Cypher reads the name out of it."""
    written = literal(HOSTILE)
    assert re.fullmatch(r"'([\w .-]|\\u[0-9a-f]{4}|\\['\\])*'", written)
    read = re.sub(r"\\u([0-9a-f]{4})", lambda code: chr(int(code[1], 16)), written[1:-1])
    assert re.sub(r"\\(['\\])", r"\1", read) == HOSTILE


def test_favourites_are_named_after_their_questions() -> None:
    """The archive holds a folder with the parameters and every query, and is the same each time."""
    values = queries.parameters("noor")
    with zipfile.ZipFile(io.BytesIO(queries.archive(values))) as packed:
        texts = {name: packed.read(name).decode() for name in packed.namelist()}
    assert len(texts) == 1 + len(queries.ORDER)
    assert all(re.fullmatch(r"Engram/\d_\w+\.cypher", name) for name in texts)
    assert texts["Engram/2_fading.cypher"].startswith("// What is fading?\nCYPHER 25\n")
    assert ":param space => 'noor';" in texts["Engram/0_parameters.cypher"]
    assert queries.archive(values) == queries.archive(values)


def test_the_guide_has_a_page_for_each_question() -> None:
    """Six slides with all saved queries in grey boxes, and nothing of a space's name becomes markup."""
    read = _Tags()
    text = guide(queries.parameters(HOSTILE), "http://localhost:1/style.grass")
    read.feed(text)
    assert read.seen.count("slide") == 6
    assert read.seen.count("pre") == 2 + len(queries.ORDER)
    assert not {"script", "img"} & {*read.seen}
    assert 'data-exec="style http://localhost:1/style.grass"' in text
    for question in ("remember", "fading", "goes together", "contradicts", "Why do I believe"):
        assert question in text
    assert not re.search(r"\{(style|parameters|" + "|".join(queries.ORDER) + r")\}", text)


def test_pages_are_served_to_browser_alone() -> None:
    """Only Browser's own pages may read them, and only by this machine's own name."""
    with serving(queries.parameters("noor"), {BROWSER}) as pages:
        parts = urlsplit(pages.guide)
        assert parts.hostname == "localhost"
        door = HTTPConnection("127.0.0.1", parts.port or 0, timeout=10)

        def ask(path: str, method: str = "GET", **headers: str) -> tuple[int, str | None, str]:
            door.request(
                method, path, headers={name.replace("_", "-"): each for name, each in headers.items()}
            )
            answer = door.getresponse()
            return answer.status, answer.getheader("Access-Control-Allow-Origin"), answer.read().decode()

        assert ask("/style.grass", Origin=BROWSER) == (200, BROWSER, style.sheet())
        assert ask("/guide.html", "OPTIONS", Origin=BROWSER)[:2] == (204, BROWSER)
        assert "What is fading?" in ask("/guide.html", Origin=BROWSER)[2]
        assert ask("/guide.html", Origin="http://elsewhere.example")[1] is None
        assert ask("/guide.html", Host="elsewhere.example")[0] == 403
        assert ask("/../style.py")[0] == 404
        door.close()


@pytest.mark.parametrize(
    ("uri", "page_of", "dbms"),
    [
        ("bolt://10.0.0.7:7687", "http://10.0.0.7:7474/browser/", "bolt://a%40b@10.0.0.7:7687"),
        ("neo4j+s://graph.example", "https://graph.example:7473/browser/", "neo4j+s://a%40b@graph.example"),
        ("bolt://[::1]:7687", "http://[::1]:7474/browser/", "bolt://a%40b@[::1]:7687"),
    ],
)
def test_an_own_server_is_told_of_as_far_as_known(uri: str, page_of: str, dbms: str) -> None:
    """The address is where Browser is as a rule, with the connection filled in, and it is said that it is a guess."""
    place = address(_connection(uri, "configured"), Path("password"))
    assert place.url
    assert place.url.partition("?")[0] == page_of
    assert parse_qs(urlsplit(place.url).query) == {"dbms": [dbms], "db": ["memory"]}
    assert place.note
    assert place.password_file is None
    assert "secret" not in repr(place)
    assert "secret" not in place.url


def test_a_cloud_database_has_no_browser_to_open() -> None:
    """For Aura there is no address, but a word on where to go."""
    place = address(_connection("neo4j+s://1234.databases.neo4j.io", "configured"), Path("password"))
    assert place.url is None
    assert place.with_guide("http://localhost:1/guide.html") is None
    assert place.origins == frozenset()
    assert "Aura" in str(place.note)


def test_a_picture_holds_no_vector() -> None:
    """Whatever a node carries, captions are short and no list of numbers is in any form of the picture."""
    drawn = _hostile()
    assert len(drawn.dots) == 3
    assert len(drawn.lines) == 2
    assert all(len(dot.caption) <= CAPTION for dot in drawn.dots)
    for text in (repr(drawn), graphviz(drawn), page(drawn)):
        assert "0.12345" not in text


def test_hostile_words_stay_words_on_a_page() -> None:
    """No content becomes markup or a script of the page, and it asks nobody for anything."""
    before, _, after = page(_hostile()).partition('<script type="application/json" id="neo4j-viz-data">')
    data, _, rest = after.partition("</script>")
    assert "alert" in data
    assert "<" not in data
    assert "alert(1)" not in before + rest
    assert not re.search(r"""<(?:script|link|img)[^>]+(?:src|href)=["']?(?:https?:)?//""", before + rest)


def test_hostile_words_stay_words_for_graphviz() -> None:
    """Each node and each arrow is one line with balanced quotes, whatever the content."""
    lines = graphviz(_hostile()).splitlines()
    boxes = [
        line for line in lines if re.fullmatch(r'  n\d \[label="(?:[^"\\]|\\.)*", tooltip="\w*", .*\];', line)
    ]
    arrows = [
        line for line in lines if re.fullmatch(r'  n\d -> n\d \[label="(?:[^"\\]|\\.)*", color=.*\];', line)
    ]
    assert len(boxes) == 3
    assert len(arrows) == 2
    assert len(lines) == 2 + 3 + 3 + 2


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_svg_says_what_the_graph_says() -> None:
    """Graphviz reads what is written for it, and no content becomes an element of the drawing."""
    root = ET.fromstring(svg(_hostile()))
    named = {each.tag.rpartition("}")[2] for each in root.iter()}
    assert named <= {"svg", "g", "title", "polygon", "path", "text", "a"}
    assert "rests on" in " ".join(root.itertext())


def test_without_graphviz_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A missing program is an error with the remedy, and no traceback."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ConfigurationError, match="Install the package graphviz"):
        svg(_hostile())


def test_help_stays_fast() -> None:
    """Listing the commands loads neither the drawing library nor a web server."""
    script = (
        "import sys; from click.testing import CliRunner; from engram.cli.main import engram;"
        "assert 'view' in CliRunner().invoke(engram, ['--help']).output;"
        "assert not {'neo4j_viz', 'http.server', 'IPython'} & {*sys.modules}"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        """Note it."""
        self.seen.append(tag)


def _connection(uri: str, origin: str) -> Connection:
    return Connection(uri=uri, user="a@b", password="secret", database="memory", origin=origin)  # type: ignore[arg-type]


def _hostile() -> Picture:
    vector = [0.12345] * 384
    fact = Node(
        "1", frozenset({"Memory", "Semantic"}), {"content": HOSTILE, "embedding": vector, "id": HOSTILE}
    )
    said = Node("2", frozenset({"Turn"}), {"text": HOSTILE, "embedding_b": vector})
    who = Node("3", frozenset({"Entity"}), {"name": HOSTILE})
    steps = (
        Step("DERIVED_FROM", "1", "2", {"citation": HOSTILE}),
        Step("MENTIONS", "1", "3", {"embedding": vector}),
    )
    return picture(
        [
            {"memory": fact, "path": GraphPath((fact, said), steps[:1])},
            {"memory": fact, "path": GraphPath((fact, who), steps[1:])},
            {"memory": fact, "path": None},
        ]
    )


def _channels(color: str) -> list[float]:
    shares = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    return [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in shares]


def _contrast(one: str, other: str) -> float:
    light = sorted(
        sum(weight * each for weight, each in zip((0.2126, 0.7152, 0.0722), _channels(color), strict=True))
        for color in (one, other)
    )
    return (light[1] + 0.05) / (light[0] + 0.05)


def _distance(one: str, other: str) -> float:
    first, second = _lab(one), _lab(other)
    return float(sum((a - b) ** 2 for a, b in zip(first, second, strict=True)) ** 0.5)


def _lab(color: str) -> tuple[float, float, float]:
    red, green, blue = _channels(color)
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089
    fx, fy, fz = (each ** (1 / 3) if each > 0.008856 else 7.787 * each + 16 / 116 for each in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)
