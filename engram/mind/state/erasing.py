"""Erasing: what a working memory says of memories that a person wants gone.

A line may tell a memory in other words than the memory's own: cut, put together with others, or as the words of a pointer.
So it is not found by the words but by what it cites, and has to go before the memories do, which take that with them.
"""

import re
from collections.abc import Collection, Sequence

from engram.graph import Graph, Transaction
from engram.loop.journal import quotes
from engram.mind.state.lines import KEPT_KEY, kept, key
from engram.validation import normalise

_WORD = re.compile(r"\w+")
_TELLING = 3
"""Words with which what was said has to begin at the end of a line that breaks off, to be known by them."""


def forget_cited(graph: Graph, ids: Sequence[str], *, space: str) -> int:
    """Take the lines that rest on some memories out of every version, and return how many versions that were."""

    def work(transaction: Transaction) -> int:
        found = transaction.run("mind/state_list_citing", space=space, ids=sorted(ids)).rows
        rows = [
            {"id": row["id"], "text": without(row["text"], row["keys"], row["contents"])} for row in found
        ]
        transaction.run("mind/state_reword", space=space, rows=rows)
        return len(rows)

    return graph.transact(work)


def without(text: str, keys: Collection[str], contents: Sequence[str]) -> str:
    """Return a version's text without the lines of some keys, and of a person's text above without what was said.

    Args:
        text: The text.
        keys: Of the lines that go; `kept` stands for the text above.
        contents: What the memories say that go.
    """
    above = len(kept(text).split("\n")) if KEPT_KEY in keys else 0
    lines = text.split("\n")
    return "\n".join(
        line
        for place, line in enumerate(lines)
        if key(line.removeprefix("- ")) not in keys
        and not (place < above and any(tells(line, content) for content in contents))
    )


def tells(line: str, content: str) -> bool:
    """Say whether a line tells what was said, whole or in part; a line that was cut may end with its beginning."""
    said, part = (" ".join(_WORD.findall(normalise(each))) for each in (content, line))
    if quotes(line, content) or (bool(part) and f" {part} " in f" {said} "):
        return True
    first = said.split()[:_TELLING]
    begins = re.finditer(rf"\b{' '.join(first)}", part) if len(first) == _TELLING else ()
    return any(said.startswith(part[found.start() :]) for found in begins)
