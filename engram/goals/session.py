"""What a conversation does to a goal: it gets on, nothing comes of it, or it is stuck and rests."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from engram.goals.records import Goal
from engram.mind.incubation import Progress, next_step

WORKED = 2
"""Mentions in one conversation from which something is done about a goal; one is a word in passing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Worked:
    """What a conversation had to do with one goal."""

    mentions: int
    spent: timedelta
    """From the first mention to the last."""
    last: datetime
    progress: bool = False
    """Whether the person told of getting on."""
    new_approach: bool = False
    """Whether something was said about it that is unlike what was said before."""


def after_session(goal: Goal, worked: Worked | None, *, since: datetime, now: datetime) -> Goal:
    """Return a goal as a conversation leaves it.

    Progress is what the person told of (`Worked.progress`), and whatever was set on purpose meanwhile: another state,
    another weight, `Goals.progress`.

    Args:
        goal: As it is at the end.
        worked: What the conversation had to do with it; None: nothing.
        since: When the conversation began.
        now: When it ends.
    """
    if goal.state == "incubating":
        # Where it began to rest in this conversation, the next is the first that it rests for.
        began_here = goal.incubating_since is not None and goal.incubating_since >= since
        return goal if began_here else replace(goal, incubated=(goal.incubated or 0) + 1)
    if worked is None or goal.state != "active":
        return goal
    if worked.mentions >= WORKED:
        goal = replace(goal, active_at=max(goal.active_at, worked.last))
    set_at = max(goal.changed_at, goal.progressed_at or goal.changed_at)
    if worked.progress or set_at >= since:
        at = worked.last if worked.progress else set_at
        return replace(goal, sessions_without=0, progressed_at=at, active_at=max(goal.active_at, at))
    goal = replace(goal, sessions_without=goal.sessions_without + 1)
    known = Progress(
        sessions_without=goal.sessions_without, spent=worked.spent, new_approach=worked.new_approach
    )
    return resting(goal, now=now) if next_step(known) == "incubate" else goal


def resting(goal: Goal, *, now: datetime) -> Goal:
    """Return a goal that is set aside, so that something may come up by itself."""
    return replace(goal, state="incubating", incubating_since=now, incubated=0, changed_at=now)


def taken_up(goal: Goal, *, now: datetime) -> Goal:
    """Return a goal that is worked on again, or at last."""
    return replace(
        goal,
        state="active",
        changed_at=now,
        active_at=now,
        blocked_by=None,
        sessions_without=0,
        incubating_since=None,
        incubated=None,
    )
