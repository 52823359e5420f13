"""`engram server`: the Neo4j that Engram runs for whoever has none."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from engram import server as managed_server
from engram.server import DockerServer, Status
from engram.server.artifacts import Progress as Report
from engram.server.diagnosis import tail

from .state import State

NOT_RUNNING = 3


@click.group()
def server() -> None:
    """Install, start, stop and look at the managed Neo4j."""


@server.command()
@click.option("--force", is_flag=True, help="Fetch the files again even if they are there.")
@click.pass_obj
def install(state: State, *, force: bool) -> None:
    """Fetch Neo4j's program files (about 170 MB, once for all data directories)."""
    there = managed_server.installed(state.settings)
    if there and not force:
        state.say(f"Neo4j {managed_server.NEO4J_VERSION} is installed already.")
    else:
        with progress_bar() as report:
            there = managed_server.install(state.settings, report, force=force)
        state.say(f"Neo4j {managed_server.NEO4J_VERSION} is installed.")
    state.out(str(there))


@server.command()
@click.pass_obj
def start(state: State) -> None:
    """Start the managed server; does nothing if it runs."""
    said: list[str] = []

    def say(text: str) -> None:
        said.append(text)
        state.say(text)

    with progress_bar() as report:
        connection = managed_server.start(state.settings, say, report)
    if state.json:
        state.print_json({"uri": connection.uri, "browser_url": connection.browser_url})
    elif not said:  # it ran, or somebody else started it while this waited
        state.say(f"Neo4j is running already: {connection.uri}, Browser {connection.browser_url}")


@server.command()
@click.pass_obj
def stop(state: State) -> None:
    """Stop the managed server; does nothing if it does not run."""
    stopped = managed_server.managed(state.settings).stop(state.say)
    state.say("Neo4j is stopped." if stopped else "Neo4j is not running.")


@server.command()
@click.pass_obj
def status(state: State) -> None:
    """Show whether the managed server runs, and where; exit code 3 if it does not."""
    now = managed_server.managed(state.settings).status()
    if state.json:
        state.print_json(now.as_dict())
    else:
        for name, value in describe(now):
            state.out(f"{name:<9} {value}")
    if not now.running:
        click.get_current_context().exit(NOT_RUNNING)


@server.command()
@click.option(
    "-n", "--lines", default=50, show_default=True, type=click.IntRange(min=1), help="How many lines."
)
@click.option("-f", "--follow", is_flag=True, help="Go on showing new lines until Ctrl-C.")
@click.pass_obj
def logs(state: State, *, lines: int, follow: bool) -> None:
    """Show the last lines of the managed server's log."""
    here = managed_server.managed(state.settings)
    if state.json:
        files = (here.home.console, here.home.log)
        known = (
            here.logs(lines)
            if isinstance(here, DockerServer)
            else [each for path in files for each in tail(path, lines)]
        )
        state.print_json({"lines": list(known)})
        return
    if isinstance(here, DockerServer):
        for line in here.logs(lines):
            state.out(line)
        if follow:
            state.say("Following is not offered for Docker; `docker compose logs --follow` does it.")
        return
    # What the process itself said comes first: it is short, and matters only when Java did not get far.
    for path in (here.home.console, here.home.log):
        shown = tail(path, lines)
        if shown:
            state.say(f"==> {path}")
        for line in shown:
            state.out(line)
    if follow:
        for line in new_lines(here.home.log):
            state.out(line)
            sys.stdout.flush()


@server.command()
@click.pass_obj
def path(state: State) -> None:
    """Print the managed server's folder: data, logs and configuration."""
    root = managed_server.Home.of(state.settings).root
    if state.json:
        state.print_json({"path": root})
    else:
        state.out(str(root))


def describe(status: Status) -> list[tuple[str, str]]:
    """Return the lines of a status for a person: a name and what to say."""
    rows = [("server", "running" if status.running else "not running")]
    if status.version:
        rows.append(("version", f"Neo4j {status.version} ({status.backend})"))
    if status.uri and status.browser_url:
        rows += [("address", status.uri), ("browser", status.browser_url)]
        rows.append(("login", f"neo4j, with the password in {status.password_file}"))
    if status.pid:
        rows.append(("pid", str(status.pid)))
    if status.uptime_seconds is not None:
        rows.append(("uptime", str(timedelta(seconds=round(status.uptime_seconds)))))
    if status.rss_bytes:
        rows.append(("memory", f"{status.rss_bytes / 1_048_576:.0f} MB resident"))
    return [*rows, ("data", str(status.data)), ("log", str(status.log))]


@contextmanager
def progress_bar() -> Iterator[Report]:
    """Show a bar on stderr from the first report on."""
    bar = Progress(
        TextColumn("{task.fields[what]}", table_column=None),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    task = bar.add_task("install", total=None, what="")

    def report(done: int, total: int | None, message: str) -> None:
        if not bar.live.is_started:
            bar.start()
        bar.update(task, completed=done, total=total, what=message[:50])
        if total is not None and done >= total:
            bar.stop()

    try:
        yield report
    finally:
        if bar.live.is_started:  # stopping one that never started prints an empty line
            bar.stop()


def new_lines(log: Path) -> Iterator[str]:
    """Yield the lines that are written to `log` from now on, without end; follows a log that is rotated."""
    position = log.stat().st_size if log.exists() else 0
    rest = b""
    while True:
        size = log.stat().st_size if log.exists() else 0
        if size < position:
            position, rest = 0, b""
        if size > position:
            with log.open("rb") as file:
                file.seek(position)
                *whole, rest = (rest + file.read(size - position)).split(b"\n")
            position = size
            yield from (line.decode("utf-8", "replace") for line in whole)
        else:
            time.sleep(0.3)
