"""The job `adapt` against a real Neo4j: the gates' numbers follow outcomes, and the blend has a history and a way back."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pkgutil import resolve_name
from typing import Any

import pytest

from engram.beliefs.adapting.blend_history import MOST_EVIDENCE, blend_versions, restore_blend
from engram.beliefs.adapting.gate_tuning import RULES, Cause, week_of
from engram.errors import NotFoundError
from engram.llm import Models
from engram.loop.scratch import Scratch, Verdict
from engram.memory import Engram
from engram.records import Turn
from engram.safety import Safety
from engram.testing import FixedClock
from tests.graph.beside import another, everything, run
from tests.graph.talking import entry, talk

pytestmark = pytest.mark.graph

JOB: Any = resolve_name("engram.jobs.adapt:JOB")
SWEEP: Any = resolve_name("engram.jobs.sweep:JOB")
Means: Any = resolve_name("engram.jobs.means:Means")
run_job: Callable[..., Any] = resolve_name("engram.jobs.job:run_job")
DAY, WEEK = timedelta(days=1), timedelta(weeks=1)
KEY, HUT = "The spare key is under the blue flower pot", "The old mountain hut has a leaking roof"
SHORT = RULES["gate.skip_short"]
NEEDED = {"short": 100, "short_worthy": 50}


def adapt(memory: Engram, clock: FixedClock, **options: Any) -> Any:
    """Run the job over the memory's space."""
    assert memory.flush()
    with Means(memory, models=lambda: Models(system1=None, system2=None, quiet=None)) as means:
        return run_job(JOB, memory.graph, space=memory.space, clock=clock, means=means, **options)


def written(memory: Engram) -> Any:
    """Return what the job has written."""
    return run(memory, "adapt_read")[0]


def counted(memory: Engram) -> Counter[str]:
    """Return all counters, the weeks added up."""
    total: Counter[str] = Counter()
    for week in written(memory)["weeks"]:
        total.update({name: value for name, value in week.items() if isinstance(value, int)})
    return total


def passed_by(memory: Engram, clock: FixedClock, *texts: str) -> None:
    """Let the entry gate pass texts by."""
    said = [
        entry(f"{memory.space}-skipped-{clock.now:%j}-{n}", clock.now, text=text, skipped=True)
        for n, text in enumerate(texts)
    ]
    Scratch(memory.graph, space=memory.space).hear(said, run=None, now=clock.now)


def dropped(memory: Engram, clock: FixedClock, *texts: str) -> None:
    """Let the exit gate drop texts as irrelevant."""
    scratch = Scratch(memory.graph, space=memory.space)
    said = [
        entry(f"{memory.space}-dropped-{clock.now:%j}-{n}", clock.now, text=text, source_tag="internal_reply")
        for n, text in enumerate(texts)
    ]
    verdicts = [
        Verdict(
            entry=each,
            action="drop",
            reason="irrelevant (0.10), nothing like it is known",
            relevance=0.1,
            novelty="novel",
            similarity=0.0,
            buffered=False,
        )
        for each in said
    ]
    scratch.hear(said, run=None, now=clock.now)
    memory.graph.transact(lambda transaction: scratch.note(transaction, verdicts, now=clock.now))


def lay(memory: Engram, clock: FixedClock, counters: dict[str, int], *ago: int) -> None:
    """Lay the same counters into weeks, each so many before now."""
    weeks = [{"week": week_of(clock.now - each * WEEK), "counters": counters} for each in ago]
    run(memory, "adapt_lay_weeks", weeks=weeks)


def test_what_is_said_again_and_kept_was_needed(memory: Engram, clock: FixedClock) -> None:
    """What was held back counts as needed if a person says the same within the time, and not after it, nor before."""
    memory.remember_turns([Turn(text=HUT, speaker="Ida", at=clock.now - DAY)])
    dropped(memory, clock, KEY, HUT, "Vienna is lovely when lilacs bloom")
    clock.advance(DAY)
    memory.remember_turns([Turn(text=KEY, speaker="Ida", at=clock.now)])
    clock.advance(9 * DAY)
    memory.remember_turns([Turn(text=HUT, speaker="Ida", at=clock.now)])
    adapt(memory, clock)
    assert counted(memory) == {"irrelevant": 3, "irrelevant_worthy": 1}


@pytest.mark.parametrize(("useful", "late", "worthy"), [(False, 0, 1), (True, 0, 0), (False, 9, 0)])
def test_what_a_question_lacked_was_needed(
    memory: Engram, clock: FixedClock, *, useful: bool, late: int, worthy: int
) -> None:
    """Near a question whose answer was of no use, what was held back was needed; one that was answered lacked nothing."""
    memory.remember("Lilacs bloom in May")
    dropped(memory, clock, KEY, "A leaking roof is no joke")
    clock.advance((1 + late) * DAY)
    memory.recall("Is the spare key under the blue flower pot?", 1)[0].useful(useful)
    clock.advance(8 * DAY)
    adapt(memory, clock)
    assert counted(memory) == Counter({"irrelevant": 2, "irrelevant_worthy": worthy}) - Counter()


def test_what_a_used_fact_was_drawn_from_was_needed(memory: Engram, clock: FixedClock) -> None:
    """A turn that the gate dropped was worth keeping if a fact drawn from it all the same was recalled."""
    dropped(memory, clock, KEY, HUT)
    facts = [memory.remember(f"Ida knows: {text}", category="fact") for text in (KEY, HUT)]
    for fact, text in zip(facts, (KEY, HUT), strict=True):
        run(memory, "rest_on_turn", id=fact.id, text=text, citation=text)
    clock.advance(DAY)
    assert [hit.memory.id for hit in memory.recall(KEY, 1)] == [facts[0].id]
    clock.advance(9 * DAY)
    adapt(memory, clock)
    assert counted(memory) == {"irrelevant": 2, "irrelevant_worthy": 1}


def test_what_is_kept_must_be_used_in_time(memory: Engram, clock: FixedClock) -> None:
    """Of what the real gate kept, that counts as used which was recalled within 14 days."""
    with talk(memory, clock) as agent:
        for text in (KEY, HUT, "My sister Iris plays the cello in Ghent"):
            list(agent.say(text))
            clock.advance(timedelta(minutes=1))
    adapt(memory, clock)
    waiting = written(memory)["waiting"]
    assert waiting >= 3
    used = [node for node in everything(memory)[0] if node["properties"].get("access_count")]
    assert not used, "the talk itself has used none"
    clock.advance(3 * DAY)
    assert memory.recall(KEY, 1)[0].memory.content == KEY
    clock.advance(12 * DAY)
    assert memory.recall(HUT, 1)[0].memory.content == HUT
    adapt(memory, clock)
    found = counted(memory)
    assert sum(found[cause.value] for cause in Cause if cause.kept) == waiting
    assert sum(found[cause.worthy] for cause in Cause) == 1
    assert written(memory)["waiting"] == 0


@pytest.mark.parametrize(("noise", "cause"), [(0.0, Cause.IRRELEVANT), (1.0, Cause.CHANCE)])
def test_what_the_real_gates_say_is_understood(
    memory: Engram, clock: FixedClock, noise: float, cause: Cause
) -> None:
    """What the entry gate skips, and what the exit gate drops or keeps by chance, is counted as that."""
    for key, value in (("gate.permissive", 0), ("gate.noise", noise), ("gate.skip_short", 1.0)):
        memory.tune(key, value)
    with talk(memory, clock) as agent:
        for text in ("hm", KEY, "Vienna is lovely when lilacs bloom"):
            list(agent.say(text))
            clock.advance(timedelta(minutes=1))
    adapt(memory, clock)
    clock.advance(15 * DAY)
    adapt(memory, clock)
    found = counted(memory)
    assert found[Cause.SHORT] == 1
    assert found[cause] >= 2
    assert set(found) <= {Cause.SHORT, cause, Cause.EDGE, Cause.CORE}


def test_outcomes_outlive_the_scratch_buffer(memory: Engram, clock: FixedClock) -> None:
    """What was noted is counted in its week though the entry was swept long ago; what was erased is not."""
    passed_by(memory, clock, "ok", "yes", "no meat")
    week = week_of(clock.now)
    assert adapt(memory, clock).changed == 3
    clock.advance(2 * DAY)
    run_job(SWEEP, memory.graph, space=memory.space, clock=clock)
    nodes, _ = everything(memory)
    assert not [node for node in nodes if "ScratchEntry" in node["labels"]]
    gone = memory.remember("no meat")
    memory.forget(gone.id, erase=True)
    clock.advance(6 * DAY)
    assert adapt(memory, clock).changed == 2
    assert [(each["week"], each["short"]) for each in written(memory)["weeks"]] == [(week, 2)]


def test_small_talk_that_comes_again_shows_no_need(memory: Engram, clock: FixedClock) -> None:
    """Said again, a text of a word or two says nothing about what was held back."""
    passed_by(memory, clock, "thank you")
    clock.advance(DAY)
    memory.remember_turns([Turn(text="thank you", speaker="Ida", at=clock.now)])
    clock.advance(9 * DAY)
    adapt(memory, clock)
    assert counted(memory) == {"short": 1}


@pytest.mark.parametrize("batch_size", [1, 100])
def test_it_does_not_matter_when_the_job_looks(memory: Engram, clock: FixedClock, batch_size: int) -> None:
    """Run once or every day, whatever the batches, the same outcomes are counted, each once, in the week of the decision."""
    memory.tune("adapt.batch_size", batch_size)
    other = another(memory, clock)
    for each in (memory, other):
        memory_clock = clock.now
        dropped(each, clock, KEY, HUT)
        passed_by(each, clock, "ok", '{"a": 1, "b": 2}')
        clock.advance(DAY)
        each.remember_turns([Turn(text=KEY, speaker="Ida", at=clock.now)])
        clock.now = memory_clock
    for _ in range(12):
        clock.advance(DAY)
        adapt(memory, clock)
    adapt(other, clock)
    plain = [
        [{name: value for name, value in week.items() if name != "space"} for week in written(each)["weeks"]]
        for each in (memory, other)
    ]
    assert plain[0] == plain[1]
    assert counted(memory) == {"irrelevant": 2, "irrelevant_worthy": 1, "short": 1, "mechanical": 1}


def test_a_dry_run_says_what_would_be_done_and_does_nothing(memory: Engram, clock: FixedClock) -> None:
    """A dry run sees every batch, and leaves all as it was; a second run finds nothing."""
    memory.tune("adapt.batch_size", 2)
    lay(memory, clock, NEEDED, 5, 4)
    passed_by(memory, clock, *(f"ok {n}" for n in range(5)))
    before = everything(memory)
    dry = adapt(memory, clock, dry_run=True)
    assert (dry.changed, len(dry.examples)) == (6, 5)
    assert everything(memory) == before
    assert adapt(memory, clock).changed == 6
    assert adapt(memory, clock).changed == 0
    clock.advance(8 * DAY)
    assert adapt(memory, clock, dry_run=True).changed == 5
    assert adapt(memory, clock).changed == 5


def test_two_workers_count_once(memory: Engram, clock: FixedClock) -> None:
    """However many run at once, each decision is counted once and each step is taken once."""
    lay(memory, clock, NEEDED, 5, 4)
    passed_by(memory, clock, *(f"ok {n}" for n in range(9)))
    for _ in range(2):
        with ThreadPoolExecutor(3) as pool:
            list(pool.map(lambda _: adapt(memory, clock), range(3)))
        adapt(memory, clock)
        clock.advance(8 * DAY)
    assert counted(memory)["short"] == 2 * NEEDED["short"] + 9
    assert memory.tuning()[SHORT.key] == pytest.approx(SHORT.default - SHORT.step)


def test_a_number_takes_one_step_for_each_portion_of_weeks(memory: Engram, clock: FixedClock) -> None:
    """Weeks that show need move a number by a step, with its history; looked at once, they move it no further."""
    lay(memory, clock, NEEDED, 5, 4)
    done = adapt(memory, clock)
    assert memory.tuning()[SHORT.key] == pytest.approx(0.93)
    row = next(row for row in done.report if row.get("number") == SHORT.key)
    assert (row["held_back"], row["needed"], row["value"], row["default"]) == (200, 100, 0.93, 0.95)
    (change,) = memory.graph.read(
        "inspect/list_number_changes", spaces=[memory.space], key=SHORT.key, limit=9
    )
    assert (change["before"], change["after"], change["by"], change["at"]) == (
        None,
        0.93,
        "job:adapt",
        clock.now,
    )
    clock.advance(WEEK)
    adapt(memory, clock)
    assert memory.tuning()[SHORT.key] == pytest.approx(0.93)
    for _ in range(8):
        clock.advance(2 * WEEK)
        lay(memory, clock, NEEDED, 4, 3)
        adapt(memory, clock)
    assert memory.tuning()[SHORT.key] == SHORT.low
    assert {each["key"] for each in written(memory)["advice"]} == {SHORT.key}


def test_a_week_is_looked_at_when_all_of_it_is_known(memory: Engram, clock: FixedClock) -> None:
    """A week in which something still waits, or that is hardly over, advises nothing yet."""
    lay(memory, clock, NEEDED, 2, 1)
    adapt(memory, clock)
    assert memory.tuning().own == frozenset()
    clock.advance(WEEK)
    adapt(memory, clock)
    assert memory.tuning().own == frozenset(), "of two weeks the newer one is not known yet"
    clock.advance(WEEK)
    adapt(memory, clock)
    assert memory.tuning().own == {SHORT.key}


def test_what_a_person_has_set_stays(memory: Engram, clock: FixedClock) -> None:
    """A number that was set by hand is not moved, be it to the default, nor one that the job has moved before."""
    memory.tune(SHORT.key, SHORT.default)
    lay(memory, clock, NEEDED | {"irrelevant": 100, "irrelevant_worthy": 50}, 5, 4)
    done = adapt(memory, clock)
    assert memory.tuning()[SHORT.key] == SHORT.default
    assert "by hand" in next(row["advice"] for row in done.report if row.get("number") == SHORT.key)
    assert memory.tuning()["gate.noise"] == pytest.approx(0.025)
    memory.tune("gate.noise", 0.02)
    clock.advance(2 * WEEK)
    lay(memory, clock, {"irrelevant": 100, "irrelevant_worthy": 50}, 4, 3)
    adapt(memory, clock)
    assert memory.tuning()["gate.noise"] == pytest.approx(0.02)
    assert memory.tuning()["gate.peripheral"] == pytest.approx(0.26), "nobody has touched this one"


def test_undo_sets_the_numbers_back(memory: Engram, clock: FixedClock) -> None:
    """Undone, a run's numbers are what they were, its evidence advises nothing again, and counts stay."""
    lay(memory, clock, NEEDED, 5, 4)
    first = adapt(memory, clock)
    clock.advance(2 * WEEK)
    lay(memory, clock, NEEDED, 4, 3)
    second = adapt(memory, clock)
    weeks = written(memory)["weeks"]
    assert adapt(memory, clock, undoing=first.id).notes, "the second run has changed it since"
    assert adapt(memory, clock, undoing=second.id, dry_run=True).changed == 1
    assert memory.tuning()[SHORT.key] == pytest.approx(0.91)
    assert adapt(memory, clock, undoing=second.id).changed == 1
    assert memory.tuning()[SHORT.key] == pytest.approx(0.93)
    assert adapt(memory, clock, undoing=second.id).changed == 0
    assert adapt(memory, clock, undoing=first.id).changed == 1
    assert memory.tuning().own == frozenset()
    assert written(memory)["weeks"] == weeks
    adapt(memory, clock)
    assert memory.tuning().own == frozenset()


def test_undo_leaves_what_a_person_has_set_since(memory: Engram, clock: FixedClock) -> None:
    """A number that was changed by hand after the run is left, and the run says so."""
    lay(memory, clock, NEEDED, 5, 4)
    done = adapt(memory, clock)
    memory.tune(SHORT.key, 0.5)
    undone = adapt(memory, clock, undoing=done.id)
    assert undone.changed == 0
    assert SHORT.key in undone.notes[0]
    assert memory.tuning()[SHORT.key] == 0.5


@pytest.mark.parametrize("phase", [1, 2])
def test_the_two_gates_see_each_step(memory: Engram, clock: FixedClock, phase: int) -> None:
    """A step that the newest week does not confirm is an event; enforced, it is not taken, and not tried again."""
    memory.tune("safety.enforced_phase", phase)
    lay(memory, clock, NEEDED, 5)
    lay(memory, clock, {"short": 100}, 4)
    adapt(memory, clock)
    adapt(memory, clock)
    assert (SHORT.key in memory.tuning().own) == (phase < 2)
    (event,) = Safety(memory.graph, space=memory.space, clock=clock).events()
    assert (event.ceiling, event.subject, event.enforced) == ("two_gate", SHORT.key, phase >= 2)


def test_other_spaces_are_left_alone(memory: Engram, clock: FixedClock) -> None:
    """Neither what is counted nor what is set reaches another space, and nothing of it is read."""
    other = another(memory, clock)
    dropped(memory, clock, KEY)
    lay(other, clock, NEEDED, 5, 4)
    passed_by(other, clock, "ok")
    other.remember_turns([Turn(text=KEY, speaker="Ida", at=clock.now + DAY)])
    before = everything(other)
    clock.advance(8 * DAY)
    adapt(memory, clock)
    assert counted(memory) == {"irrelevant": 1}
    assert everything(other) == before


def moved(memory: Engram, clock: FixedClock, times: int) -> list[datetime]:
    """Let verdicts move the blend so many times, a day apart, and return when."""
    for n in range(3):
        memory.remember(f"Volume {n} of the atlas lies on the shelf")
    at = []
    for n in range(times):
        clock.advance(DAY)
        memory.recall(f"atlas {n}", 1)[0].useful()
        at.append(clock.now)
    assert memory.flush()
    return at


def test_every_version_of_the_blend_can_be_restored(memory: Engram, clock: FixedClock) -> None:
    """The history has each version with its time, a version or a time brings it back, and that can be taken back too."""
    at = moved(memory, clock, 3)
    learned = memory.blend().learned
    versions = blend_versions(memory.graph, space=memory.space)
    assert [(each.version, each.at) for each in versions] == [(3, at[2]), (2, at[1]), (1, at[0]), (0, None)]
    assert versions[0].alphas == pytest.approx(memory.blend().alphas)
    assert versions[-1].offsets == (0.0,) * 5
    clock.advance(DAY)
    found = restore_blend(memory.graph, space=memory.space, to=at[0] + DAY / 2, now=clock.now)
    assert found.version == 1
    assert memory.blend().learned.offsets == versions[2].offsets
    assert memory.blend().learned.experience == learned.experience
    newest = blend_versions(memory.graph, space=memory.space)[0]
    assert (newest.version, newest.restored, newest.at) == (4, 1, clock.now)
    clock.advance(DAY)
    restore_blend(memory.graph, space=memory.space, to=3, now=clock.now)
    restore_blend(memory.graph, space=memory.space, to=3, now=clock.now)
    assert memory.blend().learned == learned
    assert len(blend_versions(memory.graph, space=memory.space)) == 6
    assert memory.blend().changes[0].component == "restored"


def test_versions_keep_their_numbers_when_old_ones_are_swept(memory: Engram, clock: FixedClock) -> None:
    """What was rolled up still counts, and what is no longer kept is refused in words."""
    moved(memory, clock, 3)
    offsets = blend_versions(memory.graph, space=memory.space)[2].offsets
    clock.advance(29 * DAY)
    run_job(SWEEP, memory.graph, space=memory.space, clock=clock)
    versions = blend_versions(memory.graph, space=memory.space)
    assert [each.version for each in versions] == [3, 2, 1]
    assert (versions[2].at, versions[2].offsets) == (None, offsets)
    for gone in (0, 7):
        with pytest.raises(NotFoundError, match=f"no version {gone}"):
            restore_blend(memory.graph, space=memory.space, to=gone, now=clock.now)
    with pytest.raises(NotFoundError):
        restore_blend(another(memory, clock).graph, space="nobody", to=1, now=clock.now)


def test_what_has_gone_out_of_shape_is_said(memory: Engram, clock: FixedClock) -> None:
    """A blend at its bound and a memory with endless evidence are told of; a sound space is told nothing."""
    moved(memory, clock, 1)
    assert adapt(memory, clock).notes == ()
    stiff = memory.remember("The atlas is heavy")
    run(memory, "set_properties", id=stiff.id, properties={"weight_alpha": MOST_EVIDENCE, "weight_beta": 1.0})
    restored = {"version": 1, "offsets": [1_000.0, 0.0, 0.0, 0.0, 0.0], "now": clock.now}
    memory.graph.write("believe/adapt_restore_blend", space=memory.space, **restored)
    done = adapt(memory, clock)
    assert [
        ("its upper bound" in note, "hardly count" in note, stiff.id[:8] in note) for note in done.notes
    ] == [
        (True, False, False),
        (False, True, False),
        (False, False, True),
    ]
    assert [row["version"] for row in done.report if "version" in row] == [2, 1, 0]


def test_a_blend_that_cannot_be_used_is_told_of_and_mended(memory: Engram, clock: FixedClock) -> None:
    """Where somebody has set what no recall can blend with, the run says so and goes on, and a version brings it back."""
    moved(memory, clock, 2)
    learned = memory.blend().learned
    broken = {"version": 0, "offsets": [float("nan")] * 5, "now": clock.now + DAY}
    memory.graph.write("believe/adapt_restore_blend", space=memory.space, **broken)
    (note,) = adapt(memory, clock).notes
    assert "cannot be used" in note
    restore_blend(memory.graph, space=memory.space, to=2, now=clock.now + 2 * DAY)
    assert memory.blend().learned == learned
