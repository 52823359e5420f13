"""`engram jobs`: list, run and schedule what keeps the memory in shape."""

from dataclasses import asdict
from typing import Protocol

import click

from engram.errors import EngramError, NotFoundError
from engram.memory import Engram, utc_now

from .job import Job, Run, run_job
from .scheduler import JOBS, serve


class State(Protocol):
    """What these commands need of the command line's shared state; jobs do not import the command line."""

    json: bool

    def open(self) -> Engram:
        """Open the memory."""
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
    """List the jobs, how often each runs, and why."""
    if state.json:
        state.print_json(
            [
                {"name": job.name, "interval": job.interval, "trigger": job.trigger, "why": job.why}
                for job in JOBS.values()
            ]
        )
        return
    for job in JOBS.values():
        state.out(f"{job.name:<12} {job.why}")


@jobs.command()
@click.argument("name")
@click.option("--dry-run", is_flag=True, help="Change nothing; say what would change.")
@click.option("--all-spaces", is_flag=True, help="Every space of the database.")
@click.pass_obj
def run(state: State, name: str, dry_run: bool, all_spaces: bool) -> None:  # noqa: FBT001
    """Run one job now."""
    job = _find(name)
    with state.open() as memory:
        done = run_job(
            job,
            memory.graph,
            space=None if all_spaces else memory.space,
            clock=utc_now,
            dry_run=dry_run,
        )
    if state.json:
        state.print_json(asdict(done))
        return
    state.out(_run_text(done))
    for example in done.examples:
        state.out("  " + ", ".join(f"{key} {value}" for key, value in example.items()))


@jobs.command()
@click.argument("name", required=False)
@click.option(
    "-n", "limit", type=click.IntRange(1, 10_000), default=20, show_default=True, help="How many runs."
)
@click.pass_obj
def history(state: State, name: str | None, limit: int) -> None:
    """List the last runs, the newest first."""
    job = None if name is None else _find(name).name
    with state.open() as memory:
        rows = memory.graph.read("inspect/list_job_runs", job=job, limit=limit)
    if state.json:
        state.print_json(rows)
        return
    for row in rows:
        ended = f"{row['changed']:,} changed" if row["ended_at"] else "not ended"
        trouble = f", failed: {row['error']}" if row["failed"] else ""
        dry = " (dry run)" if row["dry_run"] else ""
        state.out(
            f"{row['started_at']:%Y-%m-%d %H:%M:%S}  {row['job']:<12} {ended}{dry}{trouble}  {row['by']}"
        )


@jobs.command()
@click.pass_obj
def start(state: State) -> None:
    """Run all jobs of every space at their intervals until Ctrl-C or SIGTERM."""

    def report(outcome: Run | EngramError) -> None:
        if isinstance(outcome, Run):
            state.say(_run_text(outcome))
        else:
            state.say(f"failed: {outcome.message}")

    with state.open() as memory:
        state.say(f"Running {', '.join(JOBS)}; Ctrl-C ends it.")
        serve(memory.graph, space=None, clock=utc_now, report=report)
    state.say("Stopped.")


def _find(name: str) -> Job:
    try:
        return JOBS[name]
    except KeyError:
        raise NotFoundError(f"There is no job {name!r}.", remedy=f"Jobs: {', '.join(JOBS)}.") from None


def _run_text(run: Run) -> str:
    verb = "would change" if run.dry_run else "changed"
    return f"{run.job}: {verb} {run.changed:,}"
