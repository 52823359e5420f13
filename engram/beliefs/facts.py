"""Facts: what is drawn from turns, before and after it is a memory.

A fact is a `:Memory` with a category, and where it has them a subject (whose it is), a slot (which attribute) and a
value, e.g. Anna, `home`, Leiden. What two facts say about the same subject and slot can be compared without a model.

Source of the ten categories: the extraction of the project's second seed.
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Literal, Self

from engram.beliefs.policy.kinds import MemoryKind
from engram.entities import entity_key
from engram.records import FOREVER, Kind


class Category(StrEnum):
    """What sort of fact it is."""

    FACT = "fact"
    PREFERENCE = "preference"
    CORRECTION = "correction"
    ENTITY = "entity"
    DECISION = "decision"
    RELATIONSHIP = "relationship"
    PRINCIPLE = "principle"
    COMMITMENT = "commitment"
    MOMENT = "moment"
    SKILL = "skill"


KINDS: Mapping[Category, Kind] = MappingProxyType(
    dict.fromkeys(Category, Kind.SEMANTIC)
    | {
        Category.PREFERENCE: Kind.PREFERENCE,
        Category.SKILL: Kind.PROCEDURAL,
        Category.MOMENT: Kind.EPISODIC,
    }
)
"""The kind of memory that a category becomes. A correction of what the agent said is another thing: `Kind.CORRECTION`."""

Revision = Literal["none", "change", "correction"]
"""What the words say of what was so before: nothing; it was so and has changed; it never was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceTurn:
    """A turn that facts are drawn from."""

    id: str
    """The turn's, in the graph."""
    text: str
    speaker: str
    at: datetime
    session: str
    source_tag: str
    caption: str | None = None
    """What a picture sent along shows, in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """The words of a turn that a fact rests on."""

    turn: str
    """The turn's id."""
    text: str
    """A span of the turn, as it stands there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """What was drawn from turns, and is not a memory yet."""

    content: str
    """One sentence that stands by itself."""
    category: Category
    quotes: tuple[Quote, ...]
    """At least one."""
    at: datetime
    """When it was said."""
    speaker: str
    """Who said it."""
    source_tag: str
    subject: str | None = None
    """Whose it is: a name as it was said; of what people say about themselves, their own."""
    slot: str | None = None
    """Which attribute of the subject, as `slot_key` gives it, e.g. `home`, `employer`, `likes:tea`."""
    value: str | None = None
    """What it is; None with `negated`: it is nothing any more."""
    single: bool = False
    """Whether a subject has one value of this slot at a time; of the others, another value says nothing."""
    negated: bool = False
    """Whether it says that the slot does not, or no longer, have this value."""
    revision: Revision = "none"
    confidence: float = 1.0
    """Of whoever drew it, 0 to 1."""
    memory_kind: MemoryKind | None = None
    """Whether it happened once or stays so; None: its words decide."""
    valid_from: datetime | None = None
    """Since when it holds; None: since it was said."""
    valid_to: datetime | None = None
    """Until when it holds, exclusive; None: open."""
    entities: tuple[str, ...] = ()
    """Names of who and what it is about, beside the subject."""

    @property
    def subject_key(self) -> str | None:
        """The key of the subject's entity, before names that mean the same are taken together."""
        return (entity_key(self.subject) or None) if self.subject else None


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldFact:
    """A fact as it stands in the graph, as far as others are compared with it."""

    id: str
    content: str
    category: str | None
    subject: str | None
    """Key of the subject's entity; of names that mean the same, the one that stands for all."""
    slot: str | None
    value: str | None
    single: bool
    negated: bool
    speaker: str | None
    source_tag: str
    status: str
    immutable: bool
    event_at: datetime
    valid_from: datetime
    valid_to: datetime = FOREVER
    truth: float = 0.5
    """Mean of its truth, 0 to 1."""
    similarity: float | None = None
    """Cosine with what it is compared with, where that was taken."""
    entities: tuple[str, ...] = ()
    """Keys of who and what it mentions."""

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Self:
        """Return the fact in a row with these columns; further columns are left out."""
        columns = {name: row[name] for name in cls.__slots__ if name in row}
        return cls(**columns | {"entities": tuple(row.get("entities") or ())})


def slot_key(name: str) -> str:
    """Return the form in which slots are compared: lower case, words joined by `_`, parts by `:`."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    parts = (re.sub(r"\W+", "_", part).strip("_") for part in folded.split(":"))
    return ":".join(part for part in parts if part)


def value_key(value: str) -> str:
    """Return the form in which values are compared: case, punctuation, articles and spaces left out."""
    words = re.findall(r"\w+", unicodedata.normalize("NFKC", value).casefold())
    return " ".join(word for word in words if word not in _ARTICLES) or " ".join(words)


_ARTICLES = frozenset({"a", "an", "the"})
