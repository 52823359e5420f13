"""Episodes in boxes: by subject, by time, by size."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.beliefs.policy.boxes import Box, Episode, Limits, Seal, box_id, close, overlap, pack

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
TEA, TAX = np.array([1.0, 0.1, 0.0]), np.array([0.0, 0.1, 1.0])


def episode(number: int, minutes: float, vector: np.ndarray = TEA) -> Episode:
    """Return an episode so many minutes after noon."""
    return Episode(id=f"{number:04}", at=NOON + minutes * MINUTE, content=f"number {number}", vector=vector)


EPISODES = st.lists(
    st.tuples(st.floats(0.0, 45.0), st.sampled_from([TEA, TAX, TEA + TAX, np.zeros(3)])), max_size=40
).map(
    lambda steps: [
        episode(number, sum(gap for gap, _ in steps[: number + 1]), vector)
        for number, (_, vector) in enumerate(steps)
    ]
)
LIMITS = st.builds(Limits, overlap=st.floats(-1.0, 1.0), gap=st.just(30 * MINUTE), memories=st.integers(1, 6))


def shapes(boxes: list[Box]) -> list[tuple[str, list[str], datetime | None, Seal | None]]:
    """Return what boxes are, without what of them is stored."""
    return [(box.id, [each.id for each in box.episodes], box.sealed_at, box.sealed_why) for box in boxes]


@given(episodes=EPISODES, limits=LIMITS, cut=st.integers(0, 40))
def test_in_parts_or_at_once(episodes: list[Episode], limits: Limits, cut: int) -> None:
    """Packed in two parts, or at once, episodes make the same boxes; each is in one, in order."""
    whole = pack(episodes, session="s", limits=limits)
    first = pack(episodes[:cut], session="s", limits=limits)
    rest = pack(episodes[cut:], session="s", limits=limits, open_box=first[-1] if first else None)
    assert shapes([*first[:-1], *rest]) == shapes(whole)
    assert [each.id for box in whole for each in box.episodes] == [each.id for each in episodes]


@given(episodes=EPISODES, limits=LIMITS)
def test_every_box_keeps_to_its_limits(episodes: list[Episode], limits: Limits) -> None:
    """No box holds too much or spans a gap that is too long, and all but the last are closed, with a reason."""
    boxes = pack(episodes, session="s", limits=limits)
    for box in boxes:
        assert len(box.episodes) <= limits.memories
        times = [each.at for each in box.episodes]
        assert all(later - earlier <= limits.gap for earlier, later in pairwise(times))
    for box in boxes[:-1]:
        assert box.sealed_why is not None
        assert box.sealed_at is not None
        assert box.sealed_at >= box.ended_at
    assert not boxes or boxes[-1].sealed_at is None


def test_why_a_box_is_closed() -> None:
    """A change of subject, a gap of more than thirty minutes, and fifty memories close a box."""
    for second, why in (
        (episode(1, 1, TAX), Seal.TOPIC_SHIFT),
        (episode(1, 31), Seal.TIME_GAP),
        (episode(1, 30), None),
        (episode(1, 1, np.zeros(3)), None),
    ):
        boxes = pack([episode(0, 0), second], session="s", limits=Limits())
        assert boxes[0].sealed_why == why
        assert len(boxes) == (1 if why is None else 2)
    full = pack([episode(n, n) for n in range(51)], session="s", limits=Limits())
    assert [len(box.episodes) for box in full] == [50, 1]
    assert full[0].sealed_why == Seal.FULL


def test_a_box_is_closed_as_of_its_end() -> None:
    """Closed by elapsed time, a box ended when the gap was over, whenever somebody looks."""
    (box,) = pack([episode(0, 0)], session="s", limits=Limits())
    assert close(box, now=NOON + 30 * MINUTE, limits=Limits()).sealed_at is None
    for late in (31, 10_000):
        closed = close(box, now=NOON + late * MINUTE, limits=Limits())
        assert (closed.sealed_at, closed.sealed_why) == (NOON + 30 * MINUTE, Seal.TIME_GAP)
        assert close(closed, now=NOON + timedelta(days=9), limits=Limits()) == closed


def test_what_is_told_late_makes_a_box_of_its_own() -> None:
    """An episode from long before a box began does not go into it."""
    boxes = pack([episode(0, 500), episode(1, 0)], session="s", limits=Limits())
    assert [len(box.episodes) for box in boxes] == [1, 1]


def test_a_box_is_known_by_its_first_memory() -> None:
    """Formed twice from the same memories, a box has the same id."""
    (box,) = pack([episode(7, 0)], session="s", limits=Limits())
    assert box.id == box_id("0007")


def test_overlap_is_a_cosine() -> None:
    """Alike is 1, unrelated 0; what has no vector says nothing."""
    assert overlap(TEA, 3 * TEA) == pytest.approx(1.0)
    assert overlap(np.array([1.0, 0.0]), np.array([0.0, 2.0])) == pytest.approx(0.0)
    assert overlap(TEA, np.zeros(3)) is None
