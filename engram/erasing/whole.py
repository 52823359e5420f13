"""A whole space: erased in batches, each with its tombstones, until nothing else is left of it.

A run that was stopped leaves a space that the next one finishes. What a person said in it stays barred.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from engram.erasing.files import Files
from engram.erasing.preview import SHOWN, Preview
from engram.errors import DatabaseError
from engram.remembering import tombstones

if TYPE_CHECKING:
    from engram.graph import Row
    from engram.memory import Engram

_MOST_AT_ONCE = 200
"""Memories of one transaction, whatever the settings say: with a few hundred relationships each it stays far below the limit of its memory."""
_NODES_AT_ONCE = 1_000
_ROUNDS = 20
"""Somebody who goes on writing into the space is outrun, or told of."""


def preview_space(memory: "Engram") -> Preview:
    """Return what erasing the space would take."""
    counts = {
        row["label"]: row["count"] for row in memory.graph.read("inspect/count_labels", space=memory.space)
    }
    first = memory.graph.read("inspect/list_condemned", space=memory.space, after="", batch_size=SHOWN)
    return Preview(
        subject=f"all of the space {memory.space!r}",
        goes=counts,
        texts=tuple(row["content"] for row in first),
        stays=(
            "Hashes of what was said, so that it does not come back.",
            "Of other spaces everything but the lines typed in chat on this machine, which go: nobody knows whose they are.",
        ),
    )


def erase_space(
    memory: "Engram", *, forget_vectors: Callable[[list[str]], None], progress: Callable[[int], None]
) -> None:
    """Delete all of the space but its tombstones.

    Args:
        memory: The space.
        forget_vectors: Takes texts whose cached vectors are to go.
        progress: Called after each batch with the number of further memories that are gone.

    Raises:
        DatabaseError: Somebody goes on writing into it.
    """
    Files(memory).forget_space()
    for _ in range(_ROUNDS):
        while batch := _next(memory):
            # Before the graph, so that a crash leaves what finds them again, and after it for who was just at it.
            texts = [text for row in batch for text in (row["content"], row["contextualized"], *row["told"])]
            forget_vectors(texts)
            _erase(memory, batch)
            forget_vectors(texts)
            progress(len(batch))
        while _erase_rest(memory, forget_vectors):
            pass
        if not memory.graph.read("inspect/count_labels", space=memory.space):
            return
    raise DatabaseError(
        f"Something goes on writing into the space {memory.space!r}.",
        remedy="End the chats and jobs that use it, then run this again.",
    )


def _next(memory: "Engram") -> "list[Row]":
    size = min(memory.settings.batch_size, _MOST_AT_ONCE)
    return memory.graph.read("inspect/list_condemned", space=memory.space, after="", batch_size=size)


def _erase(memory: "Engram", batch: "list[Row]") -> None:
    hashes = {
        hashed
        for row in batch
        if row["said"]
        for hashed in tombstones(row["content_hash"].partition("-")[0], row["content"])
    }
    memory.graph.write(
        "write/erase_space",
        space=memory.space,
        ids=[row["id"] for row in batch],
        hashes=sorted(hashes),
        now=memory.now(),
    )


def _erase_rest(memory: "Engram", forget_vectors: Callable[[list[str]], None]) -> bool:
    """Delete some of what is no memory, and say whether there was any."""
    rest = memory.graph.read("inspect/list_rest", space=memory.space, batch_size=_NODES_AT_ONCE)[0]
    forget_vectors(rest["texts"])
    memory.graph.write("write/erase_rest", space=memory.space, elements=rest["elements"])
    forget_vectors(rest["texts"])
    return bool(rest["elements"])
