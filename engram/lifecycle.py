"""What the lifecycle does besides a job's batches: sessions end, new memories reinforce old ones, numbers change."""

from datetime import datetime

from engram.energy import DECAY_PER_HOUR
from engram.graph import Graph
from engram.tuning import DEFAULTS_SPACE, Tuning, checked_number, find_number, read_tuning

_REBASING = {"decay.expiry", *(f"decay.{tier}" for tier in DECAY_PER_HOUR)}
"""Numbers on which the stored time of expiry and the course of energy rest."""


def close_session(
    graph: Graph, *, space: str, session: str, now: datetime, tuning: Tuning, explicit: bool
) -> int:
    """End a session; what was used in it and is above the bar of a session's end is due for promotion.

    Args:
        graph: Where.
        space: Whose.
        session: Its name.
        now: When; one that had ended by itself before ended then.
        tuning: The space's numbers.
        explicit: Whether somebody ends it; else only if it has ended by itself.

    Returns:
        How many memories are due for it.
    """
    due: int = graph.write(
        "write/close_session", **closing(session, space, now, tuning, explicit=explicit)
    ).rows[0]["due"]
    return due


def closing(
    session: str, space: str, now: datetime, tuning: Tuning, *, explicit: bool = False
) -> dict[str, object]:
    """Return what `write/close_session` takes."""
    return {"space": space, "session": session, "now": now, "explicit": explicit, "energy": tuning.energy}


def close_ended_sessions(graph: Graph, *, space: str, now: datetime, tuning: Tuning) -> int:
    """End the sessions that nobody has used for `session.idle_minutes`; each ended when those were over.

    Whatever raises energy calls this first, so that a session's end is judged before anything later happens.

    Returns:
        How many sessions that were.
    """
    ended = graph.read("inspect/list_ended_sessions", space=space, now=now)
    for row in ended:
        close_session(graph, space=space, session=row["id"], now=now, tuning=tuning, explicit=False)
    return len(ended)


def reinforce(graph: Graph, *, space: str, ids: list[str], tuning: Tuning) -> int:
    """Let new memories strengthen the older ones that they are like; return how many were strengthened."""
    changed: int = graph.write(
        "consolidate/reinforce_memories", space=space, ids=sorted(ids), **reinforcement(tuning)
    ).rows[0]["changed"]
    return changed


def reinforcement(tuning: Tuning) -> dict[str, object]:
    """Return what `consolidate/reinforce_memories` takes of a space's numbers."""
    partners = tuning.whole("reinforce.partners")
    return {
        "similarity": tuning["reinforce.similarity"],
        # The index knows no tiers: most of the nearest may be working memories.
        "width": max(100, 20 * partners),
        "partners": partners,
        "boost": tuning["boost.reinforcement"],
        "cap": tuning.whole("boost.reinforcement_cap"),
        "energy": tuning.energy,
    }


def tune(graph: Graph, *, space: str, key: str, value: object | None, by: str, now: datetime) -> float:
    """Set one number of a space, or of every space that has none of its own, and keep what it was.

    A rate of decay holds from `now` on: energies are settled at the old one first.

    Args:
        graph: Where.
        space: Whose, or `DEFAULTS_SPACE`.
        key: One of `NUMBERS`.
        value: The number or its text; None for the default.
        by: Who sets it.
        now: When.

    Returns:
        The number that holds from now on.

    Raises:
        InvalidInputError: There is no such number, or the value is out of range.
    """
    number = find_number(key)
    before = read_tuning(graph, space=space)
    if value is None:
        inherited = (
            read_tuning(graph, space=DEFAULTS_SPACE)[key] if space != DEFAULTS_SPACE else number.default
        )
        given = checked_number(key, inherited, before)
        stored = number.default if space == DEFAULTS_SPACE else None
    else:
        stored = given = checked_number(key, value, before)
    if key in _REBASING and given != before[key]:
        spaces = (
            [space]
            if space != DEFAULTS_SPACE
            else [row["space"] for row in graph.read("inspect/list_spaces")]
        )
        for each in spaces:
            _rebase(graph, space=each, key=key, new=given, now=now, everywhere=space == DEFAULTS_SPACE)
    graph.write(
        "write/set_number", space=space, key=key, property=number.property, value=stored, by=by, now=now
    )
    return given


def _rebase(graph: Graph, *, space: str, key: str, new: float, now: datetime, everywhere: bool) -> None:
    """Settle a space's energies before one of the numbers that they rest on changes."""
    held = read_tuning(graph, space=space)
    if everywhere and key in held.own:
        return
    after: str | None = ""
    while after is not None:
        after = graph.write(
            "consolidate/rebase_energy",
            space=space,
            after=after,
            batch_size=held.whole("decay.batch_size"),
            old=held.energy,
            new=Tuning({**held, key: new}).energy,
            now=now,
        ).rows[0]["last"]
