"""A lease: one worker at a time does one thing in a space, and a worker that dies does not hold up the others."""

from dataclasses import dataclass
from typing import Any

from .job import Work, worker


class LeaseLostError(Exception):
    """The lease was over, and another worker has taken it."""


@dataclass(frozen=True, slots=True)
class Lease:
    """One worker's hold on a space for one phase of work, such as forming its clusters.

    A dry run needs it too: it works as others do, and takes back what it did.
    """

    work: Work
    phase: str

    def take(self) -> bool:
        """Take it; where another worker has it, say so in the run and return False."""
        if self._held("write/take_lease", worker=worker(), lease_seconds=self._seconds):
            return True
        self.give_way(f"another worker has this space's lease to {self.phase}")
        return False

    def give_way(self, why: object) -> None:
        """Say in the run that it leaves the work to another worker, and why."""
        self.work.empty += 1
        self.work.notes.append(str(why))

    def renew(self) -> None:
        """Let it begin anew, before each batch.

        Raises:
            LeaseLostError: Another worker has it.
        """
        if not self._held("write/renew_lease", lease_seconds=self._seconds):
            raise LeaseLostError("another worker has taken over, and goes on")

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
