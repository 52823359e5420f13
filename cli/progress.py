"""How far a command is, as bars on standard error."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)

from engram.moving.stage import Advance, Stage


@contextmanager
def stages(*, quiet: bool, unit: str = "") -> Iterator[Stage]:
    """Show what is done, one bar below the other, on standard error, where that is a terminal.

    Args:
        quiet: Whether to show nothing.
        unit: Stands behind the numbers, e.g. ` turns`.
    """
    console = Console(stderr=True)
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(show_speed=True),
        TextColumn(f"{{task.completed:,.0f}}{unit}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=quiet or not console.is_terminal) as bar:
        tasks: dict[str, TaskID] = {}

        def stage(what: str, total: int | None) -> Advance:
            if what in tasks:  # once more from its beginning
                bar.reset(tasks[what], total=total)
            else:
                tasks[what] = bar.add_task(what, total=total)
            return lambda count: bar.advance(tasks[what], count)

        yield stage
