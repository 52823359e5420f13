"""What may come in, and what is said about what may not."""

import contextlib
import re
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.errors import InvalidInputError
from engram.records import Kind
from engram.validation import (
    check_content,
    check_fraction,
    check_k,
    check_kind,
    check_name,
    check_query,
    check_time,
    content_hash,
    lexical_query,
    normalise,
    space_key,
)

TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]))
_ESCAPED = re.compile(r"\\.")


@pytest.mark.parametrize("content", ["", " ", "\n\t ", "\u200b", "\u200b \ufeff", "\u00a0"])
def test_blank_content_is_refused(content: str) -> None:
    """Nothing to read, invisible characters included, is nothing to remember."""
    with pytest.raises(InvalidInputError, match="empty"):
        check_content(content, limit=100)


@pytest.mark.parametrize(
    ("content", "reason"),
    [("a\x00b", "U\\+0000"), ("\x1b[31mred", "U\\+001B"), ("a\ud800b", "surrogate"), ("\x9bx", "U\\+009B")],
)
def test_characters_that_break_terminals_or_databases_are_refused(content: str, reason: str) -> None:
    """NUL, control characters and lone surrogates are named with their place."""
    with pytest.raises(InvalidInputError, match=reason):
        check_content(content, limit=100)


def test_limit_counts_bytes_and_is_named() -> None:
    """The limit is in bytes of UTF-8; at it is fine, over it the message has both numbers."""
    assert check_content("ö" * 50, limit=100) == "ö" * 50
    with pytest.raises(InvalidInputError, match="102 bytes; the limit is 100"):
        check_content("ö" * 51, limit=100)


@given(TEXT)
def test_any_text_is_accepted_or_refused_with_words(content: str) -> None:
    """No text makes the check fail in another way."""
    with contextlib.suppress(InvalidInputError):
        assert check_content(content, limit=1_000) == content.strip()


@pytest.mark.parametrize(
    "value", ["yesterday", "2026-13-01", "2026-02-30", "", "12:00", "9999-99", "0001-01-01"]
)
def test_malformed_dates_are_refused(value: str) -> None:
    """What is no date, or one beyond the calendar, is an error with an example."""
    with pytest.raises(InvalidInputError, match=r"date|range"):
        check_time(value, "as_of")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-05-01", datetime(2026, 5, 1, tzinfo=UTC)),
        ("2026-05-01T10:30", datetime(2026, 5, 1, 10, 30, tzinfo=UTC)),
        ("2026-05-01T10:30+02:00", datetime(2026, 5, 1, 8, 30, tzinfo=UTC)),
        ("2026-05-01T10:30:00Z", datetime(2026, 5, 1, 10, 30, tzinfo=UTC)),
    ],
)
def test_dates_come_out_in_utc(value: str, expected: datetime) -> None:
    """ISO 8601 with or without a zone is read; without one it is UTC."""
    assert check_time(value, "as_of") == expected


@pytest.mark.parametrize("k", [0, -1, 10**9, True, 1.0, "3", None])
def test_k_must_be_a_sensible_number(k: object) -> None:
    """A usable k is a whole number between 1 and 1,000."""
    with pytest.raises(InvalidInputError, match="k must be"):
        check_k(k)  # type: ignore[arg-type]


def test_unknown_kind_lists_the_kinds() -> None:
    """A wrong kind is answered with the right ones; case does not matter."""
    assert check_kind("Semantic") is Kind.SEMANTIC
    with pytest.raises(InvalidInputError, match="episodic, semantic"):
        check_kind("idea")


@pytest.mark.parametrize("name", ["", "  ", "a\x00", "x" * 201, "\ud800"])
def test_unusable_names_are_refused(name: str) -> None:
    """Names are printable and of sensible length."""
    with pytest.raises(InvalidInputError):
        check_name(name, "The space")


@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan"), "x"])
def test_fractions_lie_between_0_and_1(value: object) -> None:
    """NaN is no fraction either."""
    with pytest.raises(InvalidInputError):
        check_fraction(value, "importance")  # type: ignore[arg-type]


def test_blank_query_is_refused() -> None:
    """A query of white space asks nothing."""
    with pytest.raises(InvalidInputError):
        check_query(" \n")


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_no_query_reaches_lucene_as_an_operator(query: str) -> None:
    """Whatever is asked, the query has one required space clause and only escaped specials within the words."""
    built = lexical_query(query, "s", "content")
    if not built:
        return
    head, _, words = built.partition(" +content:(")
    assert head == f"+space_key:{space_key('s')}^0"
    assert words.endswith(")")
    plain = _ESCAPED.sub("", words[:-1])
    assert not re.search(r"[+\-&|!(){}\[\]^\"~*?:\\/]", plain)
    assert not re.search(r"\b(AND|OR|NOT)\b", plain)


def test_long_queries_keep_within_lucenes_clauses() -> None:
    """A query of 10,000 words asks for a bounded number of them, each once."""
    built = lexical_query(" ".join(f"w{n} w{n}" for n in range(10_000)), "s", "content")
    assert built.count("w") < 140


@given(TEXT)
def test_normalising_twice_changes_nothing(text: str) -> None:
    """The compared form is a fixed point, but for the few characters whose folding unfolds again."""
    once = normalise(text)
    assert normalise(normalise(once)) == normalise(once)


def test_hash_tells_kind_content_and_source_apart() -> None:
    """No two of the three run together."""
    hashes = {
        content_hash(Kind.SEMANTIC, "a", "bc"),
        content_hash(Kind.SEMANTIC, "ab", "c"),
        content_hash(Kind.EPISODIC, "a", "bc"),
    }
    assert len(hashes) == 3
    assert content_hash(Kind.SEMANTIC, " A  b ", "c") == content_hash(Kind.SEMANTIC, "a B", "c")


@given(TEXT, TEXT)
def test_space_keys_are_single_tokens(one: str, two: str) -> None:
    """A key is letters and digits, ends in a digit that no stemmer cuts, and is the space's own."""
    assert re.fullmatch(r"s[0-9a-f]{24}0", space_key(one))
    assert (space_key(one) == space_key(two)) == (one == two)
