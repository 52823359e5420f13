"""`engram export`: all that a space holds, in a file."""

import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO, cast

import click

from engram.errors import InvalidInputError
from engram.memory import Engram
from engram.moving.exporting import Exported, export_space
from engram.moving.files import Source, packed, written_whole
from engram.moving.graphml import write_graphml
from engram.moving.script import write_script
from engram.schema import read_schema

from .progress import stages
from .state import State

_OTHERS = {"graphml": write_graphml, "cypher": write_script}
"""What makes another form of the lines."""


@click.command("export")
@click.argument("file", type=click.Path(allow_dash=True, path_type=Path))
@click.option(
    "--format",
    "form",
    type=click.Choice(["jsonl", *_OTHERS]),
    default="jsonl",
    help="jsonl, which `engram import --restore` reads; GraphML; or a Cypher script.",
)
@click.option(
    "--embeddings/--no-embeddings",
    default=None,
    help="With the vectors or without; default: with them in jsonl, which alone can. A restore makes what is missing.",
)
@click.option("--overwrite", is_flag=True, help="Replace FILE once the new export is complete.")
@click.pass_obj
def command(state: State, *, file: Path, form: str, embeddings: bool | None, overwrite: bool) -> None:
    """Write all that the space holds to FILE, or to standard output for -.

    A name that ends in .gz is packed. The file takes its place when it is whole: an interrupted export leaves none.
    """
    if state.json and str(file) == "-":
        raise InvalidInputError("--json and the export would both go to standard output: name a file.")
    if form != "jsonl" and embeddings:
        raise InvalidInputError(
            "Only jsonl holds vectors, and says which model made them.",
            remedy="Leave out --embeddings, or --format.",
        )
    if file.is_file() and not overwrite:
        raise InvalidInputError(f"{file} is there already.", remedy="Name another file, or use --overwrite.")
    wanted = form == "jsonl" if embeddings is None else embeddings
    with state.open() as memory, _opened(file) as target:
        if form == "jsonl":
            exported = _export(state, memory, target, embeddings=wanted)
        else:
            with tempfile.TemporaryFile() as kept:
                lines = cast("BinaryIO", kept)
                exported = _export(state, memory, lines, embeddings=wanted)
                _OTHERS[form](Source(lines, "the export"), target)
    _report(state, file, form, exported)


@contextmanager
def _opened(file: Path) -> Iterator[BinaryIO]:
    with ExitStack() as stack:
        if str(file) == "-":
            yield stack.enter_context(packed(sys.stdout.buffer, pack=False))
        else:
            yield stack.enter_context(written_whole(file))


def _export(state: State, memory: Engram, target: BinaryIO, *, embeddings: bool) -> Exported:
    record = read_schema(memory.graph)
    if record is None:
        raise AssertionError  # opening the memory sets the schema up
    with stages(quiet=state.json) as stage:
        return export_space(
            memory.graph,
            record,
            target,
            space=memory.space,
            embeddings=embeddings,
            now=memory.now(),
            stage=stage,
        )


def _report(state: State, file: Path, form: str, exported: Exported) -> None:
    for name, count in sorted(exported.left_out.items()):
        state.say(f"{count:,} {name} left out: not Engram's, or written meanwhile")
    counts = exported.counts
    if state.json:
        state.print_json(
            {"file": str(file), "format": form, "space": exported.space, **counts.as_json()}
            | {"sha256": exported.sha256, "left_out": dict(exported.left_out)}
        )
        return
    tell = state.say if str(file) == "-" else state.out
    tell(
        f"{exported.space}: {counts.nodes.total():,} nodes ({counts.nodes['Memory']:,} memories), "
        f"{counts.relationships.total():,} relationships"
    )
    if form == "jsonl":
        tell(f"SHA-256 of its lines: {exported.sha256}")
