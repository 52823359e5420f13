"""`engram import`: conversations and notes from files."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click

from engram.errors import DatabaseError, ImportFileError, InvalidInputError
from engram.importing import FORMATS, Reading, Tally, find_refusals, read_turns, store_turns
from engram.moving.files import LARGEST_FILE, Source
from engram.moving.restoring import WRITING, Restored, restore_file
from engram.moving.stage import Advance

from .progress import stages
from .state import State

SHOWN = 20
"""Refusals printed for each file; the summary counts all of them."""


FIELDS = """\b
JSONL has one object a line; the first name of each field that is there counts:
  text      text, content, message, body (needed)
  speaker   speaker, role, author, from, name (needed)
  time      at, event_at, said_at, timestamp, time, date, created_at
  session   session, session_id, conversation, conversation_id
  id        id, dia_id, turn_id, message_id
  caption   caption, blip_caption
  source    source
"""


@click.command("import", epilog=FIELDS)
@click.argument("files", nargs=-1, required=True, type=click.Path(allow_dash=True, path_type=Path))
@click.option(
    "--format", "form", type=click.Choice(FORMATS), help="What the files are; default: found out from each."
)
@click.option(
    "--session", metavar="NAME", help="Name of the conversation, for turns that name none; one file only."
)
@click.option("--strict", is_flag=True, help="Store nothing at all if any turn would be refused.")
@click.option("--restore", is_flag=True, help="FILES is what `engram export` wrote: restore all of it.")
@click.option("--keep", is_flag=True, help="Restoring: keep what the space holds, and add what is missing.")
@click.option("--new-ids", is_flag=True, help="Restoring: give new ids, for a copy beside the original.")
@click.option(
    "--max-bytes",
    type=click.IntRange(min=1),
    help="Restoring: longest file, unpacked; default: 64 GiB.",
)
@click.pass_obj
def command(
    state: State,
    *,
    files: tuple[Path, ...],
    form: str | None,
    session: str | None,
    strict: bool,
    restore: bool,
    keep: bool,
    new_ids: bool,
    max_bytes: int | None,
) -> None:
    """Store the turns of FILES, which may be files, folders of markdown notes, or - for standard input.

    Reads JSONL of turns, LoCoMo-style JSON, `Name: text` transcripts and markdown with YAML front matter. Running it
    again stores nothing twice, so an interrupted import is simply run again. Exit code 1: some turns were refused.

    With --restore, FILES is one file of `engram export`. It is checked to its end before anything is written, and goes
    into the space that it is from, or the one that --space names: an empty one, or one that holds nothing but it.
    """
    if restore or keep or new_ids or max_bytes:
        if not restore or len(files) > 1 or form or session or strict:
            raise InvalidInputError(
                "--restore takes one file and, of the other options, --keep, --new-ids and --max-bytes alone."
            )
        _restore(state, files[0], keep=keep, new_ids=new_ids, limit=max_bytes or LARGEST_FILE)
        return
    if session is not None and len(files) > 1:
        raise InvalidInputError("--session names one conversation; give it with a single file.")
    named = [session] if session is not None else distinct_sessions(files)
    readings = [
        read_turns(sys.stdin.buffer if str(file) == "-" else file, format=form, session=name)
        for file, name in zip(files, named, strict=True)
    ]
    if strict:
        _refuse_all_if_any(state, readings)
    tallies = [Tally() for _ in readings]
    with state.open() as memory:
        try:
            for reading, tally in zip(readings, tallies, strict=True):
                with turns_bar(reading, quiet=state.json) as progress:
                    store_turns(memory, reading, tally, progress=progress)
                _report(state, reading, tally)
        except (KeyboardInterrupt, DatabaseError):
            # What was acknowledged is there; the batch under way may be there too.
            done = sum(tally.done for tally in tallies)
            if any(tally.begun for tally in tallies):
                state.say(
                    f"Stopped: at least {done:,} turns are stored. The same command goes on from there."
                )
            raise
    if state.json:
        state.print_json(_as_json(readings, tallies))
    if any(tally.refused for tally in tallies):
        raise SystemExit(1)


def distinct_sessions(files: Sequence[Path]) -> list[str | None]:
    """Name the sessions of files that share a stem by the shortest end of their paths that tells them apart.

    None where the file's own name does, and for folders and standard input.
    """
    whole = [
        None if str(file) == "-" or file.is_dir() else Path(os.path.abspath(file))  # noqa: PTH100  (links stay)
        for file in files
    ]
    names: list[str | None] = []
    for path in whole:
        others = {each for each in whole if each and path and each != path and each.stem == path.stem}
        if path is None or not others:
            names.append(None)
            continue
        ends = ("/".join(path.with_suffix("").parts[-depth:]) for depth in range(2, len(path.parts) + 1))
        apart = (
            end for end in ends if not any(f"/{each.with_suffix('')}".endswith(f"/{end}") for each in others)
        )
        names.append(next(apart, path.name))
    return names


def _restore(state: State, file: Path, *, keep: bool, new_ids: bool, limit: int) -> None:
    source = sys.stdin.buffer if str(file) == "-" else file
    with (
        Source.open(source, limit=limit) as opened,
        state.open() as memory,
        stages(quiet=state.json) as stage,
    ):
        begun: list[str] = []

        def noting(what: str, total: int | None) -> Advance:
            begun.append(what)
            return stage(what, total)

        memory.ensure_schema()
        try:
            done = restore_file(
                memory.graph,
                lambda: memory.embedder,
                opened,
                space=state.wanted_space,
                keep=keep,
                new_ids=new_ids,
                stage=noting,
            )
        except (KeyboardInterrupt, DatabaseError):
            if WRITING in begun:
                state.say("Stopped: the same command goes on from there.")
            raise
    _report_restored(state, done)


@contextmanager
def turns_bar(reading: Reading, *, quiet: bool) -> Iterator[Callable[[int], None]]:
    """Show turns done and turns per second on standard error, where that is a terminal; give what advances it."""
    with stages(quiet=quiet, unit=" turns") as stage:
        yield stage(reading.name, reading.expected)


def _refuse_all_if_any(state: State, readings: list[Reading]) -> None:
    refusals = 0
    for reading in readings:
        refused = find_refusals(reading.again(), max_content_bytes=state.settings.max_content_bytes)
        refusals += len(refused)
        for each in refused[:SHOWN]:
            state.say(f"{reading.name}:{each.line}: {each.reason}")
    if refusals:
        raise ImportFileError(
            f"{_counted(refusals, 'turn')} would be refused, so nothing was stored.",
            remedy="Mend them, or leave out --strict to store the others.",
        )


def _report(state: State, reading: Reading, tally: Tally) -> None:
    for each in tally.reasons[:SHOWN]:
        state.say(f"{reading.name}:{each.line}: {each.reason}")
    if tally.refused > SHOWN:
        state.say(f"{reading.name}: and {tally.refused - SHOWN:,} more")
    for notice in reading.notices:
        state.say(notice)
    if reading.undated:
        state.say(
            f"{reading.name}: {_counted(reading.undated, 'turn')} without a time of their own, "
            + ("dated by now" if reading.name in ("stdin", "pipe") else "dated by the file's last change")
        )
    if tally.stored and tally.seen and reading.format != "markdown":
        state.say(
            f"{reading.name} went on with a conversation that was there; if it is another one, give it --session NAME."
        )
    if not state.json:
        state.out(
            f"{reading.name}: {tally.stored:,} stored, {tally.seen:,} already there, {tally.refused:,} refused "
            f"({reading.format})"
        )


def _report_restored(state: State, done: Restored) -> None:
    if state.json:
        told = {"space": done.space, "sha256": done.sha256, "created": done.created.as_json()}
        rest = {name: getattr(done, name) for name in ("kept", "barred", "lost", "embedded")}
        state.print_json(told | {"there": done.there.as_json()} | rest)
        return
    state.out(
        f"{done.space}: {done.created.nodes.total():,} nodes ({done.created.nodes['Memory']:,} memories) and "
        f"{done.created.relationships.total():,} relationships restored, {done.there.total:,} were there"
    )
    for count, what in (
        (done.kept, "that were there are not as in the file; they were kept"),
        (done.barred, "were left out: they, or what they belong to, were erased here"),
        (done.lost, "relationships were left out: an end of them was deleted meanwhile"),
        (done.embedded, "memories got new vectors from this embedder"),
    ):
        if count:
            state.out(f"{count:,} {what}")
    state.out(f"SHA-256 of the file's lines: {done.sha256}")


def _as_json(readings: list[Reading], tallies: list[Tally]) -> dict[str, object]:
    files = [
        {
            "file": reading.name,
            "format": reading.format,
            "stored": tally.stored,
            "seen": tally.seen,
            "refused": tally.refused,
            "refusals": [{"line": each.line, "reason": each.reason} for each in tally.reasons],
            "undated": reading.undated,
            "notices": reading.notices,
        }
        for reading, tally in zip(readings, tallies, strict=True)
    ]
    return {
        "stored": sum(tally.stored for tally in tallies),
        "seen": sum(tally.seen for tally in tallies),
        "refused": sum(tally.refused for tally in tallies),
        "files": files,
    }


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
