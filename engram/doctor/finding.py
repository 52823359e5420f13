"""What a check finds, and what all of them come to."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from engram.errors import EngramError

REPORT_VERSION = 1
"""Raised when a field of the report changes its meaning or goes; new fields and findings raise nothing."""

State = Literal["ok", "note", "problem"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What one check found."""

    name: str
    """What was looked at; several findings may bear one name."""
    state: State
    """`note`: not as good as it could be, or not needed yet."""
    detail: str
    remedy: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What all checks come to: what `engram doctor --json` prints."""

    version: int
    ok: bool
    """Whether there is no problem; notes are none."""
    findings: tuple[Finding, ...]

    @classmethod
    def of(cls, findings: Sequence[Finding]) -> "Report":
        """Return the report of these findings."""
        ok = all(finding.state != "problem" for finding in findings)
        return cls(version=REPORT_VERSION, ok=ok, findings=tuple(findings))


def problem(name: str, error: EngramError) -> Finding:
    """Return an error as a finding."""
    return Finding(name=name, state="problem", detail=error.message, remedy=error.remedy)


def guarded(name: str, check: Callable[[], Iterator[Finding]]) -> Iterator[Finding]:
    """Yield what a check finds; an error of its own becomes a finding and ends it alone."""
    try:
        yield from check()
    except EngramError as error:
        yield problem(name, error)
    except OSError as error:
        yield Finding(
            name=name,
            state="problem",
            detail=str(error),
            remedy="That came from the system: is the file there, may you read it, and is there room on the disk?",
        )
