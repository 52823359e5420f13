"""Truth: how well evidenced a memory is, a Beta distribution that evidence alone moves.

It is a function of the evidence that the graph holds and is computed anew whenever that changes, so that taking a change
back needs no bookkeeping. How much a memory matters (`weight_*`) is another thing, and neither moves the other.

    alpha = 1 + support        beta = 1 + opposition        truth = alpha / (alpha + beta)

Source: the truth of the project's design, a Beta to which independent sources add, repeats of one hardly, and from which
contradictions subtract. The discount of repeats is the geometric series of what each repeat leaves of the one before.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from engram.graph import Row, Transaction

_DEEPEST = 4
"""Steps of citing that truth is carried along, and one for what disagrees with the last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One piece of evidence for a memory: something that somebody said."""

    source: str
    """Who said it."""
    id: str
    """The turn's, or of what rests on no turn the memory's."""
    confidence: float = 1.0
    """Of whoever drew the memory from it, or the truth of the memory that is cited, 0 to 1."""


def support(pieces: Iterable[Piece], *, repeat: float) -> float:
    """Return what speaks for a memory: `sum over sources s of c_s * (1 - r^n_s) / (1 - r)`.

    `n_s` is the number of different pieces of a source and `c_s` the best confidence in one, so the first piece of a
    source counts `c_s`, each further one `r` times the one before, and all together less than `c_s / (1 - r)`.

    Args:
        pieces: The evidence.
        repeat: `r`, what a repeat counts of the one before, 0 to below 1.
    """
    by_source: defaultdict[str, list[Piece]] = defaultdict(list)
    for piece in pieces:
        by_source[piece.source].append(piece)
    return sum(
        max(piece.confidence for piece in own)
        * (1.0 - repeat ** len({piece.id for piece in own}))
        / (1.0 - repeat)
        for own in by_source.values()
    )


def opposition(tensions: Iterable[float], *, corrections: int = 0, resolutions: int = 0) -> float:
    """Return what speaks against a memory: `sum over tensions of min(1, support of the other) + corrections + resolutions`.

    Args:
        tensions: The support of each memory that it is in unresolved tension with.
        corrections: How many memories say that it never was so.
        resolutions: How many tensions were resolved against it.
    """
    return sum(min(1.0, other) for other in tensions) + corrections + resolutions


def mean(support: float, opposition: float) -> float:
    """Return the mean of a truth, `(1 + support) / (2 + support + opposition)`: 0.5 without any evidence."""
    return (1.0 + support) / (2.0 + support + opposition)


def settle_truth(
    transaction: Transaction, *, space: str, ids: Sequence[str], tuning: Mapping[str, float]
) -> None:
    """Recompute the truth of memories from the evidence that the graph holds.

    Args:
        transaction: In which they are locked already.
        space: Whose.
        ids: The memories', ascending.
        tuning: The space's numbers.
    """
    if ids:
        transaction.run("believe/truth_settle", space=space, ids=list(ids), repeat=tuning["truth.repeat"])


def find_leaning(transaction: Transaction, *, space: str, ids: Sequence[str]) -> list[str]:
    """Return the memories whose truth depends on that of others: they are locked with these, and settled after them.

    Args:
        transaction: In which nothing of all this is locked yet.
        space: Whose.
        ids: The others'.

    Returns:
        Ids, ascending, none of `ids`.
    """
    return [row["id"] for row in transaction.run("believe/truth_find_leaning", space=space, ids=[*ids]).rows]


def settle_leaning(
    transaction: Transaction, *, space: str, ids: Sequence[str], tuning: Mapping[str, float]
) -> None:
    """Recompute the truth of memories that lean on others, and on each other: what cites comes after what it cites.

    Args:
        transaction: In which they are locked already, and what they lean on is settled.
        space: Whose.
        ids: The memories', ascending.
        tuning: The space's numbers.
    """
    before: list[Row] = []
    for _ in range(_DEEPEST if ids else 0):
        rows = transaction.run(
            "believe/truth_settle", space=space, ids=[*ids], repeat=tuning["truth.repeat"]
        ).rows
        if rows == before or len(rows) == 1:
            return
        before = rows
