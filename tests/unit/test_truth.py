"""What evidence makes of a truth: the pure formulas."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.beliefs.truth import Piece, mean, opposition, support

REPEAT = 0.1
fractions = st.floats(0.0, 1.0)
repeats = st.floats(0.0, 0.9)
pieces = st.lists(
    st.builds(
        Piece, source=st.sampled_from("abc"), id=st.sampled_from("123456"), confidence=st.floats(0.01, 1.0)
    ),
    max_size=12,
)


def said(source: str, times: int = 1) -> list[Piece]:
    """Return what one source says so many times."""
    return [Piece(source=source, id=f"{source}{number}") for number in range(times)]


def test_three_speakers_outweigh_one_who_repeats() -> None:
    """Three who say it once raise truth more than one who says it ten times."""
    three = [*said("Noor"), *said("Tom"), *said("Ada")]
    assert support(three, repeat=REPEAT) == 3.0
    assert support(said("Noor", 10), repeat=REPEAT) < 1.2
    assert mean(3.0, 0.0) == pytest.approx(0.8)


@given(st.integers(1, 200), st.floats(0.01, 1.0), repeats)
def test_one_source_never_counts_more_than_its_bound(times: int, confidence: float, repeat: float) -> None:
    """However often one source repeats itself, it counts less than `c / (1 - r)`, and no less than once."""
    own = [Piece(source="Noor", id=str(number), confidence=confidence) for number in range(times)]
    counted = support(own, repeat=repeat)
    assert confidence <= counted * (1 + 1e-12)
    assert counted <= confidence / (1.0 - repeat) * (1 + 1e-12)


@given(pieces, repeats)
def test_evidence_is_a_set(evidence: list[Piece], repeat: float) -> None:
    """The order of evidence does not matter, nor whether a piece is told of twice."""
    assert support([*reversed(evidence), *evidence], repeat=repeat) == pytest.approx(
        support(evidence, repeat=repeat)
    )


@given(pieces, st.floats(0.01, 1.0), repeats)
def test_another_source_adds_all_of_its_confidence(
    evidence: list[Piece], confidence: float, repeat: float
) -> None:
    """Who has not said it before counts as if nobody had."""
    more = [*evidence, Piece(source="somebody else", id="1", confidence=confidence)]
    assert support(more, repeat=repeat) == pytest.approx(support(evidence, repeat=repeat) + confidence)


@given(st.floats(0.0, 100.0), st.floats(0.0, 100.0), st.floats(0.01, 10.0))
def test_truth_rises_by_support_and_falls_by_opposition(for_: float, against: float, more: float) -> None:
    """A mean lies between 0 and 1, is a half where nothing speaks, and moves with its evidence."""
    assert mean(0.0, 0.0) == 0.5
    assert 0.0 < mean(for_, against) < 1.0
    assert mean(for_ + more, against) > mean(for_, against)
    assert mean(for_, against + more) < mean(for_, against)


@given(st.lists(st.floats(0.0, 5.0), max_size=6), st.integers(0, 3), st.integers(0, 3))
def test_each_that_disagrees_counts_as_one_at_most(others: list[float], wrong: int, lost: int) -> None:
    """However well evidenced the other side is, one tension subtracts no more than one correction."""
    against = opposition(others, corrections=wrong, resolutions=lost)
    assert against <= len(others) + wrong + lost + 1e-9
    assert against == pytest.approx(opposition(others) + wrong + lost)
