"""Giving vectors to what lacks one, in either slot: memories and goals by the model, what is made of them by their mean."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from engram.embedding.protocol import Embedder
from engram.graph import Graph, Row
from engram.records import Kind
from engram.remembering import embed_memories
from engram.schema import SchemaRecord, check_embedder
from engram.statements import CENTROIDS, VECTORS, Slot, other
from engram.tuning import DEFAULTS_SPACE, read_tuning
from engram.walking import WALKED, spaces, walk

MADE = 50
"""Memories whose vectors are made and stored together: two texts each make one request to a provider."""
AT_OPENING = 100
"""Most memories that an opening makes vectors of; that takes about a second. The next one goes on."""

Step = Callable[[int], None]
"""Told how many memories have been dealt with since it was told last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filler:
    """Makes vectors of one model in one slot."""

    graph: Graph
    embedder: Callable[[], Embedder]
    """Gives the model, when something first needs it."""
    slot: Slot
    generation: int
    in_use: bool
    """Whether what is marked as lacking a vector lacks one of this slot."""
    go_on: Callable[[], None]
    """Called before each batch; it raises where this is to end."""

    def fill(self, step: Step) -> int:
        """Give everything that lacks one a vector, and return how many memories got one.

        Run again, it passes over what is done.
        """
        made = 0
        for space in spaces(self.graph):
            lacking = walk(
                self.graph,
                "reindex/list_lacking",
                space,
                writes=False,
                property=self._vectors,
                again=self.in_use,
            )
            for row in lacking:
                made += self._make_all(space, row["memories"])
                step(row["walked"])
            self._fill_goals(space)
            self._fill_means(space)
        return made

    def fill_marked(self, most: int | None = None) -> int:
        """Give the memories that are marked as lacking one a vector, and return how many got one.

        Args:
            most: How many at most; if left out, as many as there are memories now, so that it ends though others go on
                storing.
        """
        left = self.graph.read("reindex/count_memories")[0]["memories"] if most is None else most
        made = 0
        for space in spaces(self.graph):
            done = 1
            while done and made < left:
                rows = self.graph.read("reindex/list_due", space=space, limit=min(WALKED, left - made))
                done = self._make_all(space, rows)
                made += done
        return made

    @property
    def _vectors(self) -> str:
        return VECTORS[self.slot]

    def _make_all(self, space: str, memories: Sequence[Row]) -> int:
        return sum(
            self._make(space, memories[start : start + MADE]) for start in range(0, len(memories), MADE)
        )

    def _make(self, space: str, memories: Sequence[Row]) -> int:
        self.go_on()
        embedder = self.embedder()
        texts = [(Kind(row["kind"]), row["content"], row["contextualized"]) for row in memories]
        vectors = embed_memories(embedder, texts).tolist()
        stored: int = self.graph.write(
            "reindex/store_vectors",
            space=space,
            property=self._vectors,
            generation_made=self.generation,
            model=embedder.name if self.in_use else None,
            rows=[
                {"id": row["id"], "version": row["version"], "vector": vector}
                for row, vector in zip(memories, vectors, strict=True)
            ],
        ).rows[0]["stored"]
        return stored

    def _fill_goals(self, space: str) -> None:
        goals = self.graph.read("reindex/list_goals_lacking", space=space, property=self._vectors)
        if goals:
            vectors = self.embedder().embed([goal["text"] for goal in goals]).tolist()
            rows = [{"id": goal["id"], "vector": vector} for goal, vector in zip(goals, vectors, strict=True)]
            self.graph.write("reindex/store_goal_vectors", space=space, property=self._vectors, rows=rows)

    def _fill_means(self, space: str) -> None:
        self.go_on()
        means = {"centroid": CENTROIDS[self.slot], "other": CENTROIDS[other(self.slot)]}
        sample = read_tuning(self.graph, space=DEFAULTS_SPACE).whole("cluster.sample")
        self.graph.keep("reindex/fill_centroids", space=space, property=self._vectors, sample=sample, **means)
        self.graph.keep("reindex/fill_traces", space=space, **means)


def catch_up(
    graph: Graph,
    embedder: Embedder,
    record: SchemaRecord,
    *,
    most: int | None = AT_OPENING,
    go_on: Callable[[], None] = lambda: None,
) -> SchemaRecord:
    """Make the vectors in use that some memories lack, and return the record that says so.

    Somebody stored them who knew another model, or an older version did.

    Args:
        graph: The database.
        embedder: Of the vectors in use.
        record: What the database says of its set-up.
        most: How many memories at most; all if None.
        go_on: Called before each batch; it raises where this is to end.

    Raises:
        EmbedderMismatchError: The embedder is another one.
    """
    check_embedder(record, embed_model=embedder.name, dimensions=embedder.dimensions)
    # While a reindex makes vectors, the marks are its own.
    if record.other is None or record.other.state not in ("filling", "returning"):
        Filler(
            graph=graph,
            embedder=lambda: embedder,
            slot=record.slot,
            generation=record.generation,
            in_use=True,
            go_on=go_on,
        ).fill_marked(most)
    return replace(record, due=False)
