"""What may come in: each function returns the clean value or raises `InvalidInputError` with the reason."""

import hashlib
import re
import unicodedata
from datetime import UTC, datetime, time, timedelta

from engram.errors import InvalidInputError
from engram.records import FOREVER, Kind

MAX_K = 1_000
"""More hits than this is an export, not a recall."""
MAX_NAME = 200
"""Longest space, session, speaker or source name, in characters."""
MAX_QUERY_TERMS = 128
"""Distinct words of a query that the full-text index is asked for; Lucene refuses over 1,024 clauses."""

# C0 and C1 controls other than tab, line feed and carriage return; they can carry terminal escapes.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_DATE = re.compile(r"\d{4}-?\d{2}-?\d{2}|\d{4}-?W\d{2}-?\d?")
_BLANK = re.compile(r"\s+")
_WORD = re.compile(r"[^\W_]+(?:['\u2019.-][^\W_]+)*")
_INSIDE = "'\u2019.-"
"""What may stand inside a word."""


def check_content(content: str, *, limit: int, what: str = "The content", remedy: str | None = None) -> str:
    """Return `content` without surrounding white space.

    Args:
        content: The text as said.
        limit: The most bytes of UTF-8 that it may hold.
        what: What it is, for a person.
        remedy: What to do where it is empty or too long; that of a memory if left out.
    """
    if not isinstance(content, str):
        raise InvalidInputError(f"Content must be text, not {type(content).__name__}.")
    _check_characters(content, what)
    text = content.strip()
    if not text or not any(_visible(character) for character in text):
        raise InvalidInputError(f"{what} is empty.", remedy=remedy or "Say what should be remembered.")
    size = len(text.encode())
    if size > limit:
        raise InvalidInputError(
            f"{what} has {size:,} bytes; the limit is {limit:,}.",
            remedy=remedy or "Split it, `engram import` a file of it, or raise ENGRAM_MAX_CONTENT_BYTES.",
        )
    return text


def check_query(query: str) -> str:
    """Return the query without surrounding white space; long ones are fine, blank ones are not."""
    if not isinstance(query, str):
        raise InvalidInputError(f"A query must be text, not {type(query).__name__}.")
    if _SURROGATE.search(query):
        raise InvalidInputError("The query holds an unpaired surrogate.", remedy="Check its encoding.")
    text = _CONTROL.sub(" ", query).strip()
    if not text:
        raise InvalidInputError("The query is empty.", remedy="Ask something.")
    return text


def check_k(k: int) -> int:
    """Return `k` where it is a usable number of hits."""
    if isinstance(k, bool) or not isinstance(k, int):
        raise InvalidInputError(f"k must be a whole number, not {k!r}.")
    if not 1 <= k <= MAX_K:
        raise InvalidInputError(f"k must be between 1 and {MAX_K:,}, not {k:,}.")
    return k


def check_kind(kind: Kind | str) -> Kind:
    """Return the kind called `kind`, in any case."""
    try:
        return Kind(str(kind).lower())
    except ValueError:
        raise InvalidInputError(
            f"There is no kind {kind!r}.", remedy=f"Kinds: {', '.join(member.value for member in Kind)}."
        ) from None


def check_name(name: str, what: str) -> str:
    """Return a space's, session's, speaker's or source's name: any printable text, however odd."""
    if not isinstance(name, str):
        raise InvalidInputError(f"{what} must be text, not {type(name).__name__}.")
    _check_characters(name, what)
    text = " ".join(name.split())
    if not text:
        raise InvalidInputError(f"{what} is empty.")
    if len(text) > MAX_NAME:
        raise InvalidInputError(f"{what} has {len(text):,} characters; the limit is {MAX_NAME}.")
    return text


def check_fraction(value: float, what: str) -> float:
    """Return `value` where it lies between 0 and 1."""
    if not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InvalidInputError(f"{what} must be between 0 and 1, not {value!r}.")
    return float(value)


def check_time(value: datetime | str | None, what: str, *, whole_day: bool = False) -> datetime | None:
    """Return a time in UTC.

    Text is read as ISO 8601 (`2026-05-01`, `2026-05-01T10:30`, `…+02:00`, `…Z`); a time without a zone
    is taken as UTC, a date alone as its beginning, or with `whole_day` as its end.
    """
    if value is None:
        return None
    if isinstance(value, str):
        try:
            text = value.strip()
            value = datetime.fromisoformat(text)
            if whole_day and _DATE.fullmatch(text):
                value = datetime.combine(value.date(), time.max)
        except ValueError:
            raise InvalidInputError(
                f"{what} is not a date: {value!r}.", remedy="Write it as 2026-05-01 or 2026-05-01T10:30."
            ) from None
    if not isinstance(value, datetime):
        raise InvalidInputError(f"{what} must be a date and time, not {type(value).__name__}.")
    if value.tzinfo is None:
        value = value.replace(tzinfo=UTC)
    # Near the ends of the calendar a change of zone would overflow.
    edge = timedelta(days=2)
    if not datetime.min.replace(tzinfo=UTC) + edge < value <= FOREVER:
        raise InvalidInputError(f"{what} is out of range: {value}.")
    return value.astimezone(UTC)


def normalise(content: str) -> str:
    """Return the form that content is compared in: NFKC, case folded, white space collapsed."""
    return _BLANK.sub(" ", unicodedata.normalize("NFKC", content).casefold()).strip()


def content_hash(kind: Kind, content: str, source: str) -> str:
    """Return the identity of a memory: SHA-256 over kind, normalised content and source, in hex."""
    return hashlib.sha256("\x1f".join((kind.value, normalise(content), source)).encode()).hexdigest()


def text_tombstone(text: str) -> str:
    """Return the hash under which erased words are barred, whoever says them and wherever."""
    return hashlib.sha256(f"text\x1f{normalise(text)}".encode()).hexdigest()


def space_key(space: str) -> str:
    """Return a space as one token that no analyzer splits or stems: a letter, hex, a closing digit."""
    return "s" + hashlib.sha256(space.encode()).hexdigest()[:24] + "0"


def lexical_query(query: str, space: str, field: str) -> str:
    """Return the query over one field in Lucene's syntax, scoped to `space`; empty where no word is left.

    Only words survive, so no operator of the user's reaches the parser. A zero-boost clause demands the
    space without touching the score.
    """
    words = list(dict.fromkeys(word.lower() for word in _words(query)))[:MAX_QUERY_TERMS]
    terms = " ".join(re.sub(r"([^\w\s])", r"\\\1", word) for word in words if len(word.encode()) < 1_000)
    if not terms:
        return ""
    return f"+space_key:{space_key(space)}^0 +{field}:({terms})"


def _words(text: str) -> list[str]:
    if text.isascii():
        return _WORD.findall(text)
    # Many scripts write vowels as marks, which no regular expression of the standard library counts as letters.
    spaced = "".join(
        each if each.isalnum() or each in _INSIDE or unicodedata.category(each).startswith("M") else " "
        for each in text
    )
    return [word for each in spaced.split() if (word := each.strip(_INSIDE))]


def _visible(character: str) -> bool:
    # Zero-width and format characters alone say nothing.
    return not character.isspace() and unicodedata.category(character) not in {"Cf", "Cc", "Cn"}


def _check_characters(text: str, what: str) -> None:
    if found := _SURROGATE.search(text):
        raise InvalidInputError(
            f"{what} holds an unpaired surrogate at character {found.start()}.",
            remedy="Check the encoding it was read with.",
        )
    if found := _CONTROL.search(text):
        raise InvalidInputError(
            f"{what} holds the control character U+{ord(found[0]):04X} at character {found.start()}.",
            remedy="Remove it; line breaks and tabs are fine.",
        )
