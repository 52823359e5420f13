"""Counting tokens: near enough for a budget, and corrected by who counts for real."""

import json
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.llm.base import Message
from engram.loop.tokens import (
    HIGHEST_RATIO,
    LOWEST_RATIO,
    MESSAGE_OVERHEAD,
    TokenCounter,
    count_messages,
    count_tokens,
)

COUNTED = (34, 19, 59, 9, 30, 7, 38, 35, 22, 39)
"""Tokens of the demo conversation's first ten turns by the WordPiece vocabulary of the default embedder."""


def turns(number: int) -> list[str]:
    """Return the first turns of the demo conversation."""
    lines = files("engram.data").joinpath("demo.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["text"] for line in lines[:number]]


def test_estimates_are_near_what_a_tokenizer_counts() -> None:
    """Ten turns of a conversation lie within 20 % together, and each within 25 %."""
    estimates = [count_tokens(text) for text in turns(10)]
    assert sum(estimates) == pytest.approx(sum(COUNTED), rel=0.2)
    for estimate, counted in zip(estimates, COUNTED, strict=True):
        assert estimate == pytest.approx(counted, rel=0.25)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 0),
        (" \n\t ", 0),
        ("word", 2),
        ("nine short words make twelve tokens at this rate", 12),
        ("我住在柏林", 5),
        ("我住在 Berlin", 5),
        ("ฉันอยู่", 7),
        ("🎉🎉🎉", 3),
        ("a" * 12, 2),
        ("a" * 112, 52),
    ],
)
def test_the_rule(text: str, expected: int) -> None:
    """Words count 1.3, what is dense one a character, and half of what a long string has beyond 12 characters."""
    assert count_tokens(text) == expected


@given(st.text(), st.text())
def test_more_text_is_never_fewer_tokens(text: str, more: str) -> None:
    """An estimate does not fall by appending, and parts with a space between are worth no less than the whole."""
    assert count_tokens(text + more) >= count_tokens(text)
    assert count_tokens(f"{text} {more}") <= count_tokens(text) + count_tokens(more)


@given(st.text())
def test_no_long_text_is_cheap(text: str) -> None:
    """However a text is made up, 14 of its characters that are not spaces are at least one token."""
    visible = sum(not character.isspace() for character in text)
    assert count_tokens(text) >= visible // 14


def test_messages_cost_their_frame() -> None:
    """Each message costs its text and four tokens more."""
    told = [Message(role="user", text="word"), Message(role="assistant", text="")]
    assert count_messages(told) == 2 + 2 * MESSAGE_OVERHEAD


@given(st.floats(LOWEST_RATIO, HIGHEST_RATIO), st.integers(100, 500))
def test_a_counter_learns_how_the_provider_counts(true: float, plain: int) -> None:
    """Told the provider's counts, the estimates come to agree with them."""
    counter, text = TokenCounter(), "word " * plain
    for _ in range(30):
        counter.learn(counter.count(text), round(true * count_tokens(text)))
    assert counter.count(text) == pytest.approx(true * count_tokens(text), rel=0.02, abs=2)


@given(st.lists(st.tuples(st.integers(-5, 10**6), st.none() | st.integers(0, 10**9))))
def test_no_count_moves_it_out_of_bounds(counts: list[tuple[int, int | None]]) -> None:
    """Whatever a provider reports, the ratio stays between a half and three."""
    counter = TokenCounter()
    for estimated, counted in counts:
        counter.learn(estimated, counted)
        assert LOWEST_RATIO <= counter.ratio <= HIGHEST_RATIO


def test_one_odd_count_does_not_decide() -> None:
    """A single report that is far off moves the estimates only in part, and no report not at all."""
    counter = TokenCounter()
    counter.learn(1_000, None)
    counter.learn(1_000, 0)
    counter.learn(0, 1_000)
    assert counter.ratio == 1.0
    counter.learn(1_000, 1_000_000)
    assert counter.ratio == pytest.approx(1.6)


def test_a_prompt_is_counted_whole() -> None:
    """The system text and the conversation are one estimate, which learning scales."""
    counter, told = (
        TokenCounter(),
        [Message(role="user", text="nine short words make twelve tokens at this rate")],
    )
    before = counter.count_prompt("word", told)
    assert before == 2 + 12 + MESSAGE_OVERHEAD
    counter.learn(before, 2 * before)
    assert counter.count_prompt("word", told) == 24  # 18 · 1.3, rounded up
