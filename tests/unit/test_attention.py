"""Attention: what wins, why, and what is said about it."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.embedding.protocol import Vectors, unit_rows
from engram.errors import EmbeddingError, InvalidInputError
from engram.loop.attention import Attention, Choice, Scored, report, salience
from engram.loop.inputs import URGENCY, Input, Source
from engram.loop.tokens import count_tokens
from engram.testing import HashEmbedder

NOW = datetime(2026, 5, 4, 9, 30, tzinfo=UTC)
NONE: Vectors = np.zeros((0, 64), dtype=np.float32)
embed = HashEmbedder(64).embed


def given_input(
    name: str,
    source: Source = Source.DMN,
    *,
    text: str | None = None,
    minutes_ago: float = 0.0,
    emotional: float = 0.0,
    urgency: float | None = None,
) -> Input:
    """Return an input; its text is its name, unless another is given."""
    return Input(
        id=name,
        text=name if text is None else text,
        source=source,
        at=NOW - timedelta(minutes=minutes_ago),
        urgency=URGENCY[source] if urgency is None else urgency,
        emotional=emotional,
    )


def waiting(*inputs: Input, **options: float) -> Attention:
    """Return an attention for which these wait."""
    attention = Attention(**options)  # type: ignore[arg-type]
    for each in inputs:
        attention.offer(each)
    return attention


def choose(attention: Attention, *, recent: Vectors = NONE, goals: Vectors = NONE) -> Choice:
    """Return what wins now."""
    return attention.choose(NOW, embed, recent, goals)


def test_salience_is_the_formula_of_the_seed() -> None:
    """Novelty and relevance count 0.3 each, emotional charge and urgency 0.2 each."""
    assert salience(1, 0, 0, 0) == salience(0, 1, 0, 0) == 0.3
    assert salience(0, 0, 1, 0) == salience(0, 0, 0, 1) == 0.2
    assert salience(0.5, 0.4, 0.3, 0.2) == pytest.approx(0.37)


def test_a_user_wins_by_urgency_and_the_report_says_so() -> None:
    """Beside a thought of the agent's own, a person's message wins; the report is in the seed's form."""
    user = given_input("u", Source.USER, text="what about X?")
    thought = given_input("d", text="contradiction about Y", emotional=0.4)
    gut = given_input("g", Source.GUT, text="mild delta on Z")
    choice = choose(waiting(thought, gut, user))
    assert choice.winner == user
    assert choice.report == (
        "[COGNITIVE STATE]\n"
        "Attention candidates this cycle:\n"
        '  - User message: "what about X?" (salience: 0.46)\n'
        '  - DMN thought: "contradiction about Y" (salience: 0.42)\n'
        '  - Gut signal: "mild delta on Z" (salience: 0.38)\n'
        "Winner: User message (urgency bias applied)"
    )


def test_a_charged_thought_wins_over_a_message() -> None:
    """With its emotional charge inflated, the agent's own thought wins, and that is the reason given."""
    user, thought = given_input("u", Source.USER), given_input("d", emotional=0.9)
    choice = choose(waiting(user, thought))
    assert choice.winner == thought
    assert choice.report.endswith("Winner: DMN thought (emotional charge)")


def test_losers_wait_on_and_the_winner_does_not() -> None:
    """What loses is a candidate again next time; what won is gone."""
    attention = waiting(given_input("d"), given_input("u", Source.USER), given_input("g", Source.GUT))
    winners = [choose(attention).winner.id for _ in range(3)]
    assert winners == ["u", "g", "d"]
    assert attention.waiting == ()
    with pytest.raises(InvalidInputError):
        choose(attention)


def test_urgency_halves_by_waiting() -> None:
    """After one half-life half of the urgency is left, after two a quarter, and none is gained."""
    inputs = [given_input(str(minutes), urgency=0.8, minutes_ago=minutes) for minutes in (0, 10, 20, -5)]
    choice = choose(waiting(*inputs, half_life_minutes=10))
    left = {scored.input.id: scored.urgency for scored in choice.saliences}
    assert left == {"0": 0.8, "10": 0.4, "20": pytest.approx(0.2), "-5": 0.8}


def test_novelty_and_relevance_come_from_cosines() -> None:
    """What was just said is not new; what bears on a goal is relevant; an opposite counts as unrelated."""
    said, goal, other = unit_rows([[1, 0, 0, 0], [0, 1, 0, 0], [-1, 0, 0, 0]])
    known = dict(zip("sgo", (said, goal, other), strict=True))
    attention = waiting(*map(given_input, "sgo"))
    choice = attention.choose(
        NOW,
        lambda texts: np.stack([known[text] for text in texts]),
        said[np.newaxis],
        goal[np.newaxis],
    )
    terms = {scored.input.id: (scored.novelty, scored.relevance) for scored in choice.saliences}
    assert terms == {"s": (0.0, 0.0), "g": (1.0, 1.0), "o": (1.0, 0.0)}
    assert choice.winner.id == "g"
    assert "it bears on active goals" in choice.report


def test_ties_go_to_the_older_then_by_id() -> None:
    """Two that are as salient have an order that does not depend on which came first into the queue."""
    older = given_input("z", urgency=0.0, minutes_ago=5)
    twins = [given_input("b", urgency=0.0), given_input("a", urgency=0.0)]
    for order in ([older, *twins], [*twins, older]):
        attention = waiting(*order)
        assert [choose(attention).winner.id for _ in range(3)] == ["z", "a", "b"]


def test_a_full_queue_drops_the_least_salient_and_says_which() -> None:
    """No more than the bound wait, and what had to go is told."""
    attention = Attention(largest=3)
    for name, urgency in (("a", 0.5), ("b", 0.1), ("c", 0.9)):
        assert attention.offer(given_input(name, urgency=urgency)) == ()
    assert [each.id for each in attention.offer(given_input("d", urgency=0.7))] == ["b"]
    assert [each.id for each in attention.offer(given_input("e", urgency=0.0))] == ["e"]
    assert {each.id for each in attention.waiting} == {"a", "c", "d"}


def test_what_the_last_look_found_stale_is_dropped_first() -> None:
    """Once compared with the context, a repetition gives way to what is new, though it is as urgent."""
    attention = waiting(given_input("old news"), given_input("another thing"), largest=3)
    attention.offer(given_input("u", Source.USER))
    choose(attention, recent=embed(["old news"]))
    assert attention.offer(given_input("third matter")) == ()
    assert [each.id for each in attention.offer(given_input("fourth matter"))] == ["old news"]


def test_withdrawing_and_offering_again() -> None:
    """A withdrawn input is gone, and one of the same id takes the other's place."""
    attention = waiting(given_input("a", text="first"), given_input("b"))
    attention.offer(given_input("a", text="second"))
    assert [each.text for each in attention.waiting] == ["second", "b"]
    assert attention.withdraw("b") is not None
    assert attention.withdraw("b") is None
    assert choose(attention).winner.text == "second"


def test_each_text_is_embedded_once() -> None:
    """What waits through several cycles costs one embedding."""
    asked: list[str] = []

    def counting(texts: Sequence[str]) -> Vectors:
        asked.extend(texts)
        return embed(texts)

    attention = waiting(given_input("a"), given_input("b"))
    attention.choose(NOW, counting, NONE, NONE)
    attention.offer(given_input("c"))
    attention.choose(NOW, counting, NONE, NONE)
    assert sorted(asked) == ["a", "b", "c"]


def test_without_an_embedder_there_is_still_a_winner() -> None:
    """Where nothing can be embedded, urgency and charge decide; nobody is left unanswered."""

    def failing(texts: Sequence[str]) -> Vectors:
        raise EmbeddingError(f"no model for {len(texts)} texts")

    attention = waiting(given_input("d"), given_input("u", Source.USER))
    choice = attention.choose(NOW, failing, NONE, embed(["d"]))
    assert choice.winner.id == "u"
    assert [(each.novelty, each.relevance) for each in choice.saliences] == [(1.0, 0.0), (1.0, 0.0)]


def test_a_single_candidate_is_said_to_be_one() -> None:
    """Nothing is made up about a competition that there was not."""
    assert choose(waiting(given_input("a"))).report.endswith("Winner: DMN thought (the only candidate)")


@pytest.mark.parametrize("options", [{"half_life_minutes": 0.0}, {"half_life_minutes": -1.0}, {"largest": 0}])
def test_a_half_life_and_a_bound_are_positive(options: dict[str, float]) -> None:
    """What cannot work is refused at once."""
    with pytest.raises(InvalidInputError):
        waiting(**options)


INPUTS = st.builds(
    Input,
    id=st.uuids().map(str),
    text=st.text(max_size=300),
    source=st.sampled_from(Source),
    at=st.integers(-600, 10).map(lambda minutes: NOW + timedelta(minutes=minutes)),
    urgency=st.floats(0, 1),
    emotional=st.floats(0, 1),
)


@given(st.lists(INPUTS, min_size=1, max_size=12, unique_by=lambda each: each.id), st.randoms())
def test_the_outcome_does_not_hang_on_the_order_of_arrival(inputs: list[Input], random: object) -> None:
    """The same inputs at the same time give the same choice, with saliences between 0 and 1, highest first."""
    shuffled = list(inputs)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    one, other = choose(waiting(*inputs)), choose(waiting(*shuffled))
    assert one == other
    values = [scored.salience for scored in one.saliences]
    assert values == sorted(values, reverse=True)
    assert 0.0 <= values[-1] <= values[0] <= 1.0 + 1e-9
    assert one.winner == one.saliences[0].input


@given(st.lists(INPUTS, min_size=1, max_size=12, unique_by=lambda each: each.id))
def test_the_report_is_accurate_short_and_inert(inputs: list[Input]) -> None:
    """For any texts: one line each for the first five, with their saliences, no bracket, within 200 tokens."""
    choice = choose(waiting(*inputs))
    lines = choice.report.splitlines()
    shown = choice.saliences[:5]
    assert lines[:2] == ["[COGNITIVE STATE]", "Attention candidates this cycle:"]
    assert len(lines) == 3 + len(shown) + (len(inputs) > 5)
    for line, scored in zip(lines[2:], shown, strict=False):
        assert line.startswith("  - ")
        assert line.endswith(f"(salience: {scored.salience:.2f})")
        assert line.count('"') == 2
    assert lines[-1].startswith("Winner: ")
    assert not set(choice.report) & set("<>")
    assert count_tokens(choice.report) <= 200


def test_the_longest_report_keeps_to_its_budget() -> None:
    """Long texts in a dense script are the worst case, and still within 200 tokens."""
    candidate = given_input("a", Source.CONSOLIDATION, text="記憶" * 500)
    scored = Scored(input=candidate, novelty=1.0, relevance=1.0, emotional=1.0, urgency=1.0)
    assert count_tokens(report([scored] * 100)) <= 200
