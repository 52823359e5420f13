"""What a dream came to: a value that says whether it was worth it."""

from dataclasses import asdict, dataclass, field

from engram.text import inert

LONGEST_TOLD = 80
"""Characters of an item that are told when it is dropped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """Something that a dream did not make, and why."""

    what: str
    why: str

    @classmethod
    def of(cls, text: str, why: str) -> "Dropped":
        """Return it with the beginning of its text."""
        return cls(what=inert(text, LONGEST_TOLD), why=why)


@dataclass(frozen=True, slots=True, kw_only=True)
class DreamYield:
    """What one dream came to, by sort: one of the five at least, or it was too shallow (DMN algorithms, 4)."""

    links: int = 0
    """Citations, tensions found, and episodes connected with goals."""
    insights: int = 0
    """New ones."""
    prunings: int = 0
    """Sources that fell quiet, and lines that were written anew."""
    topics: int = 0
    """Narratives: what has a story now."""
    priorities: int = 0
    """Goals that press otherwise than before, tensions settled, and memories that are found by another context."""

    def __add__(self, other: "DreamYield") -> "DreamYield":
        mine, theirs = asdict(self), asdict(other)
        return DreamYield(**{name: mine[name] + theirs[name] for name in mine})

    @property
    def shallow(self) -> bool:
        """Whether it came to nothing."""
        return not any(asdict(self).values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What became of an item."""

    id: str | None = None
    """The memory's, where one was made or found again."""
    new: bool = False
    brought: DreamYield = field(default_factory=DreamYield)
    dropped: Dropped | None = None
