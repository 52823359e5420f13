"""`engram jobs`: list, run, take back and schedule what keeps the memory in shape."""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import Protocol

import click
from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)

from engram.errors import EngramError, NotFoundError
from engram.graph import Graph
from engram.memory import Engram
from engram.observing.logs import logging_on
from engram.tuning import DEFAULTS_SPACE, read_tuning

from .job import Job, Run, run_job
from .means import Means
from .scheduler import JOBS, serve, timetable
from .undo import undo as undo_run
from .words import SHORT, headline, history_line, job_lines, run_lines

_LOG = logging.getLogger(__name__)


class State(Protocol):
    """What these commands need of the command line's shared state; jobs do not import the command line."""

    json: bool
    wanted_space: str | None
    """The space named on the command line."""

    def open(self) -> Engram:
        """Open the memory."""
        ...

    def chat(self, options: Sequence[str]) -> Callable[[], None]:
        """Check the options of a conversation, and return what holds it."""
        ...

    def say(self, text: str) -> None:
        """Tell the person something."""
        ...

    def out(self, text: str) -> None:
        """Print data."""
        ...

    def print_json(self, value: object) -> None:
        """Print data as JSON."""
        ...


@click.group()
def jobs() -> None:
    """Run what keeps the memory in shape."""


@jobs.command("list")
@click.pass_obj
def list_(state: State) -> None:
    """List the jobs, how often each runs now, what else starts it, and why.

    The intervals are those of `engram jobs start`, with --space those of that space.
    """
    space = DEFAULTS_SPACE if state.wanted_space is None else state.wanted_space
    with state.open() as memory:
        tuning = read_tuning(memory.graph, space=space)
    if state.json:
        state.print_json(
            [
                {
                    "name": job.name,
                    "interval_minutes": tuning[job.interval],
                    "number": job.interval,
                    "trigger": job.trigger,
                    "why": job.why,
                    "again": job.again,
                    "undo": job.undo is not None,
                }
                for job in JOBS.values()
            ]
        )
        return
    for job in JOBS.values():
        for line in job_lines(job, tuning[job.interval]):
            state.out(line)


@jobs.command()
@click.argument("name")
@click.option("--dry-run", is_flag=True, help="Change nothing; say what would change.")
@click.option("--all-spaces", is_flag=True, help="Every space of the database.")
@click.pass_obj
def run(state: State, name: str, *, dry_run: bool, all_spaces: bool) -> None:
    """Run one job now.

    Exit code 1: the job found something that must not be, or failed in one of several spaces.
    """
    job = _job(name)
    if all_spaces and state.wanted_space is not None:
        raise click.UsageError("--space names one space and --all-spaces all of them; give one of the two.")
    with state.open() as memory, Means(memory) as means, _bar(job.name, quiet=state.json) as progress:
        done = run_job(
            job,
            memory.graph,
            space=None if all_spaces else memory.space,
            dry_run=dry_run,
            means=means,
            progress=progress,
        )
    _show(state, done)
    if job.undo is not None and done.changed and not dry_run and not state.json:
        state.say(f"`engram jobs undo {done.id[:SHORT]}` takes back {job.undoes}.")
    if done.broken or done.failed:
        raise SystemExit(1)


@jobs.command()
@click.argument("name", required=False)
@click.option(
    "-n", "limit", type=click.IntRange(1, 10_000), default=20, show_default=True, help="How many runs."
)
@click.pass_obj
def history(state: State, name: str | None, limit: int) -> None:
    """List the last runs in the database, the newest first; times are UTC.

    With --space, those over that space or over every space.
    """
    job = None if name is None else _job(name).name
    with state.open() as memory:
        rows = memory.graph.read("inspect/list_job_runs", space=state.wanted_space, job=job, limit=limit)
    if state.json:
        state.print_json(rows)
        return
    for row in rows:
        state.out(history_line(row))
    if not rows:
        state.say("No job has run yet.")


@jobs.command()
@click.argument("run")
@click.option("--dry-run", is_flag=True, help="Change nothing; say what would change.")
@click.pass_obj
def undo(state: State, run: str, *, dry_run: bool) -> None:
    """Take back what RUN did, where nothing has changed since.

    RUN is the id of a run, or the beginning of one, from `engram jobs history`. It is taken back in the space or
    spaces that it ran in.
    """
    with state.open() as memory, _bar("undo", quiet=state.json) as progress:
        done = undo_run(memory.graph, run, space=state.wanted_space, dry_run=dry_run, progress=progress)
    _show(state, done, undo=True)


@jobs.command(context_settings={"ignore_unknown_options": True})
@click.option("--with-chat", is_flag=True, help="Chat meanwhile; further options are those of `engram chat`.")
@click.argument("chat_options", nargs=-1, type=click.UNPROCESSED, metavar="[CHAT OPTIONS]")
@click.pass_obj
def start(state: State, *, with_chat: bool, chat_options: tuple[str, ...]) -> None:
    """Run all jobs at their intervals until Ctrl-C or SIGTERM, in every space or in that of --space.

    The batches in hand are finished first, for some seconds at most; a second Ctrl-C leaves at once.
    """
    if chat_options and not with_chat:
        raise click.UsageError(f"{' '.join(chat_options)} is for a chat; give --with-chat too.")
    chat = state.chat(chat_options) if with_chat else None
    with state.open() as memory, Means(memory) as means:
        if chat is None:
            _serve(state, memory.graph, means)
        else:
            _accompany(state, memory.graph, means, chat)


def _serve(state: State, graph: Graph, means: Means) -> None:
    """Run the jobs in the foreground; tell of every run, in the log where there is one."""
    logged = logging_on()

    def say(text: str) -> None:
        if logged:
            _LOG.info("%s", text)
        else:
            state.say(text)

    def report(job: str, outcome: Run | EngramError) -> None:
        if isinstance(outcome, Run) and state.json:
            state.print_json(asdict(outcome))
        elif logged:
            return  # the log has a line of each run
        elif isinstance(outcome, Run):
            state.say(headline(outcome))
        else:
            state.say(f"{job}: failed: {outcome.message}")

    table = timetable(graph, space=state.wanted_space, report=report, means=means)
    where = "every space" if state.wanted_space is None else f"the space {state.wanted_space!r}"
    say(f"Running {', '.join(JOBS)} in {where}; Ctrl-C ends it.")
    left = serve(table)
    if left:
        say(f"Left in the middle of a batch: {', '.join(left)}; the next run goes on.")
    say("Stopped.")


def _accompany(state: State, graph: Graph, means: Means, chat: Callable[[], None]) -> None:
    """Run the jobs behind a conversation; tell of what failed when it is over."""
    failures: list[str] = []

    def report(job: str, outcome: Run | EngramError) -> None:
        if isinstance(outcome, EngramError):
            failures.append(f"{job}: {outcome.message}")
        elif outcome.failed:
            failures.append(f"{job}: {outcome.error}")

    try:
        with timetable(graph, space=state.wanted_space, report=report, means=means):
            chat()
    finally:
        if failures:
            runs = "One run of a job" if len(failures) == 1 else f"{len(failures):,} runs of jobs"
            state.say(f"{runs} failed meanwhile. The last: {failures[-1]}")


def _show(state: State, done: Run, *, undo: bool = False) -> None:
    if state.json:
        state.print_json(asdict(done))
        return
    for line in run_lines(done, undo=undo):
        state.out(line)


@contextmanager
def _bar(name: str, *, quiet: bool) -> Iterator[Callable[[float], None]]:
    """Show how far a run is on standard error, where that is a terminal; give what moves it, 0 to 1."""
    console = Console(stderr=True)
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=quiet or not console.is_terminal) as bar:
        task = bar.add_task(name, total=1.0)
        yield lambda share: bar.update(task, completed=share)


def _job(name: str) -> Job:
    try:
        return JOBS[name]
    except KeyError:
        raise NotFoundError(f"There is no job {name!r}.", remedy=f"Jobs: {', '.join(JOBS)}.") from None
