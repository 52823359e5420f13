"""Plain transcripts: `Name: what she said`, with or without times, over one line or several."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time

from engram.records import Turn

from .jsonl import TOO_LONG
from .record import Names
from .source import MAX_LINE_CHARS, Source
from .times import read_clock, read_date, read_time

_CLOCK = (
    r"\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?:\s?[AaPp]\.?[Mm]\b\.?)?"
    r"(?:\s?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2})\b)?"
)
_DAY = r"(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d{2}))"
_STAMP = rf"(?:(?P<day>{_DAY})(?:(?:T|,?\s{{1,3}}){_CLOCK})?|{_CLOCK})"
_BRACKETED = re.compile(
    rf"[\[(]\s{{0,3}}(?P<stamp>{_STAMP})\s{{0,3}}[\])]\s*(?:[-\u2013\u2014]\s*)?(?P<rest>.*)", re.DOTALL
)
_BARE = re.compile(
    rf"(?P<stamp>(?:(?P<day>{_DAY})(?:T|,?\s{{1,3}}))?{_CLOCK})\s+(?:[-\u2013\u2014|]\s*)?(?P<rest>.*)",
    re.DOTALL,
)
_PLAIN_LABEL = re.compile(r"(?P<name>[^:\uff1a\n*]{1,60})[:\uff1a](?P<rest>.*)", re.DOTALL)
_BOLD_LABEL = re.compile(
    r"\*\*(?P<name>[^:\uff1a\n*]{1,60}?)(?:\*\*[:\uff1a]|[:\uff1a]\*\*)(?P<rest>.*)", re.DOTALL
)
_DATED = re.compile(rf"(?P<stamp>{_DAY}),?\s+(?:[-\u2013\u2014|]\s*)?(?P<rest>.*)", re.DOTALL)
_PHONE = re.compile(r"\+?[\d\s()-]{6,24}")
_ORDERED = re.compile(r"(\d{1,2})[-/](\d{1,2})[-/](?:\d{4}|\d{2})(?!\d)")
_FRAME = " \t#*=_~-\u2013\u2014[]()"

# Chat programs put direction marks around names and a narrow space before "PM".
_INVISIBLE = dict.fromkeys(
    map(ord, "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff")
)
_SPACES = {ord("\u202f"): " ", ord("\u00a0"): " "}


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What one line is at first sight."""

    speaker: str | None
    text: str
    stamp: str | None = None
    dated: bool = False
    """The stamp has a date or stands in brackets, so that no sentence begins like this by chance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """How a transcript as a whole is written."""

    turns: int
    stamped: bool
    """Every turn begins with a time; what looks like a name elsewhere is part of a message."""
    day_first: bool
    ambiguous: bool
    """Neither order of day and month is ruled out."""


def read_transcript(source: Source, *, session: str, notices: list[str]) -> Iterator[tuple[int, Turn | str]]:
    """Yield the number of each turn's first line and the turn, or the reason why it is none.

    A turn begins at `Name:`, perhaps after a time, and goes on until the next one; lines of a date alone give
    the day to what follows. A name is up to five words, the last of which begins with a capital (or has none, as
    in Chinese); after a time any name will do. Times without a zone are UTC.

    Args:
        source: The text.
        session: The session of all turns.
        notices: Gets what the person should know: lines left out, dates that can be read two ways.
    """
    layout = survey(line for _, line in source.lines())
    if layout.ambiguous:
        notices.append(
            f"{source.name}: dates such as 3/4/2026 are read as day/month; write them as year-month-day to be sure"
        )
    names = Names()
    reader = _Reader(layout)
    for number, line in source.lines():
        if line is None:
            yield from _finished(reader.end(), names, session)
            yield number, TOO_LONG
        else:
            yield from _finished(reader.add(number, line), names, session)
    yield from _finished(reader.end(), names, session)
    if reader.preamble:
        notices.append(f"{source.name}: lines that belong to no speaker, left out: {reader.preamble}")
    if reader.system:
        notices.append(f"{source.name}: lines with a time but no speaker, left out: {reader.system}")
    if reader.continued:
        notices.append(f"{source.name}: lines taken as continuing the turn before them: {reader.continued}")


def survey(lines: Iterable[str | None]) -> Layout:
    """Look through all lines for how turns begin and in which order dates are written."""
    stamped = plain = 0
    day_first = month_first = ordered = False
    for line in lines:
        if line is None:
            continue
        seen = look(line)
        if seen.speaker is not None:
            stamped += seen.stamp is not None
            plain += seen.stamp is None
        stated = seen.stamp or (line.strip(_FRAME) if len(line) <= 40 else "")
        if match := _ORDERED.match(stated):
            ordered = True
            day_first |= int(match[1]) > 12
            month_first |= int(match[2]) > 12
    return Layout(
        turns=stamped or plain,
        stamped=stamped > 0 and stamped >= plain,
        day_first=day_first or not month_first,
        ambiguous=ordered and day_first == month_first,
    )


def look(line: str) -> Line:
    """Say what `line` is: a time, a speaker and a text, as far as it has them."""
    # Marks further in belong to what was said.
    clean = (line[:200].translate(_INVISIBLE).translate(_SPACES) + line[200:]).strip()
    match = _BRACKETED.match(clean) or _BARE.match(clean)
    if match is None:
        # A date alone also begins sentences, so the name after it must look like one.
        if day := _DATED.match(clean):
            name, text = _label(day["rest"], stamped=False)
            if name is not None:
                return Line(speaker=name, text=text, stamp=day["stamp"], dated=True)
        name, text = _label(clean, stamped=False)
        return Line(speaker=name, text=text)
    name, text = _label(match["rest"].strip(), stamped=True)
    dated = match["day"] is not None or clean[0] in "[("
    return Line(speaker=name, text=text, stamp=match["stamp"], dated=dated)


def _label(text: str, *, stamped: bool) -> tuple[str | None, str]:
    match = _BOLD_LABEL.match(text) or _PLAIN_LABEL.match(text)
    if match is None:
        return None, text
    name, rest = match["name"].strip(), match["rest"]
    spaced = (
        not rest or rest[0].isspace() or text[match.start("rest") - 1] == "\uff1a" or text.startswith("**")
    )
    if rest.startswith("//") or not (spaced or stamped) or not _is_name(name, stamped=stamped):
        return None, text
    return name, rest.strip()


def _is_name(name: str, *, stamped: bool) -> bool:
    name = name.lstrip("@~ ")
    if stamped and _PHONE.fullmatch(name):
        return True
    words = name.split()
    if not words or len(words) > 5 or not name[0].isalpha():
        return False
    if not all(
        char.isalnum() or char.isspace() or char in ".'\u2019\u00b7-_()&@+" or not char.isascii()
        for char in name
    ):
        return False
    if stamped or len(words) == 1:
        return True
    # "She said: no" is a sentence, "Anna van Dijk: no" is a speaker.
    return not any(word[0].islower() for word in (words[0], words[-1]))


class _Reader:
    """Puts lines together to turns."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._day: date | None = None
        self._dated_apart = False
        self._last: datetime | None = None
        self._lines: list[str] = []
        self._size = 0
        self._start: tuple[int, str, datetime | None] | None = None
        self.preamble = 0
        self.system = 0
        self.continued = 0

    def add(self, number: int, line: str) -> "_Spoken | None":
        """Take one line; return the turn that it ends, if it ends one."""
        seen = look(line)
        # Under a line with the date alone turns may do without times of their own.
        if self._start is None and self._day is not None:
            self._dated_apart = True
        if seen.speaker is not None and (seen.stamp or self._dated_apart or not self._layout.stamped):
            self._dated_apart &= seen.stamp is None
            done = self.end()
            self._start = (number, seen.speaker, self._at(seen.stamp))
            self._lines, self._size = [seen.text], len(seen.text)
            return done
        if seen.stamp is None and len(line) <= 60 and (day := self._date(line.strip(_FRAME))):
            self._day, self._last = day, datetime.combine(day, time(), UTC)
            return self.end()
        if seen.stamp is not None and seen.dated and self._layout.stamped:
            self.system += 1
            return self.end()
        if self._start is not None:
            self.continued += bool(line.strip())
            self._size += len(line) + 1
            if self._size <= MAX_LINE_CHARS:
                self._lines.append(line.rstrip())
        elif line.strip():
            self.preamble += 1
        return None

    def end(self) -> "_Spoken | None":
        """Return the turn under way, if there is one."""
        if self._start is None:
            return None
        number, speaker, at = self._start
        text = None if self._size > MAX_LINE_CHARS else "\n".join(self._lines).strip()
        self._start, self._lines, self._size = None, [], 0
        return _Spoken(line=number, speaker=speaker, at=at, text=text)

    def _at(self, stamp: str | None) -> datetime | None:
        """Return when a turn with this stamp was said; without one, the time before it stands."""
        if stamp is None:
            return self._last
        first, _, rest = stamp.replace("T", " ", 1).partition(" ")
        if day := self._date(first.rstrip(",")):
            self._day = day
        clock = read_clock(rest if day else stamp)
        if self._day is not None:
            at = datetime.combine(self._day, clock or time(0, 0, tzinfo=UTC))
            self._last = read_time(at) or self._last
        return self._last

    def _date(self, text: str) -> date | None:
        return read_date(text, day_first=self._layout.day_first)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Spoken:
    line: int
    speaker: str
    at: datetime | None
    text: str | None
    """None: too long to keep."""


def _finished(spoken: _Spoken | None, names: Names, session: str) -> Iterator[tuple[int, Turn | str]]:
    if spoken is None:
        return
    if spoken.text is None:
        yield spoken.line, TOO_LONG
    elif not spoken.text:
        yield spoken.line, "has no text"
    else:
        name = names.make(session, at=spoken.at, speaker=spoken.speaker, text=spoken.text)
        turn = Turn(text=spoken.text, speaker=spoken.speaker, at=spoken.at, session=session, id=name)
        yield spoken.line, turn
