"""From one embedding model to another, and back: the states of the slot that is not in use, and what leads on."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from engram.embedding.protocol import Embedder
from engram.errors import EmbedderMismatchError, InvalidInputError, SchemaError
from engram.graph import Graph
from engram.moving.stage import Advance, Stage, no_stage
from engram.reindexing.filling import Filler
from engram.reindexing.lease import held
from engram.schema import VECTOR_INDEX, OtherState, SchemaRecord, await_indexes, read_schema
from engram.statements import CENTROIDS, VECTORS, other
from engram.walking import spaces, walk

ROUNDS = 3
"""Walks through the database before the switch; what they have missed is made after it."""
PATIENCE = 5
"""Tries to switch at an instant at which no memory is without its vector; after that it is made right afterwards."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reindexed:
    """What a command did."""

    state: Literal["nothing", "kept", "confirmed", "abandoned"]
    """Of the vectors that are not in use."""
    made: int
    """Memories that got a vector."""
    embed_model: str
    """The model in use."""
    dimensions: int
    slot: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How far a reindex is."""

    embed_model: str
    """The model in use."""
    dimensions: int
    slot: str
    state: OtherState | None
    """Of the other slot; None where there is nothing in it."""
    other_model: str | None
    other_dimensions: int | None
    memories: int
    made: int
    """Memories that have a vector of the other model."""


def standing(graph: Graph) -> Standing:
    """Return how far a reindex is; it reads every memory of the database.

    Raises:
        SchemaError: The database has not been used yet.
    """
    record = _recorded(graph)
    counts = [
        graph.read("reindex/count_vectors", space=space, property=VECTORS[other(record.slot)])[0]
        for space in spaces(graph)
    ]
    return Standing(
        embed_model=record.embed_model,
        dimensions=record.dimensions,
        slot=record.slot,
        state=None if record.other is None else record.other.state,
        other_model=None if record.other is None else record.other.embed_model,
        other_dimensions=None if record.other is None else record.other.dimensions,
        memories=sum(row["memories"] for row in counts),
        made=sum(row["made"] for row in counts),
    )


def reindex(graph: Graph, embedder: Embedder, *, stage: Stage = no_stage) -> Reindexed:
    """Make vectors of `embedder` for everything in the database, and put them to use; go on where it was cut off.

    Recall and writing go on meanwhile. The old vectors are kept until `confirm`.

    Args:
        graph: The database.
        embedder: The new model.
        stage: Told what begins, and how many of all memories are done.

    Raises:
        InvalidInputError: Vectors of a third model are there.
        DatabaseError: Another process is at it.
    """
    with held(graph) as go_on:
        run = _Run(graph, lambda: embedder, go_on, stage)
        record = _recorded(graph)
        if record.other is not None and record.other.state == "clearing":
            run.clear(record)
            record = _recorded(graph)
        wanted = embedder.name, embedder.dimensions
        if wanted == (record.embed_model, record.dimensions):
            return run.settle(record)
        if record.other is None:
            return run.begin(record)
        if wanted != (record.other.embed_model, record.other.dimensions):
            raise InvalidInputError(
                f"Vectors of {record.other.embed_model} are there beside those of {record.embed_model}, which are in "
                f"use; a third model has no room.",
                remedy="`engram reindex --back` gives up what is under way; `engram reindex --confirm` removes the "
                "vectors that are not in use.",
            )
        if record.other.state != "filling":
            run.change(("settling", "kept"), "returning")
        return run.fill_and_switch(record)


def go_back(graph: Graph, embedder: Callable[[], Embedder], *, stage: Stage = no_stage) -> Reindexed:
    """Put the vectors from before the last switch to use again; or give up a reindex that has not switched yet.

    Args:
        graph: The database.
        embedder: Gives the model from before, where memories have been stored since the switch.
        stage: Told what begins, and how many of all memories are done.

    Raises:
        InvalidInputError: There is nothing to go back to.
        EmbedderMismatchError: `embedder` is not the model from before.
        DatabaseError: Another process is at it.
    """
    with held(graph) as go_on:
        record = _recorded(graph)
        before = record.other
        if before is None or before.state == "clearing":
            raise InvalidInputError("There are no other vectors to go back to.")
        if before.state == "filling":
            run = _Run(graph, embedder, go_on, stage)
            run.change(("filling",), "clearing")
            return run.clear(record, "abandoned")

        checked = _checked(embedder, before.embed_model, before.dimensions)
        run = _Run(graph, checked, go_on, stage)
        run.change(("settling", "kept"), "returning")
        return run.fill_and_switch(record)


def confirm(graph: Graph, embedder: Callable[[], Embedder], *, stage: Stage = no_stage) -> Reindexed:
    """Remove the vectors from before the last switch; what is not in use any more cannot be gone back to.

    Args:
        graph: The database.
        embedder: Gives the model in use, where memories have been stored since by a process of the other one.
        stage: Told what begins, and how many of all memories are done.

    Raises:
        InvalidInputError: There was no switch, or it is not over.
        EmbedderMismatchError: `embedder` is not the model in use.
        DatabaseError: Another process is at it.
    """
    with held(graph) as go_on:
        record = _recorded(graph)
        run = _Run(graph, _checked(embedder, record.embed_model, record.dimensions), go_on, stage)
        if record.other is None or record.other.state in ("filling", "returning"):
            raise InvalidInputError(
                "There is nothing to confirm."
                if record.other is None
                else f"{record.other.embed_model} is not in use yet.",
                remedy="`engram reindex --status` shows how far it is.",
            )
        run.settle(record)
        run.change(("settling", "kept"), "clearing")
        return run.clear(record, "confirmed")


class _Run:
    """One process's work on a reindex, under its lease."""

    def __init__(
        self,
        graph: Graph,
        embedder: Callable[[], Embedder],
        go_on: Callable[[], None],
        stage: Stage,
    ) -> None:
        self._graph = graph
        self._embedder = embedder
        self._go_on = go_on
        self._stage = stage

    def begin(self, record: SchemaRecord) -> Reindexed:
        embedder = self._embedder()
        # The index comes first: what is recorded as being filled can be filled.
        self._graph.apply("reindex/drop_index", slot=other(record.slot))
        self._graph.apply(VECTOR_INDEX, slot=other(record.slot), dimensions=embedder.dimensions)
        await_indexes(self._graph)
        self._graph.write("reindex/begin_filling", model=embedder.name, dimensions=embedder.dimensions)
        return self.fill_and_switch(_recorded(self._graph))

    def fill_and_switch(self, record: SchemaRecord) -> Reindexed:
        """Fill the slot that is not in use, put it to use, and settle what was stored meanwhile."""
        beside = record.other
        if beside is None:
            raise SchemaError("The database's record has changed meanwhile.", remedy="Try again.")
        filler = Filler(
            graph=self._graph,
            embedder=self._embedder,
            slot=other(record.slot),
            generation=beside.generation,
            in_use=False,
            go_on=self._go_on,
        )
        made = 0
        # What was changed while its vector was made is left for another round, which only looks at what is done.
        for _ in range(ROUNDS):
            more = filler.fill(self._step("making vectors"))
            made += more
            if not more:
                break
        for left in range(PATIENCE, -1, -1):
            made += filler.fill_marked()
            switch = self._graph.write("reindex/switch_slots", slot=other(record.slot), whole=left > 0).rows[
                0
            ]
            if switch["switched"]:
                break
        return self.settle(_recorded(self._graph), made)

    def settle(self, record: SchemaRecord, made: int = 0) -> Reindexed:
        """Give what was stored around the switch its vector, and say of each memory which model it has."""
        if record.other is not None and record.other.state == "settling":
            made += self._filler_in_use(record).fill(self._step("looking for what was stored meanwhile"))
            self._walk(
                "noting the model",
                "reindex/name_model",
                property=VECTORS[record.slot],
                model=record.embed_model,
            )
            self.change(("settling",), "kept")
        elif record.due and (record.other is None or record.other.state == "kept"):
            made += self._filler_in_use(record).fill_marked()
        return _reindexed(_recorded(self._graph), made)

    def clear(
        self, record: SchemaRecord, state: Literal["nothing", "confirmed", "abandoned"] = "nothing"
    ) -> Reindexed:
        """Remove what is in the slot that is not in use."""
        unused = other(record.slot)
        self._graph.apply("reindex/drop_index", slot=unused)
        self._walk(
            "removing vectors", "reindex/clear_vectors", property=VECTORS[unused], used=VECTORS[record.slot]
        )
        for space in spaces(self._graph):
            self._graph.keep(
                "reindex/clear_others", space=space, property=VECTORS[unused], centroid=CENTROIDS[unused]
            )
        self._graph.write("reindex/forget_other")
        return _reindexed(_recorded(self._graph), 0, state)

    def change(self, before: tuple[OtherState, ...], after: OtherState) -> None:
        """Record the next state; one who finds it recorded already goes on from it."""
        self._graph.write("reindex/change_state", **{"from": list(before), "to": after})

    def _filler_in_use(self, record: SchemaRecord) -> Filler:
        return Filler(
            graph=self._graph,
            embedder=self._embedder,
            slot=record.slot,
            generation=record.generation,
            in_use=True,
            go_on=self._go_on,
        )

    def _walk(self, what: str, name: str, **parameters: str) -> None:
        step = self._step(what)
        for space in spaces(self._graph):
            for row in walk(self._graph, name, space, writes=True, **parameters):
                self._go_on()
                step(row["walked"])

    def _step(self, what: str) -> Advance:
        """Say what is done next, with all memories."""
        return self._stage(what, self._graph.read("reindex/count_memories")[0]["memories"])


def _checked(embedder: Callable[[], Embedder], name: str, dimensions: int) -> Callable[[], Embedder]:
    """Return what gives that embedder only if it is the model that is needed."""

    def checked() -> Embedder:
        found = embedder()
        if (found.name, found.dimensions) != (name, dimensions):
            raise EmbedderMismatchError(
                f"Some memories still need vectors of {name} ({dimensions} dimensions); the embedder given is "
                f"{found.name} ({found.dimensions}).",
                remedy="Name that model with --embedder and --embed-model.",
            )
        return found

    return checked


def _recorded(graph: Graph) -> SchemaRecord:
    record = read_schema(graph)
    if record is None:
        raise SchemaError("The database is empty.", remedy="`engram schema apply` sets it up.")
    return record


def _reindexed(
    record: SchemaRecord, made: int, state: Literal["nothing", "confirmed", "abandoned"] = "nothing"
) -> Reindexed:
    return Reindexed(
        state="kept" if record.other is not None else state,
        made=made,
        embed_model=record.embed_model,
        dimensions=record.dimensions,
        slot=record.slot,
    )
