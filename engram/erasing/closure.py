"""What goes with memories and turns: whatever says the same, was drawn from them alone, or quotes them as context."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from engram.beliefs.truth import find_leaning, settle_leaning, settle_truth
from engram.context import quotation, quotes, without_lines
from engram.embedding.protocol import Embedder
from engram.graph import Graph, Row, Transaction
from engram.records import Kind
from engram.remembering import SPECIFIC, embed_memories, tombstones
from engram.tuning import Tuning, read_tuning
from engram.validation import content_hash

SHORTEST_QUOTATION = 4
"""Characters from which a question that holds erased content is taken to quote it."""

Read = Callable[..., list[Row]]
"""Runs a reading statement: `Graph.read`, or one in a transaction."""


@dataclass(frozen=True, slots=True)
class Roots:
    """What a person wants gone."""

    memories: tuple[str, ...] = ()
    """Ids."""
    turns: tuple[str, ...] = ()
    """Ids."""

    def __bool__(self) -> bool:
        """Say whether there is any."""
        return bool(self.memories or self.turns)


@dataclass(frozen=True, slots=True, kw_only=True)
class Closure:
    """What goes with some roots; rows as `inspect/find_erasure` and `inspect/find_quoting` return them."""

    roots: Roots
    gone: Sequence[Row]
    turns: Sequence[Row]
    citations: Sequence[str]
    queries: Sequence[str]
    sessions: Sequence[str]
    linked: Sequence[str]
    shaken: Sequence[str]
    quoting: Sequence[Row]
    """Memories whose context quotes one of the gone; each with `rewritten`, the context without it."""
    leaning: Sequence[str] = field(default=())
    """Ids of memories whose truth leans on that of the shaken ones."""

    @property
    def ids(self) -> list[str]:
        """Ids of the memories that go, ascending."""
        return sorted(row["id"] for row in self.gone)

    @property
    def turn_ids(self) -> list[str]:
        """Ids of the turns that go, ascending."""
        return sorted(row["id"] for row in self.turns)

    @property
    def touched(self) -> list[str]:
        """Ids of the memories that are locked, ascending; deleting a link locks both of its ends."""
        return sorted({*self.ids, *(row["id"] for row in self.quoting), *self.linked, *self.leaning})

    @property
    def texts(self) -> list[str]:
        """All texts that go, and the contexts that are rewritten, as they may have been embedded."""
        contexts = [row["contextualized"] for row in (*self.gone, *self.quoting)]
        # Before the next turn was said, a context ended a line earlier.
        earlier = [context.rpartition("\n")[0] for context in contexts]
        said = [row["content"] for row in self.gone] + [row["text"] for row in self.turns]
        return [text for text in dict.fromkeys((*said, *contexts, *earlier, *self.queries)) if text]


def find_closure(read: Read, roots: Roots, *, space: str) -> Closure:
    """Return what goes with some roots as things are."""
    found = read(
        "inspect/find_erasure",
        space=space,
        ids=[*roots.memories],
        turns=[*roots.turns],
        specific=SPECIFIC,
        shortest=SHORTEST_QUOTATION,
    )[0]
    said = [(row["content"], row["speaker"]) for row in found["gone"]]
    said += [(row["text"], row["speaker"]) for row in found["turns"]]
    lines = sorted({quotation(text, speaker) for text, speaker in said})
    near = read(
        "inspect/find_quoting",
        space=space,
        sessions=sorted(found["sessions"]),
        gone=[row["id"] for row in found["gone"]],
        quotes=lines,
    )
    return Closure(roots=roots, quoting=_rewritten(near, lines), **found)


def _rewritten(near: Sequence[Row], lines: Collection[str]) -> list[Row]:
    rows = [
        row
        | {
            "rewritten": without_lines(
                row["contextualized"],
                content=row["content"],
                speaker=row["speaker"],
                unwanted=lambda line: any(quotes(line, each) for each in lines),
            )
        }
        for row in near
    ]
    return [row for row in rows if row["rewritten"] != row["contextualized"]]


def erase_closure(graph: Graph, embedder: Embedder, roots: Roots, *, space: str, now: datetime) -> Closure:
    """Delete what goes with some roots, in one transaction, and return it.

    All is found and changed under the locks of its sessions, memories and turns. What rests on something else too stays,
    with the evidence that is left to it. Only what was said leaves tombstones: what was drawn from it may be drawn from
    other words.
    """
    tuning = read_tuning(graph, space=space)
    done: list[Closure] = []

    def work(transaction: Transaction) -> None:
        closure = _locked(transaction, roots, space)
        # What names keep of them goes while they can still be told by it.
        transaction.run("believe/entity_forget", space=space, ids=closure.ids)
        transaction.run("write/erase_memories", space=space, now=now, **_condemned(closure))
        requote(transaction, embedder, closure.quoting, space=space)
        _settle(transaction, closure, space, tuning)
        done[:] = [closure]

    graph.transact(work)
    return done[0]


def requote(transaction: Transaction, embedder: Embedder, rows: Sequence[Row], *, space: str) -> None:
    """Give memories, which are locked, the context `rewritten`, and the vector that goes with it."""
    if not rows:
        return
    vectors = embed_memories(
        embedder, [(Kind(row["kind"]), row["content"], row["rewritten"]) for row in rows]
    ).tolist()
    written = [
        {"id": row["id"], "contextualized": row["rewritten"], "embedding": vector}
        for row, vector in zip(rows, vectors, strict=True)
    ]
    transaction.run(
        "write/rewrite_context", space=space, rows=sorted(written, key=lambda row: str(row["id"]))
    )


def _settle(transaction: Transaction, closure: Closure, space: str, tuning: Tuning) -> None:
    settle_truth(transaction, space=space, ids=sorted(closure.shaken), tuning=tuning)
    settle_leaning(transaction, space=space, ids=list(closure.leaning), tuning=tuning)


def _locked(transaction: Transaction, roots: Roots, space: str) -> Closure:
    """Return what goes, found when nobody can quote it or rest on it any more."""

    def read(name: str, **parameters: object) -> list[Row]:
        return transaction.run(name, **parameters).rows

    def find() -> Closure:
        found = find_closure(read, roots, space=space)
        leaning = find_leaning(transaction, space=space, ids=sorted(found.shaken))
        return replace(found, leaning=leaning)

    found = find()
    # Writers of turns lock the session first, so nobody adds a quotation from here on.
    transaction.run("write/lock_session_names", space=space, sessions=sorted(found.sessions))
    transaction.run("write/lock_memories", space=space, ids=found.touched)
    # Who draws facts from a turn locks it after the memories, so nobody adds one from here on.
    transaction.run("believe/fact_lock_turns", space=space, ids=found.turn_ids)
    locked, found = {*found.touched}, find()
    if not {*found.touched} <= locked:
        transaction.run("write/lock_memories", space=space, ids=found.touched)
    return found


def _condemned(closure: Closure) -> Row:
    """Return what `write/erase_memories` takes beside the space and the time."""
    said = [row for row in closure.gone if not row["drawn"]]
    hashes = {
        hashed for row in said for hashed in tombstones(row["content_hash"].partition("-")[0], row["content"])
    }
    # A turn that a person named became no memory; it would, said again.
    asked = [row for row in closure.turns if row["id"] in closure.roots.turns]
    hashes |= {
        hashed
        for row in asked
        for hashed in tombstones(content_hash(Kind.EPISODIC, row["text"], f"turn:{row['id']}"), row["text"])
    }
    words = {row["content"].lower() for row in closure.gone} | {row["text"].lower() for row in asked}
    cited = words | {citation.lower() for citation in closure.citations}
    return {
        "ids": closure.ids,
        "turns": closure.turn_ids,
        "hashes": sorted(hashes),
        "words": sorted(_long_enough(words)),
        "quotes": sorted(_long_enough(cited)),
    }


def _long_enough(texts: set[str]) -> set[str]:
    return {text for text in texts if len(text) >= SHORTEST_QUOTATION}
