"""Writing what a file holds into a space: `engram import --restore`."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NoReturn

from engram.embedding.protocol import Embedder
from engram.errors import DatabaseError, ImportFileError, SchemaError
from engram.graph import Graph
from engram.moving.barring import Barred, find_barred
from engram.moving.files import Source
from engram.moving.format import Counts, Key, Link, Node
from engram.moving.reading import Checked, check_file, portions, read_file, read_nodes
from engram.moving.renaming import Renaming, ids_across_spaces
from engram.moving.stage import Advance, Stage, no_stage
from engram.moving.target import ErasedMeanwhileError, Target
from engram.moving.values import Value, Vector
from engram.records import Kind
from engram.reindexing.filling import MADE
from engram.reindexing.lease import held_off
from engram.remembering import embed_memories
from engram.schema import SchemaRecord, read_schema

PORTION = 500
"""Nodes or relationships of one transaction, unless a caller wants fewer."""
WRITING = "restoring"
"""The stage in which a restore writes."""
_OF_VECTORS = ("embed_due", "embed_model")
"""Properties of memories that tell of their vectors, which are not compared."""


@dataclass(slots=True)
class Restored:
    """What a restore did."""

    space: str
    sha256: str
    """The file's checksum."""
    created: Counts = field(default_factory=Counts)
    there: Counts = field(default_factory=Counts)
    """What was there already, as it is in the file or not."""
    kept: int = 0
    """Of what was there, how much is something else than in the file; it was left as it is."""
    barred: int = 0
    """Nodes and relationships that tombstones keep away."""
    lost: int = 0
    """Relationships that lack an end, because somebody deleted it meanwhile."""
    embedded: int = 0
    """Memories whose vectors were made anew."""


def restore_file(
    graph: Graph,
    embedder: Callable[[], Embedder],
    source: Source,
    *,
    space: str | None,
    keep: bool = False,
    new_ids: bool = False,
    portion: int = PORTION,
    stage: Stage = no_stage,
) -> Restored:
    """Write what a file holds into a space, and return what was done.

    The file is checked to its end before anything is written. Run again after an interruption it goes on; what is there
    is never written over, and running it twice changes nothing. No reindex begins meanwhile, and what is erased meanwhile
    stays away.

    Args:
        graph: The database.
        embedder: Gives the embedder, which is asked where the file's vectors are missing or another model's.
        source: The file.
        space: Where to; None: the space that it is from.
        keep: Whether to add what is missing to a space that holds something else, too.
        new_ids: Whether to give ids that no other space has: for a copy beside the original.
        portion: Nodes or relationships of one transaction.
        stage: Told what begins, and how far it is.

    Raises:
        ImportFileError: The file is cut off, altered or not Engram's; or the space holds something else.
        DatabaseError: The database failed; or a reindex is under way, or another restore into the space.
    """
    advance = stage("checking", None)
    checked = check_file(source, progress=advance)
    space = checked.header.space if space is None else space
    ids = [*ids_across_spaces(read_nodes(source))] if new_ids else None
    with held_off(graph, space=space) as renew:
        record = _settled(graph)

        def go_on() -> None:
            renew()
            # A lease runs out while its process sleeps, and nobody may have taken this one since.
            if _settled(graph).generation != record.generation:
                raise DatabaseError(
                    "The database has been switched to another embedding model meanwhile.",
                    remedy="The same command, with that model configured, adds what is missing.",
                )

        restore = _Restore(
            target=Target(graph, record, space=space),
            source=source,
            checked=checked,
            find_barred=lambda: find_barred(graph, source, space=space),
            renaming=lambda: Renaming(checked.header.space, space, ids=ids),
            embedder=embedder,
            fits=_fits(checked, record),
            go_on=go_on,
            portion=portion,
            result=Restored(space, checked.sha256),
        )
        restore.look()
        restore.compare(stage("comparing", checked.counts.total), keep=keep)
        while not restore.write(stage(WRITING, checked.counts.total)):
            # What was erased may be quoted anywhere in the file. What is written already is passed over.
            restore.look()
    return restore.result


def _fits(checked: Checked, record: SchemaRecord) -> bool:
    """Say whether the file's vectors are those of the database's model."""
    header = checked.header
    model = (header.embed_model, header.dimensions) == (record.embed_model, record.dimensions)
    return header.embeddings and model


def _settled(graph: Graph) -> SchemaRecord:
    """Return what the database says of its set-up, unless a reindex is under way."""
    record = read_schema(graph)
    if record is None:
        raise SchemaError("The database is empty.", remedy="`engram schema apply` sets it up.")
    if record.other is not None and record.other.state in {"filling", "returning", "settling"}:
        raise DatabaseError(
            "A reindex is under way, which would not see what is restored now.",
            remedy="`engram reindex --status` says what completes it, or gives it up; then restore.",
        )
    return record


@dataclass(slots=True, kw_only=True)
class _Restore:
    """One restore: the file, the space, and what is done on the way from one to the other."""

    target: Target
    source: Source
    checked: Checked
    find_barred: Callable[[], Barred]
    renaming: Callable[[], Renaming]
    embedder: Callable[[], Embedder]
    fits: bool
    """Whether the file's vectors are used."""
    go_on: Callable[[], None]
    """Called before each portion; it raises where a reindex has begun."""
    portion: int
    result: Restored
    barred: Barred = field(default_factory=Barred)

    def look(self) -> None:
        """Look at what of the file was erased from the space."""
        self.target.note_tombstones()
        self.barred = self.find_barred()

    def compare(self, advance: Advance, *, keep: bool) -> None:
        """Look at what is there of what the file holds.

        Raises:
            ImportFileError: Another space has the ids; or the space holds something else, and `keep` is not wished.
        """
        there = self.target.count()
        different: list[Node | Link] = []
        own = 0
        for portion in portions(self._arrivals(), self.portion):
            self.go_on()
            nodes = [each for each in portion if isinstance(each, Node)]
            links = [each for each in portion if isinstance(each, Link)]
            found, others = self.target.find(_keys(portion))
            self._refuse_others(nodes, others)
            own += sum(node.label != "Tombstone" for node in nodes if node.key in found)
            if there:
                self._refuse_doubles([node for node in nodes if node.key not in found])
                different += self.target.differing(nodes, found, ignoring=_OF_VECTORS)
                different += self.target.differing_links(links, found)[1]
            advance(len(portion))
        self.result.kept = len(different)
        if (different or there > own) and not keep:
            self._refuse_space(different, there - own)

    def write(self, advance: Advance) -> bool:
        """Write what is missing, in portions; return False where something was erased meanwhile: then look again."""
        result, there = self.result, Counts()
        result.lost = 0
        try:
            for portion in portions(self._arrivals(), self.portion):
                self.go_on()
                lost = self._write(portion)
                result.lost += len(lost)
                _count(there, [each for each in portion if each not in lost])
                advance(len(portion))
        except ErasedMeanwhileError:
            return False
        there.nodes -= result.created.nodes
        there.relationships -= result.created.relationships
        result.there = there
        return True

    def _write(self, portion: Sequence[Node | Link]) -> list[Link]:
        """Write what is missing of a portion, and return those relationships that lack an end."""
        if nodes := [each for each in portion if isinstance(each, Node)]:
            _count(self.result.created, self.target.create_nodes(self._with_vectors(nodes)))
            return []
        links = [each for each in portion if isinstance(each, Link)]
        created, lost = self.target.create_links(links)
        _count(self.result.created, created)
        return lost

    def _arrivals(self) -> Iterator[Node | Link]:
        """Yield what comes into the space, as it is to be there."""
        renaming = self.renaming()
        barred = 0
        for each in read_file(self.source):
            if isinstance(each, Node):
                node = self.barred.node(each)
                barred += node is None
                if node is not None:
                    yield renaming.node(node)
            else:
                link = self.barred.link(each)
                barred += link is None
                if link is not None:
                    yield renaming.link(link)
        self.result.barred = barred

    def _with_vectors(self, nodes: Sequence[Node]) -> list[Node]:
        """Return nodes with the vectors that they are to have; a mean of others' is left to the jobs."""
        lacking = [
            node
            for node in nodes
            if node.label == "Memory" and "embedding" in node.vectors
            if not self.fits or node.vectors["embedding"] is None
        ]
        there = self.target.find(node.key for node in lacking)[0] if lacking else {}
        lacking = [node for node in lacking if node.key not in there]
        made: dict[Key, Node] = {}
        for start in range(0, len(lacking), MADE):
            self.go_on()
            made |= {node.key: node for node in self._embedded(lacking[start : start + MADE])}
        self.result.embedded += len(made)
        return [made.get(node.key) or (node if self.fits else replace(node, vectors={})) for node in nodes]

    def _embedded(self, nodes: Sequence[Node]) -> Iterator[Node]:
        model = self.embedder()
        texts = [(_kind(node), _text(node, "content"), _text(node, "contextualized")) for node in nodes]
        for node, vector in zip(nodes, embed_memories(model, texts).tolist(), strict=True):
            properties: dict[str, Value] = node.properties | {"embed_model": model.name}
            yield replace(node, properties=properties, vectors={"embedding": Vector(vector, single=True)})

    def _refuse_others(self, nodes: Sequence[Node], others: set[Key]) -> None:
        taken = [node for node in nodes if node.key in others]
        if taken:
            raise ImportFileError(
                f"{self.source.name}:{taken[0].line}: another space of this database has the {taken[0].label} with the "
                f"id {taken[0].key[1]}: ids are unique in a database.",
                remedy="Nothing was restored. For a copy beside the original, with ids of its own, add --new-ids.",
            )

    def _refuse_doubles(self, nodes: Sequence[Node]) -> None:
        ids = self.target.hashes(nodes)
        for node in nodes:
            if node.label == "Memory" and (there := ids.get(_text(node, "content_hash"))):
                raise ImportFileError(
                    f"{self.source.name}:{node.line}: the space {self.result.space!r} has the same memory under the id "
                    f"{there}.",
                    remedy="Nothing was restored. Restore into an empty space.",
                )

    def _refuse_space(self, different: Sequence[Node | Link], more: int) -> NoReturn:
        reasons = []
        if different:
            first = different[0]
            what = first.labels[0] if isinstance(first, Node) else first.type
            reasons.append(f"{len(different):,} things differ, the first is the {what} in line {first.line}")
        if more > 0:
            reasons.append(f"{more:,} nodes are not in the file")
        raise ImportFileError(
            f"The space {self.result.space!r} holds something else than {self.source.name}: {'; '.join(reasons)}.",
            remedy="Nothing was restored. Restore into an empty space with --space, or add what is missing, and keep what "
            "is there, with --keep.",
        )


def _keys(portion: Iterable[Node | Link]) -> Iterator[Key]:
    for each in portion:
        yield from (each.key,) if isinstance(each, Node) else (each.start, each.end)


def _count(counts: Counts, records: Sequence[Node | Link]) -> None:
    for each in records:
        if isinstance(each, Node):
            counts.nodes[each.label] += 1
        else:
            counts.relationships[each.type] += 1


def _kind(node: Node) -> Kind:
    return Kind(_text(node, "kind"))


def _text(node: Node, name: str) -> str:
    return str(node.properties.get(name) or node.properties["content"])
