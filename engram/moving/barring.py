"""Keeping away what was erased: a file that is older than an erasure must not bring back what the tombstones forbid."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from engram.context import quotation, quotes, without_lines
from engram.erasing.closure import SHORTEST_QUOTATION
from engram.erasing.words import Words, words_of
from engram.graph import Graph
from engram.moving.files import Source
from engram.moving.format import Key, Link, Node
from engram.moving.labels import KEYS
from engram.moving.reading import read_links, read_nodes
from engram.moving.values import Value
from engram.records import Kind
from engram.remembering import tombstones
from engram.validation import content_hash

_PORTION = 1_000
_TEXTS = ("content", "text")
"""Where a node holds words as they were said."""
_QUESTIONS = frozenset({"query", "raw", "citation"})
"""Properties that quote: they go even where the erased words are few."""


@dataclass(slots=True)
class Barred:
    """What of a file stays away, and what is left of the rest."""

    gone: set[Key] = field(default_factory=set)
    """The nodes that are not restored."""
    words: list[Words] = field(default_factory=list)
    """What was said in them; short words are nobody's own and are not looked for."""
    sayings: set[str] = field(default_factory=set)
    """What was said in them, in lower case, however short."""
    quotes: set[str] = field(default_factory=set)
    """The lines by which neighbours quote them as context."""

    def node(self, node: Node) -> Node | None:
        """Return a node without what it quotes of the erased, or None where it stays away."""
        if node.key in self.gone:
            return None
        if not self.gone:
            return node
        properties = self._kept(node.properties, key=("space", *KEYS[node.label]))
        context, content = properties.get("contextualized"), properties.get("content")
        if not isinstance(context, str) or not isinstance(content, str):
            return replace(node, properties=properties)
        speaker = properties.get("speaker")
        context = without_lines(
            context,
            content=content,
            speaker=speaker if isinstance(speaker, str) else None,
            unwanted=lambda line: any(quotes(line, each) for each in self.quotes),
        )
        if context == properties["contextualized"]:
            return replace(node, properties=properties)
        # Its vector is one of the old context, and must be made anew.
        vectors = dict.fromkeys(node.vectors)
        return replace(node, properties=properties | {"contextualized": context}, vectors=vectors)

    def link(self, link: Link) -> Link | None:
        """Return a relationship without what it quotes of the erased, or None where an end of it stays away."""
        if {link.start, link.end} & self.gone:
            return None
        return replace(link, properties=self._kept(link.properties)) if self.gone else link

    def says(self, text: str) -> bool:
        """Say whether a text says something that was erased."""
        return any(each.are_in(text) for each in self.words)

    def _kept(self, properties: Mapping[str, Value], *, key: Sequence[str] = ()) -> dict[str, Value]:
        return {
            name: value
            for name, value in properties.items()
            if name == "contextualized"
            or name in key
            or not any(self._quoted(name, text) for text in _texts(value))
        }

    def _quoted(self, name: str, text: str) -> bool:
        if self.says(text):
            return True
        lower = text.lower()
        return name in _QUESTIONS and any(
            len(each) >= SHORTEST_QUOTATION and each in lower for each in self.sayings
        )


def find_barred(graph: Graph, source: Source, *, space: str) -> Barred:
    """Return what of a checked file the tombstones of a space bar.

    Beside what they name: the turns it was said in, snapshots, what quotes it whole, what was drawn from nothing else, and
    the names that nothing else mentions; as when it was erased.
    """
    barred = Barred()
    nodes = read_nodes(source)
    while portion := list(islice(nodes, _PORTION)):
        hashes = {node.key: _hashes(node) for node in portion}
        asked = sorted({each for some in hashes.values() for each in some})
        rows = graph.read("inspect/find_tombstones", space=space, hashes=asked) if asked else []
        found = {row["hash"] for row in rows}
        for node in portion:
            if not found.isdisjoint(hashes[node.key]):
                barred.gone.add(node.key)
                speaker = node.properties.get("speaker")
                for said in _said(node):
                    barred.words.append(words_of(said))
                    barred.sayings.add(said.lower())
                    barred.quotes.add(quotation(said, str(speaker) if speaker else None))
    if barred.gone:
        _take_what_holds_it(barred, source)
        _take_what_rests_on_it(barred, source)
    return barred


def _take_what_holds_it(barred: Barred, source: Source) -> None:
    for node in read_nodes(source):
        if any(map(barred.says, _said(node))):
            barred.gone.add(node.key)
        elif node.label == "Archived":
            memory = str(node.key[1]).rpartition("-")[0]
            if ("Memory", memory) in barred.gone:
                barred.gone.add(node.key)


def _take_what_rests_on_it(barred: Barred, source: Source) -> None:
    grounds: dict[Key, set[Key]] = defaultdict(set)
    mentioned: dict[Key, set[Key]] = defaultdict(set)
    heard: list[Link] = []
    gone = barred.gone
    for link in read_links(source):
        match link.type:
            case "DERIVED_FROM":
                grounds[link.start].add(link.end)
            case "TENSION_BETWEEN" if link.end in gone:
                gone.add(link.start)
            case "MENTIONS":
                mentioned[link.end].add(link.start)
            case "HEARD_AS":
                heard.append(link)
    gone.update(_turns(grounds, (memory for memory in grounds if memory in gone)))
    while more := {memory for memory, rests_on in grounds.items() if memory not in gone and rests_on <= gone}:
        gone.update(more)
        gone.update(_turns(grounds, more))
    gone.update(link.start for link in heard if link.end in gone)
    gone.update(name for name, memories in mentioned.items() if memories <= gone)


def _turns(grounds: Mapping[Key, set[Key]], memories: Iterable[Key]) -> Iterator[Key]:
    """Yield the turns that some memories rest on and no other does."""
    memories = {*memories}
    turns = {ground for memory in memories for ground in grounds[memory] if ground[0] == "Turn"}
    kept = {ground for memory, some in grounds.items() if memory not in memories for ground in some & turns}
    yield from turns - kept


def _hashes(node: Node) -> list[str]:
    """Return the hashes of the tombstones that would bar a node."""
    properties = node.properties
    if node.label == "Memory":
        own = str(properties["content_hash"]).partition("-")[0]
        return tombstones(own, str(properties["content"]))
    if node.label in {"Turn", "ScratchEntry"} and isinstance(text := properties.get("text"), str):
        turn = node.key[1] if node.label == "Turn" else properties.get("turn")
        return tombstones(content_hash(Kind.EPISODIC, text, f"turn:{turn}"), text)
    return []


def _said(node: Node) -> list[str]:
    if node.label not in {"Memory", "Turn", "ScratchEntry"}:
        return []
    return [text for name in _TEXTS if isinstance(text := node.properties.get(name), str) and text.strip()]


def _texts(value: Value) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
