"""Goal priority, consolidation pressure and the gut feeling: what the formulas promise."""

import math
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.mind import gut
from engram.mind.axes import name_of
from engram.mind.incubation import Progress, next_step
from engram.mind.pressure import NUDGE, Pressure, densest, level
from engram.mind.priority import terms
from engram.mind.state.signals import EVENTS, Levels, Signal
from engram.mind.wandering import Candidate, Channel, Leaning, channel, disparity, draw, entropy

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
fractions = st.floats(0.0, 1.0)
waits = st.floats(0.0, 400.0)


def made(days: float, hours: float | None, tractability: float = 1.0, connected: int = 0) -> float:
    """Return the priority of a goal by how long ago it was touched and mentioned."""
    return terms(
        active_at=NOW - timedelta(days=days),
        mentioned_at=None if hours is None else NOW - timedelta(hours=hours),
        tractability=tractability,
        connected=connected,
        now=NOW,
    ).priority


@pytest.mark.parametrize(
    ("days", "hours", "priority"),
    [(0, None, 1.0), (7, None, 0.3679), (30, None, 0.0138), (0, 0, 3.0), (0, 24, 1.7358), (0, 48, 1.2707)],
)
def test_a_priority_is_what_the_seed_says(days: float, hours: float | None, priority: float) -> None:
    """The seed's own examples: a week leaves 0.37, a mention counts threefold and 1.74 after a day."""
    assert made(days, hours) == pytest.approx(priority, abs=5e-5)


@given(waits, waits, fractions, st.integers(0, 50))
def test_nothing_but_time_lowers_a_priority(
    days: float, more: float, tractability: float, connected: int
) -> None:
    """It falls with idle days, rises with connections, is 0 where nothing can be done, and never negative."""
    now = made(days, 2.0, tractability, connected)
    assert 0.0 <= made(days + more, 2.0 + more, tractability, connected) <= now
    assert made(days, 2.0, tractability, connected + 1) >= now
    assert made(days, 2.0, 0.0, connected) == 0.0


def test_what_lies_ahead_counts_as_now() -> None:
    """A clock that is wrong makes no goal press more than one that was touched just now."""
    assert made(-3, -3) == made(0, 0)


@pytest.mark.parametrize(
    ("lines", "sessions", "compacted", "level"),
    [
        (24, 0, False, "none"),
        (25, 0, False, "noted"),
        (50, 0, False, "noted"),
        (51, 0, False, "due"),
        (0, 3, True, "noted"),
    ],
)
def test_pressure_has_the_seed_s_levels(lines: int, sessions: int, compacted: bool, level: str) -> None:  # noqa: FBT001
    """A note from half of fifty lines on, due above all of them; sessions and a compaction count too."""
    pressure = Pressure(lines=lines, sessions=sessions, turns_per_hour=0.0, compacted=compacted)
    assert pressure.level == level
    assert bool(pressure.note()) == (level != "none")


@given(st.integers(0, 500), st.integers(0, 9), st.floats(0.0, 60.0), st.booleans())
def test_pressure_is_lines_and_a_quarter_a_signal(
    lines: int,
    sessions: int,
    turns: float,
    compacted: bool,  # noqa: FBT001
) -> None:
    """Each of three signals adds a quarter to the lines' share, and the level follows from the value alone."""
    pressure = Pressure(lines=lines, sessions=sessions, turns_per_hour=turns, compacted=compacted)
    signals = (sessions >= 3) + (turns >= 12) + compacted
    assert pressure.value == pytest.approx(lines / 50 + NUDGE * signals)
    assert pressure.level == level(pressure.value)
    assert ("compacted" in pressure.note()) is (compacted and pressure.level != "none")


@given(st.lists(st.integers(0, 10_000_000), max_size=40).map(sorted))
def test_density_is_the_fullest_hour(times: list[int]) -> None:
    """However the turns lie, it is the most of them within an hour that begins at one of them."""
    hour = 3_600_000
    expected = max((sum(begin <= each < begin + hour for each in times) for begin in times), default=0)
    assert densest(times) == expected


vectors = st.integers(2, 12).flatmap(
    lambda n: st.lists(
        st.lists(st.floats(-1, 1), min_size=4, max_size=4).filter(lambda row: math.hypot(*row) > 0.1),
        min_size=n,
        max_size=n,
    )
)


@given(vectors)
def test_a_feeling_is_bounded_and_gone_where_attention_rests(rows: list[list[float]]) -> None:
    """Its magnitude is 0 to 1; attention on what the memory is about feels nothing; valence stays in 0 to 1."""
    given_rows = np.array([gut.unit(np.array(row)) for row in rows])
    focus, depth = gut.attention(given_rows), gut.centroid(given_rows)
    felt = gut.delta(focus, depth)
    assert felt is None or 0.0 <= felt.magnitude <= 1.0
    said = gut.valence(felt, given_rows)
    assert ((said >= 0.0) & (said <= 1.0)).all()
    same = gut.delta(depth, depth)
    assert same is None or same.magnitude == 0.0


def test_a_feeling_points_towards_what_attention_is_on() -> None:
    """What lies the way of attention is above indifference, what lies the way of the depths below it."""
    here, there = np.eye(3)[0], np.eye(3)[1]
    felt = gut.delta(here, there)
    towards, away, beside = gut.valence(felt, np.eye(3))
    assert towards > 0.5 > away
    assert beside == pytest.approx(0.5)


@given(vectors, st.data())
def test_a_layer_is_a_mean_by_the_proportions_of_its_weights(
    rows: list[list[float]], data: st.DataObject
) -> None:
    """However small the weights are all together, none at all count the same, and more draws nearer."""
    given_rows = np.array([gut.unit(np.array(row)) for row in rows])
    weights = np.array(data.draw(st.lists(st.floats(0.1, 1.0), min_size=len(rows), max_size=len(rows))))
    whole, faded = gut.centroid(given_rows, weights), gut.centroid(given_rows, weights * 1e-12)
    even, none = gut.centroid(given_rows), gut.centroid(given_rows, np.zeros(len(rows)))
    assert (even is None) == (none is None)
    assert even is None or none == pytest.approx(even)
    if whole is not None and faded is not None:
        assert faded == pytest.approx(whole, abs=1e-3)
    heavy = gut.centroid(np.eye(2), [3.0, 1.0])
    assert heavy == pytest.approx(np.array([3.0, 1.0]) / math.sqrt(10))


def test_layers_share_what_an_empty_one_leaves() -> None:
    """Half, a quarter and a quarter; a space without goals leans on the other two, one without anything on nothing."""
    a, b, c = np.eye(3)
    assert gut.subconscious([a, b, c]) == pytest.approx(np.array([2.0, 1.0, 1.0]) / math.sqrt(6))
    assert gut.subconscious([a, None, c]) == pytest.approx(np.array([2.0, 0.0, 1.0]) / math.sqrt(5))
    assert gut.subconscious([None, None, None]) is None


layers = st.lists(
    st.none() | st.lists(st.floats(-1, 1), min_size=4, max_size=4).filter(lambda row: math.hypot(*row) > 0.1),
    min_size=3,
    max_size=3,
)


@given(layers)
def test_a_missing_layer_changes_no_other_s_proportions(rows: list[list[float] | None]) -> None:
    """What is there counts by the plan's shares relative to each other, however many layers are missing."""
    there = [None if row is None else gut.unit(np.array(row)) for row in rows]
    parts = [share * layer for share, layer in zip(gut.LAYERS, there, strict=True) if layer is not None]
    expected = gut.unit(np.sum(parts, axis=0)) if parts else None
    found = gut.subconscious(there)
    assert (found is None) == (expected is None)
    if found is not None and expected is not None:
        assert np.linalg.norm(found) == pytest.approx(1.0)
        assert found == pytest.approx(expected)


@given(vectors)
def test_a_gut_score_is_half_and_half_the_cosine(rows: list[list[float]]) -> None:
    """1 at the depths, 0.5 beside them and 0 opposite: the score of v4 plan, 2.8, from the magnitude alone."""
    here, there = gut.unit(np.array(rows[0])), gut.unit(np.array(rows[1]))
    assert here is not None
    assert there is not None
    assert gut.score(gut.delta(here, there)) == pytest.approx(0.5 + float(here @ there) / 2.0, abs=1e-9)
    assert gut.score(None) == gut.INDIFFERENT


@given(vectors, st.lists(st.none() | fractions, min_size=12, max_size=12))
def test_axes_are_orthonormal_and_share_what_there_is(
    rows: list[list[float]], outcomes: list[float | None]
) -> None:
    """Directions of unit length at right angles, the widest first, whose shares are of one whole; r is -1 to 1."""
    deltas = np.array(rows)
    found = gut.axes(deltas, outcomes[: len(deltas)], fewest=2)
    directions = np.array([axis.direction for axis in found]).reshape(len(found), 4)
    assert directions @ directions.T == pytest.approx(np.eye(len(found)), abs=1e-6)
    shares = [axis.share for axis in found]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) <= 1.0 + 1e-9
    assert all(axis.correlation is None or abs(axis.correlation) <= 1.0 + 1e-9 for axis in found)
    for axis in found:
        places = deltas @ axis.direction
        assert (axis.middle, axis.spread) == pytest.approx((places.mean(), places.std()), abs=1e-6)


def test_an_axis_is_named_by_the_words_of_its_positive_end() -> None:
    """Hope where that end went well, fear where it went badly, and no name where it went with nothing."""
    contexts = ["the garden and a boat", "my tax office", "a boat in the garden", "that tax form"] * 2
    deltas = np.outer([1.0, -1.0, 1.0, -1.0] * 2, [0.0, 1.0])
    for outcomes, name in ([1.0, 0.0], "hope: boat, garden"), ([0.0, 1.0], "fear: boat, garden"):
        (axis,) = gut.axes(deltas, outcomes * 4, fewest=4)
        assert name_of(axis, deltas, contexts, least=0.3) == name
    (unknown,) = gut.axes(deltas, [None] * 8)
    assert name_of(unknown, deltas, contexts, least=0.3) is None


def test_axes_find_what_feelings_moved_along_and_what_it_came_to() -> None:
    """The widest axis is the one that was laid, it goes with the outcomes, and no sign is left to chance."""
    generator = np.random.default_rng(7)
    along = generator.normal(size=60)
    deltas = np.outer(along, [0.0, 3.0, 0.0, 0.0]) + 0.1 * generator.normal(size=(60, 4))
    first, *others = gut.axes(deltas, [float(each > 0) for each in along])
    assert first.direction == pytest.approx([0.0, 1.0, 0.0, 0.0], abs=0.05)
    assert first.share > 0.9
    assert first.correlation is not None
    assert first.correlation > 0.7
    assert sum(each.share for each in (first, *others)) == pytest.approx(1.0)
    assert gut.axes(-deltas, [None] * 60)[0].direction == pytest.approx(first.direction)
    assert gut.axes(-deltas, [None] * 60)[0].correlation is None


@pytest.mark.parametrize("deltas", [np.empty((0, 4)), np.ones((1, 4)), np.ones((5, 4))])
def test_feelings_that_never_moved_have_no_axes(deltas: np.ndarray) -> None:
    """None, one, and several equal ones span nothing."""
    assert gut.axes(deltas, [1.0] * len(deltas)) == ()


def candidate(n: int, **more: object) -> Candidate:
    """Return a candidate that nothing leans to."""
    plain = {
        "weight": 0.5,
        "used_at": NOW,
        "event_at": NOW,
        "disputed": 0,
        "about_self": False,
    }
    return Candidate(**{"id": f"{n:032x}", **plain, **more})  # type: ignore[arg-type]


def test_a_mind_wanders_where_it_leans_and_everywhere_else() -> None:
    """What is neglected, disputed, distant or about the agent comes up more often, and nothing is left out for ever."""
    leaning = {
        "neglected": candidate(1, weight=0.95, used_at=NOW - timedelta(days=200)),
        "disputed": candidate(2, disputed=3),
        "distant": candidate(3, event_at=NOW - timedelta(days=2_000)),
        "self": candidate(4, about_self=True, weight=0.95),
    }
    pool = [*leaning.values(), *(candidate(n) for n in range(5, 11))]
    generator = np.random.default_rng(3)
    drawn = [found for _ in range(4_000) if (found := draw(pool, generator, now=NOW))]
    counts = {each.id: sum(got.id == each.id for got, _ in drawn) for each in pool}
    plain = np.mean([counts[each.id] for each in pool[4:]])
    assert min(counts.values()) > 0
    for name, each in leaning.items():
        assert counts[each.id] > 1.2 * plain
        assert {why.value for got, why in drawn if got.id == each.id} == {name}
    assert {why for got, why in drawn if got in pool[4:]} == {Leaning.CHANCE}


def test_a_mind_that_goes_in_circles_is_broadened() -> None:
    """Broadened, the leanings count less; what came up lately does not come again while half of the pool is left."""
    pool = [candidate(1, disputed=3), *(candidate(n) for n in range(2, 12))]

    def share(*, broaden: bool) -> float:
        generator = np.random.default_rng(5)
        drawn = [draw(pool, generator, now=NOW, broaden=broaden) for _ in range(3_000)]
        return sum(found is not None and found[0] is pool[0] for found in drawn) / 3_000

    assert share(broaden=True) < share(broaden=False)
    generator = np.random.default_rng(5)
    recent = [each.id for each in pool[1:]]
    drawn = [draw(pool, generator, now=NOW, recent=recent) for _ in range(200)]
    assert {found[0].id for found in drawn if found} == {pool[0].id, *recent[len(pool) // 2 :]}
    assert draw(pool[1:2], generator, now=NOW, recent=recent) is not None
    assert draw([], generator, now=NOW) is None


def test_a_draw_is_chance_that_can_be_repeated() -> None:
    """The same seed draws the same."""
    pool = [candidate(n) for n in range(9)]
    assert draw(pool, np.random.default_rng(1), now=NOW) == draw(pool, np.random.default_rng(1), now=NOW)


def test_a_thought_goes_where_it_has_company() -> None:
    """Only where a companion was found; what is about the agent goes to identity, all else as often as is laid down."""
    generator = np.random.default_rng(2)
    every = set(Channel) - {Channel.REVIEW}
    taken = [channel(every, Leaning.CHANCE, generator) for _ in range(4_000)]
    shares = [taken.count(each) / len(taken) for each in (Channel.GOAL, Channel.INSIGHT, Channel.IDENTITY)]
    assert shares == pytest.approx([0.5, 0.3, 0.2], abs=0.03)
    assert {channel(every, Leaning.SELF, generator) for _ in range(50)} == {Channel.IDENTITY}
    assert {channel({Channel.INSIGHT}, Leaning.SELF, generator) for _ in range(50)} == {Channel.INSIGHT}


@given(fractions, st.floats(-1.0, 1.0), st.floats(-1.0, 1.0), waits, waits)
def test_what_belongs_together_and_lies_apart_is_disparate(
    strength: float, similarity: float, other: float, days: float, more: float
) -> None:
    """It is 0 to 1; of two associations the less alike is the more disparate, of two that are alike the older."""

    def value(*, similarity: float = similarity, associated: bool = True, days: float = days) -> float:
        return disparity(
            strength=strength, similarity=similarity, associated=associated, apart=timedelta(days=days)
        )

    assert 0.0 <= value() <= strength
    low, high = sorted((similarity, other))
    assert value(similarity=low) >= value(similarity=high)
    assert value(associated=False, days=days + more) >= value(associated=False)


@given(st.lists(st.sampled_from("abcd"), max_size=30))
def test_entropy_is_highest_where_every_topic_is_new(topics: list[str]) -> None:
    """It is 0 to 1: 0 where one topic alone came up, 1 where none came twice."""
    value = entropy(topics)
    assert 0.0 <= value <= 1.0 + 1e-12
    if len(topics) > 1 and len(set(topics)) == 1:
        assert value == 0.0
    if len(set(topics)) == len(topics):
        assert value == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("sessions", "minutes", "new", "incubated", "connected", "step"),
    [
        (2, 60, False, None, False, "go on"),
        (3, 20, False, None, False, "go on"),
        (3, 21, True, None, False, "go on"),
        (3, 21, False, None, False, "incubate"),
        (9, 90, False, 0, True, "rest"),
        (9, 90, False, 1, False, "rest"),
        (9, 90, False, 1, True, "come back"),
        (9, 90, False, 4, False, "rest"),
        (9, 90, False, 5, False, "escalate"),
        (9, 90, False, 5, True, "come back"),
    ],
)
def test_a_stuck_goal_incubates_and_then_somebody_is_asked(
    *,
    sessions: int,
    minutes: int,
    new: bool,
    incubated: int | None,
    connected: bool,
    step: str,
) -> None:
    """Three sessions, twenty minutes and nothing new make it stuck; it rests one session at least and five at most."""
    progress = Progress(
        sessions_without=sessions,
        spent=timedelta(minutes=minutes),
        new_approach=new,
        incubated=incubated,
        connected=connected,
    )
    assert next_step(progress) == step


@given(st.lists(st.tuples(st.sampled_from([*EVENTS, "nothing"]), st.floats(0.0, 72.0)), max_size=40))
def test_levels_stay_in_bounds_and_fade(events: list[tuple[str, float]]) -> None:
    """However much happens, a level is 0 to 1; with nothing more, it is nothing in the end."""
    levels, now = Levels(at=NOW), NOW
    for event, hours in events:
        now += timedelta(hours=hours)
        levels = levels.told(event, now)
        assert all(0.0 <= getattr(levels, each.value) <= 1.0 for each in Signal)
    later = levels.after(now + timedelta(days=30))
    assert all(getattr(later, each.value) < 1e-9 for each in Signal)
    assert later.mood() == ""


def test_a_spike_is_noted_once() -> None:
    """A note is due when a level rises above the mark, and not again while it stays there."""
    before = Levels(at=NOW)
    first = before.told("goal_done", NOW)
    second = first.told("goal_done", NOW)
    assert first.spikes(before) == []
    assert second.spikes(first) == [Signal.ACHIEVEMENT]
    assert second.told("goal_done", NOW).spikes(second) == []
    assert second.mood() == "motivated"
