"""Time expressions in a question, resolved to spans of time: tables of patterns, no language model.

What is counted back in a unit was rounded to that unit, so it gets half a unit on either side:

| expression | span |
|---|---|
| `N hours ago` | that hour, and 30 minutes on either side |
| `N days ago` | that day |
| `N weeks ago`, `N fortnights ago` | that day ± 3 days, ± 7 days |
| `N months ago` | that day ± 15 days |
| `N years ago`, `N decades ago` | that day ± 183 days, ± 1,826 days |
| `a few`, `several` | 3, with one more unit on either side |
| `early`, `mid`, `late` | the first, second, last third, in whole days |
| `around` | its own length on either side |
| `the week before`, `the Sunday after` a time | the 7 days that end, or begin, there |
| `the week of` a time | that time ± 3 days |
| `last night`, `tonight` | 18:00 to 06:00 |
| `spring`, `summer`, `autumn`, `winter` | three months from March, June, September, December |

Without a year, a month, a date, a season or a weekday is the latest one that has begun; `last` is the
latest one that is over, `next` the first that has not begun. Weeks begin on Monday (ISO 8601), days at
midnight UTC. To teach it an expression, add a row to `_EXPRESSIONS` or `_PARTS`.
"""

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from functools import partial
from string import ascii_lowercase, ascii_uppercase

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """The time that some words of a question speak of.

    Attributes:
        start: First instant, inclusive, UTC.
        end: First instant after it, UTC; the calendar's end is the last instant that `datetime` can hold.
        text: The words as written.
    """

    start: datetime
    end: datetime
    text: str


# Instants are offsets from the first of January of the year 1: unlike datetimes they add without overflow.
_Interval = tuple[timedelta, timedelta]
_Intervals = list[_Interval]
_Resolver = Callable[[re.Match[str], timedelta], _Intervals]
_Times = Callable[[timedelta], _Intervals]
_Change = Callable[[_Interval, timedelta], _Interval]
_Prefixes = tuple[tuple[re.Pattern[str], _Change], ...]

_ZERO = timedelta(0)
_DAY = timedelta(days=1)
_FIRST = datetime.min.replace(tzinfo=UTC)
_CALENDAR_END = datetime.max.replace(tzinfo=UTC) - _FIRST
_TICK = timedelta(microseconds=1)

_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
# First month from January and how many, by the first three letters.
_PERIODS = {name: (n, 1) for n, name in enumerate(_MONTHS)}
_PERIODS |= {"spr": (2, 3), "sum": (5, 3), "aut": (8, 3), "fal": (8, 3), "win": (11, 3)}
_PERIODS |= {f"q{n + 1}": (3 * n, 3) for n in range(4)}
# Month, first day and how many.
_HOLIDAYS = {"christmas": (12, 24, 3), "halloween": (10, 31, 1), "valentine's day": (2, 14, 1)}
_HOLIDAYS |= {"new year's eve": (12, 31, 1), "new year's day": (1, 1, 1)}
# Mean length in the Gregorian calendar, and what `ago` adds on either side.
_UNITS = {
    "hour": (timedelta(hours=1), timedelta(minutes=30)),
    "day": (_DAY, _ZERO),
    "week": (7 * _DAY, 3 * _DAY),
    "fortnight": (14 * _DAY, 7 * _DAY),
    "month": (30.436875 * _DAY, 15 * _DAY),
    "year": (365.2425 * _DAY, 183 * _DAY),
    "decade": (3652.425 * _DAY, 1826 * _DAY),
}
_COUNTS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7}
_COUNTS |= {"eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "couple": 2, "few": 3, "several": 3}
_SHIFTS = {"last": -1, "previous": -1, "this": 0, "next": 1}


def _date(now: timedelta) -> date:
    return (_FIRST + now).date()


def _days(year: int, month: int, day: int, count: int = 1) -> _Intervals:
    try:
        start = (date(year, month, day).toordinal() - 1) * _DAY
    except ValueError:
        return []
    return [(start, start + count * _DAY)]


def _months(index: int, count: int) -> _Intervals:
    """Return `count` months from the month `index`, counted from January of the year 0."""

    def start(month: int) -> timedelta:
        year, n = divmod(max(month, 12), 12)
        return (date(year, n + 1, 1).toordinal() - 1) * _DAY if year < 10_000 else _CALENDAR_END

    return [(start(index), start(index + count))]


def _calendar_unit(unit: str, now: timedelta, shift: int) -> _Intervals:
    """Return the week, month, quarter, year or decade around `now`, moved by `shift` units."""
    if unit == "week":
        # The first of January of the year 1 was a Monday.
        monday = (now // (7 * _DAY) + shift) * 7 * _DAY
        return [(monday, monday + 7 * _DAY)]
    size = {"month": 1, "quarter": 3, "year": 12, "decade": 120}[unit]
    day = _date(now)
    return _months(((day.year * 12 + day.month - 1) // size + shift) * size, size)


def _recurring(make: Callable[[int], _Intervals], match: re.Match[str], now: timedelta) -> _Intervals:
    """Return the occurrence of something yearly that the groups `year` and `which` ask for."""
    groups, this_year = match.groupdict(), _date(now).year
    if year := groups.get("year"):
        return make(int(year) if year.isdigit() else this_year + _SHIFTS[year.split()[0]])
    # Eight years: the longest wait between two leap days.
    near = [found for n in range(this_year - 8, this_year + 9) for found in make(n)]
    match groups.get("which"):
        case "last":
            return [found for found in near if found[1] <= now][-1:]
        case "next":
            return [found for found in near if found[0] > now][:1]
        case "this":
            return [found for found in near if found[0] <= now < found[1]] or make(this_year)
        case _:
            return [found for found in near if found[0] <= now][-1:]


def _period(match: re.Match[str], now: timedelta) -> _Intervals:
    first, count = _PERIODS[match["period"][:3]]
    # The winter of 2022 may have begun in 2021 or in 2022.
    readings = (-12, 0) if match["period"] == "winter" and match.groupdict().get("year") else (0,)
    firsts = [first + shift for shift in readings]
    return _recurring(lambda year: [_months(year * 12 + n, count)[0] for n in firsts], match, now)


def _month_day(match: re.Match[str], now: timedelta) -> _Intervals:
    month, day = _MONTHS.index(match["month"][:3]) + 1, int(match["day"])
    return _recurring(lambda year: _days(year, month, day), match, now)


def _holiday(match: re.Match[str], now: timedelta) -> _Intervals:
    month, day, count = _HOLIDAYS[" ".join(match["holiday"].split())]
    return _recurring(lambda year: _days(year, month, day, count), match, now)


def _iso(match: re.Match[str], _now: timedelta) -> _Intervals:
    year, month, day = (int(match.groupdict().get(name) or 0) for name in ("y", "m", "d"))
    if day:
        return _days(year, month, day)
    return _months(year * 12 + month - 1, 1) if month else _months(year * 12, 12)


def _numeric_date(match: re.Match[str], _now: timedelta) -> _Intervals:
    """Read 8/5/2023 both ways, day first and month first; one reading where the other is no date."""
    one, two, year = int(match["one"]), int(match["two"]), int(match["y"])
    return sorted({*_days(year, one, two), *_days(year, two, one)})


def _decade(match: re.Match[str], now: timedelta) -> _Intervals:
    first = int(match["first"])
    if first < 100:
        # The latest that has begun: in 2023 the 20s are the 2020s, the 90s the 1990s.
        first += (_date(now).year - first) // 100 * 100
    return _months(first * 12, 120)


def _shifted(match: re.Match[str], now: timedelta) -> _Intervals:
    which = match.groupdict().get("which")
    return _calendar_unit(match["unit"], now, _SHIFTS[which] if which else -2)


def _clock(shift: int, first: int = 0, count: int = 24) -> _Resolver:
    """Return the resolver to `count` hours from the hour `first` of the day `shift` days from now."""

    def resolve(_match: re.Match[str], now: timedelta) -> _Intervals:
        start = (now // _DAY + shift) * _DAY + timedelta(hours=first)
        return [(start, start + timedelta(hours=count))]

    return resolve


def _weekend(match: re.Match[str], now: timedelta) -> _Intervals:
    # Without a word for it, the weekend is the latest that has begun.
    then, shift = (now, _SHIFTS[match["which"]]) if match["which"] else (now - 5 * _DAY, 0)
    return [(end - 2 * _DAY, end) for _, end in _calendar_unit("week", then, shift)]


def _weekday(match: re.Match[str], now: timedelta) -> _Intervals:
    groups, weekday, today = match.groupdict(), _WEEKDAYS.index(match["weekday"][:3]), now // _DAY
    if week := groups.get("week"):
        day = today - today % 7 + weekday + 7 * _SHIFTS[week]
    elif groups.get("which") == "this":
        day = today - today % 7 + weekday
    elif groups.get("which") == "next":
        day = today + 1 + (weekday - today - 1) % 7
    else:
        latest = today - (groups.get("which") == "last")
        day = latest - (latest - weekday) % 7
    return [(day * _DAY, (day + 1) * _DAY)]


def _counted(match: re.Match[str], now: timedelta) -> tuple[timedelta, timedelta, timedelta, timedelta]:
    """Return the instant so many units before `now`, the grain it is good for, half a unit, and the slack."""
    word = re.sub(r"^a\s+(?=\w)|\s+of$", "", match["count"] or "one")
    length, half = _UNITS[match["unit"]]
    count = int(word) if word.isdigit() else _COUNTS[word]
    grain = min(length, _DAY)
    return (now - count * length) // grain * grain, grain, half, (word in {"few", "several"}) * length


def _ago(match: re.Match[str], now: timedelta) -> _Intervals:
    then, grain, half, slack = _counted(match, now)
    return [(then - half - slack, then + grain + half + slack)]


def _past(match: re.Match[str], now: timedelta) -> _Intervals:
    then, _, _, slack = _counted(match, now)
    return [(then - slack, now)]


def _thirds(first: int) -> Callable[[_Interval, timedelta], _Interval]:
    def part(interval: _Interval, _now: timedelta) -> _Interval:
        start, end = interval
        grain = _DAY if end - start >= 3 * _DAY else _TICK
        count = (end - start) // grain
        return start + count * first // 3 * grain, start + count * (first + 1) // 3 * grain

    return part


def _after(words: str, then: str) -> str:
    """Return the pattern of `then` right after one of `words`, which are not part of the match."""
    return "(?:" + "|".join(rf"(?<=\b{word}[\s-])" for word in words.split()) + ")" + then


def _before(source: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{source})(?: the)?[\s-]{{1,3}}$".replace(" ", r"\s{1,3}"))


_AMBIGUOUS = "march|april|may|june|august|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
_PLAIN = "january|february|july|september|october|november|december"
_MONTH = f"(?:{_PLAIN}|{_AMBIGUOUS})"
_SEASON = "(?:spring|summer|autumn|fall|winter)"
_WEEKDAY = "(?P<weekday>(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
_WHICH = "(?P<which>last|this|next)"
_UNIT = f"(?P<unit>{'|'.join(_UNITS)})s?"
_COUNT = rf"(?P<count>\d{{1,4}}|(?:a )?(?:couple(?: of)?|few)|{'|'.join(_COUNTS)})"
_QUANTITY = (
    "people|persons?|men|women|children|kids|users?|guests|students|employees|members|dollars|euros?|pounds|usd|eur|"
    "percent|steps|calories|kcal|miles?|km|kilomet(?:er|re)s|met(?:er|re)s?|feet|ft|cm|mm|m|kg|kilos|g|mg|lbs?|"
    "words|pages|lines|copies|units|items|points|votes|times|hours?|hrs|minutes|seconds|days|weeks|months|years|"
    "[kmg]b|ms|watts|rpm"
)
_NO_QUANTITY = rf"(?!\s?[%€£]|[.,:]\d| (?:{_QUANTITY})(?!\w))"
_NO_VERB = "(?! (?:be|been|have|not|never|well|also|still|or may|seem|mean|cause|take|need|help|lead|happen|rain)(?!\\w))"
# "This may" is a verb unless the sentence pauses after it or goes on with a word that no verb can be.
_NO_THIS_MAY = (
    r"(?!this may(?!\s?$|\s?[^\w\s]| (?:and|or|at|in|on|to|with|for|we|i|did|was|were|is|that)(?!\w)))"
)
_YEAR = rf"(?P<year>[12]\d{{3}}(?!\w){_NO_QUANTITY}|(?:last|this|next) year)"
_OF_YEAR = rf"(?:,? |,)(?:of )?{_YEAR}"
_DATE_OF = r"(?<![\d.,:/$-])(?P<day>0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?"
_DAY_NAME = r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?,? )?"
_LEADS = "in during of by since before after until till around circa early mid late"
_BARE_YEAR = (
    r"(?:(?<![-/#$€£])(?<!\d[.,])(?<![$€£]\s)|(?<=\d{4}-)|(?<=early-)|(?<=mid-)|(?<=late-))"
    rf"(?P<y>(?:19|20)\d\d)(?!/|-(?!(?:19|20)\d\d(?!\w))\d){_NO_QUANTITY}"
)

_EXPRESSIONS: tuple[tuple[re.Pattern[str], _Resolver], ...] = tuple(
    (re.compile(rf"(?<!\w)(?:{source})(?!\w)".replace(" ", r"\s{1,3}")), resolver)
    for source, resolver in (
        (
            r"(?<![-/.])(?P<y>\d{4})(?P<s>[-/.])(?P<m>0?[1-9]|1[0-2])(?P=s)(?P<d>\d?[1-9]|[123]0)(?:t[\d:.]{2,15}z?)?",
            _iso,
        ),
        (r"(?<![-/.])(?P<one>\d\d?)(?P<s>[-/.])(?P<two>\d\d?)(?P=s)(?P<y>\d{4})(?![-/])", _numeric_date),
        (r"(?<![-/.])(?P<y>(?:19|20)\d\d)-(?P<m>0[1-9]|1[0-2])(?!-)", _iso),
        (_BARE_YEAR, _iso),
        (rf"{_DAY_NAME}{_DATE_OF}(?: of)? (?P<month>{_MONTH})(?:\.?{_OF_YEAR}|{_NO_VERB})", _month_day),
        (rf"{_DAY_NAME}(?P<month>{_MONTH})\.? {_DATE_OF}(?!\w)(?:{_OF_YEAR}|{_NO_QUANTITY})", _month_day),
        (rf"(?P<period>{_MONTH}|{_SEASON}|q[1-4])\.?{_OF_YEAR}", _period),
        (rf"{_YEAR}[\s-](?P<period>q[1-4])", _period),
        (rf"{_NO_THIS_MAY}{_WHICH} (?P<period>{_MONTH}|{_SEASON}){_NO_VERB}", _period),
        (_after(_LEADS, rf"(?P<period>{_AMBIGUOUS}){_NO_VERB}"), _period),
        (_after("between from and or to through", rf"(?P<weak>)(?P<period>{_AMBIGUOUS}){_NO_VERB}"), _period),
        (rf"(?P<period>{_PLAIN})", _period),
        (_after(f"over {_LEADS}", rf"(?:the )?(?P<period>{_SEASON})"), _period),
        (rf"(?:{_WHICH} )?(?P<holiday>{'|'.join(_HOLIDAYS)})(?: eve| day)?(?:{_OF_YEAR})?", _holiday),
        (r"(?:the )?(?P<first>(?:1\d|20)\d0)'?s", _decade),
        (_after("the early mid late", r"'?(?P<first>\d0)'?s"), _decade),
        ("(?P<which>last|previous|this|next) (?P<unit>week|month|quarter|year|decade)", _shifted),
        ("the (?P<unit>week|month|quarter|year|decade) before last", _shifted),
        (rf"(?<![.,-])(?<!ty\s){_COUNT} {_UNIT} (?:ago|back)", _ago),
        (rf"(?:last|past|previous) (?:{_COUNT} )?{_UNIT}", _past),
        ("the day before yesterday", _clock(-2)),
        ("yesterday", _clock(-1)),
        ("today|this (?:morning|afternoon|evening)", _clock(0)),
        ("tomorrow", _clock(1)),
        ("the day after tomorrow", _clock(2)),
        ("last night", _clock(-1, 18, 12)),
        ("tonight", _clock(0, 18, 12)),
        (rf"(?:{_WHICH}|(?:at|on|over) the) weekend(?! (?:of|before|after)(?!\w))", _weekend),
        (rf"{_WHICH} {_WEEKDAY}", _weekday),
        (rf"{_WEEKDAY}(?: of)? (?P<week>last|this|next) week", _weekday),
        (_after("on since before after until", _WEEKDAY), _weekday),
        (_after("between from and or to through", rf"(?P<weak>){_WEEKDAY}"), _weekday),
    )
)
"""What stands for a time by itself: whole words, a space being up to three blanks (bounded, so that the
search stays linear). The longest match wins, of equals the first row; `weak` ones count in a range or a list only."""

_PARTS: _Prefixes = (
    (_before("(?:the )?day before"), lambda times, _: (times[0] - _DAY, times[0])),
    (_before("(?:the )?day after"), lambda times, _: (times[1], times[1] + _DAY)),
    (
        _before(rf"(?:the )?(?:week(?:end)?|{_WEEKDAY}) before"),
        lambda times, _: (times[0] - 7 * _DAY, times[0]),
    ),
    (
        _before(rf"(?:the )?(?:week(?:end)?|{_WEEKDAY}) after"),
        lambda times, _: (times[1], times[1] + 7 * _DAY),
    ),
    (_before("the week(?:end)? of"), lambda times, _: (times[0] - 3 * _DAY, times[1] + 3 * _DAY)),
    (_before("early(?: in)?|(?:the )?(?:beginning|start) of"), _thirds(0)),
    (_before("mid|(?:the )?middle of"), _thirds(1)),
    (_before("late(?: in)?|(?:the )?end of"), _thirds(2)),
    (_before("around|circa"), lambda times, _: (2 * times[0] - times[1], 2 * times[1] - times[0])),
)
"""Words before a time that name a part of it or what lies beside it."""
_BOUNDS: _Prefixes = (
    (_before("since"), lambda times, now: (times[0], now)),
    (_before("after"), lambda times, now: (times[1], now)),
    (_before("before|prior to"), lambda times, _: (_ZERO, times[0])),
    (_before("until|till|up to"), lambda times, _: (_ZERO, times[1])),
)
"""Words that make a time, or a range, an open interval."""
_OPENING = _before("between|from")
_JOINER = re.compile(r"\s{1,3}(?:(?P<and>and)|to|through|until|till)\s{1,3}(?:the\s{1,3})?|\s?-\s?")
_LISTED = re.compile(r",?\s{1,3}(?:and|or)\s{1,3}")
_REPEATS = frozenset({_period, _month_day, _holiday, _weekday})
_REACH = 32
"""Characters in which a prefix or a joining word must lie."""
_FOLD = str.maketrans(ascii_uppercase + "\u2019\u2010\u2011\u2012\u2013\u2014", ascii_lowercase + "'-----")
_FOREIGN_DIGIT = re.compile(r"(?![0-9])\d")


@dataclass(frozen=True, slots=True)
class _Found:
    """An expression: its place in the text and its times as a function of now."""

    begin: int
    end: int
    resolve: _Times
    repeats: bool = False
    weak: bool = False


def find_spans(text: str, at: datetime) -> tuple[Span, ...]:
    """Return the spans of time that `text` speaks of, in the order of their words, each once.

    Takes English in any case, and any script's digits; `8/5/2023` gives a span for either reading. Any
    text is fine; what is no time gives nothing.

    Args:
        text: The question.
        at: When it is asked; without a zone it is taken as UTC.
    """
    folded = _FOREIGN_DIGIT.sub(lambda digit: str(int(digit[0])), text.translate(_FOLD))
    now = at.replace(tzinfo=UTC) - _FIRST - (at.utcoffset() or _ZERO)
    now = min(max(now, _ZERO), _CALENDAR_END)
    found = _prefixed(_longest(_candidates(folded, now), len(folded)), _PARTS, folded)
    found = _prefixed(_joined(found, folded), _BOUNDS, folded)
    words: dict[_Interval, str] = {}
    for one in found:
        for interval in _within_calendar(one, now):
            words.setdefault(interval, text[one.begin : one.end])
    return tuple(Span(start=_FIRST + a, end=_FIRST + b, text=said) for (a, b), said in words.items())


def within(spans: Sequence[Span], times: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which `times` (epoch seconds, any shape) lie in at least one span; none do without spans."""
    result = np.zeros(times.shape, dtype=np.bool_)
    for span in spans:
        result |= (span.start.timestamp() <= times) & (times < span.end.timestamp())
    return result


def _within_calendar(found: _Found, now: timedelta) -> _Intervals:
    clipped = ((max(start, _ZERO), min(end, _CALENDAR_END)) for start, end in found.resolve(now))
    return [(start, end) for start, end in clipped if start < end]


def _candidates(text: str, now: timedelta) -> Iterator[_Found]:
    for pattern, resolver in _EXPRESSIONS:
        for match in pattern.finditer(text):
            groups = match.groupdict()
            repeats = resolver in _REPEATS and not any(groups.get(name) for name in ("year", "which", "week"))
            weak = groups.get("weak") is not None
            found = _Found(*match.span(), partial(resolver, match), repeats=repeats, weak=weak)
            if _within_calendar(found, now):
                yield found


def _longest(candidates: Iterable[_Found], length: int) -> list[_Found]:
    """Return the candidates that no longer one overlaps, in order; of equally long ones the first row's."""
    taken, kept = bytearray(length), []
    for found in sorted(candidates, key=lambda one: one.begin - one.end):
        if not any(taken[found.begin : found.end]):
            taken[found.begin : found.end] = b"\1" * (found.end - found.begin)
            kept.append(found)
    return sorted(kept, key=lambda one: one.begin)


def _prefixed(found: list[_Found], table: _Prefixes, text: str) -> list[_Found]:
    """Apply the table's words where they stand before an expression, after the one before it."""
    result: list[_Found] = []
    for one in found:
        start = max(one.begin - _REACH, result[-1].end if result else 0)
        matches = ((word.search(text, start, one.begin), change) for word, change in table)
        prefixed = (
            replace(one, begin=match.start(), resolve=_changed(one.resolve, change))
            for match, change in matches
            if match
        )
        result.append(next(prefixed, one))
    return result


def _changed(resolve: _Times, change: _Change) -> _Times:
    return lambda now: [change(interval, now) for interval in resolve(now)]


def _joined(found: list[_Found], text: str) -> list[_Found]:
    """Make one of two expressions that a range joins; drop weak ones that are neither in a range nor a list."""
    result: list[_Found] = []
    rest = deque(found)
    while rest:
        one = rest.popleft()
        start = max(one.begin - _REACH, result[-1].end if result else 0)
        opening = _OPENING.search(text, start, one.begin)
        joiner = _JOINER.fullmatch(text, one.end, rest[0].begin) if rest else None
        if joiner and (not joiner["and"] or (opening and opening[0].startswith("between"))):
            two = rest.popleft()
            begin = opening.start() if opening else one.begin
            result.append(_Found(begin, two.end, partial(_range, one, two)))
        elif not one.weak or (
            result and result[-1].repeats and _LISTED.fullmatch(text, result[-1].end, one.begin)
        ):
            result.append(one)
    return result


def _range(one: _Found, two: _Found, now: timedelta) -> _Intervals:
    """Return the time from the start of `one` to the end of `two`; "May" of "May to July 2023" is that of 2023."""
    last = _within_calendar(two, now)
    if not last:
        return []
    end = max(interval[1] for interval in last)
    first = _within_calendar(one, end - _TICK if one.repeats else now)
    return [(min(interval[0] for interval in first), end)] if first else []
