"""A lease: one worker at a time does one thing in a space, and a worker that dies does not hold up the others."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from engram.graph import Row

from .job import Work, worker


class LeaseLostError(Exception):
    """The lease was over, and another worker has taken it."""


class StoppedError(Exception):
    """The run is to end early."""


@dataclass(frozen=True, slots=True)
class Lease:
    """One worker's hold on a space for one phase of work, such as forming its clusters."""

    work: Work
    phase: str
    """A job's name."""

    def go_on(self) -> None:
        """Let the lease begin anew, before each batch, unless the run is to stop.

        Raises:
            StoppedError: It is.
            LeaseLostError: Another worker has the lease.
        """
        if self.work.stopping():
            raise StoppedError
        self.renew()

    def renew(self) -> None:
        """Let the lease begin anew, even if the run is to stop.

        Raises:
            LeaseLostError: Another worker has it.
        """
        if not self._held("write/renew_lease", lease_seconds=self._seconds):
            raise LeaseLostError("another worker has taken over, and goes on")

    def batches(self, run: Callable[..., list[Row]], *, stoppable: bool = True) -> Iterator[Row]:
        """Yield the row of each batch of the space, in the order of ids, while the lease is held.

        Args:
            run: Carries out a batch: takes `space`, `after` and `batch_size`, and returns one row with `last`, the id
                that the next one comes after, or null at the end.
            stoppable: Whether it may end before the space does.
        """
        after: str | None = ""
        while after is not None:
            if stoppable:
                self.go_on()
            else:
                self.renew()
            size = self.work.tuning.whole(f"{self.phase}.batch_size")
            row = run(space=self.work.space, after=after, batch_size=size)[0]
            yield row
            after = row["last"]

    def take(self) -> bool:
        """Take it; return False where another worker has it."""
        return self._held("write/take_lease", worker=worker(), lease_seconds=self._seconds)

    def release(self) -> None:
        """Give it back, unless another worker has it."""
        self.work.graph.write("write/release_lease", **self._named)

    @property
    def _seconds(self) -> int:
        return self.work.tuning.whole("claim.lease_seconds")

    @property
    def _named(self) -> dict[str, str]:
        return {"space": self.work.space, "phase": self.phase, "run": self.work.run}

    def _held(self, statement: str, **parameters: Any) -> bool:
        held: bool = self.work.graph.write(statement, **self._named, **parameters).rows[0]["held"]
        return held


@contextmanager
def leased(work: Work, phase: str) -> Iterator[Lease | None]:
    """Hold the lease on a space for a phase of work; None where another worker has it, which the run then says.

    A run that is to stop, or that has lost the lease, ends here. A dry run needs the lease too: it works as others do
    and takes back what it did.
    """
    lease = Lease(work, phase)
    if not lease.take():
        _give_way(work, f"another worker has this space's lease to {phase}")
        yield None
        return
    try:
        yield lease
    except StoppedError:
        pass
    except LeaseLostError as lost:
        _give_way(work, str(lost))
    finally:
        lease.release()


def _give_way(work: Work, why: str) -> None:
    work.empty += 1
    work.notes.append(why)
