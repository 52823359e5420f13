"""`engram view`: a part of the graph as a picture, for those without Neo4j Browser."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engram.errors import InvalidInputError, NotFoundError
from engram.explore.picture import Picture, picture
from engram.explore.queries import GROUP, LIMIT, ORDER, saved_query
from engram.explore.rendering import graphviz, page, svg
from engram.private import write_private

from .state import State

if TYPE_CHECKING:
    from engram.memory import Engram

_FILE = click.Path(path_type=Path, dir_okay=False, allow_dash=True)
_ID = re.compile(r"[0-9a-f]{6,32}|(?=.*\d)[0-9a-z]{6,32}", re.IGNORECASE)
"""What looks like an id: hexadecimal digits, or a word with a digit, such as a mistyped one."""
_SHOWN_ID = re.compile(r"[0-9a-f]{8}|[0-9a-f]{32}", re.IGNORECASE)
"""As commands show ids, short and whole: no word is that by chance."""
_FOUND = 8
"""Memories that a question brings into the picture; what is around them comes along."""


@click.command()
@click.argument("query", nargs=-1)
@click.option("--saved", type=click.Choice(ORDER), metavar="NAME", help=f"A saved query: {', '.join(ORDER)}.")
@click.option(
    "--html", "html_file", type=_FILE, help="Write a page to open in any web browser, also offline."
)
@click.option("--svg", "svg_file", type=_FILE, help="Write SVG, laid out by Graphviz; - prints it.")
@click.option("--dot", "dot_file", type=_FILE, help="Write it for Graphviz; - prints it.")
@click.option(
    "--limit",
    type=click.IntRange(1, 1_000),
    default=LIMIT,
    show_default=True,
    help="How much is drawn at most.",
)
@click.pass_obj
def view(
    state: State,
    query: tuple[str, ...],
    *,
    saved: str | None,
    html_file: Path | None,
    svg_file: Path | None,
    dot_file: Path | None,
    limit: int,
) -> None:
    """Draw what QUERY brings back with its surroundings; of an id, why that memory is believed."""
    forms: list[tuple[Path | None, Callable[[Picture], str]]] = [
        (html_file, page),
        (svg_file, svg),
        (dot_file, graphviz),
    ]
    wanted = [(file, form) for file, form in forms if file is not None]
    if not wanted:
        raise click.UsageError("Say where to: --html FILE, --svg FILE or --dot FILE.")
    if query and saved:
        raise click.UsageError("QUERY and --saved exclude each other.")
    with state.open() as memory:
        drawn = picture(_rows(state, memory, " ".join(query), saved or "memories", limit))
    if not drawn.dots:
        raise NotFoundError("There is nothing to draw.", remedy="`engram stats` counts what the space holds.")
    for file, form in wanted:
        _write(state, file, form(drawn))
    if state.json:
        files = [file for file, _ in wanted]
        state.print_json({"nodes": len(drawn.dots), "relationships": len(drawn.lines), "files": files})


def _rows(state: State, memory: "Engram", query: str, saved: str, limit: int) -> list[dict[str, object]]:
    """Return what is to be drawn: of an id its chain, of other words what they bring back, else a saved query.

    Raises:
        NotFoundError: An id was given, and there is no such memory.
    """

    def draw(name: str, **more: object) -> list[dict[str, object]]:
        statement = saved_query(name)
        given = {"space": memory.space, "limit": limit, "now": memory.now(), "id": ""} | more
        return memory.graph.read(
            f"{GROUP}/draw_{name}", **{each: given[each] for each in statement.parameters}
        )

    if not query:
        return draw(saved)
    if _ID.fullmatch(query):
        try:
            return draw("why", id=memory.get(query).id)
        except NotFoundError:
            if _SHOWN_ID.fullmatch(query):
                raise
            state.say(f"No memory {query}; searched for it instead.")
    hits = memory.recall(query, min(limit, _FOUND), read_only=True)
    return memory.graph.read(
        f"{GROUP}/draw_around", space=memory.space, ids=[hit.memory.id for hit in hits], limit=limit
    )


def _write(state: State, file: Path, text: str) -> None:
    if str(file) == "-":
        state.out(text)
        return
    if not file.absolute().parent.is_dir():
        raise InvalidInputError(f"There is no folder {file.parent} to write {file.name} into.")
    write_private(file, text)
    state.say(f"Written to {file}.")
