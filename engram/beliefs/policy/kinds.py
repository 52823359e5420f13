"""Episode or note: whether a memory tells of something that happened once, or of something that stays so.

An episode is kept as it was. A note may be reconsolidated: a newer one may update or replace it.

Source: the classification of the project's second seed, in its order of priority.
"""

import re
from collections.abc import Collection
from enum import StrEnum

from engram.records import Memory

NOTE_CATEGORIES = frozenset(
    {
        "fact",
        "preference",
        "correction",
        "entity",
        "decision",
        "relationship",
        "principle",
        "commitment",
        "skill",
    }
)
EPISODE_CATEGORIES = frozenset({"moment", "event", "action"})
NOTE_TAGS = frozenset({"note", "belief", "preference", "decision", "principle", "policy", "rule"})
EPISODE_TAGS = frozenset({"episode", "event", "incident", "meeting", "log"})

_DAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_UNITS = r"(?:minute|hour|day|week|month|year)s?"
# A day that comes again and again dates nothing: "every Tuesday", "on Tuesdays".
_ONCE = re.compile(
    rf"""
    \b(?:yesterday|today|tonight|tomorrow)\b(?!'s\b)
    | \bthis\ (?:morning|afternoon|evening|weekend)\b
    | \b(?:last|next)\ (?:night|week|weekend|month|year|spring|summer|autumn|fall|winter|{_DAYS})\b
    | (?<!every\ )(?<!each\ )\b(?:on|this)\ {_DAYS}\b
    | \b(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|a\ few)\ {_UNITS}\ ago\b
    | \b(?:just\ now|earlier\ today|the\ other\ day)\b
    | \b\d{{4}}-\d{{2}}-\d{{2}}\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
# Only verbs whose form says no state: "is called", "is married" and "the left one" tell of what stays.
_HAPPENED = re.compile(
    r"\b(?:deployed|merged|fixed|shipped|released|launched|installed|migrated|broke|crashed|failed|finished|started"
    r"|went|came|met|visited|bought|sold|sent|received|moved|travelled|traveled|arrived|saw|heard|watched|ate|cooked"
    r"|played|won|found|attended|celebrated|died|signed|cancelled|canceled)\b",
    re.IGNORECASE,
)
_STANDS = re.compile(
    r"\b(?:prefers?|likes?|loves?|hates?|dislikes?|wants?|needs?|believes?|values?|always|never|usually|often|must"
    r"|should|shall|is\ allergic|is\ called|works?\ (?:as|at|for)|lives?\ in|every|each)\b",
    re.IGNORECASE,
)


class MemoryKind(StrEnum):
    """What a memory tells of; the property `memory_kind` holds it."""

    EPISODE = "episode"
    NOTE = "note"


def memory_kind(content: str, *, category: str | None = None, tags: Collection[str] = ()) -> MemoryKind:
    """Return whether a memory is an episode or a note; the first sign that it bears decides.

    In this order: a time that dates it (episode), its category, its tags (a note's before an episode's), a verb that
    says that something happened (episode), a word that says that something stays so (note); else an episode, which
    nothing rewrites.

    Args:
        content: What it says.
        category: Its category, if it has one.
        tags: Its tags, if it has any.
    """
    if _ONCE.search(content):
        return MemoryKind.EPISODE
    marks = {tag.casefold() for tag in tags}
    sort = category.casefold() if category is not None else ""
    signs = (
        (sort in NOTE_CATEGORIES, MemoryKind.NOTE),
        (sort in EPISODE_CATEGORIES, MemoryKind.EPISODE),
        (not marks.isdisjoint(NOTE_TAGS), MemoryKind.NOTE),
        (not marks.isdisjoint(EPISODE_TAGS), MemoryKind.EPISODE),
        (_HAPPENED.search(content) is not None, MemoryKind.EPISODE),
        (_STANDS.search(content) is not None, MemoryKind.NOTE),
    )
    return next((kind for borne, kind in signs if borne), MemoryKind.EPISODE)


def may_reconsolidate(memory: Memory, *, stored: str | None = None) -> bool:
    """Return whether a newer memory may update or replace this one in reconsolidation: only an active, mutable note.

    Args:
        memory: The older one.
        stored: Its property `memory_kind`; None, or a word that is no kind, classifies its text.
    """
    if memory.immutable or memory.status != "active":
        return False
    if stored in set(MemoryKind):
        return stored == MemoryKind.NOTE
    return memory_kind(memory.content, category=memory.category) == MemoryKind.NOTE
