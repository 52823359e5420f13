"""Verdicts on what was recalled, and recalls asked again."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np

from engram.errors import InvalidInputError, NotFoundError
from engram.graph import Graph, Row, Transaction
from engram.learning import steps_over
from engram.records import Hits
from engram.safety import Change, ceilings, record_events
from engram.safety.measures import blend_gain
from engram.scoring.relevance import COMPONENTS, Learned, Move, alphas_after, moved
from engram.tuning import Tuning, read_tuning

REINFORCE, CONTRADICT = 1.0, 0.5
"""What a verdict adds to a memory's weight, for and against: the defaults of `StochasticWeight`."""
VALIDATED = 50
"""Most judged hits of other recalls that a move of the blend is validated on, the newest."""
LOOKED_THROUGH = 500
"""Most recalls that are looked through for them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Returned:
    """What a recorded recall returned."""

    id: str
    content: str
    speaker: str | None
    event_at: datetime
    status: str
    rank: int
    score: float
    useful: bool | None
    """The verdict on it, where there is one."""
    terms: dict[str, float]
    """What the score was the sum of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedRecall:
    """A recall as it is kept."""

    id: str
    query: str | None
    """None where something that it returned was erased since: it may have been quoted in the question."""
    mode: str
    k: int
    hops: int
    session: str | None
    active: tuple[str, ...]
    """Ids of the memories that were at hand."""
    partial: bool
    """Whether more came back than was used and recorded, as in a chat."""
    at: datetime
    returned: tuple[Returned, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """A recorded recall and the same question asked now."""

    then: RecordedRecall
    now: Hits

    def place_then(self, memory_id: str) -> int | None:
        """Return the rank that a memory had, None where it did not come back."""
        return next((each.rank for each in self.then.returned if each.id == memory_id), None)

    @property
    def gone(self) -> tuple[Returned, ...]:
        """What came back then and does not now."""
        still = {hit.memory.id for hit in self.now}
        return tuple(each for each in self.then.returned if each.id not in still)

    @property
    def same(self) -> bool:
        """Whether what was recorded comes back in its place, and nothing else unless more was returned then."""
        places = {hit.memory.id: hit.rank for hit in self.now}
        kept = all(places.get(each.id) == each.rank for each in self.then.returned)
        return kept and (self.then.partial or len(places) == len(self.then.returned))


@dataclass(frozen=True, slots=True, kw_only=True)
class BlendChange:
    """What one verdict changed."""

    at: datetime
    component: str
    amount: float
    """What its alpha gained; negative where it lost."""
    useful: bool
    recall: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Blend:
    """What a space has learned about weighing relevance, and how it came to that."""

    learned: Learned
    changes: tuple[BlendChange, ...]
    """The last hundred verdicts that moved it, newest first."""

    @property
    def alphas(self) -> dict[str, float]:
        """The alphas that the next recall blends with, by component."""
        return dict(zip(COMPONENTS, self.learned.alphas().as_array().tolist(), strict=True))

    @property
    def weights(self) -> dict[str, float]:
        """Their expected weights, by component; they add up to 1."""
        return dict(zip(COMPONENTS, self.learned.alphas().mean().tolist(), strict=True))


def move_weights(
    transaction: Transaction,
    steps: Sequence[Row],
    *,
    by: str,
    space: str,
    tuning: Tuning,
    now: datetime,
    recall: str | None = None,
) -> None:
    """Move weights by evidence from outside as far as the ceilings let it, and record what they have to say.

    It is part of the transaction that notes the evidence, so that each piece counts once.

    Args:
        transaction: The caller's.
        steps: Maps {id, alpha, beta}, one for each memory: what is added, below 0 where it is taken back.
        by: What the evidence is, for the reason of an event.
        space: Whose.
        tuning: The space's numbers.
        now: When.
        recall: The recall that a verdict is on.
    """
    if not steps:
        return
    over = transaction.run(
        "write/move_weights", space=space, rows=list(steps), recall=recall, safety=tuning.safety
    ).rows[0]["over"]
    record_events(transaction, space, steps_over(over, tuning, at=now, by=by))


def judge(
    graph: Graph, *, space: str, recall: str, ids: Sequence[str] | None, useful: bool, now: datetime
) -> Move | None:
    """Note a verdict on hits of a recall, and move the space's blend by it.

    Returns:
        What moved; None where the verdict was known already, or where a gate that is enforced did not let it pass.

    Raises:
        NotFoundError: There is no such recall, or it returned none of these.
    """
    tuning = read_tuning(graph, space=space)
    gate = ceilings(tuning)["two_gate"]

    def work(transaction: Transaction) -> Move | None:
        row = transaction.run(
            "write/judge_hits",
            space=space,
            recall=recall,
            ids=None if ids is None else list(ids),
            useful=useful,
            reinforce=REINFORCE,
            contradict=CONTRADICT,
            now=now,
        ).rows[0]
        if not row["judged"]:
            raise NotFoundError(
                f"The recall {recall[:8]} returned nothing of that kind in the space {space!r}."
            )
        move_weights(
            transaction, row["steps"], by="a verdict", space=space, tuning=tuning, now=now, recall=recall
        )
        if not row["lifts"]:
            return None
        learned = Learned(row["experience"], tuple(row["offsets"]))
        move = moved(learned, np.sum(row["lifts"], axis=0), useful=useful)
        if move.component is None or not move.amount:
            return None
        others = transaction.run(
            "inspect/list_judged_lifts", space=space, recall=recall, recalls=LOOKED_THROUGH, limit=VALIDATED
        ).rows
        fired = gate.fired(_blend_change(learned, move, others), at=now)
        if fired:
            record_events(transaction, space, [fired])
            if fired.enforced:
                return None
        transaction.run(
            "write/move_blend",
            space=space,
            offsets=list(move.learned.offsets),
            component=move.component,
            amount=move.amount,
            useful=useful,
            recall=recall,
            now=now,
        )
        return move

    return graph.transact(work)


def _blend_change(learned: Learned, move: Move, others: Sequence[Row]) -> Change:
    """Return a move of the blend as the gates look at it: what it gains by other verdicts, and its load.

    The load is how far verdicts have taken the alphas in all, as a share of what experience gives them.
    """
    base = alphas_after(move.learned.experience).as_array().sum()
    before, after = learned.alphas().mean(), move.learned.alphas().mean()
    return Change(
        subject=f"blend.{move.component}",
        before=float(np.abs(learned.offsets).sum() / base),
        after=float(np.abs(move.learned.offsets).sum() / base),
        gain=blend_gain(
            before,
            after,
            lifts=np.array([row["lift"] for row in others], dtype=np.float64).reshape(-1, len(COMPONENTS)),
            useful=np.array([row["useful"] for row in others], dtype=np.bool_),
        ),
    )


def read_recall(graph: Graph, *, space: str, prefix: str) -> RecordedRecall:
    """Return a recorded recall by its id or the beginning of one.

    Raises:
        NotFoundError: There is none in this space.
        InvalidInputError: The beginning fits several.
    """
    rows = graph.read("inspect/read_recall", space=space, prefix=prefix)
    if not rows:
        raise NotFoundError(
            f"There is no recall {prefix!r} in the space {space!r}.",
            remedy="`engram recall` prints a recall's id with its hits under --explain.",
        )
    if len(rows) > 1 and rows[0]["recall"]["id"] != prefix:
        raise InvalidInputError(f"{prefix!r} fits several recalls.", remedy="Give more characters.")
    recall: dict[str, Any] = rows[0]["recall"]
    return RecordedRecall(
        id=recall["id"],
        query=recall.get("query"),
        mode=recall["mode"],
        k=recall["k"],
        hops=recall["hops"],
        session=recall.get("session"),
        active=tuple(recall["active"]),
        partial=recall["partial"],
        at=recall["at"],
        returned=tuple(
            Returned(
                **{name: value for name, value in row.items() if name != "terms"},
                terms={name: value for name, value in row["terms"].items() if value is not None},
            )
            for row in rows[0]["returned"]
        ),
    )


def read_blend(graph: Graph, *, space: str) -> Blend:
    """Return what a space has learned about weighing relevance."""
    rows = graph.read("inspect/read_blend", space=space)
    if not rows:
        return Blend(learned=Learned(), changes=())
    row = rows[0]
    return Blend(
        learned=Learned(row["experience"], tuple(row["offsets"])),
        changes=tuple(BlendChange(**change) for change in row["changes"]),
    )
