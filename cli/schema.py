"""`engram schema`: what the database is set up with."""

from typing import TYPE_CHECKING

import click

from .state import State

if TYPE_CHECKING:
    from engram.schema import SchemaRecord


@click.group()
def schema() -> None:
    """Set up or inspect the database's schema."""


@schema.command()
@click.pass_obj
def apply(state: State) -> None:
    """Create constraints and indexes where they are missing, and migrate what older versions wrote.

    Safe to run at any time. Vectors that older versions made in another way are made anew, all of them; otherwise each
    opening makes some.
    """
    from engram.memory import utc_now  # noqa: PLC0415  (loads numpy and the driver)
    from engram.reindexing import catch_up  # noqa: PLC0415
    from engram.schema import apply_schema  # noqa: PLC0415

    with state.open() as memory:
        embedder = memory.embedder
        record = apply_schema(
            memory.graph,
            embed_model=embedder.name,
            dimensions=embedder.dimensions,
            now=utc_now(),
            notify=state.say,
        )
        if record.due:
            state.say("Making the vectors that are missing.")
            record = catch_up(memory.graph, embedder, record, most=None)
    if state.json:
        state.print_json(record)
    else:
        state.out(_line(record))


@schema.command()
@click.pass_obj
def show(state: State) -> None:
    """List the recorded version and the indexes with their states."""
    with state.open() as memory:
        record = memory.ensure_schema()
        indexes = memory.graph.read("inspect/list_indexes")
    if state.json:
        state.print_json({"schema": record, "indexes": indexes})
        return
    state.out(_line(record))
    for index in indexes:
        state.out(f"  {index['name']:<24} {index['state'].lower()} {index['percent']:.0f}%")


@schema.command()
@click.pass_obj
def status(state: State) -> None:
    """Say which version the database has and what an opening would migrate; nothing is changed."""
    from engram.graph import Graph  # noqa: PLC0415  (loads the driver)
    from engram.migrations import pending  # noqa: PLC0415
    from engram.schema import VERSION, read_schema  # noqa: PLC0415
    from engram.server import connect  # noqa: PLC0415

    where = connect(state.settings, state.say)
    with Graph(where.uri, where.user, where.password, where.database, ca_file=where.ca_file) as graph:
        record = read_schema(graph)
    waiting = [] if record is None else pending(version=record.version, done=record.migration)
    if state.json:
        state.print_json(
            {
                "schema": record,
                "version": VERSION,
                "pending": [{"number": each.number, "title": each.title} for each in waiting],
            }
        )
        return
    if record is None:
        state.out(f"Empty database; the first use sets it up as schema {VERSION}.")
        return
    state.out(_line(record))
    if record.version < VERSION:
        state.out(f"The next opening makes it schema {VERSION}:")
    for migration in waiting:
        state.out(f"  {migration.number}  {migration.title}")
    if record.due:
        state.out("Some memories lack a vector; `engram schema apply` makes them.")


def _line(record: "SchemaRecord") -> str:
    return f"Schema {record.version}, {record.embed_model}, {record.dimensions} dimensions."
