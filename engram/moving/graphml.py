"""A file as GraphML, for Gephi, yEd and networkx.

What GraphML has no type for, times and lists, stands in it as text: lists as JSON. Vectors are left out.
"""

import json
import re
import tempfile
from collections.abc import Mapping
from shutil import copyfileobj
from typing import Any, BinaryIO
from xml.sax.saxutils import escape, quoteattr

from engram.moving.files import Source
from engram.moving.format import Key, Link, Node, as_json
from engram.moving.reading import read_file
from engram.moving.values import Temporal, Value

_TYPES: dict[type, str] = {bool: "boolean", int: "long", float: "double"}
_NO_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
"""Characters that no XML can hold."""
_INDENT = "    "


def write_graphml(source: Source, file: BinaryIO) -> None:
    """Write what a checked file holds as GraphML.

    Args:
        source: The file.
        file: Where to, as UTF-8.
    """
    keys: dict[tuple[str, str, str], str] = {}
    # The properties are declared at the beginning, and known at the end.
    with tempfile.TemporaryFile() as body:
        numbers: dict[Key, int] = {}
        for each in read_file(source):
            body.write(
                (
                    _node(each, keys, numbers) if isinstance(each, Node) else _edge(each, keys, numbers)
                ).encode()
            )
        file.write(_head(keys).encode())
        body.seek(0)
        copyfileobj(body, file)
    file.write(b"  </graph>\n</graphml>\n")


def _head(keys: Mapping[tuple[str, str, str], str]) -> str:
    declared = "".join(
        f'  <key id="{id_}" for="{domain}" attr.name={quoteattr(name)} attr.type="{type_}"/>\n'
        for (domain, name, type_), id_ in keys.items()
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
        f'{declared}  <graph edgedefault="directed">\n'
    )


def _node(node: Node, keys: dict[tuple[str, str, str], str], numbers: dict[Key, int]) -> str:
    number = numbers[node.key] = len(numbers)
    data = {"labels": ":" + ":".join(node.labels), **node.properties}
    return f'{_INDENT}<node id="n{number}">{_data("node", data, keys)}</node>\n'


def _edge(link: Link, keys: dict[tuple[str, str, str], str], numbers: Mapping[Key, int]) -> str:
    data = {"label": link.type, **link.properties}
    ends = f'source="n{numbers[link.start]}" target="n{numbers[link.end]}"'
    return f'{_INDENT}<edge id="e{link.line}" {ends}>{_data("edge", data, keys)}</edge>\n'


def _data(domain: str, properties: Mapping[str, Value], keys: dict[tuple[str, str, str], str]) -> str:
    found = []
    for name, value in properties.items():
        key = (domain, name, _TYPES.get(type(value), "string"))
        id_ = keys.setdefault(key, f"d{len(keys)}")
        found.append(f'<data key="{id_}">{escape(_NO_XML.sub(chr(0xFFFD), _text(value)))}</data>')
    return "".join(found)


def _text(value: Value) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return value
        case Temporal() if not value.list:
            return value.texts[0]
        case Temporal():
            return json.dumps(value.texts)
        case int() | float():
            return repr(value)
        case _:
            plain: Any = as_json(value)
            return json.dumps(plain, ensure_ascii=False)
