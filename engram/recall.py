"""Recall: one embedding, one round trip, arithmetic."""

from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from engram.embedding.protocol import Embedder, Task
from engram.errors import InvalidInputError
from engram.fusion import reciprocal_ranks
from engram.graph import Graph, Row
from engram.records import FOREVER, Hit, memory_from
from engram.validation import check_k, check_query, check_time, lexical_query

MODES = ("search",)
"""`search` is deterministic: the same question over the same graph gives the same hits."""

WIDTH = 100
"""Candidates from each index; fusing fewer loses what approximate search ranked low."""
_LEXICAL_OVERFETCH = 4
"""The full-text index cannot filter by status, so more rows are taken than are kept."""
_BEGINNING = datetime(1, 1, 3, tzinfo=UTC)
_DORMANT_SIMILARITY = 0.95
"""Dormant memories come back only above cosine 0.9; the index scores `(1 + cosine) / 2`."""
_ALL = ["active", "dormant", "superseded", "archived"]


def recall(
    graph: Graph,
    embedder: Embedder,
    query: str,
    *,
    space: str,
    k: int,
    as_of: datetime | str | None,
    mode: str,
    explain: bool,
) -> list[Hit]:
    """Return the `k` best memories for `query`; `engram.memory.Engram.recall` says the rest."""
    query, k = check_query(query), check_k(k)
    at = check_time(as_of, "as_of", whole_day=True)
    if mode not in MODES:
        raise InvalidInputError(f"There is no recall mode {mode!r}.", remedy=f"Modes: {', '.join(MODES)}.")
    width = max(WIDTH, k)
    rows = graph.read(
        "recall/find_candidates",
        space=space,
        statuses=["active", "dormant"] if at is None else _ALL,
        valid_at_from=at or FOREVER,
        valid_at_to=at or _BEGINNING,
        known_at=at or FOREVER,
        vector=embedder.embed([query], Task.QUERY)[0].tolist(),
        lexical=lexical_query(query, space, "content"),
        context=lexical_query(query, space, "contextualized"),
        width=width,
        lexical_width=_LEXICAL_OVERFETCH * width,
    )
    if at is None:
        rows = [row for row in rows if _awake(row)]
    # Equal scores are ranked by this order, which must not be the server's: the newer first, then by id.
    rows.sort(key=lambda row: (-row["memory"]["event_at"].timestamp(), row["memory"]["id"]))
    terms = {
        "semantic": reciprocal_ranks(_column(rows, "semantic")),
        "lexical": reciprocal_ranks(_column(rows, "lexical")),
        "context": reciprocal_ranks(_column(rows, "context")),
    }
    scores = np.sum(list(terms.values()), axis=0)

    # Equal sums: the one with the words in it.
    order = sorted(range(len(rows)), key=lambda i: (-scores[i], -terms["lexical"][i], i))
    return [
        Hit(
            memory=memory_from(rows[i]["memory"]),
            rank=rank,
            score=float(scores[i]),
            terms={name: float(values[i]) for name, values in terms.items()} if explain else None,
        )
        for rank, i in enumerate(order[:k], start=1)
    ]


def _awake(row: Row) -> bool:
    return bool(row["memory"]["status"] != "dormant" or (row["semantic"] or 0.0) >= _DORMANT_SIMILARITY)


def _column(rows: list[Row], name: str) -> NDArray[np.float64]:
    return np.array([np.nan if row[name] is None else row[name] for row in rows], dtype=np.float64)
