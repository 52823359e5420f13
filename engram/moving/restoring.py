"""Writing what a file holds into a space: `engram import --restore`."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import NoReturn

from engram.embedding.protocol import Embedder
from engram.errors import DatabaseError, ImportFileError
from engram.graph import Graph
from engram.moving.barring import Barred, find_barred
from engram.moving.files import Source
from engram.moving.format import Counts, Key, Link, Node
from engram.moving.reading import Checked, check_file, read_file, read_nodes
from engram.moving.renaming import Renaming, ids_across_spaces
from engram.moving.stage import Advance, Stage, no_stage
from engram.moving.target import Target
from engram.moving.values import Value, Vector
from engram.records import Kind
from engram.remembering import embed_memories
from engram.schema import SchemaRecord

PORTION = 500
"""Nodes or relationships of one transaction, unless a caller wants fewer."""


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
    """Relationships that lack an end, because somebody erased it meanwhile."""
    embedded: int = 0
    """Memories whose vectors were made anew."""


def restore_file(
    graph: Graph,
    embedder: Callable[[], Embedder],
    source: Source,
    *,
    space: str | None,
    record: SchemaRecord,
    keep: bool = False,
    new_ids: bool = False,
    portion: int = PORTION,
    stage: Stage = no_stage,
) -> Restored:
    """Write what a file holds into a space, and return what was done.

    The file is checked to its end before anything is written. Run again after an interruption it goes on; what is there
    is never written over, and running it twice changes nothing.

    Args:
        graph: The database.
        embedder: Gives the embedder, which is asked where the file's vectors are missing or another model's.
        source: The file.
        space: Where to; None: the space that it is from.
        record: What the database says of its set-up.
        keep: Whether to add what is missing to a space that holds something else, too.
        new_ids: Whether to give ids that no other space has: for a copy beside the original.
        portion: Nodes or relationships of one transaction.
        stage: Told what begins, and how far it is.

    Raises:
        ImportFileError: The file is cut off, altered or not Engram's; or the space holds something else.
        DatabaseError: The database failed, or a reindex is under way.
    """
    advance = stage("checking", None)
    checked = check_file(source, progress=advance)
    _refuse_reindex(record)
    space = checked.header.space if space is None else space
    ids = [*ids_across_spaces(read_nodes(source))] if new_ids else None
    restore = _Restore(
        target=Target(graph, record, space=space),
        source=source,
        checked=checked,
        barred=find_barred(graph, source, space=space),
        renaming=lambda: Renaming(checked.header.space, space, ids=ids),
        embedder=None if _fits(checked, record) else embedder,
        portion=portion,
        result=Restored(space, checked.sha256),
    )
    restore.compare(stage("comparing", checked.counts.total), keep=keep)
    restore.write(stage("restoring", checked.counts.total), embedder)
    return restore.result


def _fits(checked: Checked, record: SchemaRecord) -> bool:
    """Say whether the file's vectors are those of the database's model."""
    header = checked.header
    model = (header.embed_model, header.dimensions) == (record.embed_model, record.dimensions)
    return header.embeddings and model


def _refuse_reindex(record: SchemaRecord) -> None:
    if record.other is not None and record.other.state in {"filling", "returning", "settling"}:
        raise DatabaseError(
            "A reindex is under way, which would not see what is restored now.",
            remedy="Run `engram reindex` to its end, then restore.",
        )


@dataclass(slots=True, kw_only=True)
class _Restore:
    """One restore: the file, the space, and what is done on the way from one to the other."""

    target: Target
    source: Source
    checked: Checked
    barred: Barred
    renaming: Callable[[], Renaming]
    embedder: Callable[[], Embedder] | None
    """None: the file's vectors are used."""
    portion: int
    result: Restored

    def compare(self, advance: Advance, *, keep: bool) -> None:
        """Look at what is there of what the file holds.

        Raises:
            ImportFileError: Another space has the ids; or the space holds something else, and `keep` is not wished.
        """
        there = self.target.count()
        different: list[Node | Link] = []
        own = 0
        for portion in _portions(self._arrivals(), self.portion):
            nodes = [each for each in portion if isinstance(each, Node)]
            links = [each for each in portion if isinstance(each, Link)]
            found, others = self.target.find(_keys(portion))
            self._refuse_others(nodes, others)
            own += sum(node.label != "Tombstone" for node in nodes if node.key in found)
            if there:
                self._refuse_doubles([node for node in nodes if node.key not in found])
                different += self.target.differing(nodes, found, ignoring=self._ignored())
                different += self.target.differing_links(links, found)[1]
            advance(len(portion))
        self.result.kept = len(different)
        if (different or there > own) and not keep:
            self._refuse_space(different, there - own)

    def write(self, advance: Advance, embedder: Callable[[], Embedder]) -> None:
        """Write what is missing, in portions."""
        result = self.result
        for portion in _portions(self._arrivals(), self.portion):
            if isinstance(portion[0], Node):
                nodes = self._with_vectors([each for each in portion if isinstance(each, Node)], embedder)
                created = self.target.create_nodes(nodes)
                _count(result, portion, created)
            else:
                links = [each for each in portion if isinstance(each, Link)]
                made, lost = self.target.create_links(links)
                result.lost += lost
                _count(result, portion, made)
            advance(len(portion))

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

    def _ignored(self) -> list[str]:
        return ["embed_due"] if self.embedder is None else ["embed_due", "embed_model"]

    def _with_vectors(self, nodes: Sequence[Node], embedder: Callable[[], Embedder]) -> list[Node]:
        """Return nodes with the vectors that they are to have; a mean of others' is left to the jobs."""
        fits = self.embedder is None
        lacking = [
            node
            for node in nodes
            if node.label == "Memory" and "embedding" in node.vectors
            if not fits or node.vectors["embedding"] is None
        ]
        made: dict[Key, Node] = {}
        if lacking:
            model = embedder()
            texts = [(_kind(node), _text(node, "content"), _text(node, "contextualized")) for node in lacking]
            for node, vector in zip(lacking, embed_memories(model, texts).tolist(), strict=True):
                properties: dict[str, Value] = node.properties | {"embed_model": model.name}
                made[node.key] = replace(
                    node, properties=properties, vectors={"embedding": Vector(vector, single=True)}
                )
        self.result.embedded += len(made)
        return [made.get(node.key) or (node if fits else replace(node, vectors={})) for node in nodes]

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


def _portions(arrivals: Iterator[Node | Link], size: int) -> Iterator[list[Node | Link]]:
    """Yield nodes, then relationships, some at a time and never both."""
    while portion := list(islice(arrivals, size)):
        links = [each for each in portion if isinstance(each, Link)]
        if links and len(links) < len(portion):
            yield portion[: len(portion) - len(links)]
            portion = [*links]
        yield portion


def _keys(portion: Iterable[Node | Link]) -> Iterator[Key]:
    for each in portion:
        yield from (each.key,) if isinstance(each, Node) else (each.start, each.end)


def _count(result: Restored, portion: Sequence[Node | Link], created: Sequence[Node | Link]) -> None:
    made = {each.line for each in created}
    for each in portion:
        counts = result.created if each.line in made else result.there
        if isinstance(each, Node):
            counts.nodes[each.label] += 1
        else:
            counts.relationships[each.type] += 1


def _kind(node: Node) -> Kind:
    return Kind(_text(node, "kind"))


def _text(node: Node, name: str) -> str:
    return str(node.properties.get(name) or node.properties["content"])
