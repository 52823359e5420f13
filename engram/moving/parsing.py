"""One line of a file: checked to the last name and type, and turned into what it stands for."""

import json
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from functools import cache
from types import NoneType, UnionType
from typing import Any, NoReturn, get_args

from engram.errors import ImportFileError, InvalidInputError
from engram.moving.format import FORMAT, PROPERTY, VERSION, Header, Key, Keys, Link, Node
from engram.moving.labels import BY_CONTENT, KEYS, KINDS, TYPES
from engram.moving.values import Temporal, Value, Vector, from_json, vector_from_json
from engram.records import Memory
from engram.schema import VERSION as SCHEMA_VERSION
from engram.validation import MAX_NAME

_MOST_PROPERTIES = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Trailer:
    """The last line, and the checksum that the lines before it have."""

    line: int
    nodes: Counter[str]
    relationships: Counter[str]
    sha256: str
    actual: str


class Parser:
    """Turns the objects of a file, in order, into what they stand for."""

    def __init__(self) -> None:
        self._header: Header | None = None
        self._keys = Keys()
        self._last: tuple[object, ...] | None = None
        self._nth = 0
        self._linked = False

    def parse(self, line: int, value: dict[str, Any], checksum: str) -> Header | Node | Link | Trailer:
        """Return what a line stands for.

        Args:
            line: Its number.
            value: The object that it holds.
            checksum: Of the lines before it.

        Raises:
            EngramError: It is none of Engram's.
        """
        if self._header is None:
            self._header = _header(value)
            return self._header
        if "node" in value:
            return self._node(line, value, self._header)
        if "relationship" in value:
            return self._link(line, value, self._header)
        if "end" in value:
            return _trailer(line, value, checksum)
        raise InvalidInputError("the line is neither a node nor a relationship")

    def _node(self, line: int, value: dict[str, Any], header: Header) -> Node:
        _check_names(value, {"node", "properties"}, {"vectors"})
        if self._linked:
            raise InvalidInputError("a node stands behind the relationships")
        labels = _labels(value["node"])
        properties = _properties(value["properties"])
        if properties.get("space") != header.space:
            raise InvalidInputError("the node is of another space than the file")
        _check_types(labels, properties)
        vectors = _vectors(value.get("vectors", {}), properties, header)
        key = self._keys.of(labels[0], value["properties"])
        return Node(line=line, labels=labels, key=key, properties=properties, vectors=vectors)

    def _link(self, line: int, value: dict[str, Any], header: Header) -> Link:
        _check_names(value, {"relationship", "from", "to", "properties"})
        self._linked = True
        type_ = value["relationship"]
        if not isinstance(type_, str) or type_ not in TYPES:
            raise InvalidInputError(f"there is no type of relationship {shown(type_)}")
        start, end = _key(value["from"]), _key(value["to"])
        properties = _properties(value["properties"])
        if properties.get("space", header.space) != header.space:
            raise InvalidInputError("the relationship is of another space than the file")
        self._nth = self._nth + 1 if self._last == (type_, start, end) else 0
        self._last = (type_, start, end)
        return Link(line=line, type=type_, start=start, end=end, nth=self._nth, properties=properties)


def line_object(data: bytes) -> dict[str, Any]:
    """Return the object that a line holds.

    Raises:
        InvalidInputError: It holds none, or is nested too deep.
    """
    if not data.endswith(b"\n"):
        raise InvalidInputError("the line is cut off")
    try:
        value = json.loads(data, parse_constant=_no_number)
    except RecursionError:
        raise InvalidInputError("the line is nested too deep") from None
    except ValueError as error:  # broken JSON, broken UTF-8, and numbers of thousands of digits
        raise InvalidInputError(f"the line is no JSON: {str(error)[:100]}") from None
    if not isinstance(value, dict):
        raise InvalidInputError("the line is no object")
    return value


def _no_number(name: str) -> NoReturn:
    raise InvalidInputError(f"{name} is no number in JSON")


def _header(value: dict[str, Any]) -> Header:
    if value.get("engram") != FORMAT:
        raise ImportFileError("this is no export of Engram")
    version, schema = value.get("version", -1), value.get("schema", -1)
    if not _whole(version) or not _whole(schema):
        raise ImportFileError("the header has no version")
    if version > VERSION or schema > SCHEMA_VERSION:
        raise ImportFileError(
            f"a newer Engram wrote it (format {version}, schema {schema}; this one knows {VERSION} and {SCHEMA_VERSION}): "
            "upgrade with `pip install -U engram-neo4j`"
        )
    _check_names(value, {"engram", *(each.name for each in fields(Header))})
    try:
        header = Header(**{name: each for name, each in value.items() if name != "engram"})
        datetime.fromisoformat(header.exported_at)
    except (TypeError, ValueError):
        raise InvalidInputError("the header has a wrong time") from None
    texts = isinstance(header.space, str) and isinstance(header.embed_model, str)
    if not texts or not _whole(header.dimensions) or not isinstance(header.embeddings, bool):
        raise InvalidInputError("the header has a value of a wrong type")
    if not 0 < len(header.space) <= MAX_NAME:
        raise InvalidInputError("the header has no usable space")
    return header


def _trailer(line: int, value: dict[str, Any], actual: str) -> Trailer:
    _check_names(value, {"end"})
    end = value["end"]
    if not isinstance(end, dict):
        raise InvalidInputError("the end holds no counts")
    _check_names(end, {"nodes", "relationships", "sha256"})
    for names, known in ((end["nodes"], {*KEYS}), (end["relationships"], TYPES)):
        if not isinstance(names, dict) or not {*names} <= known or not all(map(_whole, names.values())):
            raise InvalidInputError("the end holds wrong counts")
    return Trailer(
        line=line,
        nodes=Counter(end["nodes"]),
        relationships=Counter(end["relationships"]),
        sha256=str(end["sha256"]),
        actual=actual,
    )


def _labels(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not value or not all(isinstance(each, str) for each in value):
        raise InvalidInputError("a node has a list of labels")
    main, *kinds = value
    unknown = {each for each in kinds if main != "Memory" or each not in KINDS}
    if main not in KEYS or unknown or len({*kinds}) != len(kinds):
        raise InvalidInputError(f"there is no node with the labels {shown(value)}")
    return tuple(value)


def _properties(value: object) -> dict[str, Value]:
    if not isinstance(value, dict) or len(value) > _MOST_PROPERTIES:
        raise InvalidInputError("properties are an object of some hundred names at most")
    for name in value:
        _check_property(name)
    try:
        return {name: from_json(each) for name, each in value.items()}
    except InvalidInputError as error:
        raise InvalidInputError(f"a property is wrong: {error.message}") from error


def _vectors(value: object, properties: Mapping[str, Value], header: Header) -> dict[str, Vector | None]:
    if not isinstance(value, dict) or not {*value} <= {"embedding", "centroid"} or {*value} & {*properties}:
        raise InvalidInputError("vectors are an embedding and a centroid")
    vectors = {name: vector_from_json(each) for name, each in value.items()}
    if any(each is not None and len(each.components) != header.dimensions for each in vectors.values()):
        raise InvalidInputError(f"a vector has not {header.dimensions} components, as the header says")
    return vectors


def _check_property(name: str) -> None:
    if not PROPERTY.fullmatch(name):
        raise InvalidInputError(f"{shown(name)} is no name of a property")


def _check_types(labels: tuple[str, ...], properties: Mapping[str, Value]) -> None:
    """Check what tells the node apart, and of a memory all that the engine counts on."""
    for name in KEYS[labels[0]]:
        if not isinstance(properties.get(name), str | int) or isinstance(properties[name], bool):
            raise InvalidInputError(f"a {labels[0]} needs a {name}")
    if labels[0] != "Memory":
        return
    for name in ("content", "content_hash", "kind"):
        if not isinstance(properties.get(name), str):
            raise InvalidInputError(f"a Memory needs a {name}")
    if labels[1:] != (str(properties["kind"]).capitalize(),):
        raise InvalidInputError("a Memory has the label of its kind")
    for name, types in _memory_types().items():
        found = properties.get(name)
        if found is not None and not (isinstance(found, types) and _usable(found)):
            raise InvalidInputError(f"the {name} of a Memory is of a wrong type")


def _usable(value: Value) -> bool:
    if isinstance(value, Temporal):
        return value.type == "ZONED DATETIME" and not value.list
    return not isinstance(value, float) or math.isfinite(value)


@cache
def _memory_types() -> dict[str, tuple[type, ...]]:
    """Return what the properties of a memory can be, by name; what may be absent is checked where it is there."""
    found = {}
    for each in fields(Memory):
        types = get_args(each.type) if isinstance(each.type, UnionType) else (each.type,)
        wanted = {_IN_FILE.get(type_, type_) for type_ in types} - {NoneType}
        found[each.name] = tuple(wanted) + ((int,) if float in wanted else ())
    del found["created"], found["kind"]
    return found


_IN_FILE: dict[Any, type] = {datetime: Temporal}


def _key(value: object) -> Key:
    if isinstance(value, list) and value and isinstance(value[0], str) and value[0] in KEYS:
        length = 3 if value[0] in BY_CONTENT else 1 + len(KEYS[value[0]])
        if len(value) == length and all(isinstance(each, str | int) for each in value):
            return tuple(value)
    raise InvalidInputError(f"{shown(value)} names no node")


def _check_names(value: dict[str, Any], needed: set[str], allowed: set[str] | None = None) -> None:
    if missing := needed - {*value}:
        raise InvalidInputError(f"the line has no {min(missing)}")
    if strange := {*value} - needed - (allowed or set()):
        raise InvalidInputError(f"the line has a strange name {shown(min(strange))}")


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def shown(value: object) -> str:
    """Return the beginning of a value, as a message can hold it."""
    text = json.dumps(value, ensure_ascii=True, default=str)
    return text if len(text) <= 100 else text[:100] + "…"
