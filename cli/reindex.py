"""`engram reindex`: another embedding model, while the memory is in use."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from engram import reindexing
from engram.config import Settings
from engram.embedding import CachedEmbedder, Embedder, open_embedder
from engram.errors import InvalidInputError
from engram.graph import Graph
from engram.reindexing import Reindexed, Standing
from engram.schema import read_schema

from .progress import stages
from .state import State


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

    It is about the whole database, all spaces. Without a model it takes the one in the settings: where that is in use,
    what lacks a vector gets one.
    """
    wanted = _wanted(state, embedder, embed_model, dimensions)
    named = any((embedder, embed_model, dimensions))
    with state.open() as memory:
        if action == "status":
            _show(state, reindexing.standing(memory.graph))
            return
        with _opened(wanted) as model, stages(quiet=state.json, unit=" memories") as stage:
            if action == "confirm":
                done = reindexing.confirm(memory.graph, model, stage=stage)
            elif action == "back":
                done = reindexing.go_back(memory.graph, model, stage=stage)
            else:
                if not named:
                    _refuse_old_settings(memory.graph, model())
                done = reindexing.reindex(memory.graph, model(), stage=stage)
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


def _refuse_old_settings(graph: Graph, configured: Embedder) -> None:
    """Refuse a model that only the settings name, where it is not the one that is in use or is being changed to."""
    record = read_schema(graph)
    if record is None or record.other is None:
        return
    under_way = record.other.state in ("filling", "returning")
    wanted = record.other if under_way else record
    if (configured.name, configured.dimensions) == (wanted.embed_model, wanted.dimensions):
        return
    if under_way:
        raise InvalidInputError(
            f"Vectors of {wanted.embed_model} are being made; the settings name {configured.name}.",
            remedy="`engram reindex --status` says how that goes on, and how it is given up.",
        )
    raise InvalidInputError(
        f"The database uses {wanted.embed_model}; the settings name {configured.name}.",
        remedy="`engram config set embed_model …` names the one in use; `engram reindex --back` returns to the other.",
    )


def _show(state: State, found: Standing) -> None:
    if state.json:
        state.print_json(found)
        return
    state.out(f"In use: {found.embed_model}, {found.dimensions} dimensions.")
    if found.state is None or found.other_model is None or found.other_dimensions is None:
        state.out("No other vectors.")
        return
    share = f"{found.made:,} of {found.memories:,} memories have a vector of {found.other_model}"
    used = _options(state.settings, found.embed_model, found.dimensions)
    other = _options(state.settings, found.other_model, found.other_dimensions)
    match found.state:
        case "filling":
            state.out(f"Under way: {share}.")
            state.out(f"`engram reindex {other}` goes on; `engram reindex --back` gives it up.")
        case "returning":
            state.out(f"On the way back: {share}.")
            state.out(f"`engram reindex --back {other}` goes on.")
        case "settling":
            state.out(f"Switched, not quite done: {share}.")
            state.out(f"`engram reindex {used}` goes on.")
        case "kept":
            state.out(f"Kept: {share}.")
            state.out(
                f"`engram reindex --confirm` removes them; `engram reindex --back {other}` returns to them."
            )
        case "clearing":
            state.out(f"Being removed: {share}.")
            state.out("`engram reindex --confirm` goes on.")


def _options(settings: Settings, name: str, dimensions: int) -> str:
    """Return the options that name a model. Where the folder of one without a hub id lies is not recorded."""
    if name.startswith("gemini"):
        return f"--embedder gemini --embed-model {name} --dimensions {dimensions}"
    # The two local kinds make the same vectors of a model.
    kind = "onnx" if settings.embedder == "gemini" else settings.embedder
    return f"--embedder {kind} --embed-model {'FOLDER' if '@' in name else name}"


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
        state.say(
            "The other vectors are kept until `engram reindex --confirm`; `engram reindex --status` says more."
        )


def _to_set(settings: Settings, wanted: Settings) -> list[tuple[str, str | int | None]]:
    """Return the settings that name the model, where they are not what they were; None: unset."""
    names = ("embedder", "embed_model", "embed_dimensions")
    return [
        (name, getattr(wanted, name)) for name in names if getattr(settings, name) != getattr(wanted, name)
    ]
