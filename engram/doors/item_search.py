"""Searching items in plain language: recall's scoring over one namespace, whatever else the space holds."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from engram.candidates import candidates_from
from engram.doors.item_filter import matches
from engram.doors.items import Stored, below, path, stored
from engram.embedding.protocol import Task
from engram.errors import EmbeddingError
from engram.graph import Row
from engram.learning import Learner, new_recall_id
from engram.memory import Engram
from engram.ranking import rank
from engram.recall import LEXICAL_OVERFETCH, WIDTH, Found, Question, lesson, question
from engram.schema import check_generation
from engram.validation import lexical_query

_WIDER = 4
"""How many times as many candidates are looked at where a filter left too few."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """An item that a search found."""

    item: Stored
    score: float
    """Recall's: higher is better, and only comparable within one search."""


class ItemSearch:
    """Searches the items of one space, and learns from what it finds as a recall does."""

    def __init__(self, memory: Engram, learner: Learner | None) -> None:
        self._memory = memory
        self._learner = learner

    def search(
        self,
        prefix: tuple[str, ...],
        query: str,
        *,
        wanted: Mapping[str, Any] | None = None,
        skip: int = 0,
        limit: int = 10,
    ) -> list[Scored]:
        """Return the items of a namespace and below it that best answer a query, best first.

        Args:
            prefix: The namespace; empty for the whole store.
            query: A question or some words.
            wanted: What the values must have, see `engram.doors.item_filter`.
            skip: How many of the best to leave out.
            limit: How many at most.

        Raises:
            InvalidInputError: An empty query, a bad filter, or `skip + limit` above 1,000.
            EmbedderMismatchError: The vectors that it would compare with have been replaced.
        """
        asked = question(query, skip + limit)
        vector = self._vector(asked.text)
        width = max(WIDTH, asked.k)
        while True:
            row = self._candidates(asked, prefix, vector, width)
            items = _fitting(row["items"], wanted or {})
            if len(items) >= asked.k or len(row["items"]) < width:
                return self._best(asked, row, items, skip)
            width *= _WIDER

    def _vector(self, text: str) -> list[float] | None:
        try:
            vector = self._memory.embedder.embed([text], Task.QUERY)[0]
        except EmbeddingError:
            return None  # the words then have to do, as in any recall
        return vector.tolist() if np.isfinite(vector).all() else None

    def _candidates(
        self, asked: Question, prefix: tuple[str, ...], vector: list[float] | None, width: int
    ) -> Row:
        root = path(prefix)
        row = self._memory.graph.read(
            "store/find_candidates",
            space=self._memory.space,
            namespace=root,
            below=below(root),
            vector=vector,
            lexical=lexical_query(asked.text, self._memory.space, "contextualized"),
            width=width,
            lexical_width=LEXICAL_OVERFETCH * width,
        )[0]
        if not row["comparable"]:
            check_generation(self._memory.graph)
        return row

    def _best(self, asked: Question, row: Row, items: Mapping[str, Stored], skip: int) -> list[Scored]:
        now = self._memory.now()
        candidates = candidates_from(row, asked=asked.text, dormant_above=None)
        ranking = rank(candidates, dated=None, now=now.timestamp(), generator=None)
        found = Found(
            question=asked,
            candidates=candidates,
            ranking=ranking,
            order=ranking.order,
            scores=ranking.scores,
            terms=ranking.terms,
            notes=(),
            understood=(),
            at=now,
        )
        places = [place for place in ranking.order if candidates.id(place) in items][skip : asked.k]
        if places and self._learner is not None:
            self._learner.learn(lesson(found, places, new_recall_id(), partial=False))
        return [
            Scored(item=items[candidates.id(place)], score=float(ranking.scores[place])) for place in places
        ]


def _fitting(rows: list[Row], wanted: Mapping[str, Any]) -> dict[str, Stored]:
    """Return by id the items that fit a filter, of each key the version that was put last."""
    newest: dict[object, Stored] = {}
    for item in sorted(map(stored, rows), key=lambda item: (item.put_at, item.id)):
        newest[item.namespace, item.key] = item
    return {item.id: item for item in newest.values() if matches(item.value, wanted)}
