"""Time expressions: what they resolve to, what is none, and what holds for any text."""

from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engram.dates import Span, find_spans, within

AT = datetime(2023, 11, 21, 10, 30, tzinfo=UTC)
"""A Tuesday."""
NOW = "2023-11-21T10:30"

EXPRESSIONS = [
    # Written out.
    ("2023-05-08", "2023-05-08", "2023-05-09"),
    ("2023-05-08T10:30:00Z", "2023-05-08", "2023-05-09"),
    ("2023/5/8", "2023-05-08", "2023-05-09"),
    ("2023-05", "2023-05-01", "2023-06-01"),
    ("8 May 2023", "2023-05-08", "2023-05-09"),
    ("the 8th of May, 2023", "2023-05-08", "2023-05-09"),
    ("May 8th, 2023", "2023-05-08", "2023-05-09"),
    ("Monday, 8 May 2023", "2023-05-08", "2023-05-09"),
    ("8/13/2023", "2023-08-13", "2023-08-14"),
    ("13.8.2023", "2023-08-13", "2023-08-14"),
    ("\u0662\u0660\u0662\u0663-\u0660\u0665-\u0660\u0668", "2023-05-08", "2023-05-09"),
    # The latest that has begun.
    ("May 8", "2023-05-08", "2023-05-09"),
    ("November 21", "2023-11-21", "2023-11-22"),
    ("on 22 Nov", "2022-11-22", "2022-11-23"),
    ("February 29", "2020-02-29", "2020-03-01"),
    ("in May", "2023-05-01", "2023-06-01"),
    ("in november", "2023-11-01", "2023-12-01"),
    ("in december", "2022-12-01", "2023-01-01"),
    ("in august", "2023-08-01", "2023-09-01"),
    ("in march", "2023-03-01", "2023-04-01"),
    ("in the summer", "2023-06-01", "2023-09-01"),
    ("on Tuesday", "2023-11-21", "2023-11-22"),
    ("on Wednesday", "2023-11-15", "2023-11-16"),
    ("at the weekend", "2023-11-18", "2023-11-20"),
    ("christmas", "2022-12-24", "2022-12-27"),
    ("the 90s", "1990-01-01", "2000-01-01"),
    ("the 20s", "2020-01-01", "2030-01-01"),
    # Months, seasons, quarters, years.
    ("in May 2023", "2023-05-01", "2023-06-01"),
    ("Sept. 2022", "2022-09-01", "2022-10-01"),
    ("may last year", "2022-05-01", "2022-06-01"),
    ("early May 2023", "2023-05-01", "2023-05-11"),
    ("mid-May 2023", "2023-05-11", "2023-05-21"),
    ("late may 2023", "2023-05-21", "2023-06-01"),
    ("the end of May", "2023-05-21", "2023-06-01"),
    ("mid-2022", "2022-05-02", "2022-09-01"),
    ("summer of 2022", "2022-06-01", "2022-09-01"),
    ("fall 2022", "2022-09-01", "2022-12-01"),
    ("christmas 2021", "2021-12-24", "2021-12-27"),
    ("Q2 2023", "2023-04-01", "2023-07-01"),
    ("2022-Q4", "2022-10-01", "2023-01-01"),
    ("in 2022?", "2022-01-01", "2023-01-01"),
    ("(2022)", "2022-01-01", "2023-01-01"),
    ("the 1990s", "1990-01-01", "2000-01-01"),
    # Last, this, next.
    ("last May", "2023-05-01", "2023-06-01"),
    ("last november", "2022-11-01", "2022-12-01"),
    ("this may", "2023-05-01", "2023-06-01"),
    ("next May", "2024-05-01", "2024-06-01"),
    ("last year", "2022-01-01", "2023-01-01"),
    ("this year", "2023-01-01", "2024-01-01"),
    ("last month", "2023-10-01", "2023-11-01"),
    ("this month", "2023-11-01", "2023-12-01"),
    ("last week", "2023-11-13", "2023-11-20"),
    ("this week", "2023-11-20", "2023-11-27"),
    ("next quarter", "2024-01-01", "2024-04-01"),
    ("the week before last", "2023-11-06", "2023-11-13"),
    ("last Tuesday", "2023-11-14", "2023-11-15"),
    ("last Monday", "2023-11-20", "2023-11-21"),
    ("this friday", "2023-11-24", "2023-11-25"),
    ("next Tuesday", "2023-11-28", "2023-11-29"),
    ("Friday of last week", "2023-11-17", "2023-11-18"),
    ("last weekend", "2023-11-18", "2023-11-20"),
    ("this weekend", "2023-11-25", "2023-11-27"),
    ("last summer", "2023-06-01", "2023-09-01"),
    ("last winter", "2022-12-01", "2023-03-01"),
    ("last fall", "2022-09-01", "2022-12-01"),
    # Days.
    ("yesterday", "2023-11-20", "2023-11-21"),
    ("today", "2023-11-21", "2023-11-22"),
    ("tomorrow", "2023-11-22", "2023-11-23"),
    ("tonight", "2023-11-21T18:00", "2023-11-22T06:00"),
    ("last night", "2023-11-20T18:00", "2023-11-21T06:00"),
    ("the day before yesterday", "2023-11-19", "2023-11-20"),
    # Counted back: half a unit on either side.
    ("two hours ago", "2023-11-21T07:30", "2023-11-21T09:30"),
    ("3 days ago", "2023-11-18", "2023-11-19"),
    ("a few days ago", "2023-11-17", "2023-11-20"),
    ("a week ago", "2023-11-11", "2023-11-18"),
    ("two weeks ago", "2023-11-04", "2023-11-11"),
    ("a couple of weeks ago", "2023-11-04", "2023-11-11"),
    ("3 months ago", "2023-08-07", "2023-09-07"),
    ("ten years ago", "2013-05-22", "2014-05-24"),
    ("over the past two weeks", "2023-11-07", NOW),
    ("in the last 3 months", "2023-08-22", NOW),
    ("the past week", "2023-11-14", NOW),
    # Open intervals and ranges.
    ("since May 2022", "2022-05-01", NOW),
    ("since early 2022", "2022-01-01", NOW),
    ("since yesterday", "2023-11-20", NOW),
    ("after 2021", "2022-01-01", NOW),
    ("before June 2022", "0001-01-01", "2022-06-01"),
    ("until last week", "0001-01-01", "2023-11-20"),
    ("the week before 9 June 2023", "2023-06-02", "2023-06-09"),
    ("the sunday after 25 May 2023", "2023-05-26", "2023-06-02"),
    ("the day before May 8", "2023-05-07", "2023-05-08"),
    ("on the weekend of 15 July", "2023-07-12", "2023-07-19"),
    ("around May 8", "2023-05-07", "2023-05-10"),
    ("between May and July 2023", "2023-05-01", "2023-08-01"),
    ("between may and june", "2023-05-01", "2023-07-01"),
    ("between November and February 2023", "2022-11-01", "2023-03-01"),
    ("from Monday to Friday", "2023-11-13", "2023-11-18"),
    ("2019-2021", "2019-01-01", "2022-01-01"),
]
AMBIGUOUS = [
    ("8/5/2023", [("2023-05-08", "2023-05-09"), ("2023-08-05", "2023-08-06")]),
    ("08.05.2023", [("2023-05-08", "2023-05-09"), ("2023-08-05", "2023-08-06")]),
    ("winter 2022", [("2021-12-01", "2022-03-01"), ("2022-12-01", "2023-03-01")]),
]
NEGATIVES = [
    *("", " ", "may I?", "May I ask", "it may rain", "this may rain", "this May be so"),
    *("that may or may not help", "the last may be best", "we march on", "soldiers march and may sing"),
    *("an august house", "ask April or June", "$2022", "€ 2022", "2022%", "2022 %", "2022 people"),
    *("2022 km", "12022", "20221", "v2022", "1.2022", "2,022", "2022.5", "#2022", "room 1812", "2100"),
    *("2023-02-30", "32/13/2023", "march 5 miles", "555-2022", "may 32", "1.5 years ago"),
    *("twenty five years ago", "9999 years ago", "since 2030", "on Tuesdays", "springs fall"),
    *("2023.05.0",),
]
PHRASES = [text for text, _, _ in EXPRESSIONS] + [text for text, _ in AMBIGUOUS]
WORDS = st.sampled_from(sorted({"and", "I", "people", "-", *" ".join(PHRASES).split()}))
TEXTS = st.one_of(st.text(), st.lists(WORDS, max_size=30).map(" ".join))
TIMES = st.datetimes(
    timezones=st.sampled_from([UTC, timezone(timedelta(hours=14)), timezone(timedelta(hours=-12))])
)


def instant(text: str) -> datetime:
    """Return the instant written as ISO 8601, in UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def bounds(text: str, at: datetime = AT) -> list[tuple[datetime, datetime]]:
    """Return the spans without their words."""
    return [(span.start, span.end) for span in find_spans(text, at)]


@pytest.mark.parametrize(("text", "start", "end"), EXPRESSIONS)
@pytest.mark.parametrize("frame", ["{}", "What did we do {}, Anna?"])
def test_expressions(text: str, start: str, end: str, frame: str) -> None:
    """An expression gives its one span, alone and within a question."""
    assert bounds(frame.format(text)) == [(instant(start), instant(end))]


@pytest.mark.parametrize(("text", "readings"), AMBIGUOUS)
def test_ambiguous_expressions_give_every_reading(text: str, readings: list[tuple[str, str]]) -> None:
    """What can be read in two ways gives both spans, the earlier first."""
    assert bounds(text) == [(instant(start), instant(end)) for start, end in readings]


@pytest.mark.parametrize("text", NEGATIVES)
def test_what_is_no_time_gives_nothing(text: str) -> None:
    """Modal verbs, quantities, prices, parts of numbers and impossible dates are no times."""
    assert find_spans(text, AT) == ()


def test_words_are_those_of_the_text_in_its_order() -> None:
    """Spans come in order of appearance, with the words as written."""
    text = "Was it YESTERDAY, between May and July 2022, or before  Christmas?"
    words = [span.text for span in find_spans(text, AT)]
    assert words == ["YESTERDAY", "between May and July 2022", "before  Christmas"]


def test_longest_match_wins() -> None:
    """Neither the year, the month nor "yesterday" within a longer expression counts again."""
    texts = ("8 May 2023", "the day before yesterday", "christmas 2022")
    assert [[span.text for span in find_spans(text, AT)] for text in texts] == [[text] for text in texts]


def test_one_span_is_given_once() -> None:
    """Two ways to say the same time are one span, with the words and the place of the first."""
    spans = find_spans("yesterday, not today, that is on 20 November 2023", AT)
    assert [span.text for span in spans] == ["yesterday", "today"]


def test_half_of_a_range_alone_is_no_month() -> None:
    """After "and", "to" and "from" a month that is also a word or a name counts in ranges and lists only."""
    assert find_spans("letters from April and June", AT) == ()


def test_a_list_of_months_gives_each() -> None:
    """After a month, "and" and "or" lead to another one."""
    assert [span.text for span in find_spans("in May and June or August, and may I", AT)] == [
        "May",
        "June",
        "August",
    ]


def test_now_is_taken_in_utc() -> None:
    """The zone of `at` decides which day is today in UTC; without a zone it is UTC."""
    late = datetime(2023, 11, 21, 23, tzinfo=timezone(timedelta(hours=-5)))
    assert bounds("today", late) == [(instant("2023-11-22"), instant("2023-11-23"))]
    assert bounds("today", AT.replace(tzinfo=None)) == bounds("today")


@given(TEXTS, TIMES)
def test_any_text_at_any_time_gives_proper_spans(text: str, at: datetime) -> None:
    """Nothing raises; a span is not empty, is in UTC, has words of the text, and is there once."""
    spans = find_spans(text, at)
    assert all(span.start < span.end for span in spans)
    assert all(span.start.tzinfo is UTC and span.end.tzinfo is UTC for span in spans)
    assert all(span.text and span.text in text for span in spans)
    assert len({(span.start, span.end) for span in spans}) == len(spans)


@given(st.one_of(st.text(st.characters(codec="ascii")), st.lists(WORDS, max_size=30).map(" ".join)), TIMES)
def test_case_does_not_matter(text: str, at: datetime) -> None:
    """Capitals and small letters give the same times."""
    assert bounds(text.upper(), at) == bounds(text, at) == bounds(text.lower(), at)


@settings(deadline=None, max_examples=20)
@given(WORDS, WORDS, st.sampled_from([" ", "", "\n", "  ", ", "]))
def test_ten_thousand_words_are_read(one: str, two: str, gap: str) -> None:
    """Long texts give few spans or many, and no pattern backtracks without end on them."""
    text = f"{one}{gap}{two}{gap}" * 5_000
    assert all(span.text in text for span in find_spans(text, AT))


@given(
    st.lists(st.tuples(st.integers(-(10**9), 10**9), st.integers(1, 10**9)), max_size=5),
    st.lists(st.one_of(st.integers(-(10**9), 10**9).map(float), st.just(float("nan"))), max_size=20),
)
def test_within_agrees_with_the_plain_comparison(lengths: list[tuple[int, int]], times: list[float]) -> None:
    """A time is within where one span starts at or before it and ends after it; NaN never is."""
    spans = [
        Span(
            start=datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=start),
            end=datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=start + length),
            text="",
        )
        for start, length in lengths
    ]
    edges = [float(edge) for start, length in lengths for edge in (start, start + length)]
    found = within(spans, np.array(times + edges))
    expected = [any(a <= time < a + length for a, length in lengths) for time in times + edges]
    assert found.tolist() == expected


def test_without_spans_nothing_is_within() -> None:
    """No span holds no time, in any shape."""
    assert within((), np.zeros((2, 3))).tolist() == [[False] * 3] * 2


def test_open_ends_are_the_calendars_own() -> None:
    """The year 1 and the year 9999 are in reach, nothing beyond them."""
    assert bounds("before 1900")[0][0] == datetime.min.replace(tzinfo=UTC)
    assert bounds("this year", datetime(9999, 5, 1, tzinfo=UTC))[0][1] == datetime.max.replace(tzinfo=UTC)
    assert bounds("yesterday", datetime(1, 1, 1, tzinfo=UTC)) == []
