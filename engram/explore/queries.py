"""The saved queries: one statement a question, each with parameters that are ready to be pasted into Neo4j Browser."""

import io
import re
import zipfile
from dataclasses import dataclass
from functools import cache

from engram import statements
from engram.errors import InvalidInputError
from engram.pasting import literal, parameter_lines

GROUP = "explore"
ORDER = (
    "memories",
    "fading",
    "together",
    "contradictions",
    "why",
    "changes",
    "names",
    "recalls",
    "lasting",
)
"""The queries by name, the ones that a newcomer wants first."""
LIMIT = 40
"""Of memories, pairs or questions: what still reads on one screen."""
_PREFIX = "draw_"
_ZIPPED_AT = (2026, 1, 1, 0, 0, 0)
"""A time for the files in an archive, so that the same queries are the same bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedQuery:
    """A question to the graph, and the statement that draws its answer."""

    name: str
    """E.g. `fading`."""
    question: str
    about: str
    """What is drawn, in a sentence or two."""
    statement: str
    parameters: tuple[str, ...]
    """The names of what it takes."""

    @property
    def code(self) -> str:
        """The statement without its comments."""
        return "\n".join(line for line in self.statement.splitlines() if not line.startswith("//"))


@cache
def saved_queries() -> tuple[SavedQuery, ...]:
    """Return the saved queries in order."""
    return tuple(map(_query, ORDER))


def saved_query(name: str) -> SavedQuery:
    """Return the saved query of this name.

    Raises:
        InvalidInputError: There is none.
    """
    for query in saved_queries():
        if query.name == name:
            return query
    raise InvalidInputError(
        f"There is no saved query {name!r}.",
        remedy=f"There are {', '.join(ORDER)}; `engram browse --queries`.",
    )


def parameters(space: str, *, memory: str = "", limit: int = LIMIT) -> dict[str, str]:
    """Return what the saved queries take, as Cypher.

    Args:
        space: Whose memory.
        memory: The id that `why` starts from; empty: it finds one that has much behind it.
        limit: How much is drawn at most.
    """
    return {
        "space": literal(space),
        "limit": str(limit),
        "now": "datetime()",
        "id": literal(memory),
    }


def archive(values: dict[str, str]) -> bytes:
    """Return the saved queries as a zip file that Neo4j Browser takes for favourites.

    Browser names a favourite after its first line, and a folder after the files' folder.
    """
    lines = "\n".join(parameter_lines(values))
    files = {"0_parameters": f"// Parameters: run these first\n{lines}\n"}
    for place, query in enumerate(saved_queries(), start=1):
        files[f"{place}_{query.name}"] = f"// {query.question}\n{query.code}\n"
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in files.items():
            packed.writestr(zipfile.ZipInfo(f"Engram/{name}.cypher", _ZIPPED_AT), text)
    return held.getvalue()


def _query(name: str) -> SavedQuery:
    statement = statements.load(f"{GROUP}/{_PREFIX}{name}")
    # The head's first sentence is the question; what is drawn follows, up to the parameters.
    told = " ".join(statement.head.partition("\n$")[0].split())
    question, _, about = told.partition("? ")
    return SavedQuery(
        name=name,
        question=f"{question}?",
        about=about,
        statement=statement.text.strip(),
        parameters=tuple(re.findall(r"^\$(\w+):", statement.head, re.MULTILINE)),
    )
