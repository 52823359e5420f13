"""A picture in three forms: a page that needs no network, Graphviz's language, and SVG."""

import shutil
import subprocess
import textwrap

from engram.errors import ConfigurationError, EngramError
from engram.explore.picture import Dot, Line, Picture

_COLUMNS = 24
"""Characters of a line in a node."""
_SECONDS = 60
"""Most that Graphviz may take; a picture of some hundred nodes takes one."""
_NO_LIBRARY = "Pages are drawn by neo4j-viz, which is not installed."


def page(picture: Picture) -> str:
    """Return a picture as an HTML page, drawn by neo4j-viz: to be moved, searched and clicked on, also offline.

    Raises:
        ConfigurationError: neo4j-viz is not installed.
    """
    try:
        import neo4j_viz  # noqa: PLC0415  (an extra, and slow to load)
    except ImportError as error:
        raise ConfigurationError(
            _NO_LIBRARY, remedy="Install it: pip install 'engram-neo4j[view]'"
        ) from error
    drawn = neo4j_viz.VisualizationGraph(
        nodes=[
            neo4j_viz.Node(
                id=dot.id,
                caption=dot.caption,
                color=dot.look.color,
                size=dot.look.size / 2,
                properties={"label": dot.label} | dot.details,
            )
            for dot in picture.dots
        ],
        relationships=[
            neo4j_viz.Relationship(
                source=line.start,
                target=line.end,
                caption=line.caption,
                color=line.look.color,
                properties={"type": line.kind} | line.details,
            )
            for line in picture.lines
        ],
    )
    return str(drawn.render(width="100%", height="100vh", theme="light").data)


def graphviz(picture: Picture) -> str:
    """Return a picture in Graphviz's language: a box for each node, an arrow for each relationship."""
    names = {dot.id: f"n{place}" for place, dot in enumerate(picture.dots)}
    lines = [
        "rankdir=LR;",
        'node [shape=box, style="rounded,filled", fontname="Helvetica", fontsize=11, penwidth=0];',
        'edge [fontname="Helvetica", fontsize=9];',
        *(_box(names[dot.id], dot) for dot in picture.dots),
        *(_arrow(names[line.start], names[line.end], line) for line in picture.lines),
    ]
    return "\n".join(["digraph memory {", *(f"  {line}" for line in lines), "}", ""])


def svg(picture: Picture) -> str:
    """Return a picture as SVG, laid out by Graphviz.

    Raises:
        ConfigurationError: Graphviz is not installed.
        EngramError: It failed, or took more than a minute.
    """
    program = shutil.which("dot")
    if program is None:
        raise ConfigurationError(
            "SVG is laid out by Graphviz, whose `dot` is not installed.",
            remedy="Install the package graphviz of your system, or write --dot or --html instead.",
        )
    try:
        done = subprocess.run(
            [program, "-Tsvg"],
            input=graphviz(picture),
            capture_output=True,
            encoding="utf-8",
            timeout=_SECONDS,
            check=True,
        )
    except subprocess.TimeoutExpired as error:
        raise EngramError(
            f"Graphviz was not ready after {_SECONDS} s.", remedy="Draw less: --limit."
        ) from error
    except (OSError, subprocess.CalledProcessError) as error:
        raise EngramError(f"Graphviz failed: {getattr(error, 'stderr', None) or error}") from error
    return done.stdout


def _box(name: str, dot: Dot) -> str:
    words = textwrap.wrap(dot.caption, _COLUMNS) or [dot.label]
    colors = f'fillcolor="{dot.look.color}", fontcolor="{dot.look.text_color}"'
    return f"{name} [label={_quoted(words)}, tooltip={_quoted([dot.label])}, {colors}];"


def _arrow(start: str, end: str, line: Line) -> str:
    color = f'color="{line.look.color}", fontcolor="{line.look.color}"'
    return f"{start} -> {end} [label={_quoted([line.caption])}, {color}, penwidth={line.look.size}];"


def _quoted(lines: list[str]) -> str:
    escaped = (line.replace("\\", "\\\\").replace('"', '\\"') for line in lines)
    return '"' + "\\n".join(escaped) + '"'
