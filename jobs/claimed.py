"""Claimed: a step for work that leaves the transaction, such as a model's call, and is done by one worker only."""

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from engram import claims
from engram.claims import Claim
from engram.errors import EngramError
from engram.graph import Row, Transaction

from .job import Work, worker

Result = Mapping[str, Any]
"""What came of one memory: its `id`, and whatever the writing statement takes."""
_FIRST_PAUSE, _LONGEST_PAUSE = 0.05, 2.0
"""Seconds. Pauses only spread workers over time."""
_NOTHING: Row = {"changed": 0}
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """A step that claims due memories batch by batch, works on them in no transaction, and writes what came of it.

    It begins anywhere in the space, so that several workers meet seldom; a claim that comes back empty, or that was
    lost while the work was going on, makes it pause, for longer each time. No lock is held while it works. A dry run
    does the work too, and takes back the claim and what it writes.
    """

    phase: str
    """What is being done, for the record of the attempt."""
    find: str
    """A reading statement that takes `$space, $after, $until, $batch_size, $now` and returns one row: `ids`, the
    first memories in `$after < id <= $until` that are due, ascending."""
    due: str
    """The property of a memory that says that it is due, e.g. `promote_due_at`; the writing statement removes it."""
    work: Callable[[Work, Sequence[Row]], Iterable[Result]]
    """Makes results of claimed memories (their properties, no vectors). Given one by one (`yield`), the lease is
    renewed between them. A memory without a result is given up and stays due."""
    write: str
    """A statement that takes `$space, $run, $now` and `$ids` (ascending) or `$results` (in that order) of the memories
    that are still held, and returns one row: `changed`; `examples` if it has some to show."""

    def __call__(self, work: Work) -> None:
        """Walk the space once."""
        pauses = _Pauses(work)
        given_up = 0
        for begin, until in work.walk():
            for ids in self._due(work, begin, until):
                claim = self._claim(work, ids)
                if claim is None:
                    work.empty += 1
                    pauses.pause()
                    continue
                written = self._carry_out(work, claim)
                given_up += len(claim.ids) - written
                if written:
                    pauses.reset()
                else:
                    pauses.pause()
        if given_up:
            work.notes.append(
                f"{given_up:,} given up in phase {self.phase}: changed, lost, or without a result"
            )

    def _due(self, work: Work, after: str, until: str) -> Iterator[list[str]]:
        """Yield the ids of one batch after the other; each time what is due by then."""
        while not work.stopping():
            ids = work.read(
                self.find,
                space=work.space,
                after=after,
                until=until,
                batch_size=work.tuning.whole("claim.batch_size"),
                now=work.now,
            )[0]["ids"]
            if not ids:
                break
            yield ids
            after = ids[-1]
            work.advance(after, until)
        work.advance(None, until)

    def _claim(self, work: Work, ids: list[str]) -> Claim | None:
        return claims.claim(
            work.graph,
            space=work.space,
            phase=self.phase,
            ids=ids,
            due=self.due,
            worker=worker(),
            lease_seconds=work.tuning.whole("claim.lease_seconds"),
            rehearse=work.dry_run,
        )

    def _carry_out(self, work: Work, claim: Claim) -> int:
        """Do the work and write what came of it; return of how many memories."""
        if work.dry_run:
            results = {result["id"]: result for result in self.work(work, claim.memories)}
            ids = [each for each in claim.ids if each in results]
            row = work.write(self.write, **self._parameters(work, ids, results)).rows[0] if ids else _NOTHING
        else:
            with _released_on_error(work, claim):
                results = self._work(work, claim)
                ids, row = work.graph.transact(
                    lambda transaction: self._write(transaction, work, claim, results)
                )
        work.count(row["changed"], row.get("examples", ()))
        return len(ids)

    def _work(self, work: Work, claim: Claim) -> dict[str, Result]:
        """Return the results by id; none of them where the claim is lost before the end."""
        results: dict[str, Result] = {}
        renewed = time.monotonic()
        for result in self.work(work, claim.memories):
            results[result["id"]] = result
            if work.stopping():
                break  # what there is, is written; the rest is given up and stays due
            if time.monotonic() - renewed > claim.lease_seconds / 3:
                renewed = time.monotonic()
                if not claims.renew(work.graph, claim):
                    return {}
        return results

    def _write(
        self, transaction: Transaction, work: Work, claim: Claim, results: Mapping[str, Result]
    ) -> tuple[list[str], Row]:
        held = claims.complete(transaction, claim, results)
        if not held:
            return held, _NOTHING
        return held, transaction.run(self.write, **self._parameters(work, held, results)).rows[0]

    def _parameters(self, work: Work, ids: list[str], results: Mapping[str, Result]) -> Row:
        return {
            "space": work.space,
            "run": work.run,
            "now": work.now,
            "ids": ids,
            "results": [results[each] for each in ids],
        }


class _Pauses:
    """Pauses that double while others are in the way, each cut at random so that workers drift apart."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._limit = _FIRST_PAUSE

    def pause(self) -> None:
        time.sleep(self._work.generator.uniform(0.0, self._limit))
        self._limit = min(2 * self._limit, _LONGEST_PAUSE)

    def reset(self) -> None:
        self._limit = _FIRST_PAUSE


@contextmanager
def _released_on_error(work: Work, claim: Claim) -> Iterator[None]:
    """Give up the claim where the work fails or is interrupted, so that others need not wait for its lease."""
    try:
        yield
    except BaseException:
        try:
            claims.release(work.graph, claim, outcome="failed")
        except EngramError as error:
            _LOG.warning("the claim %s holds until its lease is over: %s", claim.id, error.message)
        raise
