"""The lease on reindexing: a database has one reindex at a time, and none while a space of it is restored."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from uuid import uuid4

import psutil

from engram.errors import DatabaseError
from engram.graph import Graph, Row
from engram.identity import person
from engram.tuning import DEFAULTS_SPACE

SECONDS = 20
"""A lease is renewed with each batch. One that takes longer loses nothing unless another process waits for it."""
_REINDEX = "reindex"
_RESTORE = "restore:"
"""Before the name of the space."""


@contextmanager
def held(graph: Graph) -> Iterator[Callable[[], None]]:
    """Hold the lease on reindexing; give what renews it, which raises where another process has taken it over.

    Raises:
        DatabaseError: Another process has it, or restores a space.
    """
    with _lease(graph, _REINDEX) as renew:
        _refuse(_holders(graph, _RESTORE))
        yield renew


@contextmanager
def held_off(graph: Graph, *, space: str) -> Iterator[Callable[[], None]]:
    """Keep reindexes from beginning while a space is restored; give what renews this, as of `held`.

    Several spaces may be restored at once, each by one process.

    Raises:
        DatabaseError: A reindex is under way, or another process restores the space.
    """
    # Each takes its own lease before it looks for the other's: of two who begin at once, one at least sees the other.
    with _lease(graph, f"{_RESTORE}{space}") as renew:
        _refuse(_holders(graph, _REINDEX))
        yield renew


@contextmanager
def _lease(graph: Graph, phase: str) -> Iterator[Callable[[], None]]:
    run = uuid4().hex
    _end_of_the_dead(graph)
    taken = graph.write(
        "write/take_lease",
        space=DEFAULTS_SPACE,
        phase=phase,
        run=run,
        worker=f"{person()}:{os.getpid()}",
        lease_seconds=SECONDS,
    ).rows[0]["held"]
    if not taken:
        holders = [each for each in _holders(graph, phase) if each["phase"] == phase]
        _refuse(holders or [{"phase": phase, "worker": "another process"}])

    def renew() -> None:
        still = graph.write(
            "write/renew_lease", space=DEFAULTS_SPACE, phase=phase, run=run, lease_seconds=SECONDS
        ).rows[0]["held"]
        if not still:
            raise DatabaseError(
                f"{_what(phase)} was taken over by another process: this one was not heard of for {SECONDS} seconds.",
                remedy="`engram reindex --status` says how far it is."
                if phase == _REINDEX
                else "When that one is over, the same command adds what is missing.",
            )

    try:
        yield renew
    finally:
        graph.write("write/release_lease", space=DEFAULTS_SPACE, phase=phase, run=run)


def _holders(graph: Graph, phase: str) -> list[Row]:
    return graph.read("reindex/find_holder", space=DEFAULTS_SPACE, phase=phase)


def _refuse(holders: list[Row]) -> None:
    for holder in holders:
        phase = str(holder["phase"])
        how_far = (
            "`engram reindex --status` says how far it is." if phase == _REINDEX else "Wait for its end."
        )
        raise DatabaseError(
            f"{_what(phase)} is under way already, by {holder['worker']}.",
            remedy=f"{how_far} If it has died, try again in {SECONDS} seconds.",
        )


def _what(phase: str) -> str:
    return "A reindex" if phase == _REINDEX else f"A restore into the space {phase.removeprefix(_RESTORE)!r}"


def _end_of_the_dead(graph: Graph) -> None:
    """Give back the leases of processes of this person and machine that are no more: nobody needs to wait for them."""
    for holder in (*_holders(graph, _REINDEX), *_holders(graph, _RESTORE)):
        who, _, pid = str(holder["worker"]).rpartition(":")
        if who == person() and pid.isdigit() and not psutil.pid_exists(int(pid)):
            graph.write("write/release_lease", space=DEFAULTS_SPACE, phase=holder["phase"], run=holder["run"])
