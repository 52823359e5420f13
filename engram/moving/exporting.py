"""Writing a space to a file: `engram export`."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, BinaryIO

from engram.errors import InvalidInputError, NotFoundError
from engram.graph import Graph, Row
from engram.moving.format import Counts, Header, Key, Keys, KeySet, LineWriter, canonical
from engram.moving.labels import KEYS, TYPES, known_labels, main_label
from engram.moving.stage import Stage, no_stage
from engram.moving.values import Json, to_json, vector_to_json
from engram.schema import SchemaRecord
from engram.statements import CENTROIDS, VECTORS

PORTION = 500
"""Nodes read at once."""
VECTOR_NAMES = ("embedding", "centroid")
"""How the names of vectors begin; a file knows no slots, and calls them by these names alone."""


@dataclass(slots=True)
class Exported:
    """What an export wrote."""

    space: str
    counts: Counts
    sha256: str = ""
    """Of all lines but the last one, as that says."""
    left_out: Counter[str] = field(default_factory=Counter)
    """What is not in the file: labels and types that Engram does not know, and relationships with an end that was
    written after the walk over its label."""


class Reader:
    """Reads the nodes and relationships of a space in portions, each in the form of the file."""

    def __init__(self, graph: Graph, record: SchemaRecord, *, space: str, embeddings: bool) -> None:
        self._graph = graph
        self._space = space
        # The other slot is what a reindex is at work on: it belongs to the database.
        self._slot = {VECTORS[record.slot]: "embedding", CENTROIDS[record.slot]: "centroid"}
        self._embeddings = embeddings

    def elements(self, label: str) -> Iterator[list[str]]:
        """Yield what the database calls the nodes of a label, in portions."""
        after: str | None = ""
        while after is not None:
            rows = self._graph.read(
                "move/walk_nodes", space=self._space, label=label, after=after, limit=PORTION
            )
            if rows:
                yield [row["element"] for row in rows]
            after = rows[-1]["cursor"] if len(rows) == PORTION else None

    def nodes(self, elements: list[str]) -> Iterator[tuple[Row, dict[str, Json], dict[str, Any]]]:
        """Yield the nodes that are still there: the row, the properties and the vectors, both as JSON.

        A vector is None where it was left out, or is due to be made anew.
        """
        rows = self._graph.read(
            "move/read_nodes",
            space=self._space,
            elements=elements,
            vectors=VECTOR_NAMES,
            read=[*self._slot] if self._embeddings else [],
        )
        for row in rows:
            vectors = {
                self._slot[name]: None if components is None else vector_to_json(components)
                for name, components in zip(row["vectors"], row["components"], strict=True)
                if name in self._slot
            }
            properties = properties_of(row, "/".join(row["labels"]))
            if properties.pop("embed_due", None):
                # Its vector is due to be made anew, and which slot's that is, is not known where a reindex is under way.
                vectors["embedding"] = None
            yield row, properties, dict(sorted(vectors.items()))

    def relationships(self, elements: list[str]) -> Iterator[tuple[Row, dict[str, Json]]]:
        """Yield the relationships that begin at some nodes: the row, and the properties as JSON."""
        rows = self._graph.read(
            "move/read_relationships", space=self._space, elements=elements, keys={**KEYS}
        )
        for row in rows:
            yield row, properties_of(row, row["type"])


def properties_of(row: Mapping[str, Any], what: str) -> dict[str, Json]:
    """Return the properties of a row as JSON, sorted by name.

    Raises:
        InvalidInputError: One is of a type that Engram never writes.
    """
    properties = {}
    for name, type_, value in sorted(zip(row["names"], row["types"], row["values"], strict=True)):
        try:
            properties[name] = to_json(type_, value)
        except InvalidInputError as error:
            raise InvalidInputError(
                f"{what} has a property {name!r} that is not Engram's: {error.message}.",
                remedy="Remove the property, then export again.",
            ) from error
    return properties


def export_space(
    graph: Graph,
    record: SchemaRecord,
    file: BinaryIO,
    *,
    space: str,
    embeddings: bool,
    now: datetime,
    stage: Stage = no_stage,
) -> Exported:
    """Write the whole graph of a space, and return what was written.

    It reads in portions, and other writers go on meanwhile: a node that comes to be behind the walk is not in the file,
    nor is any relationship with it. The counts in the file are those of its own lines.

    Args:
        graph: The database.
        record: What the database says of its set-up.
        file: Where to; JSON lines.
        space: Whose graph.
        embeddings: Whether the vectors go along.
        now: When, for the header.
        stage: Told what begins, and how far it is.

    Raises:
        NotFoundError: The space holds nothing.
        InvalidInputError: A property has a type that Engram never writes.
    """
    found = graph.read("move/count_labels", space=space)
    if not found:
        raise NotFoundError(
            f"The space {space!r} holds nothing.",
            remedy="`engram stats` counts a space; --space names another.",
        )
    # Twice: for the nodes themselves, and for what begins at them.
    advance = stage("reading", 2 * sum(row["nodes"] for row in found))
    writer = LineWriter(file)
    exported = Exported(space, writer.counts)
    for row in found:
        for label in {*row["labels"]} - {*known_labels(row["labels"])}:
            exported.left_out[label] += row["nodes"]
    writer.header(
        Header(
            space=space,
            schema=record.version,
            embed_model=record.embed_model,
            dimensions=record.dimensions,
            embeddings=embeddings,
            exported_at=now.isoformat(),
        )
    )
    reader = Reader(graph, record, space=space, embeddings=embeddings)
    labels = [label for label in KEYS if any(label in row["labels"] for row in found)]
    walk = _Walk(reader, writer, exported.left_out)
    for label in labels:
        for elements in reader.elements(label):
            walk.write_nodes(label, elements)
            advance(len(elements))
    for label in labels:
        for elements in reader.elements(label):
            walk.write_relationships(elements)
            advance(len(elements))
    exported.sha256 = writer.trailer()
    return exported


class _Walk:
    """Writes portions of nodes, then of relationships between those."""

    def __init__(self, reader: Reader, writer: LineWriter, left_out: Counter[str]) -> None:
        self._reader = reader
        self._writer = writer
        self._left_out = left_out
        self._keys = Keys()
        self._written = KeySet()
        self._unkeyed: dict[str, Key] = {}
        """By element: those nodes that are told apart by what they hold."""

    def write_nodes(self, label: str, elements: list[str]) -> None:
        for row, properties, vectors in self._reader.nodes(elements):
            if main_label(row["labels"]) != label:
                continue  # it has two labels of this kind, and was written with the first
            key = self._keys.of(label, properties)
            if len(key) != 1 + len(KEYS[label]):
                self._unkeyed[row["element"]] = key
            self._written.add(key)
            self._writer.node(known_labels(row["labels"]), properties, vectors)

    def write_relationships(self, elements: list[str]) -> None:
        lines = [
            (self._key(row, "start"), row["type"], self._key(row, "end"), properties)
            for row, properties in self._reader.relationships(elements)
        ]
        for start, type_, end, properties in sorted(lines, key=_order):
            if type_ in TYPES and start in self._written and end in self._written:
                self._writer.relationship(type_, start, end, properties)
            else:
                self._left_out[type_] += 1

    def _key(self, row: Row, which: str) -> Key:
        return self._unkeyed.get(row[which]) or (row[f"{which}_label"] or "", *row[f"{which}_key"])


def _order(line: tuple[Key, str, Key, dict[str, Json]]) -> tuple[str, str, str, str]:
    """Sort so that relationships of one type between the same two stand together."""
    start, type_, end, properties = line
    return repr(start), type_, repr(end), canonical(properties)
