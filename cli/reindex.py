"""`engram reindex`: another embedding model, while the memory is in use."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from engram import reindexing
from engram.config import Settings
from engram.embedding import CachedEmbedder, open_embedder
from engram.reindexing import Progress, Reindexed, Standing

from .state import State

PHASES = {
    "vectors": "making vectors",
    "check": "looking for what was stored meanwhile",
    "names": "noting the model",
    "removal": "removing vectors",
}
"""What a reindex does, in words, by the name that its progress has."""


@click.command()
@click.option(
    "--embedder",
    type=click.Choice(["onnx", "sentence-transformers", "gemini"]),
    help="What turns text into vectors; default: the setting.",
)
@click.option("--embed-model", metavar="NAME", help="Model folder, installed wheel or hub id.")
@click.option(
    "--dimensions", type=click.IntRange(1, 4096), help="Vector length, where the model lets you choose."
)
@click.option("--status", "action", flag_value="status", help="Say how far it is.")
@click.option("--confirm", "action", flag_value="confirm", help="Remove the old vectors for good.")
@click.option(
    "--back", "action", flag_value="back", help="Use the old vectors again, or give up what is under way."
)
@click.pass_obj
def reindex(
    state: State,
    *,
    embedder: str | None,
    embed_model: str | None,
    dimensions: int | None,
    action: str | None,
) -> None:
    """Give everything in the database vectors of another embedding model, and switch to it.

    Recall goes on with the old vectors until the new ones are there, and what is stored meanwhile gets both. Cut off, it
    goes on where it was when it is run again. The old vectors are kept until `engram reindex --confirm`.

    It is about the whole database, all spaces. Without a model it completes what lacks a vector.
    """
    wanted = _wanted(state, embedder, embed_model, dimensions)
    with state.open() as memory:
        if action == "status":
            _show(state, reindexing.standing(memory.graph))
            return
        with _opened(wanted) as model, _bar(quiet=state.json) as progress:
            if action == "confirm":
                done = reindexing.confirm(memory.graph, model, progress=progress)
            elif action == "back":
                done = reindexing.go_back(memory.graph, model, progress=progress)
            else:
                done = reindexing.reindex(memory.graph, model(), progress=progress)
    _report(state, done, wanted)
    if action == "back" and not state.json:
        state.say(
            "If the settings name another model than the one in use: `engram config set embed_model …`."
        )


def _wanted(state: State, embedder: str | None, embed_model: str | None, dimensions: int | None) -> Settings:
    """Return the settings with the model that the command names; one of another kind has names of its own."""
    settings = state.settings
    other_kind = embedder is not None and embedder != settings.embedder
    named: dict[str, Any] = {
        "embedder": embedder or settings.embedder,
        "embed_model": embed_model or (None if other_kind else settings.embed_model),
        "embed_dimensions": dimensions or (None if other_kind or embed_model else settings.embed_dimensions),
    }
    return settings.model_copy(update=named)


@contextmanager
def _opened(settings: Settings) -> Iterator[Callable[[], CachedEmbedder]]:
    """Give what opens the embedder when it is first needed."""
    opened: list[CachedEmbedder] = []

    def model() -> CachedEmbedder:
        if not opened:
            opened.append(open_embedder(settings))
        return opened[0]

    try:
        yield model
    finally:
        for each in opened:
            each.close()


@contextmanager
def _bar(*, quiet: bool) -> Iterator[Progress]:
    """Show on standard error, where that is a terminal, what is done and of how many memories."""
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(show_speed=True),
        TextColumn("{task.completed:,.0f} of {task.total:,.0f} memories"),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=console, transient=True, disable=quiet or not console.is_terminal) as bar:
        tasks: dict[str, Any] = {}

        def show(phase: str, done: int, total: int) -> None:
            if phase not in tasks:
                tasks[phase] = bar.add_task(PHASES[phase], total=total)
            bar.update(tasks[phase], completed=done, total=total)

        yield show


def _show(state: State, found: Standing) -> None:
    if state.json:
        state.print_json(found)
        return
    state.out(f"In use: {found.embed_model}, {found.dimensions} dimensions.")
    share = f"{found.made:,} of {found.memories:,} memories have a vector of {found.other_model}"
    match found.state:
        case None:
            state.out("No other vectors.")
        case "filling":
            state.out(f"Under way: {share}. The same command goes on; `engram reindex --back` gives it up.")
        case "returning":
            state.out(f"On the way back: {share}. `engram reindex --back` goes on.")
        case "settling":
            state.out(f"Switched, not quite done: {share}. `engram reindex` goes on.")
        case "kept":
            state.out(f"Kept: {share}. `engram reindex --confirm` removes them, `--back` returns to them.")
        case "clearing":
            state.out(f"Being removed: {share}. `engram reindex --confirm` goes on.")


def _report(state: State, done: Reindexed, wanted: Settings) -> None:
    settings = _to_set(state.settings, wanted) if done.state == "kept" else []
    if state.json:
        state.print_json(State.plain(done) | {"settings": dict(settings)})
        return
    in_use = f"{done.embed_model} ({done.dimensions} dimensions)"
    match done.state:
        case "nothing":
            state.out(f"{in_use} is in use already; {done.made:,} memories lacked a vector.")
        case "kept":
            state.out(f"{in_use} is in use; {done.made:,} memories got a vector.")
        case "confirmed":
            state.out(f"The old vectors are gone; {in_use} is in use.")
        case "abandoned":
            state.out(f"Given up; {in_use} is in use as before.")
    for name, value in settings:
        state.say(f"Now: engram config {f'set {name} {value}' if value is not None else f'unset {name}'}")
    if done.state == "kept":
        state.say("The other vectors are kept until `engram reindex --confirm`; `--back` returns to them.")


def _to_set(settings: Settings, wanted: Settings) -> list[tuple[str, str | int | None]]:
    """Return the settings that name the model, where they are not what they were; None: unset."""
    names = ("embedder", "embed_model", "embed_dimensions")
    return [
        (name, getattr(wanted, name)) for name in names if getattr(settings, name) != getattr(wanted, name)
    ]
