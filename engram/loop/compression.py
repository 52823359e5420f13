"""One line of a memory, without a model: its most central sentence or clause.

The line is preliminary; consolidation writes it again with more context (v4 plan, 2.8).
"""

import math
import re
from collections import Counter

from engram.loop.words import content_words, sentences
from engram.text import printable, single_line

LONGEST_LINE = 120
"""Characters of the one line that stands for a memory."""
_CLAUSE_END = re.compile(r"(?<=[,;:\u2014])\s+| - ")
_LONGEST_READ = 20_000
"""Characters of a text that are read for its most central line."""


def compress(text: str, longest: int = LONGEST_LINE) -> str:
    """Return the most central sentence of `text`, or clause of it, as one line of at most `longest` characters.

    Central is what shares the most of its words with all of the text; of two alike, the first. A text that fits is
    its own line.
    """
    line = one_line(text, longest)
    if not line.endswith("\u2026"):
        return line
    whole = sentences(printable(text[:_LONGEST_READ]))
    fitting = [each for each in whole if len(each) <= longest]
    candidates = fitting or [clause for each in whole for clause in _CLAUSE_END.split(each) if clause.strip()]
    counts = Counter(word for each in whole for word in content_words(each))
    best = max(candidates, key=lambda each: _centrality(each, counts), default=text)
    return one_line(best, longest)


def one_line(text: str, longest: int = LONGEST_LINE) -> str:
    """Return `text` as one line, cut at a word's end, with an ellipsis, where it is longer than `longest`."""
    line = single_line(text)
    if len(line) <= longest:
        return line
    cut = line[: longest - 1]
    head, _, tail = cut.rpartition(" ")
    return f"{head if head and len(tail) < 30 else cut}\u2026"


def _centrality(part: str, counts: Counter[str]) -> float:
    words = content_words(part)
    # By the root of the length: a long sentence has more words of everything, a short one may have one.
    return sum(counts[word] for word in words) / math.sqrt(max(1, len(words)))
