"""What a job is, and how one is run: step by step, in batches that are transactions of their own.

A job is a value. What it does is in its statements; the numbers that they take come from the space's
`:ConsolidationConfig`. Time is the database's, so a machine whose clock is wrong does no harm.
"""

import logging
import os
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Protocol
from uuid import uuid4

from engram.errors import ConfigurationError, DatabaseUnavailableError, EngramError
from engram.graph import Graph, Outcome, Row
from engram.identity import person
from engram.llm.base import ChatModel
from engram.memory import Engram
from engram.observing.operation import watched
from engram.records import STOPPED
from engram.tuning import DEFAULTS_SPACE, Tuning, read_tuning

from .means import Means

EXAMPLES = 5
"""Examples that a run keeps for a person."""
_END = "~"
"""Behind every id: ids are hexadecimal."""
_LOG = logging.getLogger(__name__)


class Step(Protocol):
    """One part of a job."""

    def __call__(self, work: "Work") -> None:
        """Do it for one space."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One job as a value."""

    name: str
    why: str
    steps: tuple[Step, ...]
    """Carried out in order, for one space at a time."""
    overall: tuple[Step, ...] = ()
    """Carried out after them in a run over all spaces, once, for what belongs to none; `Work.space` is empty."""
    trigger: str = ""
    """What does the same besides its interval, in words."""
    again: str = "nothing"
    """What a second run changes at the same instant."""
    undo: Step | None = None
    """Takes back what one run did; `Work.undoing` is that run's id."""
    undoes: str = "what it did"
    """What of a run that takes back."""

    @property
    def interval(self) -> str:
        """The key of the number of minutes between two runs."""
        return f"{self.name}.interval_minutes"


@dataclass(frozen=True, slots=True, kw_only=True)
class Batches:
    """A step that walks a space in the order of ids, one statement and one transaction for each batch.

    The statement takes `$space, $after, $until, $batch_size, $now` and what `parameters` makes of the numbers. It
    looks at the ids in `$after < id <= $until` and returns one row: `last` (the last id looked at, null where there
    was none) and `changed`; `examples` (list of maps) if it has some to show.
    """

    statement: str
    batch_size: str
    """Key of the number."""
    parameters: Callable[[Tuning], Mapping[str, Any]] = lambda _: {}
    recorded: bool = False
    """Whether the statement takes the run's id as `$run`, so that it can be undone."""

    def __call__(self, work: "Work") -> None:
        """Walk the space once."""
        own = dict(self.parameters(work.tuning)) | ({"run": work.run} if self.recorded else {})
        for begin, until in work.walk():
            after: str | None = begin
            while after is not None and not work.stopping():
                row = work.write(
                    self.statement,
                    space=work.space,
                    after=after,
                    until=until,
                    batch_size=work.tuning.whole(self.batch_size),
                    now=work.now,
                    **own,
                ).rows[0]
                work.count(row["changed"], row.get("examples", ()))
                after = row["last"]
                work.advance(after, until)


@dataclass(kw_only=True)
class Work:
    """One run of a job in one space: what its steps act through."""

    graph: Graph
    space: str
    now: datetime
    tuning: Tuning
    run: str
    """Id of the `:JobRun`."""
    dry_run: bool = False
    undoing: str | None = None
    """The run that is being taken back."""
    stopping: Callable[[], bool] = lambda: False
    """Asked between batches; True ends the run early."""
    means: Means | None = None
    """What the job has beside the graph."""
    generator: random.Random = field(default_factory=random.Random)
    """Spreads workers over a space and their pauses over time; it decides nothing that is remembered."""
    progress: Callable[[float], None] | None = None
    """Told the share of the step that is done, 0 to 1."""
    changed: int = 0
    empty: int = 0
    """Claims that came back with nothing: others had it."""
    broken: int = 0
    """What was found that must not be (job `health`)."""
    examples: list[Mapping[str, Any]] = field(default_factory=list)
    report: list[Mapping[str, Any]] = field(default_factory=list)
    """Rows for a person, complete."""
    notes: list[str] = field(default_factory=list)
    """What could not be done, and why."""
    _begun: float = 0.0
    _wrapped: bool = False

    @cached_property
    def memory(self) -> Engram:
        """The space as a memory, whose clock stands at the run's time.

        Raises:
            ConfigurationError: The run was given no means.
        """
        return self._means().memory(self.space, self.now)

    def model(self, purpose: str) -> ChatModel | None:
        """Return a model for questions that nobody waits for, metered, or None where there is none.

        Args:
            purpose: What for; costs are summed by it.
        """
        return self._means().model(self.space, purpose)

    def _means(self) -> Means:
        if self.means is None:
            raise ConfigurationError(
                f"This job needs more than the graph in the space {self.space!r}: an embedder, and a model if there is one.",
                remedy="Run it with `engram jobs run`, or give `run_job` its `means`.",
            )
        return self.means

    def write(self, statement: str, /, **parameters: Any) -> Outcome:
        """Run a writing statement in a transaction of its own; a dry run takes it back."""
        run = self.graph.rehearse if self.dry_run else self.graph.write
        return run(statement, **parameters)

    def read(self, statement: str, /, **parameters: Any) -> list[Row]:
        """Run a reading statement."""
        return self.graph.read(statement, **parameters)

    def count(self, changed: int, examples: Sequence[Mapping[str, Any]] = ()) -> None:
        """Take in what a batch changed."""
        self.changed += changed
        self.examples.extend(examples[: EXAMPLES - len(self.examples)])

    def batches(self, run: Callable[..., list[Row]], *, batch_size: str) -> Iterator[Row]:
        """Yield the row of each batch of the space, in the order of ids, until the run is to stop.

        Args:
            run: Carries out a batch: takes `space`, `after` and `batch_size`, and returns one row with `last`, the id
                that the next one comes after, or null at the end.
            batch_size: Key of the number.
        """
        after: str | None = ""
        while after is not None and not self.stopping():
            row = run(space=self.space, after=after, batch_size=self.tuning.whole(batch_size))[0]
            yield row
            after = row["last"]

    def changed_by_undone(self, statement: str, *, batch_size: str) -> Iterator[list[str]]:
        """Yield the ids of what the run that is taken back had changed, in order, until this one is to stop.

        Args:
            statement: Takes `space`, `run`, `after` and `batch_size`, and returns one row with `ids`.
            batch_size: Key of the number.
        """
        after = ""
        while not self.stopping():
            ids: list[str] = self.read(
                statement,
                space=self.space,
                run=self.undoing,
                after=after,
                batch_size=self.tuning.whole(batch_size),
            )[0]["ids"]
            if not ids:
                return
            yield ids
            after = ids[-1]

    def walk(self) -> Iterator[tuple[str, str]]:
        """Yield the two stretches of ids, `(after, until)`, that make the round of a space.

        The round begins anywhere, so that several workers do not queue for the same memories.
        """
        start = f"{self.generator.getrandbits(128):032x}"
        self._begun = _share(start)
        self._wrapped = False
        yield start, _END
        self._wrapped = True
        yield "", start

    def advance(self, after: str | None, until: str) -> None:
        """Say how far the walk is: ids are uniform, so one is a share of the space."""
        if self.progress is None:
            return
        at = _share(until if after is None else after)
        self.progress(at - self._begun + (1.0 if self._wrapped else 0.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """How a run of a job ended."""

    id: str
    job: str
    dry_run: bool
    changed: int
    failed: int
    empty: int
    broken: int
    error: str | None
    examples: tuple[Mapping[str, Any], ...] = ()
    report: tuple[Mapping[str, Any], ...] = ()
    notes: tuple[str, ...] = ()


def _described(
    job: Job, *_: object, space: str | None, dry_run: bool = False, **__: object
) -> dict[str, Any]:
    return {"name": job.name, "space": space, "dry_run": dry_run}


def _told(run: Run) -> dict[str, Any]:
    return {"run": run.id, "changed": run.changed, "failed": run.failed, "empty": run.empty}


@watched("job", _described, _told)
def run_job(
    job: Job,
    graph: Graph,
    *,
    space: str | None,
    clock: Callable[[], datetime] | None = None,
    dry_run: bool = False,
    undoing: str | None = None,
    means: Means | None = None,
    stop: Callable[[], bool] = lambda: False,
    progress: Callable[[float], None] | None = None,
) -> Run:
    """Run a job over one space, or over all (`space=None`), and record it as a `:JobRun`.

    A batch that fails ends the run in its space and is counted; batches before it stay, and the next run goes on with
    what is left. In a run over all spaces the others have their turn all the same. A dry run takes every batch back and leaves nothing but its own record.

    Args:
        job: What to run.
        graph: Where.
        space: Whose, or None.
        clock: Gives the time, read once for the whole run; the database's time if left out.
        dry_run: Only say what would change.
        undoing: Id of a run of this job, to take it back instead.
        means: What jobs that embed or ask a model need.
        stop: Asked between batches; True ends the run early.
        progress: Told how far the run is, 0 to 1.

    Raises:
        EngramError: The run failed; the record says so too. Over all spaces only a database that is away does that.
    """
    run_id = uuid4().hex
    now = (clock() if clock is not None else graph.now()).astimezone(UTC)
    graph.write(
        "write/begin_job_run",
        id=run_id,
        job=job.name,
        space=space,
        dry_run=dry_run,
        undoes=undoing,
        by=worker(),
        now=now,
    )
    done = _Sum()
    steps = job.steps if undoing is None else (job.undo,) if job.undo else ()
    try:
        spaces = [(space, steps)] if space is not None else _spaces(graph, job, steps)
        for place, (name, parts) in enumerate(spaces):
            work = Work(
                graph=graph,
                space=name,
                now=now,
                tuning=read_tuning(graph, space=name),
                run=run_id,
                dry_run=dry_run,
                undoing=undoing,
                means=means,
                stopping=stop,
            )
            done.works.append(work)
            try:
                for number, step in enumerate(parts):
                    if progress is not None:
                        share = (place + number / len(parts)) / len(spaces)
                        work.progress = _part(progress, share, 1 / len(parts) / len(spaces))
                    step(work)
            except DatabaseUnavailableError:
                raise
            except EngramError as problem:
                if space is not None:
                    raise
                # One space must not keep the others from their turn.
                done.failed += 1
                done.error = done.error or f"{name}: {problem.message}"
            if stop():
                done.error = done.error or STOPPED
                break
    except BaseException as problem:
        done.failed, done.error = done.failed + 1, getattr(problem, "message", "") or type(problem).__name__
        raise
    finally:
        run = done.run(run_id, job, dry_run=dry_run, named=space is None)
        counts = {name: getattr(run, name) for name in ("changed", "failed", "empty", "broken", "error")}
        _end(graph, run_id, **counts, now=now if clock is not None else None)
    return run


def _spaces(graph: Graph, job: Job, steps: tuple[Step, ...]) -> list[tuple[str, tuple[Step, ...]]]:
    """Return every space and what to do in it."""
    spaces = [(row["space"], steps) for row in graph.read("inspect/list_spaces")]
    return [*spaces, (DEFAULTS_SPACE, job.overall)] if job.overall else spaces


class _Sum:
    """What the spaces of one run come to."""

    def __init__(self) -> None:
        self.works: list[Work] = []
        self.failed = 0
        self.error: str | None = None

    @property
    def changed(self) -> int:
        return sum(work.changed for work in self.works)

    @property
    def empty(self) -> int:
        return sum(work.empty for work in self.works)

    def run(self, run_id: str, job: Job, *, dry_run: bool, named: bool) -> Run:
        return Run(
            id=run_id,
            job=job.name,
            dry_run=dry_run,
            changed=self.changed,
            failed=self.failed,
            empty=self.empty,
            broken=sum(work.broken for work in self.works),
            error=self.error,
            examples=tuple(example for work in self.works for example in work.examples)[:EXAMPLES],
            report=tuple(
                {**({"space": work.space} if named else {}), **row}
                for work in self.works
                for row in work.report
            ),
            notes=tuple(
                f"{work.space}: {note}" if named else note for work in self.works for note in work.notes
            ),
        )


def _end(graph: Graph, run_id: str, **values: Any) -> None:
    try:
        graph.write("write/end_job_run", id=run_id, **values)
    except EngramError:
        # The database is gone; the record without an end tells of it once it is back.
        _LOG.info("the end of run %s could not be recorded", run_id, exc_info=True)


def _part(progress: Callable[[float], None], begin: float, part: float) -> Callable[[float], None]:
    """Return what reports one part of a run, which begins at a share of it."""
    return lambda share: progress(begin + share * part)


def _share(identity: str) -> float:
    """Return where an id lies among all, 0 to 1."""
    if identity == _END:
        return 1.0
    try:
        return int(identity[:8].ljust(8, "0"), 16) / 2**32
    except ValueError:  # somebody made it by hand
        return 0.0


def worker() -> str:
    """Say which process runs this: user, host and process."""
    return f"{person()}:{os.getpid()}"
