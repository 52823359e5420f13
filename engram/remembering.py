"""Writing: from what was said to rows of the graph, each batch in one transaction."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import islice
from typing import Any
from uuid import uuid4

from engram.context import AFTER, BEFORE, Said, contextualize
from engram.embedding.protocol import Embedder, Vectors, prefixed, unit_rows
from engram.energy import CREATION_ENERGY, expires_at
from engram.entities import mentions, names_in
from engram.errors import ErasedError, InvalidInputError
from engram.graph import Graph, Row, Transaction
from engram.importance import estimated_importance
from engram.records import FOREVER, USER_TAG, Ingested, Kind, Memory, Turn, memory_from
from engram.tuning import Tuning
from engram.validation import (
    check_content,
    check_name,
    check_time,
    content_hash,
    normalise,
    space_key,
    text_tombstone,
)

_BARRED = "it was erased at a person's wish"
_APART = timedelta(microseconds=1)
"""Between turns of one call that have no time."""
_REMEMBERED = BEFORE + 1
"""Turns of a session kept in mind: the context of the last one, which the next turn completes."""
SPECIFIC = 24
"""Characters from which a text is someone's own words: erased, it stays away whatever its source.
Shorter ones ("yes, please") only stay away from the place they were erased from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A memory about to be written."""

    content: str
    contextualized: str
    kind: Kind
    source: str
    identity: str
    """What of the source makes the memory another one: the source, or the turn within its session."""
    source_tag: str
    speaker: str | None
    category: str | None
    importance: float
    event_at: datetime
    known_at: datetime
    valid_from: datetime
    valid_to: datetime
    reopen: bool
    """Whether the same content may be remembered anew once it is no longer active."""
    compressed: str | None = None
    """It in one line."""
    source_confidence: float = 1.0
    """Of the source in it, 0 to 1."""
    immutable: bool = False
    """Whether its weight stays as it is, whatever happens."""
    names: tuple[str, ...] | None = None
    """Who and what it is about; None: the capitalised words of its content."""
    more: Mapping[str, Any] = field(default_factory=dict)
    """Further properties, which only some memories have; they may stand in for those that all have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Addition:
    """What else is written in the transaction of a batch of turns."""

    touches: tuple[str, ...]
    """Ids of the memories that it writes, beside those of the turns: they are locked with the others, in order."""
    work: Callable[[Transaction, Mapping[str, str]], None]
    """Takes the transaction, and the id of each turn's memory by the turn's own name; what was erased is not in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """A turn that passed its checks."""

    index: int
    turn: Turn
    session: str
    key: str
    said: Said

    @property
    def at(self) -> datetime:
        return self.said.at

    @property
    def identity(self) -> str:
        return f"turn:{self.key}"

    @property
    def content_hash(self) -> str:
        return content_hash(Kind.EPISODIC, self.turn.text, self.identity)


@dataclass(frozen=True, slots=True, kw_only=True)
class _End:
    """How a session ended before a batch, and what comes next in it."""

    said: list[Said]
    next: _Line


class Writer:
    """Writes memories of one space."""

    def __init__(
        self,
        graph: Graph,
        embedder: Callable[[], Embedder],
        *,
        space: str,
        limit: int,
        tuned: Callable[[], Tuning],
    ) -> None:
        self._tuned = tuned
        self._graph = graph
        self._embedder = embedder
        self._space = space
        self._limit = limit

    def write(self, draft: Draft, now: datetime, *, then: Callable[[Transaction, Memory], None]) -> Memory:
        """Store one memory; `then` runs in the same transaction.

        Raises:
            ErasedError: A person asked for this to be forgotten for good.
        """
        rows = self._rows([draft], now)

        def work(transaction: Transaction) -> Memory:
            row = self._store(transaction, rows, now)[0]
            if row["outcome"] == "seen" and row["memory"]["status"] != "active":
                # It was superseded or forgotten while this waited for its lock: now a new episode begins.
                row = self._store(transaction, rows, now)[0]
            if row["outcome"] == "erased":
                raise ErasedError(
                    "This was erased at a person's wish and is not stored again.",
                    remedy="Say it in other words if it is meant to be remembered after all.",
                )
            memory = memory_from(row["memory"], created=row["outcome"] == "stored")
            if draft.immutable and not memory.immutable:
                memory = self._made_immutable(transaction, memory)
            then(transaction, memory)
            if memory.created:
                # Entities come last in the order of locks, behind sessions and memories.
                self._link_entities(transaction, [(memory.id, draft)], now)
            return memory

        return self._graph.transact(work)

    def _made_immutable(self, transaction: Transaction, memory: Memory) -> Memory:
        done = transaction.run("write/make_immutable", space=self._space, id=memory.id)
        return memory_from(done.rows[0]["memory"], created=memory.created)

    def write_turns(
        self,
        turns: Iterable[Turn],
        now: datetime,
        *,
        batch_size: int,
        progress: Callable[[int], None] | None,
        addition: Addition | None = None,
    ) -> Ingested:
        """Store a conversation in batches, each batch wholly or not at all; `addition` goes with each of them."""
        refused: list[tuple[int, str]] = []
        memories: list[str] = []
        stored = seen = reported = 0

        def report() -> None:
            nonlocal reported
            done = stored + seen + len(refused)
            if progress is not None and done > reported:
                progress(done - reported)
            reported = done

        spoken: dict[str, list[Said]] = {}
        previous: dict[str, str] = {}
        lines = self._unbarred(self._checked(turns, now, refused), batch_size, refused)
        for batch, following in _batches(lines, batch_size):
            outcomes = self._write_batch(spoken, batch, following, previous, now, addition)
            for line, (outcome, memory_id) in zip(batch, outcomes, strict=True):
                spoken[line.session] = [*spoken[line.session], line.said][-_REMEMBERED:]
                stored += outcome == "stored"
                seen += outcome == "seen"
                if outcome == "erased":  # between the look at the tombstones and the write
                    refused.append((line.index, _BARRED))
                else:
                    memories.append(memory_id)
            report()
        report()  # what was refused behind the last batch
        if addition is not None and not spoken:
            self._add(addition)  # no batch was written with which it could go
        return Ingested(stored=stored, seen=seen, refused=tuple(sorted(refused)), memories=tuple(memories))

    def _add(self, addition: Addition) -> None:
        """Write what goes with turns where there are none."""

        def work(transaction: Transaction) -> None:
            transaction.run("write/lock_memories", space=self._space, ids=sorted(addition.touches))
            addition.work(transaction, {})

        self._graph.transact(work)

    def _unbarred(
        self, lines: Iterator[_Line], portion: int, refused: list[tuple[int, str]]
    ) -> Iterator[_Line]:
        """Yield the lines that nobody had erased; the others may not even be quoted as context."""
        while some := list(islice(lines, portion)):
            hashes = {line.index: tombstones(line.content_hash, line.turn.text) for line in some}
            rows = self._graph.read(
                "inspect/find_tombstones",
                space=self._space,
                hashes=sorted({each for barring in hashes.values() for each in barring}),
            )
            barred = {row["hash"] for row in rows}
            for line in some:
                if barred.isdisjoint(hashes[line.index]):
                    yield line
                else:
                    refused.append((line.index, _BARRED))

    def _checked(
        self, turns: Iterable[Turn], now: datetime, refused: list[tuple[int, str]]
    ) -> Iterator[_Line]:
        positions: dict[str, int] = {}
        undated = 0
        for index, turn in enumerate(turns):
            try:
                text = check_content(turn.text, limit=self._limit)
                session = check_name(turn.session, "The session")
                speaker = check_name(turn.speaker, "The speaker")
                at = check_time(turn.at, "The turn's time")
                caption = turn.caption if turn.caption and turn.caption.strip() else None
                if caption:
                    check_content(caption, limit=self._limit)
                if turn.id is not None:
                    check_name(turn.id, "The turn's id")
                check_name(turn.source_tag, "The source tag")
                if turn.source is not None:
                    check_name(turn.source, "The source")
            except InvalidInputError as error:
                refused.append((index, error.message))
                continue
            clean = replace(turn, text=text, speaker=speaker, caption=caption)
            if at is None:
                # What was said first stays first, though nobody knows when.
                at = now + undated * _APART
                undated += 1
            # Without an id the time tells a turn from others alike, and without a time its position in this call.
            place = session if turn.at is None else f"{session}\x1f{at.isoformat()}\x1f{speaker}\x1f{text}"
            position = positions[place] = positions.get(place, -1) + 1
            unnamed = f"#{position}" if turn.at is None else f"{at.isoformat()}#{position}"
            name = unnamed if turn.id is None else turn.id
            yield _Line(
                index=index,
                turn=clean,
                session=session,
                key=turn_key(session, name, speaker, text),
                said=Said(text=text, speaker=speaker, at=at, picture=caption),
            )

    def _write_batch(
        self,
        spoken: dict[str, list[Said]],
        batch: Sequence[_Line],
        following: Sequence[_Line],
        previous: dict[str, str],
        now: datetime,
        addition: Addition | None,
    ) -> list[tuple[str, str]]:
        """Write one batch and return each line's outcome and memory id.

        Args:
            spoken: What was said last in each session; a session that is not in it yet is added.
            batch: What to write.
            following: What comes next, for the context.
            previous: This call's last memory of each session; updated.
            now: When it is stored.
            addition: What else is written with it.
        """
        # What a session ended with before gets its first turn of this batch into its context.
        ends: dict[str, _End] = {}
        for line in batch:
            if line.session not in spoken:
                spoken[line.session] = self._said_before(line)
            if line.session not in ends:
                ends[line.session] = _End(said=spoken[line.session], next=line)
        drafts = self._drafts(spoken, batch, following)
        rows = self._rows(drafts, now)
        spans: dict[str, tuple[datetime, datetime]] = {}
        for line in batch:
            start, end = spans.get(line.session, (line.at, line.at))
            spans[line.session] = min(start, line.at), max(end, line.at)
        sessions = [
            {"id": name, "started_at": start, "ended_at": end} for name, (start, end) in sorted(spans.items())
        ]

        def work(transaction: Transaction) -> list[tuple[str, str]]:
            locked = transaction.run(
                "write/lock_sessions", space=self._space, sessions=sessions, now=now
            ).rows
            tails = {row["id"]: row["tail"] for row in locked}
            before = dict(tails)
            # What this call wrote before is what came before; only its first turn follows the stored tail.
            said = tails | previous
            found = self._store(transaction, rows, now)
            outcomes = [(row["outcome"], row["id"] or "") for row in found]
            links = []
            for line, (outcome, memory) in zip(batch, outcomes, strict=True):
                if outcome == "erased":
                    continue
                new = outcome == "stored"
                # What is there already has its place in the talk, and does not become its end again.
                links.append(_link(line, memory, previous=said[line.session] if new else None))
                said[line.session] = memory
                if new or tails[line.session] is None:
                    tails[line.session] = memory
            stored = [
                (memory, draft)
                for draft, (outcome, memory) in zip(drafts, outcomes, strict=True)
                if outcome == "stored"
            ]
            new = {memory for memory, _ in stored}
            continued = {
                memory: ends[line.session]
                for line, (_, first) in zip(batch, outcomes, strict=True)
                if ends[line.session].next is line and first in new and (memory := before[line.session])
            }
            # What was there before, others may hold too: locked in order before any of it is written.
            touched = set(addition.touches) if addition is not None else set()
            known = sorted(({link["previous"] for link in links} | continued.keys() | touched) - new - {None})
            kept = transaction.run("write/lock_memories", space=self._space, ids=known).rows if known else []
            transaction.run("write/link_turns", space=self._space, rows=links, tails=tails, now=now)
            self._go_on(transaction, [row for row in kept if row["id"] in continued], continued)
            if addition is not None:
                told = zip(batch, outcomes, strict=True)
                addition.work(
                    transaction, {line.turn.id or "": memory for line, (_, memory) in told if memory}
                )
            self._link_entities(transaction, stored, now)
            return outcomes

        outcomes = self._graph.transact(work)
        previous.update(
            {line.session: memory for line, (_, memory) in zip(batch, outcomes, strict=True) if memory}
        )
        return outcomes

    def _link_entities(
        self, transaction: Transaction, stored: Sequence[tuple[str, Draft]], now: datetime
    ) -> None:
        """Link memories to who said them and what they name."""
        entities: dict[str, Row] = {}
        for memory, draft in stored:
            named = names_in(draft.content) if draft.names is None else draft.names
            for key, name, role in mentions(draft.speaker, named):
                entity = entities.setdefault(key, {"key": key, "name": name, "mentions": []})
                entity["mentions"].append({"id": memory, "role": role})
        if entities:
            ordered = [entities[key] for key in sorted(entities)]
            transaction.run("write/link_entities", space=self._space, entities=ordered, now=now)

    def _go_on(self, transaction: Transaction, rows: Sequence[Row], ends: dict[str, "_End"]) -> None:
        """Give memories that were the last of their session the context that the next turn adds, all at once.

        Args:
            transaction: The one in which that turn is stored.
            rows: Those memories, locked, in the order of their ids.
            ends: For the id of each, how its session ended.
        """
        again = []
        for row in rows:
            end, memory = ends[row["id"]], row["memory"]
            if end.said and end.said[-1].text == memory["content"]:
                talk = [*end.said, end.next.said]
                context = contextualize(talk, len(end.said) - 1)
                if context != memory["contextualized"]:
                    again.append((row["id"], Kind(memory["kind"]), memory["content"], context))
        if not again:
            return
        vectors = embed_memories(self._embedder(), [each[1:] for each in again]).tolist()
        transaction.run(
            "write/rewrite_context",
            space=self._space,
            rows=[
                {"id": each[0], "contextualized": each[3], "embedding": vector}
                for each, vector in zip(again, vectors, strict=True)
            ],
        )

    def _said_before(self, line: _Line) -> list[Said]:
        """Return the last turns of the line's session that are in the graph and older than it, oldest first."""
        rows = self._graph.read(
            "inspect/list_turns",
            space=self._space,
            session=line.session,
            before=line.at,
            limit=_REMEMBERED,
        )
        return [
            Said(text=row["text"], speaker=row["speaker"], at=row["at"], picture=row["caption"])
            for row in reversed(rows)
        ]

    def _drafts(
        self, spoken: dict[str, list[Said]], batch: Sequence[_Line], following: Sequence[_Line]
    ) -> list[Draft]:
        talks = {session: list(said) for session, said in spoken.items()}
        places: dict[int, int] = {}
        for line in [*batch, *following]:
            talk = talks.setdefault(line.session, [])
            places[line.index] = len(talk)
            talk.append(line.said)
        drafts = []
        for line in batch:
            talk, place = talks[line.session], places[line.index]
            first = max(0, place - BEFORE)
            window = talk[first : place + 1 + AFTER]
            drafts.append(
                Draft(
                    content=line.turn.text,
                    contextualized=contextualize(window, place - first),
                    kind=Kind.EPISODIC,
                    source=line.turn.source or f"session:{line.session}",
                    identity=line.identity,
                    source_tag=line.turn.source_tag,
                    speaker=line.turn.speaker,
                    category=None,
                    importance=(
                        estimated_importance(line.turn.text)
                        if line.turn.importance is None
                        else line.turn.importance
                    ),
                    event_at=line.at,
                    known_at=line.at,
                    valid_from=line.at,
                    valid_to=FOREVER,
                    reopen=False,
                    compressed=line.turn.compressed,
                    source_confidence=line.turn.source_confidence,
                )
            )
        return drafts

    def _rows(self, drafts: Sequence[Draft], now: datetime) -> list[Row]:
        embedder = self._embedder()
        vectors = embed_memories(
            embedder, [(draft.kind, draft.content, draft.contextualized) for draft in drafts]
        )
        return [
            self._row(index, draft, vector, embedder.name, now)
            for index, (draft, vector) in enumerate(zip(drafts, vectors.tolist(), strict=True))
        ]

    def _row(self, index: int, draft: Draft, vector: list[float], model: str, now: datetime) -> Row:
        hashed = content_hash(draft.kind, draft.content, draft.identity)
        return {
            "index": index,
            "id": uuid4().hex,
            "content_hash": hashed,
            "reopen": draft.reopen,
            "tombstones": tombstones(hashed, draft.content),
            "label": draft.kind.label,
            "embedding": vector,
            "properties": self._properties(draft, model, now),
        }

    def _properties(self, draft: Draft, model: str, now: datetime) -> dict[str, Any]:
        return {
            "space_key": space_key(self._space),
            "kind": draft.kind.value,
            "category": draft.category,
            "content": draft.content,
            "compressed": draft.compressed,
            "contextualized": draft.contextualized,
            "tier": "working",
            "status": "active",
            "source": draft.source,
            "source_tag": draft.source_tag,
            "source_confidence": draft.source_confidence,
            "speaker": draft.speaker,
            "immutable": draft.immutable,
            "created_at": now,
            "event_at": draft.event_at,
            "known_at": draft.known_at,
            "valid_from": draft.valid_from,
            "valid_to": draft.valid_to,
            "last_accessed_at": now,
            "access_count": 0,
            "accessed_at": [],
            "seen_count": 1,
            "last_seen_at": now,
            "energy": CREATION_ENERGY,
            "energy_at": now,
            "reinforce_due_at": now,
            "expires_at": self._expires_at(now),
            # Beta(1, 4): new things matter little until use shows otherwise.
            "weight_alpha": 1.0,
            "weight_beta": 4.0,
            # A uniform prior and one observation, the source itself; the agent is no source.
            "truth_alpha": 2.0 if draft.source_tag == USER_TAG else 1.0,
            "truth_beta": 1.0,
            "importance": draft.importance,
            "embed_model": model,
            "version": 1,
            **draft.more,
        }

    def _expires_at(self, now: datetime) -> datetime:
        tuning = self._tuned()
        return expires_at(CREATION_ENERGY, now, rate=tuning["decay.working"], expiry=tuning["decay.expiry"])

    def _store(self, transaction: Transaction, rows: list[Row], now: datetime) -> list[Row]:
        shared, ordered = _factored(sorted(rows, key=lambda row: row["content_hash"]))
        found = transaction.run(
            "write/remember_memories",
            space=self._space,
            rows=ordered,
            shared=shared,
            hashes=sorted({each for row in rows for each in row["tombstones"]}),
            now=now,
        ).rows
        return sorted(found, key=lambda row: row["index"])


def turn_key(session: str, name: str, speaker: str, text: str) -> str:
    """Return the id of a turn in the graph.

    The text is part of it: two conversations that number their turns alike, or an edited turn, must not be taken
    for one.

    Args:
        session: The conversation's name.
        name: The turn's name within it.
        speaker: Who said it.
        text: What was said.
    """
    return hashlib.sha256("\x1f".join((session, name, speaker, normalise(text))).encode()).hexdigest()[:32]


def _factored(rows: Sequence[Row]) -> tuple[Row, list[Row]]:
    """Return the properties that all rows have alike, and the rows with the others.

    A time that is the event's own is left out; the statement fills it in.
    """
    slim = [
        {
            name: value
            for name, value in row["properties"].items()
            if name not in _USUALLY_EVENT_AT or value != row["properties"]["event_at"]
        }
        for row in rows
    ]
    first, *others = slim
    shared = {
        name: value
        for name, value in first.items()
        if all(name in other and other[name] == value for other in others)
    }
    return shared, [
        row | {"properties": {name: value for name, value in each.items() if name not in shared}}
        for row, each in zip(rows, slim, strict=True)
    ]


_USUALLY_EVENT_AT = {"known_at", "valid_from"}


def embed_memories(embedder: Embedder, texts: Sequence[tuple[Kind, str, str]]) -> Vectors:
    """Return the vectors that memories are stored with, shape (n, d): what was said and its context in one.

    Each is the direction between the vector of the content and that of the content in its context. The first
    tells a turn from its neighbours, whose contexts are nearly the same; the second finds "Yes, next Friday".
    The cosine with a question is then the mean of both cosines but for a factor, for the price of one index.

    Args:
        embedder: Makes the vectors.
        texts: Kind, content and context of each.
    """
    forms = [form for kind, *both in texts for form in (_prefixed(embedder, kind, text) for text in both)]
    vectors = embedder.embed(forms)
    # Opposite directions would leave nothing between them; no two texts about the same are.
    return unit_rows(vectors[0::2] + vectors[1::2])


def _prefixed(embedder: Embedder, kind: Kind, text: str) -> str:
    return prefixed(kind, text) if embedder.uses_prefixes else text


def tombstones(hashed: str, content: str) -> list[str]:
    """Return the hashes under which erased content is barred: its own and, if specific, its text's."""
    text = normalise(content)
    if len(text) < SPECIFIC:
        return [hashed]
    return [hashed, text_tombstone(text)]


def _link(line: _Line, memory: str, *, previous: str | None) -> Row:
    return {
        "turn": line.key,
        "session": line.session,
        "text": line.turn.text,
        "speaker": line.turn.speaker,
        "at": line.at,
        "caption": line.turn.caption,
        "source": line.turn.source,
        "source_tag": line.turn.source_tag,
        "told": line.turn.source_tag == USER_TAG,
        "memory": memory,
        "previous": previous,
    }


def _batches(lines: Iterator[_Line], size: int) -> Iterator[tuple[list[_Line], list[_Line]]]:
    """Yield batches, each with the lines that follow it and are not yet written."""
    batch: list[_Line] = []
    ahead: list[_Line] = []
    for line in lines:
        if len(batch) < size:
            batch.append(line)
            continue
        ahead.append(line)
        if len(ahead) == AFTER:
            yield batch, ahead
            batch, ahead = ahead, []
    if batch:
        yield batch, ahead
    if ahead:
        yield ahead, []
