"""The conversation at hand: what it holds, what it lets go of, and what it learns of its own lines."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.loop.inputs import Entry
from engram.loop.scratch import Verdict
from engram.loop.talk import SCORED, SHOWN, Talk
from engram.loop.window import Said
from tests.unit.test_fencing import remembered

NOW = datetime(2026, 5, 4, 9, 30, tzinfo=UTC)


def entry(name: str, text: str = "hello") -> Entry:
    """Return a line of the scratch buffer."""
    return Entry(
        id=name,
        session="s",
        run="r",
        speaker="Ada",
        text=text,
        at=NOW,
        source_tag="external_user",
        source="chat",
        turn=name,
    )


def verdict(
    name: str,
    *,
    memory: str | None = None,
    text: str = "hello",
    relevance: float = 0.5,
    buffered: bool = False,
) -> Verdict:
    """Return what the exit gate decided about a line."""
    return Verdict(
        entry=entry(name, text),
        action="",
        reason="",
        relevance=relevance,
        novelty="",
        similarity=0.0,
        buffered=buffered,
        memory=memory,
    )


def test_a_line_learns_what_it_became() -> None:
    """The memory's id comes back to the line, whether it was said before or after that was decided."""
    talk = Talk()
    talk.add("user", "one", entry="e1")
    talk.decided([verdict("e1", memory="m1"), verdict("e2", memory="m2"), verdict("e3")])
    talk.add("assistant", "two", entry="e2")
    talk.add("user", "three", entry="e3")
    assert [one.memory for one in talk.said] == ["m1", "m2", None]


def test_what_is_pruned_is_the_beginning() -> None:
    """What has left the window is let go of; what was said since stays."""
    talk = Talk()
    for number in range(4):
        talk.add("user", str(number), entry=str(number))
    gone = talk.said[:2]
    talk.add("user", "4", entry="4")
    talk.prune(gone)
    assert [one.text for one in talk.said] == ["2", "3", "4"]


def test_the_scratch_buffer_is_as_long_as_what_waits() -> None:
    """Lines count until they are decided, what is looked at again goes on counting, and what is nowhere never does."""
    talk = Talk()
    talk.add("user", "one\ntwo", entry="e1")
    talk.add("assistant", "three", entry="e2")
    talk.add("user", "too long to be kept", entry=None)
    assert talk.undecided == 3
    talk.decided([verdict("e1", text="one\ntwo"), verdict("e2", buffered=True)])
    assert talk.undecided == 1
    talk.decided([verdict("of a run that died", text="x\n" * 50)])
    assert talk.undecided == 0


def test_the_gate_score_is_of_what_was_seen_last() -> None:
    """It is the mean relevance of the last verdicts, each 0 to 1, and None before there are any."""
    talk = Talk()
    assert talk.gate_score is None
    talk.decided([verdict("old", relevance=0.0)])
    talk.decided([verdict(str(n), relevance=7.0) for n in range(SCORED)])
    assert talk.gate_score == 1.0


@given(st.lists(st.integers(0, 2 * SHOWN), max_size=80), st.integers(0, SHOWN + 50))
def test_what_came_to_mind_last_is_known(again: list[int], first: int) -> None:
    """Of any number of memories the last are known, however often each came, and no more than `SHOWN`."""
    talk = Talk()
    shown = [*range(first), *again]
    for number in shown:
        talk.show([remembered(f"text {number}", id=f"m{number}")])
    last: list[str] = []
    for number in reversed(shown):
        if f"m{number}" not in last:
            last.append(f"m{number}")
    assert list(talk.shown) == last[:SHOWN][::-1]


def test_forgetting_takes_the_line_and_the_sight_of_it() -> None:
    """The turn that became the memory goes, whether that is known from the start or was learned, and others stay."""
    talk = Talk([Said(role="user", text="old", memory="m1"), Said(role="user", text="other", memory="m2")])
    talk.add("user", "said again", entry="e1")
    talk.decided([verdict("e1", memory="m1")])
    forgotten = remembered("old", id="m1")
    talk.show([forgotten, remembered("other", id="m2")])
    talk.forget(forgotten)
    assert [one.text for one in talk.said] == ["other"]
    assert dict(talk.shown) == {"m2": "other"}


@pytest.mark.parametrize(("most", "expected"), [(1, ["3"]), (2, ["1", "3"]), (9, ["0", "1", "3"])])
def test_around_is_what_else_was_said_last(most: int, expected: list[str]) -> None:
    """Entries are seen in the light of the last turns besides themselves."""
    talk = Talk()
    for number in range(5):
        talk.add("user", str(number), entry=f"e{number}")
    assert talk.around([entry("e2"), entry("e4")], most=most) == expected
