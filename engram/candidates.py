"""What a recall has to choose from: one row of the database as arrays."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engram.beliefs.policy.rules import retrieval_effect
from engram.entities import entity_key
from engram.mind.gut import Delta, leaning
from engram.questions import only_asks
from engram.records import PLAIN, TIMES, Memory, memory_from_columns
from engram.scoring.relevance import Learned

Floats = NDArray[np.float64]
_MICROSECONDS = 1e6
_SIMILARITY, _LEXICAL, _ROLES, _ACCESSED, _PLAIN, _TIMES = range(6)
_STATES = slice(6, 8)
_FELT = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Edges:
    """Co-access edges that were followed, shape (e,) each; memories are given by their index."""

    sources: NDArray[np.intp]
    targets: NDArray[np.intp]
    weights: Floats
    hops: NDArray[np.int64]
    """0 from a memory at hand, 1 from one that the question found, 2 from one that hop 1 reached."""
    fans: Floats
    """How many partners the source has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """n memories and what they are scored by, shape (n,) unless said otherwise. Times are seconds since 1970."""

    rows: Sequence[Sequence[Any]]
    similarity: Floats
    """Cosine with the question, -1 to 1; NaN without a vector."""
    lexical: Floats
    """BM25 over the memory in its context; 0 where no word matched."""
    speaks: NDArray[np.bool_]
    """Said by somebody whom the question names."""
    echoes: NDArray[np.bool_]
    """The very question that is asked, as somebody asked it before; it answers nothing."""
    named: NDArray[np.bool_]
    """Names somebody or something that the question names too."""
    importance: Floats
    event_at: Floats
    valid_from: Floats
    created_at: Floats
    last_accessed_at: Floats
    accessed_at: Floats
    """Shape (n, m), NaN beyond a memory's accesses."""
    access_count: NDArray[np.int64]
    weight_alpha: Floats
    weight_beta: Floats
    edges: Edges
    names: bool
    """Whether the question names anybody who is known."""
    learned: Learned
    trust: Floats | None = None
    """Share of its score that each gains or loses by its lifecycle and verification states; None where none has any."""

    mood: Floats | None = None
    """What the gut feeling says of each, 0 to 1 and 0.5 nothing; None where there is no feeling."""

    def __len__(self) -> int:
        return len(self.rows)

    def memory(self, index: int) -> Memory:
        """Return one of them as a memory."""
        return memory_from_columns(self.rows[index][_PLAIN], self.rows[index][_TIMES])

    def id(self, index: int) -> str:
        """Return the id of one of them."""
        return str(self.rows[index][_PLAIN][_ID])


_ID = PLAIN.index("id")
_STATUS = PLAIN.index("status")


def candidates_from(
    row: dict[str, Any],
    *,
    asked: str,
    dormant_above: float | None,
    until: float | None = None,
    felt: Delta | None = None,
) -> Candidates:
    """Return what `recall/find_candidates` found, in an order that is not the server's: newest first, then by id.

    Args:
        row: Its one row.
        asked: The question.
        until: The time that is asked for, where it is in the past: uses after it have not happened yet.
        dormant_above: Dormant memories up to this cosine are left out; None keeps them all.
        felt: The gut feeling that the row was asked for with.
    """
    found = [each for each in row["candidates"] if _awake(each, dormant_above)]
    event = TIMES.index("event_at")
    found.sort(key=lambda each: (-each[_TIMES][event], each[_PLAIN][_ID]))
    places = {each[_PLAIN][_ID]: index for index, each in enumerate(found)}
    roles = [each[_ROLES] for each in found]
    blend = row["blend"]
    accessed_at = _ragged([each[_ACCESSED] for each in found])
    access_count = _plain(found, "access_count").astype(np.int64)
    if until is not None:
        later = accessed_at > until
        access_count -= np.count_nonzero(later, axis=1)
        accessed_at[later] = np.nan
    return Candidates(
        rows=found,
        similarity=_cosines([each[_SIMILARITY] for each in found]),
        lexical=np.array([each[_LEXICAL] or 0.0 for each in found], dtype=np.float64),
        speaks=np.array(["speaker" in each for each in roles], dtype=np.bool_),
        echoes=_echoes(found, asked),
        named=np.array(["named" in each for each in roles], dtype=np.bool_),
        importance=_plain(found, "importance"),
        event_at=_times(found, "event_at"),
        valid_from=_times(found, "valid_from"),
        created_at=_times(found, "created_at"),
        last_accessed_at=_times(found, "last_accessed_at"),
        accessed_at=accessed_at,
        access_count=access_count,
        weight_alpha=_plain(found, "weight_alpha"),
        weight_beta=_plain(found, "weight_beta"),
        edges=_edges(row["edges"], places),
        names=bool(row["entities"]),
        trust=_trust(found),
        mood=None if felt is None else leaning(felt.magnitude, _cosines([each[_FELT] for each in found])),
        learned=Learned() if blend is None else Learned(blend["experience"], tuple(blend["offsets"])),
    )


def _awake(candidate: Sequence[Any], above: float | None) -> bool:
    if above is None or candidate[_PLAIN][_STATUS] != "dormant":
        return True
    similarity = candidate[_SIMILARITY]
    return similarity is not None and 2.0 * similarity - 1.0 > above


def _trust(found: Sequence[Sequence[Any]]) -> Floats | None:
    effects = np.array([retrieval_effect(*each[_STATES]) for each in found], dtype=np.float64)
    return effects if effects.any() else None


def _echoes(found: Sequence[Sequence[Any]], asked: str) -> NDArray[np.bool_]:
    if not only_asks(asked):
        return np.zeros(len(found), dtype=np.bool_)
    content, key, longest = PLAIN.index("content"), entity_key(asked), 2 * len(asked) + 10
    texts = [each[_PLAIN][content] for each in found]
    # What is much longer is no echo, which spares most of the folding.
    return np.array([len(text) <= longest and entity_key(text) == key for text in texts], dtype=np.bool_)


def _cosines(scores: Sequence[float | None]) -> Floats:
    # The index scores (1 + cosine) / 2.
    return 2.0 * np.array([np.nan if score is None else score for score in scores], dtype=np.float64) - 1.0


def _plain(found: Sequence[Sequence[Any]], name: str) -> Floats:
    place = PLAIN.index(name)
    return np.array([each[_PLAIN][place] for each in found], dtype=np.float64)


def _times(found: Sequence[Sequence[Any]], name: str) -> Floats:
    place = TIMES.index(name)
    return np.array([each[_TIMES][place] for each in found], dtype=np.float64) / _MICROSECONDS


def _ragged(lists: Sequence[Sequence[int] | None]) -> Floats:
    width = max((len(each or ()) for each in lists), default=0)
    result = np.full((len(lists), width), np.nan)
    for row, each in zip(result, lists, strict=True):
        if each:
            row[: len(each)] = each
    return result / _MICROSECONDS


def _edges(found: Sequence[Sequence[Any]], places: dict[str, int]) -> Edges:
    # A memory at hand need not be a candidate; its place is then one behind the last.
    known = sorted(list(edge) for edge in found if edge[1] in places)
    sources = dict(places)
    for edge in known:
        sources.setdefault(edge[0], len(sources))
    return Edges(
        sources=np.array([sources[edge[0]] for edge in known], dtype=np.intp),
        targets=np.array([places[edge[1]] for edge in known], dtype=np.intp),
        weights=np.array([edge[2] for edge in known], dtype=np.float64),
        hops=np.array([edge[3] for edge in known], dtype=np.int64),
        fans=np.array([edge[4] for edge in known], dtype=np.float64),
    )
