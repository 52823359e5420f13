"""Axes of feeling: the directions along which feelings have moved, named by what was talked about there.

A name is words and nothing else: those that are frequent where feelings lay at the positive end and not at the other. An
axis has one only where it means something, that is where it went with what came of things.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from engram.loop.words import COMMON, is_negation, is_number, tokens
from engram.mind.gut import Axis, Delta, Floats

WORDS = 3
"""Words of a name, and of what a feeling points to."""
FEWEST = 2
"""Contexts that a word of a name stands in."""
END = 0.25
"""Share of the feelings that lie at either end of an axis."""
SHORTEST = 3
"""Characters of a word that tells something."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedAxis:
    """An axis that means something, as the graph keeps it."""

    name: str
    """E.g. `hope: boat, garden`."""
    direction: Floats
    """Shape (d,), of unit length."""
    middle: float
    spread: float
    correlation: float
    """Pearson's r with what came of things."""

    def place(self, felt: Delta) -> float:
        """Return where a feeling lies on it, in standard deviations from the middle of all feelings."""
        return (float(felt.vector @ self.direction) - self.middle) / self.spread if self.spread else 0.0


def telling_words(text: str) -> tuple[str, ...]:
    """Return the words that say what a text is about, as they are written but for case, each once, in order."""
    return tuple(
        dict.fromkeys(
            word
            for word in tokens(text)
            if len(word) >= SHORTEST and word not in COMMON and not is_negation(word) and not is_number(word)
        )
    )


def name_of(axis: Axis, deltas: Floats, contexts: Sequence[str], *, least: float) -> str | None:
    """Return the name of an axis; None where it means nothing, or no words stand at its positive end alone.

    Args:
        axis: The axis.
        deltas: The feelings, shape (n, d).
        contexts: What was said at each.
        least: |correlation| from which it means something.
    """
    if axis.correlation is None or abs(axis.correlation) < least:
        return None
    order = np.argsort(deltas @ axis.direction, kind="stable")
    end = max(FEWEST, int(END * len(order)))
    below = _counted(contexts[place] for place in order[:end])
    above = _counted(contexts[place] for place in order[-end:])
    telling = [word for word, count in above.items() if count >= FEWEST and count > below[word]]
    if not telling:
        return None
    best = sorted(telling, key=lambda word: (below[word] - above[word], word))[:WORDS]
    return f"{'hope' if axis.correlation > 0 else 'fear'}: {', '.join(best)}"


def _counted(contexts: Iterable[str]) -> Counter[str]:
    return Counter(word for context in contexts for word in telling_words(context))
