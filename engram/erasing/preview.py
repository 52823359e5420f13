"""What erasing would take, said before anything is."""

from collections.abc import Mapping
from dataclasses import dataclass, field

SHOWN = 5
"""Texts that are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What would go, what would be rewritten, and what would stay."""

    subject: str
    """What it is about, in words."""
    goes: Mapping[str, int]
    """Nodes that would be deleted, or taken out of recall, by label."""
    texts: tuple[str, ...] = ()
    """What the first of them say."""
    rewritten: Mapping[str, int] = field(default_factory=dict)
    """What would lose a quotation and stay, by label or type."""
    stays: tuple[str, ...] = ()
    """What would stay, and why, a sentence each."""

    def __bool__(self) -> bool:
        """Say whether anything would change."""
        return bool(self.goes or self.rewritten)
