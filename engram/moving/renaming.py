"""Giving what a file holds the space that it goes to and, for a copy beside the original, other ids."""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from engram.moving.format import Key, Keys, Link, Node, as_json
from engram.moving.labels import ACROSS_SPACES, BY_CONTENT, KEYS
from engram.moving.values import Value, map_texts
from engram.validation import space_key

_ID = re.compile(r"(?<![0-9a-f])(?:[0-9a-f]{32}|[0-9a-f]{12})(?![0-9a-f])")
"""What Engram's ids are made of; some have words or numbers around it."""
_WORDS = frozenset(
    {"content", "contextualized", "compressed", "text", "name", "query", "raw", "content_hash"}
)
"""Properties in which an id is somebody's words, or a hash that looks like one."""


class Renaming:
    """Renames the nodes and relationships of a file, in the order of the file."""

    def __init__(self, old: str, new: str, *, ids: Iterable[str] | None = None) -> None:
        """Prepare it.

        Args:
            old: The file's space.
            new: The space that it goes to.
            ids: Those of all nodes whose ids are unique in a database, if they are to become others; None keeps them.
        """
        self._old, self._new = old, new
        self._ids = None if ids is None else {found for each in ids for found in _ID.findall(each)}
        self._keys = Keys()
        self._renamed: dict[Key, Key] = {}

    def node(self, node: Node) -> Node:
        """Return a node as it is to be."""
        properties = {name: self._value(name, value) for name, value in node.properties.items()}
        key = self._keys.of(node.label, {name: as_json(value) for name, value in properties.items()})
        if node.label in BY_CONTENT:
            self._renamed[node.key] = key
        return replace(node, key=key, properties=properties)

    def link(self, link: Link) -> Link:
        """Return a relationship as it is to be; its ends were renamed before."""
        return replace(
            link,
            start=self._key(link.start),
            end=self._key(link.end),
            properties={name: self._value(name, value) for name, value in link.properties.items()},
        )

    def _key(self, key: Key) -> Key:
        label, *values = key
        if label in BY_CONTENT:
            return self._renamed[key]
        names = KEYS[str(label)]
        changed = (
            self._text(name, value) if isinstance(value, str) else value
            for name, value in zip(names, values, strict=True)
        )
        return (label, *changed)

    def _value(self, name: str, value: Value) -> Value:
        if name == "space":
            return self._new
        return map_texts(value, partial(self._text, name))

    def _text(self, name: str, text: str) -> str:
        if name == "space_key":
            return space_key(self._new) if text == space_key(self._old) else text
        if name == "id" and text.startswith(f"{self._old}:"):  # the leases of a space
            text = f"{self._new}:{text[len(self._old) + 1 :]}"
        if self._ids is None or name in _WORDS:
            return text
        return _ID.sub(self._other_id, text)

    def _other_id(self, found: re.Match[str]) -> str:
        if self._ids is None or found[0] not in self._ids:
            return found[0]
        return hashlib.sha256(f"{self._new}\x1f{found[0]}".encode()).hexdigest()[: len(found[0])]


def ids_across_spaces(nodes: Iterable[Node]) -> Iterable[str]:
    """Yield the ids of the nodes whose ids are unique in a database."""
    return (str(node.key[1]) for node in nodes if node.label in ACROSS_SPACES)
