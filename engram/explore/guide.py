"""Neo4j Browser's guide: a page for each question, with its query to click on."""

import html
import re
from importlib import resources

from engram.explore.queries import SavedQuery, saved_queries
from engram.pasting import parameter_lines

_FILE = "guide.html"
_PLACE = re.compile(r"\{(\w+)\}")


def guide(values: dict[str, str], style: str) -> str:
    """Return the guide, in Browser's own format: HTML with a `<slide>` for each page.

    Args:
        values: The queries' parameters as Cypher, see `queries.parameters`.
        style: The address of the style sheet.
    """
    page = (resources.files("engram.explore") / _FILE).read_text(encoding="utf-8")
    fillings = {
        "style": html.escape(style),
        "parameters": html.escape("\n".join(parameter_lines(values))),
        **{query.name: _section(query) for query in saved_queries()},
    }
    return _PLACE.sub(lambda place: fillings.get(place[1], place[0]), page)


def _section(query: SavedQuery) -> str:
    return (
        f"<h4>{html.escape(query.question)}</h4>\n<p>{html.escape(query.about)}</p>\n"
        f'<pre class="code runnable">{html.escape(query.code)}</pre>'
    )
