"""Trying again what fails in passing: a bounded number of times, for a bounded time."""

import random
import time
from collections.abc import Callable
from typing import TypeVar

import neo4j
import neo4j.exceptions

from engram.graph.errors import interrupt_behind

T = TypeVar("T")
ATTEMPTS = 6
"""With doubling pauses from 50 ms these span about 1.5 s: a deadlock or a leader switch is over by then."""
PATIENCE = 6.0
"""Seconds after which nothing is tried again: long enough for a deadlock or a change of leader, short enough to wait
for a dead server."""


def retried(work: Callable[[], T], *, lost: int = 2, again: Callable[[], None] = lambda: None) -> T:
    """Return what an auto-commit statement returns, trying again on errors that pass by themselves.

    Args:
        work: Runs the statement.
        lost: Tries at most where a connection is lost. One server that is away is away; of a cluster another member
            may answer.
        again: Told of every further try.
    """
    began = time.monotonic()
    attempt = 1
    while True:
        try:
            return work()
        except neo4j.exceptions.Neo4jError as error:
            if not error.is_retryable() or not _go_on(attempt, ATTEMPTS, began):
                raise
        except neo4j.exceptions.DriverError as error:
            # The connection may just have been a stale one from before a restart.
            if not error.is_retryable() or not _go_on(attempt, lost, began) or interrupt_behind(error):
                raise
        pause(attempt)
        again()
        attempt += 1


def pause(attempt: int) -> None:
    """Wait before the next attempt, twice as long as before the last one."""
    # Jitter only spreads the retries of several clients; it decides nothing that is remembered.
    time.sleep(0.05 * 2 ** (attempt - 1) * random.uniform(0.5, 1.0))  # noqa: S311


def _go_on(attempt: int, most: int, began: float) -> bool:
    return attempt < most and time.monotonic() - began < PATIENCE
