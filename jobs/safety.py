"""Safety: what a cycle has done to the weights, held against the ceilings that look at more than one step."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from engram.graph import Row, Transaction
from engram.safety import Ceiling, Change, SafetyEvent, ceilings, record_events
from engram.safety.measures import TOP, Coherence, WeightSums, kept_share, share

from .job import EXAMPLES, Job, Work
from .lease import Lease, leased

_EARLY = 0.9
"""Share of the interval before which a run is too early: the timetable spreads runs by a twentieth."""


@dataclass(slots=True)
class _Found:
    """What the batches of one cycle come to."""

    sums: WeightSums = field(default_factory=WeightSums)
    coherent: int = 0
    top: list[Row] = field(default_factory=list)
    """The weightiest memories, as maps {id, weight}."""

    def add(self, row: Row) -> None:
        self.sums += WeightSums(row["count"], row["total"], row["product"])
        self.coherent += row["coherent"]
        self.top = sorted([*self.top, *row["top"]], key=lambda each: (-each["weight"], each["id"]))[:TOP]


def _cycle(work: Work) -> None:
    """Go through one cycle, unless another worker does or the last one has hardly begun."""
    with leased(work, "safety") as lease:
        if lease is None:
            return
        known = work.read("inspect/read_safety_cycle", space=work.space)[0]
        last: Row | None = known["cycle"]
        if last is not None and work.now < last["at"] + _EARLY * work.tuning.minutes(
            "safety.interval_minutes"
        ):
            return
        found = _Found()
        for row in _batches(lease, since=None if last is None else last["at"]):
            work.count(row["changed"], [_example(each) for each in row["moved"][:EXAMPLES]])
            found.add(row)
        _keep(work, found, last or {}, action=share(known["progressed"], known["goals"]))


def _batches(lease: Lease, *, since: datetime | None) -> Iterator[Row]:
    """Yield what each batch comes to; what fired in it is kept in the same transaction."""
    work = lease.work
    held = ceilings(work.tuning)
    parameters: dict[str, Any] = {
        "since": since,
        "cycles": work.tuning.whole("safety.breaker_cycles"),
        "pause": held["circuit_breaker"].enforced,
        "top": TOP,
    }

    def look(**cursor: Any) -> list[Row]:
        if work.dry_run:
            return work.write("consolidate/check_weights", **cursor, **parameters).rows

        def step(transaction: Transaction) -> list[Row]:
            rows = transaction.run("consolidate/check_weights", **cursor, **parameters).rows
            fired = [event for each in rows[0]["moved"] for event in _fired(held, each, at=work.now)]
            record_events(transaction, work.space, fired)
            return rows

        return work.graph.transact(step)

    return lease.batches(look)


def _fired(held: Mapping[str, Ceiling], moved: Row, *, at: datetime) -> Iterator[SafetyEvent]:
    """Yield what one memory's cycle sets off."""
    memory, before = moved["id"], moved["before"]
    streak = Change(subject=memory, before=moved["streak_before"], after=moved["streak"])
    checks: list[tuple[Ceiling, Change, bool]] = [(held["circuit_breaker"], streak, True)]
    if before is not None:
        weight = Change(subject=memory, before=before, after=moved["after"], exempt=moved["immutable"])
        # Recalls keep to these by themselves; what got past has happened: a verdict, idle time, somebody's hand.
        checks += [(held[name], weight, False) for name in ("weight_cap", "rate_limit")]
    for ceiling, change, stopped in checks:
        if event := ceiling.fired(change, at=at, stopped=stopped):
            yield event


def _keep(work: Work, found: _Found, last: Row, *, action: float | None) -> None:
    """Measure the space as a whole, against the cycle before, and keep what came of it."""
    held = ceilings(work.tuning)
    top = [each["id"] for each in found.top]
    coherence = Coherence(
        epistemic=share(found.coherent, found.sums.count),
        action=action,
        value=kept_share(last.get("top") or [], top),
    )
    measured = {"entropy": found.sums.entropy, "coherence": coherence.overall}
    fired = {
        name: held[name].fired(Change(subject="", before=before, after=value), at=work.now)
        for name, value in measured.items()
        if value is not None and (before := last.get(name)) is not None
    }
    cycle = measured | {
        "at": work.now,
        "memories": found.sums.count,
        "entropy_before": last.get("entropy"),
        "fallen": fired.get("entropy") is not None,
        "coherence_before": last.get("coherence"),
        "epistemic": coherence.epistemic,
        "action": coherence.action,
        "value": coherence.value,
        "top": top,
    }
    if work.dry_run:
        work.write("consolidate/record_cycle", space=work.space, found=cycle)
        return

    def step(transaction: Transaction) -> None:
        transaction.run("consolidate/record_cycle", space=work.space, found=cycle)
        record_events(transaction, work.space, [event for event in fired.values() if event])

    work.graph.transact(step)


def _example(moved: Row) -> Row:
    return {"id": moved["id"], "before": moved["before"], "after": moved["after"]}


JOB = Job(
    name="safety",
    why="What is used is easier to use, which could run away with the memory. Each cycle is held against the ceilings: "
    "how fast weights move, whether the same memory rises on no evidence, whether a few take over.",
    steps=(_cycle,),
    again="nothing: a cycle lasts as long as the interval",
)
