"""Dates and times as people and programs write them, read as aware UTC."""

import re
from datetime import UTC, date, datetime, time, timedelta, timezone

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_CLOCK = re.compile(
    r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,](?P<fraction>\d{1,6})\d{0,3})?)?"
    r"(?:\s?(?P<half>[ap])\.?m\.?)?(?:\s?(?P<zone>z|utc|gmt|[+-]\d{2}:?\d{2}))?",
    re.IGNORECASE,
)
_YEAR_FIRST = re.compile(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})")
_YEAR_LAST = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})")
_DAY_MONTH = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?\.?\s+([a-z]{3,9})\.?,?\s+(\d{4})", re.IGNORECASE)
_MONTH_DAY = re.compile(r"([a-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})", re.IGNORECASE)

# Seconds since 1970 reach this in the year 5138; anything larger is milliseconds.
_MILLISECONDS_FROM = 1e11


def read_time(value: object) -> datetime | None:
    """Return the instant that `value` means, in UTC, or None if it means none.

    Args:
        value: A datetime or date, seconds or milliseconds since 1970, ISO 8601 text, or text with a date and
            perhaps a clock time in either order, such as `1:56 pm on 8 May, 2023`. Without a zone: UTC.
            Without a clock time: midnight.
    """
    try:
        if isinstance(value, bool):
            return None
        if isinstance(value, datetime):
            return _utc(value)
        if isinstance(value, date):
            return datetime.combine(value, time(), UTC)
        if isinstance(value, int | float):
            seconds = value / 1000 if abs(value) >= _MILLISECONDS_FROM else value
            return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
        if isinstance(value, str) and len(value) <= 80:
            return _from_text(" ".join(value.split()))
    except (ValueError, OverflowError):
        pass
    return None


def _from_text(text: str) -> datetime | None:
    try:
        # Bare digits such as "20240501" are as likely an id or seconds; only a written date counts.
        return _utc(datetime.fromisoformat(text)) if not text.isdecimal() else None
    except ValueError:
        pass
    clock = _CLOCK.search(text)
    if clock is None:
        found = read_date(text)
        return None if found is None else datetime.combine(found, time(), UTC)
    rest = (text[: clock.start()] + " " + text[clock.end() :]).strip(" ,;-")
    if rest.lower().startswith("on "):
        rest = rest[3:]
    day, at = read_date(rest), read_clock(clock.group())
    return None if day is None or at is None else _utc(datetime.combine(day, at))


def read_date(text: str, *, day_first: bool = True) -> date | None:
    """Return the date that `text` is, a leading weekday left aside, or None.

    Args:
        text: `2024-05-01`, `1.5.2024`, `5/1/24`, `1 May 2024`, `Wed, May 1st, 2024`.
        day_first: What `5/1/24` means; with dots the day always comes first.
    """
    words = text.strip(" ,").split(maxsplit=1)
    if len(words) == 2 and words[0].rstrip(",.").isalpha() and words[0][:3].lower() not in _MONTHS:
        text = words[1]
    text = text.strip(" ,")
    try:
        if match := _YEAR_FIRST.fullmatch(text):
            return date(int(match[1]), int(match[3]), int(match[4]))
        if match := _YEAR_LAST.fullmatch(text):
            year = int(match[4]) + (2000 if len(match[4]) == 2 else 0)
            first, second = int(match[1]), int(match[3])
            if match[2] == "." or day_first:
                return date(year, second, first)
            return date(year, first, second)
        if match := _DAY_MONTH.fullmatch(text):
            return date(int(match[3]), _month(match[2]), int(match[1]))
        if match := _MONTH_DAY.fullmatch(text):
            return date(int(match[3]), _month(match[1]), int(match[2]))
    except ValueError:
        pass
    return None


def read_clock(text: str) -> time | None:
    """Return the time of day that `text` is, aware, or None."""
    match = _CLOCK.fullmatch(text.strip())
    if match is None:
        return None
    hour = int(match["hour"])
    if match["half"]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if match["half"].lower() == "p" else 0)
    micro = int((match["fraction"] or "0").ljust(6, "0"))
    try:
        return time(hour, int(match["minute"]), int(match["second"] or 0), micro, _zone(match["zone"]))
    except ValueError:
        return None


def _zone(text: str | None) -> timezone:
    if text is None or text[0] not in "+-":
        return UTC
    offset = timedelta(hours=int(text[1:3]), minutes=int(text[-2:]))
    return timezone(-offset if text[0] == "-" else offset)


def _month(name: str) -> int:
    return _MONTHS.index(name[:3].lower()) + 1


def _utc(at: datetime) -> datetime:
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
