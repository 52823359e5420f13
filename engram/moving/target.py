"""The space that a file is restored into: what is there, and what is written."""

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Any

from engram.graph import Graph, Row, Transaction
from engram.moving.exporting import Reader
from engram.moving.format import Key, Keys, Link, Node, as_json, canonical
from engram.moving.labels import BY_CONTENT, KEYS, known_labels, main_label
from engram.moving.values import Temporal, Value
from engram.schema import SchemaRecord
from engram.statements import CENTROIDS, VECTORS

Read = Callable[..., list[Row]]


class ErasedMeanwhileError(Exception):
    """Something was erased from the space since it was looked at; nothing was written."""


class Target:
    """One space of one database."""

    def __init__(self, graph: Graph, record: SchemaRecord, *, space: str) -> None:
        self._graph = graph
        self._space = space
        self._slot = {"embedding": VECTORS[record.slot], "centroid": CENTROIDS[record.slot]}
        self._reader = Reader(graph, record, space=space, embeddings=False)
        self._unkeyed: dict[Key, str] = {}
        """What the database calls the nodes that are told apart by what they hold."""
        self._tombstones = 0
        """How many there are, unless something is erased meanwhile."""
        keys = Keys()
        for label in sorted(BY_CONTENT):
            for elements in self._reader.elements(label):
                for row, properties, _ in self._reader.nodes(elements):
                    self._unkeyed[keys.of(label, properties)] = row["element"]

    def count(self) -> int:
        """Return how many nodes there are, tombstones aside: those are all that an erased space has."""
        rows = self._graph.read("move/count_labels", space=self._space)
        return sum(row["nodes"] for row in rows if main_label(row["labels"]) != "Tombstone")

    def note_tombstones(self) -> None:
        """Take note of the erasures that there were; of a later one, whatever writes next tells."""
        self._tombstones = self._count_tombstones(self._graph.read)

    def _count_tombstones(self, read: Read) -> int:
        return int(read("move/count_tombstones", space=self._space)[0]["tombstones"])

    def find(self, keys: Iterable[Key]) -> tuple[dict[Key, str], set[Key]]:
        """Return what the database calls the nodes that are there, and the keys that another space has."""
        return self._find(self._graph.read, keys)

    def _find(self, read: Read, keys: Iterable[Key]) -> tuple[dict[Key, str], set[Key]]:
        found: dict[Key, str] = {}
        others: set[Key] = set()
        for label, group in groupby(sorted({*keys}, key=repr), lambda key: str(key[0])):
            some = list(group)
            if label in BY_CONTENT:
                found |= {key: self._unkeyed[key] for key in some if key in self._unkeyed}
                continue
            rows = read(
                "move/find_nodes",
                space=self._space,
                label=label,
                names=[*KEYS[label]],
                keys=[[*key[1:]] for key in some],
            )
            found |= {some[row["place"]]: row["element"] for row in rows if row["own"]}
            others |= {some[row["place"]] for row in rows if not row["own"]}
        return found, others

    def hashes(self, nodes: Iterable[Node]) -> dict[str, str]:
        """Return the ids of the memories that have the content hashes of some nodes, by hash."""
        hashes = [each.properties["content_hash"] for each in nodes if each.label == "Memory"]
        rows = self._graph.read("move/find_hashes", space=self._space, hashes=hashes) if hashes else []
        return {row["hash"]: row["id"] for row in rows}

    def differing(
        self, nodes: Iterable[Node], found: dict[Key, str], *, ignoring: Sequence[str]
    ) -> list[Node]:
        """Return those nodes that are there and hold something else; vectors are not compared."""
        wanted = {found[node.key]: node for node in nodes if node.key in found}
        different = []
        for row, properties, _ in self._reader.nodes([*wanted]):
            node = wanted[row["element"]]
            stored = canonical(properties, without=ignoring)
            same = stored == canonical(_as_json(node.properties), without=ignoring)
            if not same or {*known_labels(row["labels"])} != {*node.labels}:
                different.append(node)
        return different

    def differing_links(self, links: Sequence[Link], found: dict[Key, str]) -> tuple[int, list[Link]]:
        """Return how many of these relationships are there, and those in whose place there is another."""
        starts = sorted({found[link.start] for link in links if link.start in found})
        there: dict[tuple[str, str, str], list[str]] = {}
        for row, properties in self._reader.relationships(starts):
            there.setdefault((row["type"], row["start"], row["end"]), []).append(canonical(properties))
        same, different = 0, []
        for link in links:
            place = (link.type, found.get(link.start, ""), found.get(link.end, ""))
            stored = there.get(place, [])
            if canonical(_as_json(link.properties)) in stored:
                same += 1
            elif link.nth < len(stored):
                different.append(link)
        return same, different

    def create_nodes(self, nodes: Sequence[Node]) -> list[Node]:
        """Create those nodes that are not there, in one transaction, and return them.

        Raises:
            ErasedMeanwhileError: Something was erased since `note_tombstones`.
        """

        def work(transaction: Transaction) -> list[tuple[Node, str]]:
            found, _ = self._found(transaction, (node.key for node in nodes))
            missing = [node for node in nodes if node.key not in found]
            rows = [self._row(place, node) for place, node in enumerate(missing)]
            done = transaction.run("move/create_nodes", space=self._space, rows=rows).rows
            return [(missing[row["place"]], row["element"]) for row in done]

        created = self._graph.transact(work)
        self._tombstones += sum(node.label == "Tombstone" for node, _ in created)
        self._unkeyed |= {node.key: element for node, element in created if node.label in BY_CONTENT}
        return [node for node, _ in created]

    def create_links(self, links: Sequence[Link]) -> tuple[list[Link], list[Link]]:
        """Create those relationships that are not there, in one transaction.

        Returns:
            Those created, and those that lack an end: somebody has deleted it meanwhile.

        Raises:
            ErasedMeanwhileError: Something was erased since `note_tombstones`.
        """
        ends = {key for link in links for key in (link.start, link.end)}

        def work(transaction: Transaction) -> tuple[list[Link], list[Link]]:
            found, _ = self._found(transaction, ends)
            lost = [link for link in links if link.start not in found or link.end not in found]
            rows = [
                {
                    "place": place,
                    "type": link.type,
                    "start": found[link.start],
                    "end": found[link.end],
                    "nth": link.nth,
                    **_typed(link.properties),
                }
                for place, link in enumerate(links)
                if link.start in found and link.end in found
            ]
            done = transaction.run(
                "move/create_relationships",
                space=self._space,
                sessions=_values("Session", ends),
                memories=_values("Memory", ends),
                entities=_values("Entity", ends),
                rows=rows,
            ).rows
            return [links[row["place"]] for row in done], lost

        return self._graph.transact(work)

    def _found(self, transaction: Transaction, keys: Iterable[Key]) -> tuple[dict[Key, str], set[Key]]:
        def read(name: str, **parameters: Any) -> list[Row]:
            return transaction.run(name, **parameters).rows

        if self._count_tombstones(read) != self._tombstones:
            raise ErasedMeanwhileError
        return self._find(read, keys)

    def _row(self, place: int, node: Node) -> Row:
        single, double = node.split_vectors()
        typed = _typed(node.properties)
        return {
            "place": place,
            "labels": [*node.labels],
            "plain": typed["plain"] | {self._slot[name]: components for name, components in double.items()},
            "typed": typed["typed"],
            "vectors": [
                {"name": self._slot[name], "components": components} for name, components in single.items()
            ],
        }


def _values(label: str, keys: Iterable[Key]) -> list[str]:
    return sorted(str(key[1]) for key in keys if key[0] == label)


def _typed(properties: dict[str, Value]) -> dict[str, Any]:
    """Return properties as the statements take them: what the driver can send as it is, and times as texts."""
    temporal = {name: value for name, value in properties.items() if isinstance(value, Temporal)}
    return {
        "plain": {name: value for name, value in properties.items() if name not in temporal},
        "typed": [
            {"name": name, "type": value.type, "texts": [*value.texts], "list": value.list}
            for name, value in temporal.items()
        ],
    }


def _as_json(properties: dict[str, Value]) -> dict[str, Any]:
    return {name: as_json(value) for name, value in properties.items()}
