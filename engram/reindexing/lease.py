"""The lease on reindexing: a database has one reindex at a time."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from uuid import uuid4

import psutil

from engram.errors import DatabaseError
from engram.graph import Graph
from engram.identity import person
from engram.tuning import DEFAULTS_SPACE

SECONDS = 20
"""The lease is renewed with each batch. One that takes longer loses nothing unless another process waits for it."""
_PHASE = "reindex"


@contextmanager
def held(graph: Graph) -> Iterator[Callable[[], None]]:
    """Hold the lease; give what renews it, which raises where another process has taken it over.

    Raises:
        DatabaseError: Another process has it.
    """
    run = uuid4().hex
    worker = f"{person()}:{os.getpid()}"
    _end_of_the_dead(graph)
    taken = graph.write(
        "write/take_lease",
        space=DEFAULTS_SPACE,
        phase=_PHASE,
        run=run,
        worker=worker,
        lease_seconds=SECONDS,
    ).rows[0]["held"]
    if not taken:
        holders = graph.read("reindex/find_holder", space=DEFAULTS_SPACE, phase=_PHASE)
        who = holders[0]["worker"] if holders else "another process"
        raise DatabaseError(
            f"A reindex is under way already, by {who}.",
            remedy=f"`engram reindex --status` shows how far it is. If it has died, try again in {SECONDS} seconds.",
        )

    def renew() -> None:
        still = graph.write(
            "write/renew_lease", space=DEFAULTS_SPACE, phase=_PHASE, run=run, lease_seconds=SECONDS
        ).rows[0]["held"]
        if not still:
            raise DatabaseError("Another process has taken this reindex over, and goes on with it.")

    try:
        yield renew
    finally:
        graph.write("write/release_lease", space=DEFAULTS_SPACE, phase=_PHASE, run=run)


def _end_of_the_dead(graph: Graph) -> None:
    """Give back the lease of a process of this person and machine that is no more: nobody needs to wait for it."""
    for holder in graph.read("reindex/find_holder", space=DEFAULTS_SPACE, phase=_PHASE):
        who, _, pid = str(holder["worker"]).rpartition(":")
        if who == person() and pid.isdigit() and not psutil.pid_exists(int(pid)):
            graph.write("write/release_lease", space=DEFAULTS_SPACE, phase=_PHASE, run=holder["run"])
