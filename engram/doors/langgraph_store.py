"""LangGraph's long-term store on Engram: `BaseStore` over the items of one space.

    from engram import Engram
    from engram.doors.langgraph_store import EngramStore

    with Engram.open(space="my-agent") as memory, EngramStore(memory) as store:
        graph = builder.compile(store=store)

The space is the limit of what a store sees; namespaces lie within it. A put that replaces supersedes the older
version, and a delete takes it out of recall: only `erase` deletes. Time to live is not supported, energy decays instead.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, Self

from engram.doors import AGENT_TAG
from engram.doors.item_filter import matches
from engram.doors.item_search import ItemSearch
from engram.doors.items import Items, Name, Stored
from engram.errors import ConfigurationError, InvalidInputError
from engram.learning import Learner, lost_file
from engram.memory import Engram
from engram.tuning import Tuned

try:
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        Item,
        ListNamespacesOp,
        MatchCondition,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
        get_text_at_path,
        tokenize_path,
        validate_op_namespace,
    )
except ImportError as error:
    raise ConfigurationError(
        "The package langgraph-checkpoint is not installed.",
        remedy="`pip install 'engram-neo4j[langgraph]'`.",
    ) from error

_WHOLE = "$"
"""The path of a whole value."""
_FILTERED = 500
"""Items that are read at once where a filter says which of them count."""


class EngramStore(BaseStore):
    """A LangGraph store whose items are memories of one space. It may be shared between threads and tasks."""

    supports_ttl = False

    def __init__(
        self,
        memory: Engram,
        *,
        fields: Sequence[str] = (_WHOLE,),
        source_tag: str = AGENT_TAG,
        learn: bool = True,
    ) -> None:
        """Serve the items of the memory's space.

        Args:
            memory: Where they are; it stays open as long as the store is used, and is not closed with it.
            fields: Paths of what a search finds an item by, where `put` says nothing else; `$` is all of it.
            source_tag: Whose thought a stored value is.
            learn: Whether what a search finds becomes easier to recall.
        """
        self.memory = memory
        self._fields = tuple(fields)
        self._items = Items(memory, source_tag=source_tag)
        self._learner = _learner(memory) if learn else None
        self._search = ItemSearch(memory, self._learner)

    def close(self) -> None:
        """Write what searches have taught."""
        if self._learner is not None:
            self._learner.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Carry out operations: what reads sees what was there before, and of two puts of one key the last one counts.

        Each put is durable by itself; an error leaves those before it in place.

        Raises:
            InvalidNamespaceError: A namespace has a label that is empty, no text, or holds a full stop.
            InvalidInputError: A value is no JSON, a query is empty, a filter has an operator that there is not.
        """
        asked = list(ops)
        for op in asked:
            validate_op_namespace(op)
        gets = [(tuple(op.namespace), op.key) for op in asked if isinstance(op, GetOp)]
        got = self._items.get(gets) if gets else {}
        results = [self._read(op, got) for op in asked]
        puts = {(tuple(op.namespace), op.key): op for op in asked if isinstance(op, PutOp)}
        for name, op in puts.items():
            self._put(name, op)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Carry out operations in a worker thread; cancelling stops the waiting and not the work."""
        return await asyncio.to_thread(self.batch, list(ops))

    def erase(self, namespace: tuple[str, ...], key: str | None = None) -> int:
        """Delete an item for good, or with no key all of a namespace and below it: every version, everywhere.

        What was erased cannot be put again in the same words.

        Returns:
            How many memories were erased.
        """
        if not namespace:
            raise InvalidInputError("The namespace is empty.", remedy="Say which one to erase.")
        if self._learner is not None:
            self._learner.flush()
        return self._items.erase(tuple(namespace), key)

    def _read(self, op: Op, got: Mapping[Name, Stored]) -> Result:
        match op:
            case GetOp():
                found = got.get((tuple(op.namespace), op.key))
                return None if found is None else Item(**_fields_of(found))
            case SearchOp():
                return self._found(op)
            case ListNamespacesOp():
                return _listed(self._items.namespaces(), op)
            case _:
                return None

    def _found(self, op: SearchOp) -> list[SearchItem]:
        prefix, wanted = tuple(op.namespace_prefix), op.filter or {}
        if op.limit <= 0:
            return []
        if op.query:
            scored = self._search.search(prefix, op.query, wanted=wanted, skip=op.offset, limit=op.limit)
            return [SearchItem(**_fields_of(each.item), score=each.score) for each in scored]
        return [SearchItem(**_fields_of(item)) for item in self._filtered(prefix, wanted, op)]

    def _filtered(self, prefix: tuple[str, ...], wanted: Mapping[str, Any], op: SearchOp) -> list[Stored]:
        if not wanted:
            return self._items.under(prefix, skip=op.offset, limit=op.limit)
        found: list[Stored] = []
        skip = 0
        while len(found) < op.offset + op.limit:
            some = self._items.under(prefix, skip=skip, limit=_FILTERED)
            found += [item for item in some if matches(item.value, wanted)]
            skip += _FILTERED
            if len(some) < _FILTERED:
                break
        return found[op.offset : op.offset + op.limit]

    def _put(self, name: Name, op: PutOp) -> None:
        namespace, key = name
        if op.value is None:
            self._items.delete(namespace, key)
        else:
            self._items.put(namespace, key, op.value, self._text(op.value, op.index))

    def _text(self, value: Mapping[str, Any], index: Literal[False] | Sequence[str] | None) -> str | None:
        """Return what a search finds a value by; None for nothing."""
        if index is False:
            return None
        texts: list[str] = []
        for each in self._fields if index is None else index:
            texts += _lines(value) if each == _WHOLE else get_text_at_path(value, tokenize_path(each))
        return "\n".join(filter(None, texts)) or None


def _learner(memory: Engram) -> Learner:
    return Learner(
        memory.graph,
        space=memory.space,
        lost=lost_file(memory.settings),
        tuned=Tuned(memory.graph, space=memory.space),
    )


def _fields_of(item: Stored) -> dict[str, Any]:
    return {
        "namespace": item.namespace,
        "key": item.key,
        "value": item.value,
        "created_at": item.since,
        "updated_at": item.put_at,
    }


def _lines(value: Any, name: str = "") -> list[str]:
    """Return a value as lines `name: text`, which say more to an embedding model than JSON does."""
    if isinstance(value, Mapping):
        return [line for key, each in value.items() for line in _lines(each, f"{name} {key}".strip())]
    if isinstance(value, list | tuple):
        return [line for each in value for line in _lines(each, name)]
    return [] if value is None else [f"{name}: {value}"]


def _listed(namespaces: Iterable[tuple[str, ...]], op: ListNamespacesOp) -> list[tuple[str, ...]]:
    fitting = [each for each in namespaces if all(_meets(each, one) for one in op.match_conditions or ())]
    if op.max_depth is not None:
        fitting = sorted({each[: op.max_depth] for each in fitting})
    return fitting[op.offset : op.offset + op.limit]


def _meets(namespace: tuple[str, ...], condition: MatchCondition) -> bool:
    wanted = condition.path
    if len(namespace) < len(wanted):
        return False
    part = namespace[: len(wanted)] if condition.match_type == "prefix" else namespace[-len(wanted) :]
    return all(label in {"*", each} for label, each in zip(wanted, part, strict=True))
