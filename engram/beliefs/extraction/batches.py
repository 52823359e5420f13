"""Batches: the turns that facts are due from are taken, read and kept, so many at a time.

Turns are a queue with a visibility timeout: whoever takes some has them for as long as the lease holds, and if that
process dies they are due again. A batch that ran twice adds nothing, since a memory rests on each turn once.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from engram.beliefs.extraction.extractor import MOST_TURNS, Dropped, extract
from engram.beliefs.facts import Fact, SourceTurn
from engram.beliefs.keeping.keeper import Became, Outcome, keep_facts
from engram.errors import BudgetError, EngramError
from engram.graph import Row
from engram.llm.base import ChatModel
from engram.records import USER_TAG
from engram.text import inert

if TYPE_CHECKING:
    from engram.memory import Engram

BEFORE = 4
"""Turns before the first of each conversation that are told along with a batch."""
TRIES = 3
"""How often facts are drawn from a turn of which one cannot be kept."""
WINDOW = 1_000
"""Due turns that the oldest are chosen from."""
_SHOWN = 80
_AT_ONCE = timedelta(seconds=1)
"""Turns of one instant are told apart by microseconds, which are ahead of a clock that stands still."""
_ATTEMPTS = 5
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """What came of a batch of turns."""

    turns: int
    """From how many turns facts were drawn."""
    outcomes: tuple[Outcome, ...] = ()
    """What became of each fact."""
    dropped: tuple[Dropped, ...] = ()
    """What became no fact."""
    plain: bool
    """Whether patterns drew them and no model."""
    notes: tuple[str, ...] = ()
    waiting: int = 0
    """Turns that were given back: a model is there, and its budget is used up."""

    @property
    def kept(self) -> int:
        """How many facts became memories."""
        return self._count(Became.KEPT)

    @property
    def merged(self) -> int:
        """How many facts were known already."""
        return self._count(Became.MERGED)

    def _count(self, became: Became) -> int:
        return sum(each.became is became for each in self.outcomes)


def learn_facts(
    memory: "Engram",
    *,
    model: ChatModel | None,
    limit: int = MOST_TURNS,
    session: str | None = None,
    run: str | None = None,
    least: int = 1,
) -> Batch | None:
    """Draw facts from turns that are due, the oldest first, and keep them.

    Args:
        memory: Whose turns.
        model: Draws the facts and judges contradictions; without one, patterns and words do.
        limit: Most turns.
        session: Of one conversation only.
        run: Id of the job's run that does it.
        least: Where fewer are due, nothing is done.

    Returns:
        What came of it, or None where nothing, or less than `least`, is due.

    Raises:
        DatabaseError: The database refused or went away; the turns are due again when the lease is over.
        EmbeddingError: No vectors could be made; as above.
    """
    taken = _take(memory, limit=min(limit, MOST_TURNS), session=session, least=least)
    if taken is None:
        return None
    turns, before = taken
    ids = sorted(turn.id for turn in turns)
    try:
        found = extract(turns, before=before, model=model)
    except BudgetError as error:
        memory.graph.write("believe/extract_release", space=memory.space, ids=ids)
        return Batch(turns=0, plain=False, notes=(error.message,), waiting=len(turns))
    outcomes, spoilt = _keep(memory, found.facts, judge=model, run=run)
    # What nobody foresaw may be a fault of this program: its turns are due again when the lease is over, and not for ever.
    again = {quote.turn for fact, _ in spoilt for quote in fact.quotes}
    memory.graph.write(
        "believe/extract_finish",
        space=memory.space,
        ids=ids,
        again=sorted(again),
        tries=TRIES,
        by="plain" if found.plain else "model",
        now=memory.now(),
    )
    return Batch(
        turns=len(turns),
        outcomes=outcomes,
        dropped=(*found.dropped, *(dropped for _, dropped in spoilt)),
        plain=found.plain,
        notes=(
            *found.notes,
            f"{len(again):,} turns hold a fact that could not be kept; they are tried {TRIES} times",
        )
        if again
        else found.notes,
    )


def count_due(memory: "Engram") -> int:
    """Return from how many turns facts are due."""
    rows = memory.graph.read("believe/extract_count_due", space=memory.space, now=memory.now() + _AT_ONCE)
    due: int = rows[0]["due"]
    return due


def _take(
    memory: "Engram", *, limit: int, session: str | None, least: int
) -> tuple[list[SourceTurn], list[SourceTurn]] | None:
    """Take due turns, and return them and what was said before them; None where too few are due."""
    for _ in range(_ATTEMPTS):
        ids = _find(memory, limit=limit, session=session)
        if len(ids) < max(1, least):
            return None
        rows = memory.graph.write(
            "believe/extract_take",
            space=memory.space,
            ids=sorted(ids),
            lease_seconds=memory.tuned().whole("extract.lease_seconds"),
            context=BEFORE,
        ).rows
        if rows:
            return _turns(rows, "turns"), _turns(rows, "before")
        # Others were faster with all of these; there may be more.
    return None


def _find(memory: "Engram", *, limit: int, session: str | None) -> list[str]:
    now = memory.now() + _AT_ONCE
    if session is None:
        rows = memory.graph.read(
            "believe/extract_find_due", space=memory.space, now=now, window=WINDOW, limit=limit
        )
    else:
        rows = memory.graph.read(
            "believe/extract_find_in_session", space=memory.space, session=session, now=now, limit=limit
        )
    return [row["id"] for row in rows]


def _turns(rows: Sequence[Row], name: str) -> list[SourceTurn]:
    """Return the turns in the rows of `believe/extract_take`, in order of time."""
    turns = [_turn(each, row["session"]) for row in rows for each in row[name]]
    return sorted(turns, key=lambda turn: turn.at)


def _turn(stored: Row, session: str) -> SourceTurn:
    return SourceTurn(
        id=stored["id"],
        text=stored["text"],
        speaker=stored["speaker"],
        at=stored["at"],
        session=session,
        source_tag=stored["source_tag"] or USER_TAG,
        caption=stored["caption"],
    )


def _keep(
    memory: "Engram", facts: Sequence[Fact], *, judge: ChatModel | None, run: str | None
) -> tuple[tuple[Outcome, ...], list[tuple[Fact, Dropped]]]:
    """Keep facts; where one spoils it for all, one by one, without it: it must not come up again for ever."""
    if not facts:
        return (), []
    try:
        return keep_facts(memory, facts, judge=judge, run=run), []
    except EngramError:
        raise
    except Exception:  # noqa: BLE001  (see below)
        _LOG.warning("facts could not be kept; one by one now", exc_info=True)
    outcomes: list[Outcome] = []
    spoilt: list[tuple[Fact, Dropped]] = []
    for fact in facts:
        try:
            outcomes += keep_facts(memory, [fact], judge=judge, run=run)
        except EngramError:
            raise
        except Exception as error:  # noqa: BLE001  (whatever is wrong with one fact, the others are kept)
            why = f"it could not be kept ({type(error).__name__})"
            spoilt.append((fact, Dropped(what=inert(fact.content, _SHOWN), why=why)))
    return tuple(outcomes), spoilt
