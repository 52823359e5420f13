"""A file as a Cypher script, for Neo4j Browser and cypher-shell: it needs no plugin and no parameters.

Vectors are left out: nothing in a script says which model made them. Each memory is marked as lacking its vector, so that
the processes that open the database make it. Each statement is one of `cypher/move/script_*.cypher` with the rows written in its place as literals.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO

from engram import statements
from engram.moving.files import Source
from engram.moving.format import Key, Link, Node
from engram.moving.reading import portions, read_file
from engram.moving.values import Temporal, Value

_ROWS = 100
"""Nodes or relationships of one statement."""
_SETTLED = 10_000
"""Nodes that `move/script_settle` takes care of at once."""
_FUNCTIONS = {
    "ZONED DATETIME": "datetime",
    "LOCAL DATETIME": "localdatetime",
    "DATE": "date",
    "ZONED TIME": "time",
    "LOCAL TIME": "localtime",
    "DURATION": "duration",
}
_ESCAPES = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def write_script(source: Source, file: BinaryIO) -> None:
    """Write a script that creates what a checked file holds.

    Args:
        source: The file.
        file: Where to, as UTF-8.
    """
    file.writelines(f"{statement};\n".encode() for statement in _statements(source))


def _statements(source: Source) -> Iterator[str]:
    for name in statements.names("schema"):
        # The keys' constraints; what the engine needs beside them, it makes when it opens the database.
        if " CONSTRAINT " in _code(name):
            yield _code(name)
    yield _code("move/script_begin")
    numbers: dict[Key, int] = {}
    for portion in portions(read_file(source), _ROWS):
        if isinstance(portion[0], Node):
            rows = [_node(each, numbers) for each in portion if isinstance(each, Node)]
            yield _filled("move/script_nodes", rows)
        else:
            rows = [_link(each, numbers) for each in portion if isinstance(each, Link)]
            yield _filled("move/script_relationships", rows)
    for _ in range(math.ceil(len(numbers) / _SETTLED)):
        yield _code("move/script_settle")
    yield _code("move/script_end")


def _node(node: Node, numbers: dict[Key, int]) -> str:
    numbers[node.key] = len(numbers)
    properties = node.properties | {"exported_node": numbers[node.key]}
    if node.label == "Memory":
        properties["embed_due"] = True
    return _map({"labels": _literal([*node.labels]), "properties": _properties(properties)})


def _link(link: Link, numbers: Mapping[Key, int]) -> str:
    ends = {"start": str(numbers[link.start]), "end": str(numbers[link.end])}
    return _map({"type": _literal(link.type), **ends, "properties": _properties(link.properties)})


def _properties(properties: Mapping[str, Any]) -> str:
    return _map({name: _literal(value) for name, value in properties.items()})


def _map(literals: Mapping[str, str]) -> str:
    # The names passed the reading's rule: letters, digits and underscores.
    return "{" + ", ".join(f"`{name}`: {literal}" for name, literal in literals.items()) + "}"


def _literal(value: Value | Sequence[Any]) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return _quoted(value)
        case Temporal():
            literals = [f"{_FUNCTIONS[value.type]}({_quoted(text)})" for text in value.texts]
            return f"[{', '.join(literals)}]" if value.list else literals[0]
        case float() if not math.isfinite(value):
            return f"toFloat({_quoted(repr(value).replace('inf', 'Infinity').replace('nan', 'NaN'))})"
        case int() | float():
            return repr(value)
        case _:
            return f"[{', '.join(map(_literal, value))}]"


def _quoted(text: str) -> str:
    """Return a text as a literal on one line, whatever is in it."""
    return "'" + "".join(_ESCAPES.get(each) or _shown(each) for each in text) + "'"


def _shown(character: str) -> str:
    code = ord(character)
    # Control characters, and those that an editor takes for the end of a line.
    return f"\\u{code:04x}" if code < 0x20 or 0x7F <= code < 0xA0 or code in {0x2028, 0x2029} else character


def _filled(name: str, rows: Iterable[str]) -> str:
    head, _, tail = _code(name).partition("$rows")
    return f"{head}[\n  " + ",\n  ".join(rows) + f"\n]{tail}"


def _code(name: str) -> str:
    lines = statements.load(name).text.splitlines()
    return "\n".join(line for line in lines if not line.lstrip().startswith("//"))
