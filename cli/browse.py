"""`engram browse`: Neo4j Browser on the memory, with colours, a guide and queries that are ready to be pasted."""

import time
import webbrowser
from contextlib import suppress
from pathlib import Path

import click

from engram.explore import queries, style
from engram.explore.address import Address, address
from engram.explore.serving import serving
from engram.pasting import parameter_lines
from engram.server import Home, connect

from .state import State

_FILE = click.Path(path_type=Path, dir_okay=False, allow_dash=True)
_LOOK_AGAIN = 3600.0
"""Seconds between two looks at nothing while the guide is served."""


@click.command()
@click.option("--open", "open_it", is_flag=True, help="Open it in the web browser, too.")
@click.option("--serve", is_flag=True, help="Serve the guide and the colours to it until Ctrl-C.")
@click.option(
    "--port", type=click.IntRange(0, 65_535), default=0, help="Where to serve; wherever is free if left out."
)
@click.option("--show-password", is_flag=True, help="Print the password as well.")
@click.option("--queries", "listed", is_flag=True, help="Print the saved queries, to paste.")
@click.option("--favourites", type=_FILE, help="Write the saved queries as a zip to drop onto Browser.")
@click.option(
    "--style", "style_file", type=_FILE, help="Write the style sheet to drop onto Browser; - prints it."
)
@click.option("--memory", "start", metavar="ID", help="The memory that the query `why` starts from.")
@click.option("--limit", type=click.IntRange(1, 1_000), default=queries.LIMIT, show_default=True)
@click.pass_obj
def browse(
    state: State,
    *,
    open_it: bool,
    serve: bool,
    port: int,
    show_password: bool,
    listed: bool,
    favourites: Path | None,
    style_file: Path | None,
    start: str | None,
    limit: int,
) -> None:
    """Look at the memory in Neo4j Browser: where it is, how to log in, what to ask there."""
    values = queries.parameters(state.space, memory=_known(state, start), limit=limit)
    if style_file:
        _write(state, style_file, style.sheet().encode())
    if favourites:
        _write(state, favourites, queries.archive(values))
    if listed:
        _print_queries(state, values)
    if style_file or favourites or listed:
        return
    place = address(connect(state.settings, state.say), Home.of(state.settings).password_file)
    if serve:
        _serve(state, place, values, port=port, show_password=show_password, open_it=open_it)
        return
    _print_address(state, place, place.url, show_password=show_password)
    if open_it:
        _open(state, place.url)


def _known(state: State, start: str | None) -> str:
    """Return the whole id of the memory that `start` begins; empty where none is named.

    Raises:
        NotFoundError: There is none in this space.
    """
    if start is None:
        return ""
    with state.open() as memory:
        return memory.get(start).id


def _serve(
    state: State, place: Address, values: dict[str, str], *, port: int, show_password: bool, open_it: bool
) -> None:
    with serving(values, place.origins, port) as pages:
        url = place.with_guide(pages.guide)
        _print_address(state, place, url, guide=pages.guide, style=pages.style, show_password=show_password)
        if open_it:
            _open(state, url)
        state.say("Serving until Ctrl-C.")
        with suppress(KeyboardInterrupt):
            while True:
                time.sleep(_LOOK_AGAIN)


def _print_address(
    state: State, place: Address, url: str | None, *, show_password: bool, **pages: str
) -> None:
    rows = {
        "browser": url,
        "user": place.user,
        "password": place.password if show_password else None,
        "password_file": place.password_file,
        "note": place.note,
        **pages,
    }
    if state.json:
        state.print_json(rows)
        return
    if url:
        state.out(f"browser   {url}")
    where = f"in {place.password_file}" if place.password_file else "that ENGRAM_NEO4J_PASSWORD holds"
    state.out(f"login     {place.user}, with the password {place.password if show_password else where}")
    if place.note:
        state.out(f"note      {place.note}")
    if pages:
        state.out(f"guide     :guide {pages['guide']}")
        state.out(f"colours   :style {pages['style']}")
        return
    state.out("guide     engram browse --serve")
    state.out("colours   engram browse --style engram.grass, and drop the file onto Browser")
    state.out("queries   engram browse --queries, or --favourites engram.zip and drop that")


def _print_queries(state: State, values: dict[str, str]) -> None:
    if state.json:
        state.print_json(
            {
                "parameters": parameter_lines(values),
                "queries": [
                    {
                        "name": each.name,
                        "question": each.question,
                        "about": each.about,
                        "statement": each.statement,
                    }
                    for each in queries.saved_queries()
                ],
            }
        )
        return
    state.out("// First the parameters, all at once; then one query at a time.")
    state.out("\n".join(parameter_lines(values)))
    for query in queries.saved_queries():
        state.out(f"\n\n// --- {query.name} ---\n{query.statement}")


def _write(state: State, file: Path, content: bytes) -> None:
    with click.open_file(str(file), "wb") as opened:
        opened.write(content)
    if str(file) != "-":
        state.say(f"Written to {file}; drop it onto Browser's window.")


def _open(state: State, url: str | None) -> None:
    if url is None or not webbrowser.open(url):
        state.say("No web browser could be opened here; open the address by hand.")
