"""Traces: where words stand in what is not about them, and what becomes of each.

A memory, a turn, an entry of the scratch buffer or a goal that holds them goes as a whole. A context loses the lines that
do, a record the property that does, a list the items that do. A conversation that is named after them gets another name.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from engram.context import without_lines
from engram.embedding.protocol import Embedder
from engram.erasing.closure import Read, Roots, requote
from engram.erasing.words import Words
from engram.graph import Graph, Row, Transaction

ERASED = "(erased)"
"""Stands where a text was that something cannot be without."""
_SCRUBBED_AT_ONCE = 500
"""Properties and nodes of one transaction."""
_GO = frozenset({"ScratchEntry", "Goal", "Thought"})
"""Labels, beside memories and turns, of nodes that go as a whole."""
_MAY_BE_MISSING = frozenset({"query", "raw", "label", "citation", "topics", "context", "towards"})
"""Properties that go instead of getting another value."""
_PLACES = frozenset({"session", "source"})
"""Properties that name where something was said."""
_OWN_SOURCES = frozenset(
    {
        "chat",
        "chat:interrupted",
        "chat:note",
        "chat:thought",
        "demo",
        "dream",
        "mcp",
        "note",
        "reconsolidation",
        "reflection",
        "seed",
        "store",
        "tension",
        "user",
    }
)
"""Sources that the engine names."""
_OF_ITS_OWN = frozenset({"session", "fact"})
"""What the engine begins a source with before the name of a conversation."""
_EMBEDDED = frozenset({"query", "text", "contextualized"})
"""Properties that may have been embedded."""
_SUMMARY = ("summary", "summary_of", "summary_at", "summary_plain", "summary_mentions")
"""Of an entity: they say something together or not at all."""


@dataclass(slots=True, kw_only=True)
class Traces:
    """Where words stand."""

    memories: set[str] = field(default_factory=set)
    """Ids of those that say them."""
    turns: set[str] = field(default_factory=set)
    """Ids."""
    names: set[str] = field(default_factory=set)
    """Keys of entities whose name has them."""
    contexts: set[str] = field(default_factory=set)
    """Ids of memories that only quote them as context."""
    placed: set[str] = field(default_factory=set)
    """Ids of memories that only say of where they were said."""
    nodes: dict[tuple[str, str], Row] = field(default_factory=dict)
    """Properties of nodes that get another value, as `write/scrub_traces` takes them, by element and property."""
    links: list[Row] = field(default_factory=list)
    """Such properties of relationships."""
    deleted: dict[str, str] = field(default_factory=dict)
    """Elements of other nodes that go, with their labels."""
    embedded: list[str] = field(default_factory=list)
    """Questions, goals, contexts and what else holds them and may have a cached vector."""
    labels: Counter[str] = field(default_factory=Counter)
    """How many properties are rewritten, by label or type."""

    def __bool__(self) -> bool:
        """Say whether there is any."""
        return bool(self.memories or self.turns or self.contexts or self.nodes or self.links or self.deleted)

    @property
    def roots(self) -> Roots:
        """Memories and turns that say them."""
        return Roots(tuple(sorted(self.memories)), tuple(sorted(self.turns)))


def find_traces(read: Read, words: Words, *, space: str, spare: Collection[str] = ()) -> Traces:
    """Return where words stand.

    Args:
        read: Runs a reading statement.
        words: What is looked for.
        space: Whose.
        spare: Ids of memories and turns that are left out: these are erased with what goes with them.
    """
    traces = Traces()
    if words.needles:
        for row in read("inspect/find_traces", space=space, words=[*words.needles]):
            if row["id"] not in spare and any(map(words.are_in, _worded(row))):
                _sort(traces, row, words.are_in)
    traces.contexts -= traces.memories
    return traces


def _worded(row: Row) -> Sequence[str]:
    """Return what of a property is somebody's words: not all of a source or a slot is."""
    value: str | Sequence[str] = row["value"]
    if not isinstance(value, str):
        return value
    head, _, rest = value.partition(":")
    match row["property"]:
        case "source" if value in _OWN_SOURCES:
            return []
        case "source" if head in _OF_ITS_OWN:
            return [rest]
        case "slot":
            return [rest]
        case _:
            return [value]


def _sort(traces: Traces, row: Row, are_in: Callable[[str], bool]) -> None:
    """Put a row where it belongs."""
    label, name = row["label"], row["property"]
    if name in _EMBEDDED:
        traces.embedded.append(row["value"])
    if row["node"] and _goes(traces, row):
        return
    traces.labels[label] += 1
    if not row["node"]:
        traces.links.append(_scrubbed(row, are_in))
        return
    if label == "Memory":
        traces.placed.add(row["id"])
    for part in _SUMMARY if name in _SUMMARY else (name,):
        traces.nodes[row["element"], part] = _scrubbed(row | {"property": part}, are_in)


def _goes(traces: Traces, row: Row) -> bool:
    """Note a node that goes as a whole, or is rewritten in a way of its own; say whether it is one."""
    label, name = row["label"], row["property"]
    match label:
        case _ if name in _PLACES:
            return False
        case "Memory":
            (traces.contexts if name == "contextualized" else traces.memories).add(row["id"])
        case "Turn":
            traces.turns.add(row["id"])
        case "Entity" if name in {"name", "key"}:
            traces.names.add(row["value"])
        case _ if label in _GO:
            traces.deleted[row["element"]] = label
        case _:
            return False
    return True


def _scrubbed(row: Row, are_in: Callable[[str], bool]) -> Row:
    """Return what `write/scrub_traces` takes for a property."""
    label, name, value = row["label"], row["property"], row["value"]
    left: str | list[str] | None
    if name in _PLACES or (label, name) == ("Session", "id"):
        left = f"erased {hashlib.sha256(value.encode()).hexdigest()[:12]}"
    elif name in _MAY_BE_MISSING or name in _SUMMARY:
        left = None
    elif (label, name) == ("WorkingMemory", "text"):
        left = "\n".join(line for line in value.split("\n") if not are_in(line))
    elif isinstance(value, str):
        left = ERASED
    else:
        left = [each for each in value if not are_in(each)]
    return {"element": row["element"], "property": name, "value": left}


def scrub(graph: Graph, traces: Traces, *, space: str) -> None:
    """Take the words out of what stays, and delete what goes as a whole but memories, turns and names."""
    jobs: list[tuple[str, Row | str]] = [
        *(("rows", row) for row in traces.nodes.values()),
        *(("links", row) for row in traces.links),
        *(("deleted", element) for element in traces.deleted),
    ]
    for first in range(0, len(jobs), _SCRUBBED_AT_ONCE):
        batch: Mapping[str, list[Row | str]] = {"rows": [], "links": [], "deleted": []}
        for what, job in jobs[first : first + _SCRUBBED_AT_ONCE]:
            batch[what].append(job)

        def work(transaction: Transaction, batch: Mapping[str, list[Row | str]] = batch) -> None:
            transaction.run("write/lock_memories", space=space, ids=sorted(traces.placed))
            transaction.run("write/scrub_traces", space=space, **batch)

        graph.transact(work)


def reword(
    graph: Graph, embedder: Embedder, ids: Sequence[str], words: Words, *, space: str
) -> tuple[list[str], list[str]]:
    """Take lines with the words out of contexts.

    Returns:
        The contexts as they were, and the ids of memories whose context still holds the words.
    """
    before: list[str] = []
    stubborn: list[str] = []

    def work(transaction: Transaction) -> None:
        before.clear()
        stubborn.clear()
        held = [row["memory"] for row in transaction.run("write/lock_memories", space=space, ids=[*ids]).rows]
        rows = []
        for memory in held:
            context = without_lines(
                memory["contextualized"],
                content=memory["content"],
                speaker=memory.get("speaker"),
                unwanted=words.are_in,
            )
            before.append(memory["contextualized"])
            if words.are_in(context):
                stubborn.append(memory["id"])
            elif context != memory["contextualized"]:
                rows.append(memory | {"rewritten": context})
        requote(transaction, embedder, rows, space=space)

    graph.transact(work)
    return before, stubborn
