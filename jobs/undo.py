"""Taking back what one run of a job did."""

from collections.abc import Callable

from engram.errors import InvalidInputError, NotFoundError
from engram.graph import Graph, Row
from engram.text import MIN_PREFIX

from .job import Job, Run, run_job
from .scheduler import JOBS
from .words import SHORT


def undo(
    graph: Graph,
    run: str,
    *,
    space: str | None = None,
    dry_run: bool = False,
    progress: Callable[[float], None] | None = None,
) -> Run:
    """Take back what a run did, in the space or spaces that it ran in, where nothing has changed since.

    Args:
        graph: Where.
        run: The run's id or the beginning of one.
        space: The space that a person has named; a run over another one is refused.
        dry_run: Only say what would change.
        progress: Told how far it is, 0 to 1.

    Returns:
        The run that took it back; its notes say what could not be.

    Raises:
        NotFoundError: There is no such run.
        InvalidInputError: The beginning fits several, or this run cannot be undone, or has been.
    """
    row = _find(graph, run)
    job = _undoable(row)
    if space is not None and row.get("space") not in {None, space}:
        raise InvalidInputError(
            f"Run {row['id'][:SHORT]} was over the space {row['space']!r}, not {space!r}.",
            remedy="Leave --space out: a run is taken back where it ran.",
        )
    done = run_job(job, graph, space=row.get("space"), dry_run=dry_run, undoing=row["id"], progress=progress)
    # What could not be taken back now may be later, e.g. once a run that built on it is undone.
    if not dry_run and not done.notes:
        graph.write("write/mark_run_undone", id=row["id"])
    return done


def _find(graph: Graph, given: str) -> Row:
    prefix = given.strip().lower()
    if len(prefix) < MIN_PREFIX or not prefix.isalnum() or not prefix.isascii():
        raise InvalidInputError(
            f"{given!r} is not a run's id.",
            remedy=f"Give at least {MIN_PREFIX} characters of it; `engram jobs history` shows them.",
        )
    rows = graph.read("inspect/get_job_run", prefix=prefix)
    if not rows:
        raise NotFoundError(f"There is no run {given!r}.", remedy="`engram jobs history` lists the runs.")
    found: Row = rows[0]["run"]
    if len(rows) > 1 and found["id"] != prefix:
        raise InvalidInputError(f"{given!r} fits several runs.", remedy="Give more characters.")
    return found


def _undoable(row: Row) -> Job:
    """Return the job of a run that can be taken back.

    Raises:
        InvalidInputError: It cannot.
    """
    name, short = row["job"], row["id"][:SHORT]
    if row.get("undone_at"):
        raise InvalidInputError(f"Run {short} was undone already, at {row['undone_at']:%Y-%m-%d %H:%M:%S}.")
    if row.get("undoes"):
        raise InvalidInputError(
            f"Run {short} took back run {row['undoes'][:SHORT]} and cannot be undone itself.",
            remedy=f"`engram jobs run {name}` does again what is due.",
        )
    if row.get("dry_run"):
        raise InvalidInputError(
            f"Run {short} was a dry run: it changed nothing.",
            remedy="`engram jobs history` lists the others.",
        )
    job = JOBS.get(name)
    if job is None or job.undo is None:
        others = " or ".join(each.name for each in JOBS.values() if each.undo is not None)
        raise InvalidInputError(
            f"Run {short} is one of the job {name!r}, which cannot be undone.",
            remedy=f"Runs of {others} can.",
        )
    return job
