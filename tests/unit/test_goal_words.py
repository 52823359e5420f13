"""Goals in words: what sounds like one, what speaks of one, and what a conversation does to one."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.goals.mentioning import NEAR, mentioned
from engram.goals.proposing import goal_in, tells_progress
from engram.goals.records import Goal, goal_of, row_of
from engram.goals.session import Worked, after_session
from engram.testing import HashEmbedder

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
EMBEDDER = HashEmbedder(64)


def goal(text: str = "paint the old boat", **more: object) -> Goal:
    """Return an active goal that was set a month ago."""
    long_ago = NOW - timedelta(days=30)
    plain = {
        "state": "active",
        "weight": 1.0,
        "created_at": long_ago,
        "changed_at": long_ago,
        "active_at": long_ago,
    }
    vector = tuple(EMBEDDER.embed([text])[0].tolist())
    return Goal(**{"id": "a" * 32, "text": text, "embedding": vector, **plain, **more})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("I want to learn Portuguese by June, because of the sea.", "learn Portuguese by June"),
        ("So, I really want to run a marathon!", "run a marathon"),
        ("My goal this year is to read a book a month.", "read a book a month"),
        ("Our main objective is a smaller house", "a smaller house"),
        ("We need to send the report by Friday.", "send the report by Friday"),
        ("I have to finish the thesis before summer", "finish the thesis before summer"),
        ("I\u2019m trying to fix the harbour map", "fix the harbour map"),
        ("It rains. We're planning to move to Lisbon but it is dear.", "move to Lisbon"),
        ("I'd love to sail round the world", "sail round the world"),
    ],
)
def test_what_sounds_like_a_goal_is_taken_in_its_own_words(said: str, wanted: str) -> None:
    """What is wanted, aimed at, or needed by a day, up to the reason for it."""
    assert goal_in(said) == wanted


@pytest.mark.parametrize(
    "said",
    [
        "I want to know why the sky is blue.",
        "I want to sleep",
        "Do I want to learn Portuguese?",
        "I want to learn Portuguese, don't I?",
        "If I want to learn Portuguese, what do I need?",
        "I don't want to learn Portuguese.",
        "They want to learn Portuguese.",
        "She said “I want to learn Portuguese”.",
        '"I want to learn Portuguese" is what she said.',
        "> I want to learn Portuguese",
        "I need to eat something",
        "I wanted to learn Portuguese once.",
        "My plan is.",
        "",
    ],
)
def test_what_is_asked_quoted_or_passing_is_no_goal(said: str) -> None:
    """Questions, others' wishes, denials, and what one wants for the talk or the moment."""
    assert goal_in(said) is None


@given(st.text(max_size=300))
def test_any_text_can_be_looked_at(text: str) -> None:
    """Nothing that somebody says breaks it, and what is found has two words or more."""
    found = goal_in(f"I want to {text}")
    assert found is None or len(found.split()) >= 2
    assert goal_in(text * 50) is None or len(goal_in(text * 50) or "") <= 160
    assert tells_progress(text) in {True, False}


@pytest.mark.parametrize(
    ("said", "tells"),
    [
        ("I finished the hull today", True),
        ("It works now!", True),
        ("We made good progress on the boat", True),
        ("I haven't finished the hull", False),
        ("Once it is done, we sail", False),
        ("Have you finished the hull?", False),
        ("The boat is old", False),
        ("I have not finished the hull. But I solved the rudder problem.", True),
        ("I booked nothing, sadly", False),
    ],
)
def test_word_of_getting_on_is_heard(said: str, tells: bool) -> None:  # noqa: FBT001
    """Not where it is denied, asked or only hoped for."""
    assert tells_progress(said) is tells


@pytest.mark.parametrize(
    ("said", "speaks"),
    [
        ("Let us paint the old boat", True),
        ("The boat wants painting", True),
        ("The old boat needs paint", True),
        ("I saw a boat on the horizon while we were talking about taxes and forms", False),
        ("The weather is fine", False),
    ],
)
def test_a_mention_is_more_than_a_word(said: str, speaks: bool) -> None:  # noqa: FBT001
    """Its own words, all that say something, or one of them while the whole is near."""
    assert bool(mentioned([goal()], said, EMBEDDER.embed([said])[0])) is speaks


@pytest.mark.parametrize(
    ("text", "said", "speaks"),
    [
        ("Find a new job in Ghent", "Did you find the bakery in Ghent?", False),
        ("Find a new job in Ghent", "I will find that job in Ghent", True),
        ("Run", "I started to prune the roses", False),
        ("Art", "I started to prune the roses", False),
        ("Run", "I want to run tomorrow", True),
    ],
)
def test_short_words_count_and_parts_of_words_do_not(text: str, said: str, speaks: bool) -> None:  # noqa: FBT001
    """A word of three letters says what a goal is about; three letters within another word say nothing."""
    across = np.zeros(64, dtype=np.float32)
    assert bool(mentioned([goal(text)], said, across)) is speaks


def test_nearness_alone_is_no_mention() -> None:
    """A vector that is the goal's own, with none of its words, speaks of nothing; one of another model neither."""
    near = np.array(goal().embedding, dtype=np.float32)
    assert float(near @ near) > NEAR
    assert mentioned([goal()], "Something else entirely", near) == ()
    assert mentioned([goal()], "A boat", np.ones(3, dtype=np.float32)) == ()


def worked(minutes: float = 25.0, **more: object) -> Worked:
    """Return a conversation that spoke of a goal twice."""
    plain = {"mentions": 2, "spent": timedelta(minutes=minutes), "last": NOW}
    return Worked(**plain | more)  # type: ignore[arg-type]


SINCE = NOW - timedelta(hours=1)


@pytest.mark.parametrize(
    ("before", "what", "state", "without"),
    [
        (1, worked(), "active", 2),
        (2, worked(), "incubating", 3),
        (2, worked(20.0), "active", 3),
        (2, worked(new_approach=True), "active", 3),
        (2, worked(progress=True), "active", 0),
        (2, None, "active", 2),
    ],
)
def test_a_conversation_brings_a_goal_on_or_wears_it_out(
    before: int, what: Worked | None, state: str, without: int
) -> None:
    """The third in a row that touches it without progress, for long and without a new approach, sets it aside."""
    after = after_session(goal(sessions_without=before), what, since=SINCE, now=NOW)
    assert (after.state, after.sessions_without) == (state, without)
    assert after.incubating_since == (NOW if state == "incubating" else None)


def test_what_was_set_on_purpose_meanwhile_is_progress() -> None:
    """Another weight, or a note of progress, counts as something that came of it; what was before does not."""
    for name in ("changed_at", "progressed_at"):
        touched = replace(goal(sessions_without=2), **{name: NOW - timedelta(minutes=5)})  # type: ignore[arg-type]
        after = after_session(touched, worked(), since=SINCE, now=NOW)
        assert (after.state, after.sessions_without, after.active_at) == ("active", 0, NOW)


def test_a_word_in_passing_is_no_work() -> None:
    """Two mentions make a goal one that was worked on; one leaves its activity as it was."""
    assert after_session(goal(), worked(mentions=1), since=SINCE, now=NOW).active_at == goal().active_at
    assert after_session(goal(), worked(), since=SINCE, now=NOW).active_at == NOW


def test_conversations_are_counted_while_a_goal_rests() -> None:
    """Each one but that in which it began to rest, whether it was spoken of or not."""
    resting = goal(state="incubating", incubating_since=SINCE - timedelta(days=1), incubated=2)
    assert after_session(resting, None, since=SINCE, now=NOW).incubated == 3
    assert after_session(resting, worked(progress=True), since=SINCE, now=NOW).incubated == 3
    fresh = replace(resting, incubating_since=NOW, incubated=0)
    assert after_session(fresh, worked(), since=SINCE, now=NOW) == fresh
    blocked = goal(state="blocked")
    assert after_session(blocked, worked(), since=SINCE, now=NOW) == blocked


def test_a_goal_of_an_older_version_has_its_defaults() -> None:
    """What was not written then is what it was by default; what is stored comes back as it was."""
    old = {
        name: row_of(goal())[name] for name in ("id", "text", "state", "weight", "created_at", "changed_at")
    }
    assert goal_of(old | {"embedding": goal().embedding, "priority": None}) == goal()
    full = goal(blocked_by="a visa", sessions_without=2, tractability=0.0)
    assert goal_of(row_of(full) | {"embedding": list(full.embedding)}) == full
