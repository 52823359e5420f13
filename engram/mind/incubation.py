"""When to stop grinding at a goal, and for how long (DMN algorithms, 3)."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

SESSIONS_STUCK = 3
"""Sessions that touched a goal without getting on, from which it may be stuck."""
MINUTES_STUCK = 20.0
"""Minutes spent on it in this session, above which it is."""
SHORTEST, LONGEST = 1, 5
"""Sessions for which a goal incubates at least, and after which a person is asked."""

Step = Literal["go on", "incubate", "rest", "come back", "escalate"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """What is known of the work on one goal."""

    sessions_without: int
    """Sessions since something came of it, this one included."""
    spent: timedelta
    """On it, in this session."""
    new_approach: bool
    """Whether something was tried that was not tried before."""
    incubated: int | None = None
    """Sessions for which it has incubated; None where it does not."""
    connected: bool = False
    """Whether replay has connected it strongly to something since."""


def is_stuck(progress: Progress) -> bool:
    """Whether to stop working on a goal: long without progress, long at it now, and nothing new tried."""
    return (
        progress.sessions_without >= SESSIONS_STUCK
        and progress.spent > timedelta(minutes=MINUTES_STUCK)
        and not progress.new_approach
    )


def next_step(progress: Progress) -> Step:
    """Return what to do about a goal.

    `rest`: it incubates and is not worked on; `come back`: a connection has come up; `escalate`: it incubated for five
    sessions, so a person is asked, another way is tried, or it is given up.
    """
    if progress.incubated is None:
        return "incubate" if is_stuck(progress) else "go on"
    if progress.incubated < SHORTEST:
        return "rest"
    if progress.connected:
        return "come back"
    return "escalate" if progress.incubated >= LONGEST else "rest"
