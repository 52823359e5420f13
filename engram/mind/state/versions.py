"""Versions of the working memory in the graph: which is in force, and how the next one comes to be.

Versions are numbered from 1 and never changed but by erasing. Two who make the next one at the same time try for the same
number: one gets it, and the other begins anew.
"""

import hashlib
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from engram.errors import NotFoundError
from engram.graph import Graph, Row, Transaction
from engram.mind.state.erasing import without
from engram.mind.state.lines import KEPT_KEY, Line, kept, parsed
from engram.mind.state.sections import Section, without_section
from engram.mind.state.signals import Levels

LISTED = 1_000
"""Versions that a history shows."""

VersionState = Literal["taken", "refused"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cited:
    """A memory that the version in force rests on."""

    memory: str
    key: str
    status: str
    content: str
    importance: float
    event_at: datetime
    away: bool = False
    """Whether a job has put it away, or it is dormant: it is believed still, and found where it is asked for."""

    @property
    def believed(self) -> bool:
        """Whether it may be told: it was not forgotten, and is not replaced."""
        return self.status == "active" or self.away


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A note that waits for the next version."""

    id: str
    content: str
    importance: float
    event_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class InForce:
    """The version that was taken last."""

    version: int
    at: datetime
    stored: str
    """Its text as it was taken."""
    mood: str
    seeded: bool
    """Whether it was made by taking in a person's text."""
    cites: tuple[Cited, ...]

    @property
    def text(self) -> str:
        """What it says: no line that rests on a memory which is not believed any more, or was forgotten."""
        return self.text_without(())

    def text_without(self, ids: Collection[str]) -> str:
        """Return its text, without what rests on some memories either."""
        gone = [each for each in self.cites if not each.believed or each.memory in ids]
        above = [each.content for each in gone if each.key == KEPT_KEY]
        return without(self.stored, {each.key for each in gone}, above) if gone else self.stored

    def told(self, ids: Collection[str] = ()) -> str:
        """Return what a model is told of it, without what rests on some memories.

        The phenotype is a view for people: who the agent is, is drawn anew for every prompt, and never told from a text.
        """
        return without_section(self.text_without(ids), Section.PHENOTYPE)

    @property
    def lines(self) -> dict[Section, tuple[Line, ...]]:
        """Its lines, each with what it rests on."""
        by_key: dict[str, list[str]] = defaultdict(list)
        for each in self.cites:
            by_key[each.key].append(each.memory)
        return parsed(self.stored, by_key)

    @property
    def kept(self) -> str:
        """A person's own text above it."""
        return kept(self.text)

    @property
    def kept_cites(self) -> tuple[Cited, ...]:
        """The memories that hold that text."""
        return tuple(each for each in self.cites if each.key == KEPT_KEY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """The last version, which was refused."""

    version: int
    at: datetime
    text: str
    reason: str
    basis: str | None
    """Hash of what it was made of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where the working memory of a space stands."""

    force: InForce | None
    last: int
    """Number of the last version, taken or refused; 0: there is none."""
    last_at: datetime | None
    notes: tuple[Note, ...]
    """What was noted since, the oldest first."""
    levels: Levels | None
    """The signals as they were written last."""
    counted_at: datetime | None
    """Until when what the graph records was counted for them."""
    seen_at: datetime | None
    """When a conversation ended last."""
    refused: Refused | None = None
    """The last version, where that was refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A version that is to be stored."""

    number: int
    at: datetime
    state: VersionState
    text: str
    mood: str
    reason: str | None
    """Why it was refused."""
    plain: bool
    """Whether no model had a part in it."""
    levels: Levels
    run: str
    """What made it; unique."""
    cites: tuple[Row, ...] = ()
    """`{memory, line, key}`."""
    consumed: tuple[str, ...] = ()
    """Ids of the notes that are in it."""
    seed: str | None = None
    """Hash of the person's text that it takes in."""
    basis: str | None = None
    """Hash of what it was made of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A version, as a history shows it."""

    version: int
    at: datetime
    state: VersionState
    reason: str | None
    mood: str
    chars: int
    plain: bool
    cites: int
    """Memories that it rests on."""
    text: str = field(default="", repr=False)


def standing(graph: Graph, *, space: str) -> Standing:
    """Return where the working memory of a space stands, in one round trip."""
    row = graph.read("mind/state_read", space=space)[0]
    manifest: Mapping[str, object] = row["manifest"] or {}
    force = row["force"]
    return Standing(
        force=None if force is None else _in_force(force, row["cites"]),
        last=row["last"],
        last_at=row["last_at"],
        refused=None if row["refused"] is None else Refused(**row["refused"]),
        notes=tuple(Note(**each) for each in row["notes"]),
        levels=levels_of(manifest),
        counted_at=manifest.get("counted_at"),  # type: ignore[arg-type]  # a datetime or nothing
        seen_at=manifest.get("last_seen_at"),  # type: ignore[arg-type]
    )


def levels_of(held: Mapping[str, object]) -> Levels | None:
    """Return the signals as a manifest holds them; None where it holds none."""
    at = held.get("signals_at")
    if not isinstance(at, datetime):
        return None
    shares = {name: held.get(name) for name in ("achievement", "friction", "bonding")}
    return Levels(at=at, **{name: float(value) for name, value in shares.items() if isinstance(value, float)})


def store(graph: Graph, draft: Draft, *, space: str) -> bool:
    """Store a version with what it rests on, in one transaction.

    Returns:
        Whether it is stored. It is not where somebody else has its number, or where a memory that it tells has been erased
        since it was made: then it has to be made anew.
    """
    row = {
        "id": _version_id(space, draft.number),
        "version": draft.number,
        "at": draft.at,
        "state": draft.state,
        "text": draft.text,
        "mood": draft.mood,
        "reason": draft.reason,
        "chars": len(draft.text),
        "plain": draft.plain,
        "seeded": draft.seed is not None,
        "seed": draft.seed,
        "basis": draft.basis,
        "run": draft.run,
        "achievement": draft.levels.achievement,
        "friction": draft.levels.friction,
        "bonding": draft.levels.bonding,
    }

    def work(transaction: Transaction) -> bool:
        ids = sorted({*(each["memory"] for each in draft.cites), *draft.consumed})
        if len(transaction.run("write/lock_memories", space=space, ids=ids).rows) < len(ids):
            return False
        stored = transaction.run(
            "mind/state_store",
            space=space,
            version=row,
            cites=list(draft.cites),
            consumed=list(draft.consumed),
        )
        return bool(stored.rows[0]["taken"])

    return graph.transact(work)


def history(graph: Graph, *, space: str, limit: int = LISTED) -> tuple[Version, ...]:
    """Return the versions of a space, the newest first."""
    return _versions(graph, space=space, number=None, limit=limit)


def get(graph: Graph, number: int, *, space: str) -> Version:
    """Return the version of that number.

    Raises:
        NotFoundError: There is none.
    """
    found = _versions(graph, space=space, number=number, limit=1)
    if not found:
        raise NotFoundError(
            f"There is no version {number} of the working memory in the space {space!r}.",
            remedy="`engram state history` lists them.",
        )
    return found[0]


def _versions(graph: Graph, *, space: str, number: int | None, limit: int) -> tuple[Version, ...]:
    rows: Sequence[Row] = graph.read("mind/state_list_versions", space=space, number=number, limit=limit)
    names = ("version", "at", "state", "reason", "mood", "chars", "plain", "text")
    return tuple(
        Version(**{name: row["version"][name] for name in names}, cites=row["cites"]) for row in rows
    )


def _in_force(held: Row, cites: Sequence[Row]) -> InForce:
    own = [Cited(**{name: each[name] for name in Cited.__slots__}) for each in cites]
    return InForce(
        version=held["version"],
        at=held["at"],
        stored=held["text"],
        mood=held["mood"] or "",
        seeded=bool(held["seeded"]),
        cites=tuple(own),
    )


def _version_id(space: str, number: int) -> str:
    return hashlib.sha256(f"{space}\x1f{number}".encode()).hexdigest()[:32]
