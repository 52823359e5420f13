"""Items: JSON under a namespace and a key, each version of one a memory of the space.

Putting a key again writes a new memory that supersedes the old one, and deleting it takes the memory out of recall:
the engine deletes nothing but what is erased. So an item decays, is recalled and answers to `why` like all else.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from engram.context import Said, contextualize
from engram.doors import AGENT_TAG
from engram.erasing import One
from engram.errors import InvalidInputError, NotFoundError
from engram.graph import Row, Transaction
from engram.importance import estimated_importance
from engram.memory import Engram
from engram.records import FOREVER, Kind
from engram.remembering import Draft
from engram.text import printable

SOURCE = "store"
"""Source of an item's memory."""
MAX_NAME_BYTES = 2_000
"""Longest namespace, and longest key; both stand in one index entry."""
MAX_VALUE_BYTES = 1_048_576
"""Longest JSON of one value."""
SEPARATOR = "."
"""Between the labels of a namespace as it is stored; no label holds one."""

Name = tuple[tuple[str, ...], str]
"""A namespace and a key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """An item as it stands."""

    id: str
    """Of its memory."""
    namespace: tuple[str, ...]
    key: str
    value: dict[str, Any]
    since: datetime
    """When the key was first put."""
    put_at: datetime
    """When it was last put."""


class Items:
    """The items of one space."""

    def __init__(self, memory: Engram, *, source_tag: str = AGENT_TAG) -> None:
        self._memory = memory
        self._source_tag = source_tag

    def get(self, names: Iterable[Name]) -> dict[Name, Stored]:
        """Return what stands under these names; a name under which nothing stands is left out."""
        wanted = [{"namespace": path(namespace), "key": key} for namespace, key in names]
        rows = self._memory.graph.read("store/find_items", space=self._memory.space, names=wanted)
        found = [stored(row) for row in rows]
        return {(each.namespace, each.key): each for each in found}

    def put(self, namespace: tuple[str, ...], key: str, value: Mapping[str, Any], text: str | None) -> None:
        """Store a value under a key, in the place of what stood there; returns once it is durable.

        Args:
            namespace: One label or more.
            key: Unique within the namespace.
            value: What JSON can hold.
            text: What the item is found by, searching; None for what no search is to find.

        Raises:
            InvalidInputError: A name is too long, or the value is no JSON or too long; nothing is stored.
            ErasedError: A person had these words erased for good.
        """
        draft = self._draft(namespace, key, value, text)
        now = draft.known_at
        self._memory.writer.write(
            draft,
            now,
            then=lambda transaction, memory: self._close_others(transaction, draft, memory.id, now),
        )
        # Two writers of one key may not have seen each other's version before both were committed.
        names = [{"namespace": draft.more["item_namespace"], "key": key}]
        rows = self._memory.graph.read("store/find_items", space=self._memory.space, names=names)
        if rows and rows[0]["versions"] > 1:
            self._memory.graph.transact(lambda transaction: self._close_others(transaction, draft, None, now))

    def delete(self, namespace: tuple[str, ...], key: str) -> None:
        """Take what stands under a key out of recall; it stays in the graph, and `why` and `as_of` know it."""
        space = self._memory.space

        def work(transaction: Transaction) -> None:
            statuses = {"from": ["active", "dormant", "archived"], "to": "archived"}
            for each in self._locked(transaction, path(namespace), key):
                transaction.run("write/set_status", **{"space": space, "id": each["id"], **statuses})

        self._memory.graph.transact(work)

    def erase(self, namespace: tuple[str, ...], key: str | None = None) -> int:
        """Delete every version of an item for good, or with no key all of a namespace and below it.

        Returns:
            How many memories were erased, those among them that went along because they say the same.
        """
        root = path(namespace)
        rows = self._memory.graph.read(
            "store/list_versions",
            space=self._memory.space,
            namespace=root,
            below=below(root) if key is None else None,
            key=key,
        )
        erased: list[int] = []
        for row in rows:
            # Put again, a value stands twice: erasing either takes both.
            with suppress(NotFoundError):
                self._memory.eraser.erase(One(row["id"]), progress=erased.append)
        return sum(erased)

    def under(self, prefix: tuple[str, ...], *, skip: int, limit: int) -> list[Stored]:
        """Return what stands in a namespace and below it, what was put last first."""
        root = path(prefix)
        rows = self._memory.graph.read(
            "store/list_items",
            space=self._memory.space,
            namespace=root,
            below=below(root),
            skip=skip,
            limit=limit,
        )
        return [stored(row) for row in rows]

    def namespaces(self) -> list[tuple[str, ...]]:
        """Return the namespaces in which something stands, in order."""
        rows = self._memory.graph.read("store/list_namespaces", space=self._memory.space)
        return sorted(labels(row["namespace"]) for row in rows)

    def _draft(
        self, namespace: tuple[str, ...], key: str, value: Mapping[str, Any], text: str | None
    ) -> Draft:
        where = path(namespace)
        data = _json(value)
        for name, what in ((where, "namespace"), (key, "key")):
            if len(name.encode("utf-8", "replace")) > MAX_NAME_BYTES:
                raise InvalidInputError(
                    f"The {what} has more than {MAX_NAME_BYTES:,} bytes.", remedy="Give it a shorter name."
                )
        now = self._memory.now()
        older = self.get([(namespace, key)]).get((namespace, key))
        limit = self._memory.settings.max_content_bytes
        content = _content(text, limit) or _content(f"{'/'.join(namespace)} {key}", limit) or "item"
        digest = hashlib.sha256(f"{text is None}\x1f{data}".encode()).hexdigest()
        return Draft(
            content=content,
            contextualized=contextualize([Said(text=content, speaker=None, at=now)], 0),
            kind=Kind.SEMANTIC,
            source=SOURCE,
            # The same text under another key, or with another value beside it, is another memory.
            identity=f"item\x1f{where}\x1f{key}\x1f{digest}",
            source_tag=self._source_tag,
            speaker=None,
            category=None,
            importance=estimated_importance(content),
            event_at=now,
            known_at=now,
            valid_from=now,
            valid_to=FOREVER,
            reopen=True,
            more={
                "item_namespace": where,
                "item_key": key,
                "item_value": data,
                "item_indexed": text is not None,
                "item_since": now if older is None else older.since,
            },
        )

    def _close_others(self, transaction: Transaction, draft: Draft, new: str | None, now: datetime) -> None:
        """Let the version `new`, or the newest, supersede the others that stand."""
        rows = self._locked(transaction, draft.more["item_namespace"], draft.more["item_key"])
        if not rows:
            return
        winner = max(rows, key=lambda row: (row["id"] == new, row["created_at"], row["id"]))
        for older in rows:
            if older is winner:
                continue
            end = winner["valid_from"] if winner["valid_from"] > older["valid_from"] else now
            transaction.run(
                "write/supersede_memory",
                space=self._memory.space,
                old=older["id"],
                new=winner["id"],
                valid_to=min(older["valid_to"], end),
                closed_at=now,
                reason="put again",
                correction=False,
                by=SOURCE,
                now=now,
            )

    def _locked(self, transaction: Transaction, where: str, key: str) -> list[Row]:
        """Lock the versions that stand under a key in ascending id, and return those that still do."""
        space = self._memory.space
        found = transaction.run("store/list_standing", space=space, namespace=where, key=key).rows
        locked = transaction.run("write/lock_memories", space=space, ids=[row["id"] for row in found]).rows
        return [row["memory"] for row in locked if _stands(row["memory"])]


def _stands(version: Row) -> bool:
    return version["status"] in {"active", "dormant"} or (
        version["status"] == "archived" and version.get("archive_reason") is not None
    )


def path(namespace: Sequence[str]) -> str:
    """Return a namespace as it is stored."""
    return SEPARATOR.join(namespace)


def labels(stored_path: str) -> tuple[str, ...]:
    """Return the namespace that is stored as `stored_path`."""
    return tuple(stored_path.split(SEPARATOR))


def below(stored_path: str) -> str:
    """Return what the stored paths below a namespace begin with."""
    return stored_path + SEPARATOR if stored_path else ""


def stored(row: Row) -> Stored:
    """Return the item in a row of one of the statements of `store`."""
    return Stored(
        id=row["id"],
        namespace=labels(row["namespace"]),
        key=row["key"],
        value=json.loads(row["value"]),
        since=row["since"],
        put_at=row["put_at"],
    )


def _json(value: Mapping[str, Any]) -> str:
    try:
        text = json.dumps(dict(value), ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInputError(f"The value cannot be written as JSON: {error}.") from error
    try:
        size = len(text.encode())
    except UnicodeEncodeError as error:
        raise InvalidInputError("The value holds an unpaired surrogate.") from error
    if size > MAX_VALUE_BYTES:
        raise InvalidInputError(
            f"The value has {size:,} bytes; the limit is {MAX_VALUE_BYTES:,}.",
            remedy="Split it, or keep the large part elsewhere and its address here.",
        )
    return text


def _content(text: str | None, limit: int) -> str:
    """Return text as a memory's content, what no memory may hold left out, cut at `limit` bytes."""
    clean = "".join(each for each in printable(text or "") if each.isprintable() or each in "\n\t")
    return clean.encode()[:limit].decode("utf-8", "ignore").strip()
