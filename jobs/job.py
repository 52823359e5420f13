"""What a job is, and how one is run: in batches, each its own transaction, with a record in the graph."""

import getpass
import os
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from engram.errors import EngramError
from engram.graph import Graph


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One job as a value.

    The batch statement takes `$space, $after, $batch_size, $now` and the job's own parameters, and returns
    `last` (where the next batch begins, null at the end) and `changed`. The preview statement takes the same
    without the batch's and returns `changed` and `examples`.
    """

    name: str
    why: str
    every: timedelta
    batch: str
    """Name of the batch statement."""
    preview: str
    """Name of the statement that a dry run uses."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    batch_size: int = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """How a run of a job ended."""

    id: str
    job: str
    dry_run: bool
    changed: int
    failed: int
    error: str | None
    examples: tuple[Mapping[str, Any], ...] = ()
    """What a dry run would change, a few of them."""


def run_job(
    job: Job,
    graph: Graph,
    *,
    space: str | None,
    clock: Callable[[], datetime],
    dry_run: bool = False,
    stop: Callable[[], bool] = lambda: False,
) -> Run:
    """Run a job over one space, or over all (`space=None`), and record it as a `:JobRun`.

    A batch that fails ends the run and is counted; batches before it stay, and the next run goes on with what is
    left. A dry run changes nothing but its own record.

    Args:
        job: What to run.
        graph: Where.
        space: Whose, or None.
        clock: Gives the time; read once for the whole run.
        dry_run: Only count.
        stop: Asked between batches; True ends the run early.
    """
    now, run_id = clock(), uuid4().hex
    graph.write(
        "write/begin_job_run", id=run_id, job=job.name, space=space, dry_run=dry_run, by=_worker(), now=now
    )
    changed, failed, error, examples = 0, 0, None, ()
    try:
        if dry_run:
            row = graph.read(job.preview, space=space, now=now, **job.parameters)[0]
            changed, examples = row["changed"], tuple(row["examples"])
        else:
            after: str | None = ""
            while after is not None and not stop():
                rows = graph.write(
                    job.batch,
                    space=space,
                    after=after,
                    batch_size=job.batch_size,
                    now=now,
                    **job.parameters,
                ).rows
                after = rows[0]["last"]
                changed += rows[0]["changed"]
            if after is not None:
                error = "stopped before its end; the next run goes on"
    except BaseException as problem:
        failed, error = 1, getattr(problem, "message", "") or type(problem).__name__
        raise
    finally:
        _end(graph, run_id, changed=changed, failed=failed, error=error, now=clock())
    return Run(
        id=run_id,
        job=job.name,
        dry_run=dry_run,
        changed=changed,
        failed=failed,
        error=error,
        examples=examples,
    )


def _end(graph: Graph, run_id: str, **values: Any) -> None:
    try:
        graph.write("write/end_job_run", id=run_id, **values)
    except EngramError:
        # The database is gone; the record without an end tells of it once it is back.
        return


def _worker() -> str:
    return f"{getpass.getuser()}@{socket.gethostname()}:{os.getpid()}"
