"""`engram schema`: what the database is set up with."""

import click

from .state import State


@click.group()
def schema() -> None:
    """Set up or inspect the database's schema."""


@schema.command()
@click.pass_obj
def apply(state: State) -> None:
    """Create constraints and indexes where they are missing; safe to run at any time."""
    from engram.memory import utc_now  # noqa: PLC0415  (loads numpy and the driver)
    from engram.schema import apply_schema  # noqa: PLC0415

    with state.open() as memory:
        embedder = memory.embedder
        record = apply_schema(
            memory.graph, embed_model=embedder.name, dimensions=embedder.dimensions, now=utc_now()
        )
    if state.json:
        state.print_json(record)
    else:
        state.out(f"Schema {record.version}, {record.embed_model}, {record.dimensions} dimensions.")


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
    state.out(f"Schema {record.version}, {record.embed_model}, {record.dimensions} dimensions.")
    for index in indexes:
        state.out(f"  {index['name']:<24} {index['state'].lower()} {index['percent']:.0f}%")
