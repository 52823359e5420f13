"""A topic that leaves the working memory, as a search that finds it again."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

FOUND_AMONG = 5
"""Hits among which what a pointer stands for has to be."""
_LINE = re.compile(r"Past: (?P<topic>.+?) → search: `(?P<query>[^`]+)`$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pointer:
    """One topic, and the words that find it."""

    topic: str
    query: str
    stands_for: tuple[str, ...] = ()
    """Ids of the memories."""

    def line(self) -> str:
        """Return it as a line of its section."""
        query = self.query.replace("`", "'")
        return f"Past: {self.topic} → search: `{query}`"


def parse(line: str) -> Pointer | None:
    """Return the pointer that a line is; None where it is none."""
    found = _LINE.match(line.strip())
    return None if found is None else Pointer(topic=found["topic"], query=found["query"])


def checked(
    topic: str,
    stands_for: Sequence[str],
    queries: Iterable[str],
    *,
    search: Callable[[str], Sequence[str]],
) -> Pointer | None:
    """Return the pointer whose words find all that it stands for among the first five hits; None where no words do.

    Args:
        topic: What it is about.
        stands_for: Ids of the memories.
        queries: Words to try, the shortest first.
        search: Returns the ids that a search finds, best first; it teaches nothing.
    """
    wanted = set(stands_for)
    for query in queries:
        if wanted and wanted <= {*search(query)[:FOUND_AMONG]}:
            return Pointer(topic=topic, query=query, stands_for=tuple(stands_for))
    return None
