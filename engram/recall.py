"""Recall: one embedding, one round trip, arithmetic; what it teaches is written afterwards."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engram.candidates import Candidates, Floats, candidates_from
from engram.dates import Span, find_spans, within
from engram.embedding.protocol import Embedder, Task
from engram.entities import keys_in
from engram.errors import DatabaseError, DatabaseUnavailableError, EmbeddingError, InvalidInputError
from engram.graph import Graph, Row
from engram.learning import NEAR_MISSES, Learner, Lesson, Use, new_recall_id
from engram.mind.gut import Delta
from engram.ranking import EVIDENCE, Ranking, rank
from engram.records import FOREVER, Hit, Hits
from engram.reranking import RERANK_SHARE, WEIGHTED_SHARE, Reranker, blended
from engram.schema import check_generation
from engram.scoring.relevance import EDGE_CONFIDENCE
from engram.validation import check_k, check_name, check_query, check_time, lexical_query

MODES = ("search", "mind")
"""`search` is deterministic: the same question over the same graph gives the same hits. `mind` draws the weights,
the moods and the noise anew each time, so that now and then something unexpected comes to mind."""

WIDTH = 100
"""Candidates from each index; fusing fewer loses what approximate search ranked low."""
WORDED_WIDTH = 50
"""Of the best by words as many are candidates whatever the vector index says; the others' scores count too, where it
found them. Doubling this changed no figure on the development conversations, and each costs a row."""
LEXICAL_OVERFETCH = 4
"""The full-text index cannot filter by status, so more rows are taken than are kept."""
AS_OF_OVERFETCH = 4
"""In the past, what was closed by then is left out after the index was asked."""
RARE = 50
"""An entity with no more mentions than this brings its memories along: being about it says something."""
DATED_WIDTH = 20
MAX_SPANS = 4
"""Candidates from each time that the question speaks of, and how many of those are looked at."""
SEEDS, PARTNERS = 10, 3
"""The best candidates, whose neighbours and strongest partners are candidates too."""
MAX_ACTIVE = 50
"""Memories at hand whose partners are looked at."""
RERANKED = 20
"""Hits that a cross-encoder is asked about."""
DORMANT_SIMILARITY = 0.9
"""Dormant memories come back only above this cosine, and so does what a job has archived."""
COLD_WIDTH = 10
"""Candidates from what a job has archived."""

Judge = Callable[[str, str, bool], None]
_BEGINNING = datetime(1, 1, 3, tzinfo=UTC)
_EVERY_STATUS = ["active", "dormant", "superseded", "archived"]
_INSTANT = timedelta(microseconds=1)


_FELT = 1e-4
"""Magnitude above which a feeling points somewhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A checked question."""

    text: str
    k: int
    as_of: datetime | None
    mode: str
    hops: int
    active: tuple[str, ...]
    session: str | None
    felt: Delta | None = None
    """The gut feeling in the conversation that it is asked in."""


def question(
    query: str,
    k: int,
    *,
    as_of: datetime | str | None = None,
    mode: str = "search",
    hops: int = 1,
    active: Iterable[str] = (),
    session: str | None = None,
    felt: Delta | None = None,
) -> Question:
    """Return the question where all of it is usable.

    Raises:
        InvalidInputError: Something is not.
    """
    if mode not in MODES:
        raise InvalidInputError(f"There is no recall mode {mode!r}.", remedy=f"Modes: {', '.join(MODES)}.")
    if hops not in (1, 2):
        raise InvalidInputError(f"hops must be 1 or 2, not {hops!r}.")
    return Question(
        text=check_query(query),
        k=check_k(k),
        as_of=check_time(as_of, "as_of", whole_day=True),
        mode=mode,
        hops=hops,
        active=_ids(active),
        session=None if session is None else check_name(session, "The session"),
        # Right at the depths it points nowhere, and there is no cosine to that.
        felt=felt if felt is not None and felt.magnitude > _FELT else None,
    )


def _ids(given: Iterable[str]) -> tuple[str, ...]:
    ids = (given,) if isinstance(given, str) else tuple(given)
    if isinstance(given, str) or not all(isinstance(each, str) for each in ids):
        raise InvalidInputError("active must be ids of memories, in a list.")
    return ids[:MAX_ACTIVE]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a question found, ranked and not yet learned from."""

    question: Question
    candidates: Candidates
    ranking: Ranking
    order: list[int]
    """Indices of the candidates, best first, after the reranker where there is one."""
    scores: Floats
    terms: dict[str, Floats]
    notes: tuple[str, ...]
    understood: tuple[str, ...]
    """What of the question was understood as a time or a name, in words."""
    at: datetime


class Recaller:
    """Recalls from one space."""

    def __init__(
        self,
        graph: Graph,
        embedder: Callable[[], Embedder],
        *,
        space: str,
        clock: Callable[[], datetime],
        generator: np.random.Generator,
        reranker: Reranker | None,
        rerank_seconds: float,
    ) -> None:
        self._graph = graph
        self._embedder = embedder
        self._space = space
        self._clock = clock
        self._generator = generator
        self._reranker = reranker
        self._rerank_seconds = rerank_seconds

    def find(self, asked: Question, *, without: frozenset[str] = frozenset()) -> Found:
        """Return what the question finds; nothing is written.

        Args:
            asked: The question.
            without: Names of `engram.ranking.EVIDENCE` to leave out.
        """
        if unknown := without - EVIDENCE.keys():
            raise InvalidInputError(
                f"There is no evidence {min(unknown)!r}.", remedy=f"Evidence: {', '.join(EVIDENCE)}."
            )
        now = self._clock()
        moment = asked.as_of or now
        vector, notes = self._vector(asked.text)
        width = max(WIDTH, asked.k)
        spans = find_spans(asked.text, moment)[:MAX_SPANS]
        row = self._read(
            space=self._space,
            statuses=["active", "dormant"] if asked.as_of is None else _EVERY_STATUS,
            past=asked.as_of is not None,
            valid_at_from=asked.as_of or FOREVER,
            valid_at_to=asked.as_of or _BEGINNING,
            known_at=asked.as_of or FOREVER,
            vector=vector,
            felt=None if asked.felt is None else asked.felt.vector.tolist(),
            lexical=lexical_query(asked.text, self._space, "contextualized"),
            width=width,
            vector_width=width if asked.as_of is None else AS_OF_OVERFETCH * width,
            worded_width=max(WORDED_WIDTH, asked.k),
            lexical_width=LEXICAL_OVERFETCH * width,
            names=keys_in(asked.text),
            rare=RARE,
            spans=[_clipped(span, asked.as_of) for span in spans if "date" not in without],
            dated_width=DATED_WIDTH,
            cold_width=COLD_WIDTH,
            strong=(1.0 + DORMANT_SIMILARITY) / 2.0,
            confidence=EDGE_CONFIDENCE,
            now=moment,
            seeds=SEEDS,
            partners=PARTNERS,
            hops=asked.hops,
            active=list(asked.active),
        )
        above = DORMANT_SIMILARITY if asked.as_of is None else None
        candidates = candidates_from(
            row,
            asked=asked.text,
            dormant_above=above,
            until=None if asked.as_of is None else asked.as_of.timestamp(),
            felt=asked.felt,
        )
        ranking = rank(
            candidates,
            dated=_dated(spans, candidates) if spans else None,
            now=moment.timestamp(),
            generator=self._generator if asked.mode == "mind" else None,
            without=without,
        )
        found = Found(
            question=asked,
            candidates=candidates,
            ranking=ranking,
            order=ranking.order,
            scores=ranking.scores,
            terms=ranking.terms,
            notes=notes,
            understood=(
                *(
                    f"“{span.text}” as {span.start:%Y-%m-%d} to {span.end - _INSTANT:%Y-%m-%d}"
                    for span in spans
                ),
                *(f"“{name}” as a name" for name in sorted(row["entities"])),
            ),
            at=now,
        )
        return self._reranked(found)

    def _read(self, **parameters: Any) -> Row:
        """Return the row of `recall/find_candidates`.

        Raises:
            EmbedderMismatchError: The vectors that it would compare with have been replaced.
        """
        try:
            row = self._graph.read("recall/find_candidates", **parameters)[0]
        except DatabaseUnavailableError:
            raise
        except DatabaseError:
            check_generation(self._graph)  # the index may have gone with its model, or be another's
            raise
        if not row["comparable"]:
            check_generation(self._graph)
        return row

    def _vector(self, text: str) -> tuple[list[float] | None, tuple[str, ...]]:
        """Return the question's vector, or why there is none: the words then have to do."""
        try:
            vector = self._embedder().embed([text], Task.QUERY)[0]
        except EmbeddingError as error:
            return None, (f"found by words alone: {error.message}",)
        if not np.isfinite(vector).all():
            return None, ("found by words alone: the embedding model gave a vector that is not finite.",)
        return vector.tolist(), ()

    def _reranked(self, found: Found) -> Found:
        if self._reranker is None or not found.order:
            return found
        top = found.order[:RERANKED]
        passages = [found.candidates.memory(i).contextualized for i in top]
        answer = self._reranker.rerank(found.question.text, passages, budget=self._rerank_seconds)
        if answer.scores is None:
            return replace(found, notes=(*found.notes, f"not reranked: {answer.reason}"))
        scores = WEIGHTED_SHARE * found.scores
        judged = np.zeros(len(found.scores))
        judged[top] = answer.scores
        scores[top] = blended(answer.scores, found.scores[top])
        terms = {name: WEIGHTED_SHARE * values for name, values in found.terms.items()}
        terms["rerank"] = RERANK_SHARE * judged
        order = sorted(top, key=lambda i: -scores[i]) + found.order[RERANKED:]
        return replace(found, order=order, scores=scores, terms=terms)


def hits(found: Found, *, explain: bool, learner: Learner, rate: Judge, learn: bool) -> Hits:
    """Return the best of what was found.

    Args:
        found: What a question found.
        explain: Give each hit its terms.
        learner: Takes what the recall teaches.
        rate: Takes a recall's id, a memory's and the verdict on it.
        learn: Whether all hits count as used at once; otherwise `Hits.learn` says later which were.
    """

    def used(places: Sequence[int]) -> Hits:
        recall_id = new_recall_id()
        learner.learn(lesson(found, places, recall_id, partial=len(places) < len(best)))
        return _hits(found, places, explain=explain, recall_id=recall_id, rate=rate)

    best = found.order[: found.question.k]
    if learn:
        return used(best)
    result = _hits(found, best, explain=explain, recall_id=None, rate=rate)
    if found.question.as_of is None:
        places = {found.candidates.id(i): i for i in best}
        result.used = lambda ids: used(_chosen(places, ids)) if ids else Hits()
    return result


def _chosen(places: dict[str, int], ids: Sequence[str]) -> list[int]:
    if unknown := [each for each in ids if each not in places]:
        raise InvalidInputError(f"This recall did not return {unknown[0]!r}.")
    return [places[each] for each in ids]


def lesson(found: Found, used: Sequence[int], recall_id: str, *, partial: bool) -> Lesson:
    """Return what a recall teaches: what was used, and what ranked behind all that and was not.

    Args:
        found: What the question found.
        used: Indices of the candidates that were used, best first.
        recall_id: The recall's.
        partial: Whether more was returned than used.
    """
    asked, candidates = found.question, found.candidates
    ranks = {i: rank for rank, i in enumerate(found.order, start=1)}
    last = max((ranks[i] for i in used), default=0)
    return Lesson(
        id=recall_id,
        query=asked.text,
        mode=asked.mode,
        k=asked.k,
        hops=asked.hops,
        session=asked.session,
        active=asked.active,
        partial=partial,
        at=found.at,
        used=tuple(
            Use(
                id=candidates.id(i),
                rank=ranks[i],
                score=float(found.scores[i]),
                activation=float(found.ranking.activation[i]),
                terms={name: float(values[i]) for name, values in found.terms.items()},
                lift=found.ranking.lift[i].tolist(),
            )
            for i in used
        ),
        missed=tuple(candidates.id(i) for i in found.order[last:NEAR_MISSES]),
    )


def _hits(found: Found, places: Sequence[int], *, explain: bool, recall_id: str | None, rate: Judge) -> Hits:
    ranks = {i: rank for rank, i in enumerate(found.order, start=1)}
    return Hits(
        [_hit(found, i, rank=ranks[i], explain=explain, recall_id=recall_id, rate=rate) for i in places],
        recall=recall_id,
        notes=found.notes,
        understood=found.understood,
    )


def _hit(found: Found, i: int, *, rank: int, explain: bool, recall_id: str | None, rate: Judge) -> Hit:
    memory = found.candidates.memory(i)
    similarity = float(found.candidates.similarity[i])
    return Hit(
        memory=memory,
        rank=rank,
        score=float(found.scores[i]),
        similarity=None if np.isnan(similarity) else similarity,
        terms={name: float(values[i]) for name, values in found.terms.items()} if explain else None,
        notes=found.notes,
        recall=recall_id,
        rate=None if recall_id is None else partial(rate, recall_id, memory.id),
    )


def _dated(spans: Sequence[Span], candidates: Candidates) -> NDArray[np.bool_]:
    """Return which memories are of the times spoken of, by when they happened or since when they hold."""
    return within(spans, candidates.event_at) | within(spans, candidates.valid_from)


def _clipped(span: Span, as_of: datetime | None) -> dict[str, datetime]:
    """Return a span as far as it lies in what held at `as_of`."""
    end = span.end if as_of is None else min(span.end, as_of + _INSTANT)
    return {"start": span.start, "end": end}
