"""The working memory's sections, budget, guards, pointers and seed."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.loop.tokens import count_tokens
from engram.mind.state.budget import CUT, budget, fitted
from engram.mind.state.guards import MOST_POINTERS, refusal
from engram.mind.state.pointers import Pointer, checked, parse
from engram.mind.state.sections import Section, State, lines_of, sections
from engram.mind.state.seeding import OVERLAP, TOKENS, pieces

AT = datetime(2026, 6, 1, tzinfo=UTC)
words = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=12)
lines = st.lists(st.lists(words, min_size=1, max_size=8).map(" ".join), max_size=6)


def state(kept: str = "", **own: list[str]) -> State:
    """Return a state with lines in sections by name."""
    return State(at=AT, mood="", lines={Section[name]: tuple(each) for name, each in own.items()}, kept=kept)


@given(st.dictionaries(st.sampled_from(Section), lines))
def test_a_state_reads_back_as_it_was_written(told: dict[Section, list[str]]) -> None:
    """All seven sections are always there, in order, and give their lines back."""
    text = State(at=AT, mood="", lines={name: tuple(each) for name, each in told.items()}).text()
    found = sections(text)
    assert [*found] == [section.value for section in Section]
    assert {section: [*lines_of(found[section.value])] for section in Section} == {
        section: told.get(section, []) for section in Section
    }


@pytest.mark.parametrize(
    ("window", "characters"),
    [(200_000, 8_000), (128_000, 6_000), (127_999, 4_000), (32_000, 3_200), (8_000, 3_200)],
)
def test_a_budget_is_the_window_s(window: int, characters: int) -> None:
    """The seed's table; a smaller window has the smallest budget."""
    assert budget(window) == characters


@given(lines.map(lambda each: "\n".join(each * 40)), st.integers(1_000, 300_000))
def test_what_is_fitted_fits_and_says_that_it_was_cut(text: str, window: int) -> None:
    """It is never longer than the budget; it is whole, or ends with the note and holds whole lines alone."""
    shown = fitted(text, window)
    assert len(shown) <= budget(window)
    if len(text) <= budget(window):
        assert shown == text
    else:
        assert shown.endswith(CUT)
        assert set(shown.removesuffix(CUT).split("\n")) <= {*text.split("\n"), ""}


FULL = state(ACTIVE=[f"thing number {n} that we did together" for n in range(80)]).text()
REFUSED = [
    ("a text without sections", None, "lacks the sections"),
    (state(ACTIVE=["a thing that was said, of a length that says something"]).text(), FULL, "mass drop"),
    (
        state(POINTERS=[Pointer(topic=f"t{n}", query="q").line() for n in range(MOST_POINTERS + 1)]).text(),
        None,
        "21 pointers",
    ),
    (state().text(), None, "says nothing"),
]


@pytest.mark.parametrize(("new", "old", "told"), REFUSED)
def test_a_collapse_is_refused_with_its_reason(new: str, old: str | None, told: str) -> None:
    """A mass drop, a flood of pointers, an empty synthesis and a lost section are each told apart."""
    assert told in (refusal(new, old) or "")


def test_an_update_is_taken() -> None:
    """Half as long is no drop, a short one before is not mature, and twenty pointers are no flood."""
    half = state(ACTIVE=[f"thing number {n} that we did together" for n in range(45)]).text()
    assert refusal(half, FULL) is None
    short = state(ACTIVE=["we mended the boat and found the leak in its hull at last"]).text()
    assert refusal(short, half[:1_900]) is None
    pointers = [Pointer(topic=f"topic {n}", query=f"word{n}").line() for n in range(MOST_POINTERS)]
    assert refusal(state(POINTERS=pointers).text(), None) is None


def test_a_pointer_is_a_search_that_finds() -> None:
    """The first words that find all that it stands for among five hits are taken; where none do, it is no pointer."""
    hits = {"boat": ["x", "a"], "boat leak": ["a", "b", "x"], "leak": ["p", "q", "r", "s", "t", "a", "b"]}
    pointer = checked("the leak", ["a", "b"], ["boat", "leak", "boat leak"], search=lambda query: hits[query])
    assert pointer is not None
    assert pointer.query == "boat leak"
    assert parse(pointer.line()) == Pointer(topic="the leak", query="boat leak")
    assert checked("the leak", ["z"], hits, search=lambda query: hits[query]) is None
    assert checked("nothing", [], hits, search=lambda query: hits[query]) is None
    assert parse("a line of another sort") is None


@given(
    st.lists(st.lists(words, min_size=1, max_size=40).map(" ".join), min_size=1, max_size=60).map("\n".join)
)
def test_pieces_of_a_seed_hold_every_word(text: str) -> None:
    """No piece is over its size, neighbours overlap by no more than they may, and no word is lost or cut."""
    cut = [*pieces(text)]
    assert {word for piece in cut for word in piece.split()} == {*text.split()}
    assert all(count_tokens(piece) <= TOKENS * 1.1 for piece in cut)
    if len(cut) > 1:
        assert (
            sum(len(piece.split()) for piece in cut)
            <= len(text.split()) * (1 + OVERLAP / (TOKENS - OVERLAP)) + 200
        )
