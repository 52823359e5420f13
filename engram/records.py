"""The values that cross module borders: turns in, memories and hits out."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any

from engram.errors import InvalidInputError

FOREVER = datetime(9999, 12, 31, tzinfo=UTC)
"""The open end of an interval: `valid_to` of what is still so."""


STOPPED = "stopped before its end; the next run goes on"
"""What a `:JobRun` says that somebody ended before its time: no failure."""
USER_TAG = "external_user"
"""Source tag of what a person said."""
REPLY_TAG = "internal_reply"
"""Source tag of what the agent answered."""


class Kind(StrEnum):
    """What sort of memory it is; the value's capitalised form is its label in the graph."""

    EPISODIC = "episodic"
    SEMANTIC = "semantic"
    PROCEDURAL = "procedural"
    PREFERENCE = "preference"
    REFLECTION = "reflection"
    CORRECTION = "correction"
    NARRATIVE = "narrative"
    TENSION = "tension"

    @property
    def label(self) -> str:
        """The node label, e.g. `Episodic`."""
        return self.value.capitalize()


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One thing said in a conversation."""

    text: str
    speaker: str
    at: datetime | None = None
    """When it was said; naive times are taken as UTC. None: the time of storing."""
    session: str = "default"
    """The conversation's name within the space."""
    id: str | None = None
    """The turn's own name within the session, so that importing twice stores once.

    None: its time tells it from others that say the same; without a time either, its position in the call does,
    so that two calls with the same text store one turn.
    """
    caption: str | None = None
    """What a picture sent along shows, in words."""
    source: str | None = None
    """Where the turn came from: a file name, an application. None: the session."""
    source_tag: str = USER_TAG
    """Whose thought it is; a model's own words are no evidence that they are true."""
    compressed: str | None = None
    """It in one line, for a prompt that has no room for all of it."""
    source_confidence: float = 1.0
    """Of the source in it, 0 to 1."""
    importance: float | None = None
    """0 to 1; None: estimated from the text's form."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One thing remembered, as it stands in the graph; the embedding stays there."""

    id: str
    space: str
    kind: Kind
    content: str
    contextualized: str
    category: str | None
    compressed: str | None
    tier: str
    status: str
    source: str
    """Where it came from, e.g. `user`, `import:notes.md`."""
    source_tag: str
    source_confidence: float
    speaker: str | None
    immutable: bool
    created_at: datetime
    event_at: datetime
    known_at: datetime
    valid_from: datetime
    valid_to: datetime
    last_accessed_at: datetime
    access_count: int
    seen_count: int
    """How many times it was said: 1, plus each later remember of the same."""
    energy: float
    """As stored at `energy_at`; see `engram.energy.energy_now`."""
    energy_at: datetime
    expires_at: datetime
    weight_alpha: float
    weight_beta: float
    truth_alpha: float
    truth_beta: float
    importance: float
    embed_model: str
    version: int
    created: bool = True
    """False where `remember` found it already there."""


def memory_from(properties: Mapping[str, Any], *, created: bool = True) -> Memory:
    """Return the memory whose node has these properties."""
    stored: dict[str, Any] = {name: properties.get(name) for name in _STORED}
    return Memory(**stored, kind=Kind(properties["kind"]), created=created)


_STORED = tuple(item.name for item in fields(Memory) if item.name not in {"kind", "created"})

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
TIMES = tuple(item.name for item in fields(Memory) if item.type is datetime)
"""A memory's times, in the order in which `recall/find_candidates` returns them."""
PLAIN = tuple(item.name for item in fields(Memory) if item.name != "created" and item.name not in TIMES)
"""Its other properties, in that order."""


def memory_from_columns(plain: Sequence[Any], times: Sequence[int]) -> Memory:
    """Return the memory with these properties, in the order of `PLAIN`, and times, in that of `TIMES`.

    Times are microseconds since 1970: a recall looks at hundreds of memories and returns ten, so only those
    are worth a `datetime`.
    """
    stored = dict(zip(PLAIN, plain, strict=True)) | {
        name: _EPOCH + timedelta(microseconds=value) for name, value in zip(TIMES, times, strict=True)
    }
    return Memory(**stored | {"kind": Kind(stored["kind"])})


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One memory that a recall brought back."""

    memory: Memory
    rank: int
    """1 is the best."""
    score: float
    similarity: float | None = None
    """Cosine of the question and the memory, -1 to 1; None where there was no vector to compare."""
    terms: dict[str, float] | None = None
    """What the score is made of (`explain=True`); the values add up to `score`."""
    notes: tuple[str, ...] = ()
    """What was left out of this recall and why, e.g. that the reranker took too long."""
    recall: str | None = None
    """Id of the recall, where it is recorded."""
    rate: Callable[[bool], None] | None = field(default=None, repr=False, compare=False)
    """Takes the verdict on this hit to the recall's record."""

    def useful(self, verdict: bool = True) -> None:  # noqa: FBT001, FBT002  (reads as said: hit.useful(False))
        """Say that this hit helped, or with False that it did not; the space's blend learns from it.

        Raises:
            InvalidInputError: The recall was `read_only`, so there is nothing to learn from.
        """
        if self.rate is None:
            raise InvalidInputError(
                "This recall is not recorded, so it cannot be judged.",
                remedy="Recall without read_only=True and as_of.",
            )
        self.rate(verdict)


class Hits(list[Hit]):
    """What a recall brought back, best first: a list, and what is true of the recall as a whole."""

    def __init__(
        self,
        hits: Iterable[Hit] = (),
        *,
        recall: str | None = None,
        notes: tuple[str, ...] = (),
        understood: tuple[str, ...] = (),
    ) -> None:
        super().__init__(hits)
        self.recall = recall
        """Id of the recall, where it is recorded."""
        self.notes = notes
        """What was left out and why; also on each hit."""
        self.understood = understood
        """What of the question was understood as a time or a name, in words."""
        self.used: Callable[[Sequence[str]], Hits] | None = None
        """Takes the ids of what was used; None where all was, or where there is nothing to learn."""

    def learn(self, used: Sequence[str]) -> "Hits":
        """Say which of a `read_only` recall's hits were used after all, by their ids, best first.

        Returns:
            Those hits, with the id of the recall that is now recorded; none, and nothing is recorded, if none was.

        Raises:
            InvalidInputError: An id is not among the hits, or this recall was learned from already or asked for
                the past.
        """
        if self.used is None:
            raise InvalidInputError("This recall was learned from already, or asked for the past.")
        learned = self.used(list(dict.fromkeys(used)))
        self.used = None
        return learned


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One step of a chain of evidence: a node that a memory rests on, and how."""

    depth: int
    relationship: str
    """`DERIVED_FROM`, `SUPERSEDES`, ...; empty for the memory itself."""
    parent: str | None
    id: str
    label: str
    text: str
    at: datetime | None
    who: str | None
    detail: dict[str, Any] = field(default_factory=dict)
    """Properties of the relationship: reason, citation, strength."""
    status: str | None = None
    """The memory's; None of a turn or a session."""
    truth: float | None = None
    """Mean of the memory's truth, 0 to 1."""
    evidence: float | None = None
    """How much evidence that rests on: pieces for and against, beyond a uniform prior."""
    repeated: bool = False
    """Whether the chain has reached it before: what it leads on to stands there."""
    broken: bool = False
    """Whether it is a memory below which nothing is recorded that it rests on."""
    left_out: dict[str, int] = field(default_factory=dict)
    """How many further steps lead on from it, by relationship: too many to be shown, or too deep."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingested:
    """What `remember_turns` did with a conversation."""

    stored: int
    """New memories."""
    seen: int
    """Turns that were there already."""
    refused: tuple[tuple[int, str], ...]
    """Index and reason of each turn that was not stored: blank, too long, erased before."""
    memories: tuple[str, ...]
    """The id of each stored or seen turn's memory, in the turns' order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """How much a space holds."""

    space: str
    memories: int
    by_kind: dict[str, int]
    by_tier: dict[str, int]
    by_status: dict[str, int]
    sessions: int
    turns: int
    relationships: int
    first_event_at: datetime | None
    last_event_at: datetime | None
