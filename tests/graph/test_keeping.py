"""Facts become memories: each once, with what it rests on, and what changes stays reachable, on a real graph."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pkgutil import resolve_name
from typing import Any

import pytest

from engram.beliefs.changes import list_changes, undo
from engram.beliefs.facts import Category, Quote
from engram.beliefs.keeping.keeper import MOST, Became, keep_facts
from engram.beliefs.keeping.listing import list_facts
from engram.errors import NotFoundError
from engram.memory import Engram
from engram.records import FOREVER, Kind
from engram.testing import FixedClock, ScriptedModel
from tests.graph.beside import another, everything, run
from tests.graph.telling import fact, home, moved, said, told, truth

pytestmark = pytest.mark.graph

cli = resolve_name("engram.cli.facts")
JANUARY, MARCH, JUNE = (datetime(2025, month, 1, 9, tzinfo=UTC) for month in (1, 3, 6))
LONG_OVER = datetime(2020, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)


def contents(memory: Engram, question: str, **more: Any) -> list[str]:
    """Return the facts that a question brings back."""
    return [
        hit.memory.content for hit in memory.recall(question, read_only=True, **more) if hit.memory.category
    ]


def test_a_fact_becomes_a_memory_that_cites_its_turn(memory: Engram) -> None:
    """Kind, category, times and confidence are the fact's; it rests on its turn, with the quoted words."""
    turn = said(memory, "By the way, I like oolong tea.", at=JANUARY)
    drawn = fact(
        "Noor likes oolong tea",
        at=JANUARY,
        quotes=(Quote(turn=turn, text="I like oolong tea"),),
        category=Category.PREFERENCE,
        slot="likes:oolong_tea",
        value="likes",
        confidence=0.8,
        entities=("Darjeeling House",),
    )
    outcome = told(memory, drawn)[0]
    assert (outcome.became, outcome.why, outcome.changes) == (Became.KEPT, "new", ())
    kept = memory.get(outcome.memory or "")
    assert (kept.kind, kept.category, kept.source) == (Kind.PREFERENCE, "preference", "fact:tea")
    assert (kept.event_at, kept.known_at, kept.valid_from, kept.valid_to) == (JANUARY,) * 3 + (FOREVER,)
    chain = memory.why(kept.id)
    assert [(step.relationship, step.detail["citation"]) for step in chain if step.label == "Turn"] == [
        ("DERIVED_FROM", "I like oolong tea")
    ]
    assert truth(memory, kept.id) == pytest.approx(1.8 / 2.8)
    nodes, _ = everything(memory)
    stored = next(node["properties"] for node in nodes if node["id"] == kept.id)
    assert {name: stored[name] for name in ("subject", "slot", "value", "single", "negated")} == {
        "subject": "noor",
        "slot": "likes:oolong_tea",
        "value": "likes",
        "single": False,
        "negated": False,
    }
    assert {node["id"] for node in nodes if "Entity" in node["labels"]} == {"noor", "darjeeling house"}


def test_what_is_told_twice_adds_nothing(memory: Engram, clock: FixedClock) -> None:
    """The same facts kept again leave the graph as it was: a batch that was killed is finished by keeping it again."""
    facts = [
        home("Boston", said(memory, "I live in Boston", at=JANUARY), at=JANUARY),
        home("Berlin", said(memory, "I live in Berlin now", at=MARCH), at=MARCH, revision="change"),
        fact("Noor plays the cello", said(memory, "I play the cello", at=MARCH), at=MARCH),
    ]
    first = told(memory, *facts)
    before = everything(memory)
    clock.advance(DAY)
    again = told(memory, *facts)
    assert [each.became for each in again] == [Became.MERGED] * 3
    assert [each.memory for each in again] == [each.memory for each in first]
    assert {each.why for each in again} == {"known already, from the same turn"}
    assert everything(memory) == before


def test_told_again_is_evidence_and_no_copy(memory: Engram) -> None:
    """Another turn adds a piece of evidence, whatever its words, where subject, slot and value are the same."""
    first = moved(memory, "Boston", at=JANUARY)
    turn = said(memory, "My flat in Boston is cold", at=MARCH)
    again = told(memory, replace(home("boston", turn, at=MARCH), content="Noor has a flat in Boston"))[0]
    assert (again.became, again.memory) == (Became.MERGED, first.memory)
    assert memory.get(first.memory or "").seen_count == 2
    assert truth(memory, first.memory or "") == pytest.approx(2.1 / 3.1)
    assert len([step for step in memory.why(first.memory or "") if step.label == "Turn"]) == 2


def test_near_and_about_the_same_is_the_same(memory: Engram) -> None:
    """Without a slot, likeness and a shared subject make two facts one; another subject or an opposition does not."""
    words = "repairs old violins and cellos in a small workshop behind the station every second Saturday"
    turns = [said(memory, f"{number}: {words}", at=JANUARY + number * DAY) for number in range(4)]
    first = told(memory, fact(f"Noor {words}", turns[0], at=JANUARY))[0]
    near = told(memory, fact(f"Noor {words} morning", turns[1], at=JANUARY + DAY))[0]
    assert (near.became, near.memory) == (Became.MERGED, first.memory)
    other = told(memory, fact(f"Tom {words}", turns[2], at=JANUARY, subject="Tom"))[0]
    assert other.became is Became.KEPT
    opposed = told(memory, fact(f"Noor never {words}", turns[3], at=JANUARY + DAY))[0]
    assert opposed.became is Became.KEPT


def test_the_same_words_about_somebody_else_are_another_memory(memory: Engram) -> None:
    """Who says it does not matter, whom it is about does."""
    words = "She moved to Rome"
    noor = told(memory, fact(words, said(memory, "I moved to Rome", at=JANUARY), at=JANUARY))[0]
    turn = said(memory, "She moved to Rome", at=MARCH, speaker="Tom")
    tom = told(memory, fact(words, turn, at=MARCH, speaker="Tom"))[0]
    ada = told(memory, fact(words, turn, at=MARCH, speaker="Tom", subject="Ada"))[0]
    assert (tom.became, tom.memory) == (Became.MERGED, noor.memory)
    assert (ada.became, ada.memory != noor.memory) == (Became.KEPT, True)


def test_boston_berlin_boston(memory: Engram) -> None:
    """Three episodes, each valid until the next begins; asked for a day, recall answers with the one of that day."""
    places = [("Boston", JANUARY), ("Berlin", MARCH), ("Boston", JUNE)]
    kept = [moved(memory, place, at=at, revision="change") for place, at in places]
    assert [each.became for each in kept] == [Became.KEPT] * 3
    assert [len(each.changes) for each in kept] == [0, 1, 1]
    memories = [memory.get(each.memory or "") for each in kept]
    assert len({each.id for each in memories}) == 3
    assert [(each.valid_from, each.valid_to) for each in memories] == [
        (JANUARY, MARCH),
        (MARCH, JUNE),
        (JUNE, FOREVER),
    ]
    assert [each.status for each in memories] == ["superseded", "superseded", "active"]
    asked = "Where does Noor live?"
    for (place, at), until in zip(places, (MARCH, JUNE, JUNE + 60 * DAY), strict=True):
        assert contents(memory, asked, as_of=at + (until - at) / 2) == [f"Noor lives in {place}"]
    assert contents(memory, asked) == ["Noor lives in Boston"]
    assert {change.kind for change in list_changes(memory.graph, space=memory.space)} == {"supersession"}


def test_what_was_so_then_is_evidence_for_then(memory: Engram) -> None:
    """Told late of a time that is over, a fact joins the episode of that time, and retires nothing."""
    boston = moved(memory, "Boston", at=JANUARY)
    berlin = moved(memory, "Berlin", at=MARCH, revision="change")
    late = moved(memory, "Boston", at=JANUARY + 9 * DAY)
    assert (late.became, late.memory) == (Became.MERGED, boston.memory)
    assert memory.get(berlin.memory or "").status == "active"


def test_a_negated_value_ends_the_held_one(memory: Engram) -> None:
    """No longer having a value supersedes it; where nothing is held, it is kept as a fact."""
    meat = {"slot": "eats:meat", "value": "meat"}
    alone = told(
        memory,
        fact("Noor does not smoke", said(memory, "I don't smoke", at=JANUARY), at=JANUARY, negated=True),
    )[0]
    assert alone.became is Became.KEPT
    eats = told(memory, fact("Noor eats meat", said(memory, "I eat meat", at=JANUARY), at=JANUARY, **meat))[0]
    turn = said(memory, "I don't eat meat any more", at=MARCH)
    ended = told(
        memory,
        fact("Noor no longer eats meat", turn, at=MARCH, negated=True, revision="change", **meat),
    )[0]
    assert ended.became is Became.KEPT
    assert memory.get(eats.memory or "").status == "superseded"
    assert memory.get(eats.memory or "").valid_to == MARCH


def test_over_before_it_was_told(memory: Engram) -> None:
    """A fact of which only the end is known holds until then; one that ends before it begins is dropped."""
    turn = said(memory, "I lived in Rome until 2019", at=JANUARY)
    end = datetime(2019, 1, 1, tzinfo=UTC)
    past = told(memory, home("Rome", turn, at=JANUARY, valid_to=end))[0]
    assert memory.get(past.memory or "").valid_to == end
    wrong = told(memory, home("Oslo", turn, at=JANUARY, valid_from=JANUARY, valid_to=end))[0]
    assert (wrong.became, wrong.why) == (Became.DROPPED, "It ends before it begins.")


def test_what_was_over_and_is_so_again_is_another_episode(memory: Engram) -> None:
    """What is said of a time that is over is no copy of what is so now, in other words or in the same."""
    told(memory, home("Boston", said(memory, "Boston till 2020", at=JANUARY), at=JANUARY, valid_to=LONG_OVER))
    again = moved(memory, "Boston", at=MARCH)
    assert again.became is Became.KEPT
    assert memory.get(again.memory or "").valid_to == FOREVER
    stays = [
        fact("Noor is in Rome", said(memory, f"Rome {at}", at=at), at=at, valid_to=at + 9 * DAY)
        for at in (JUNE, JANUARY, MARCH)
    ]
    kept = told(memory, *stays)
    assert [each.became for each in kept] == [Became.KEPT] * 3
    assert [each.memory for each in told(memory, *stays)] == [each.memory for each in kept]
    assert {memory.get(each.memory or "").status for each in kept} == {"active"}


def test_that_it_is_over_is_no_evidence_that_it_holds(memory: Engram) -> None:
    """With a day the held one ends on it; without one it may be meant of another time, and both stay."""
    boston = moved(memory, "Boston", at=JANUARY)
    turn = said(memory, "I lived in Boston until March", at=JUNE)
    over = replace(home("Boston", turn, at=JUNE, valid_to=MARCH), content="Noor used to live in Boston")
    outcome = told(memory, over)[0]
    assert (outcome.became, len(outcome.changes)) == (Became.KEPT, 1)
    ended = memory.get(boston.memory or "")
    assert (ended.status, ended.valid_to) == ("superseded", MARCH)
    undo(memory.graph, space=memory.space, change=outcome.changes[0], now=memory.now())
    assert memory.get(boston.memory or "").valid_to == FOREVER
    rome = told(memory, home("Rome", said(memory, "Tom is in Rome", at=JANUARY), at=JANUARY, subject="Tom"))[
        0
    ]
    turn = said(memory, "Tom was in Rome once", at=JUNE)
    vague = replace(
        home("Rome", turn, at=JUNE, subject="Tom", valid_to=JUNE), content="Tom used to live in Rome"
    )
    assert len(told(memory, vague)[0].changes) == 1
    assert memory.get(rome.memory or "").status == "active"
    assert truth(memory, rome.memory or "") < 2 / 3


def test_a_plan_retires_nothing_before_it_is_so(memory: Engram) -> None:
    """What has not begun leaves what is so until people say that it has."""
    boston = moved(memory, "Boston", at=JANUARY)
    planned = moved(memory, "Berlin", at=MARCH, valid_from=JUNE, revision="change")
    assert planned.changes == ()
    assert memory.get(boston.memory or "").status == "active"
    now = moved(memory, "Berlin", at=JUNE + DAY)
    assert (now.became, now.memory, len(now.changes)) == (Became.MERGED, planned.memory, 1)
    assert memory.get(boston.memory or "").valid_to == JUNE


def test_of_many_values_the_same_one_is_found(memory: Engram) -> None:
    """However many values an attribute has, the same value is no copy, and its denial reaches it."""
    at = [JANUARY + number * DAY for number in range(MOST + 3)]
    turns = [said(memory, f"{number}", at=each) for number, each in enumerate(at)]
    first, *_ = told(
        memory,
        *(
            fact(f"{'v' * number} {number}", turns[number], at=each, slot="visited", value=f"Town {number}")
            for number, each in enumerate(at)
        ),
    )
    turn = said(memory, "Never", at=JUNE)
    never = fact(
        "An error", turn, at=JUNE, slot="visited", value="town 0", negated=True, revision="correction"
    )
    assert len(told(memory, never)[0].changes) == 1
    assert memory.get(first.memory or "").status == "superseded"


def test_what_cannot_be_kept_is_dropped_with_its_reason(memory: Engram) -> None:
    """Blank, too long, the agent's own, without its turns: each is dropped, and spoils none of the others."""
    turn = said(memory, "I live in Boston", at=JANUARY)
    own = said(memory, "You live in Boston", at=JANUARY + DAY, speaker="agent", tag="internal_reply")
    kept = home("Boston", turn, at=JANUARY)
    outcomes = told(
        memory,
        replace(kept, content="  "),
        replace(kept, content="x" * 40_000),
        replace(kept, slot="x" * 300),
        replace(kept, source_tag="internal_reply"),
        home("Boston", own, at=JANUARY),
        home("Boston", "0" * 32, at=JANUARY),
        kept,
    )
    assert [each.became for each in outcomes] == [Became.DROPPED] * 6 + [Became.KEPT]
    assert [each.why for each in outcomes[3:6]] == [
        "the agent's own words are no evidence",
        "the agent's own words are no evidence",
        "its turns are gone",
    ]
    assert all(each.why and each.memory is None for each in outcomes[:6])


def test_a_batch_that_was_killed_is_finished_by_keeping_it_again(memory: Engram) -> None:
    """Stopped while a model is asked, what came before is kept, nothing is half written, and a second try does the rest."""
    turns = [said(memory, f"I live in {place}", at=JANUARY) for place in ("Boston", "Berlin")]
    facts = [home("Boston", turns[0], at=JANUARY), home("Berlin", turns[1], at=JANUARY)]
    stopped = ScriptedModel([KeyboardInterrupt()])
    with pytest.raises(KeyboardInterrupt):
        keep_facts(memory, facts, judge=stopped)
    assert len(stopped.asked) == 1
    assert [each.content for each in list_facts(memory.graph, space=memory.space, now=memory.now())] == [
        "Noor lives in Boston"
    ]
    again = told(memory, *facts)
    assert [each.became for each in again] == [Became.MERGED, Became.KEPT]
    assert len(list_changes(memory.graph, space=memory.space)) == 1


def test_names_that_mean_the_same_are_one_subject(memory: Engram) -> None:
    """A fact told of an alias is known as the fact of the name that stands for it, before and after they were joined."""
    first = moved(memory, "Boston", at=JANUARY)
    turn = said(memory, "Noortje is in Boston", at=MARCH, speaker="Tom")
    alias = replace(home("Boston", turn, at=MARCH), speaker="Tom", subject="Noortje")
    other = told(memory, alias)[0]
    assert other.became is Became.KEPT
    run(memory, "lay_alias", alias="noortje", other="noor")
    turn = said(memory, "Noortje, Boston, yes", at=JUNE, speaker="Ada")
    again = told(memory, replace(alias, speaker="Ada", quotes=(Quote(turn=turn, text="Boston"),), at=JUNE))[0]
    assert (again.became, again.memory in {first.memory, other.memory}) == (Became.MERGED, True)
    assert {
        each.subject
        for each in list_facts(memory.graph, space=memory.space, now=memory.now(), subject="Noor")
    } == {"noor"}


def test_two_who_keep_the_same_at_once_make_one(memory: Engram) -> None:
    """Threads that keep one fact in the same words, and in others, leave one memory with all of the evidence."""
    turns = [said(memory, f"Boston it is, number {number}", at=JANUARY + number * DAY) for number in range(4)]

    def keep(number: int) -> str | None:
        words = "Noor lives in Boston" if number % 2 else "Boston is where Noor lives"
        drawn = replace(home("Boston", turns[number], at=JANUARY), content=words)
        return keep_facts(memory, [drawn])[0].memory

    with ThreadPoolExecutor(4) as pool:
        kept = set(pool.map(keep, range(4)))
    assert len(kept) == 1
    found = memory.get(kept.pop() or "")
    assert found.seen_count == 4
    assert len([step for step in memory.why(found.id) if step.label == "Turn"]) == 4
    assert truth(memory, found.id) == pytest.approx(1 - 1 / (3 + 0.111))


def test_another_space_is_never_touched(memory: Engram, clock: FixedClock) -> None:
    """The same subject in another space is somebody else: nothing there is evidence, replaced or linked."""
    other = another(memory, clock)
    moved(other, "Boston", at=JANUARY)
    before = everything(other)
    kept = moved(memory, "Berlin", at=MARCH, revision="change")
    assert (kept.became, kept.changes) == (Became.KEPT, ())
    foreign = said(other, "In Berlin, of all places", at=MARCH)
    dropped = told(memory, home("Berlin", foreign, at=MARCH, speaker="Tom"))[0]
    assert (dropped.became, dropped.why) == (Became.DROPPED, "its turns are gone")
    assert [node for node in everything(other)[0] if node not in before[0]]  # the turn that was said there
    assert not any(row["type"] == "SUPERSEDES" for row in everything(other)[1])


def test_erasing_a_turn_takes_what_rests_on_it_alone(memory: Engram) -> None:
    """A fact, and an insight on it, that rest on nothing else go; nothing of the words is left, and they may be drawn anew."""
    turn = said(memory, "My doctor says it is the quokka fever", at=JANUARY)
    words = "Noor has the quokka fever"
    kept = told(memory, fact(words, turn, at=JANUARY, entities=("Quokka Clinic",)))[0]
    insight = memory.remember(
        "Noor is ill, it is quokka fever",
        kind="reflection",
        source="dream",
        source_tag="internal_consolidation",
        derived_from=[kept.memory or ""],
    )
    own = memory.remember("I should call the doctor", derived_from=[kept.memory or ""])
    found = (hit.memory for hit in memory.recall("quokka doctor", read_only=True))
    raw_id = next(each.id for each in found if each.kind is Kind.EPISODIC)
    memory.forget(raw_id, erase=True)
    for gone in (kept.memory or "", insight.id, raw_id):
        with pytest.raises(NotFoundError):
            memory.get(gone)
    assert memory.get(own.id).content == "I should call the doctor"
    assert "quokka" not in str(everything(memory)).lower()
    assert told(memory, fact(words, turn, at=JANUARY))[0].why == "its turns are gone"
    again = said(memory, "The clinic wrote: quokka fever", at=MARCH)
    assert told(memory, fact(words, again, at=MARCH))[0].became is Became.KEPT


def test_erasing_one_of_two_sources_leaves_the_fact(memory: Engram) -> None:
    """A fact that somebody else said too stays, without that citation and with less truth."""
    first = said(memory, "Quokkas, that is what I keep", at=JANUARY)
    second = said(memory, "Noor keeps small animals", at=MARCH, speaker="Tom")
    kept = told(memory, fact("Noor keeps animals", first, at=JANUARY))[0].memory or ""
    drawn = replace(fact("Noor keeps animals", second, at=MARCH), speaker="Tom")
    assert told(memory, drawn)[0].memory == kept
    assert truth(memory, kept) == pytest.approx(0.75)
    raw = next(
        hit.memory for hit in memory.recall("Quokkas", read_only=True) if "Quokkas" in hit.memory.content
    )
    memory.forget(raw.id, erase=True)
    assert [step.who for step in memory.why(kept) if step.label == "Turn"] == ["Tom"]
    assert truth(memory, kept) == pytest.approx(2 / 3)
    assert "quokka" not in str(everything(memory)).lower()


def test_an_erased_fact_does_not_come_back(memory: Engram) -> None:
    """What a person erased as a fact is not kept again, whoever says it; the log quotes nothing of it."""
    boston = moved(memory, "Boston", at=JANUARY)
    moved(memory, "Berlin", at=MARCH, revision="change")
    memory.forget(boston.memory or "", erase=True)
    again = moved(memory, "Boston", at=JUNE)
    assert (again.became, again.why) == (Became.DROPPED, "it was erased at a person's wish")
    assert "Boston" not in str([change.reason for change in list_changes(memory.graph, space=memory.space)])


def test_facts_are_listed_by_subject_and_slot(memory: Engram) -> None:
    """Current facts by name and attribute, with truth and sources; on request what no longer holds, with its end."""
    moved(memory, "Boston", at=JANUARY)
    moved(memory, "Berlin", at=MARCH, revision="change")
    tea = {"slot": "likes:tea", "value": "likes"}
    told(memory, fact("Noor likes tea", said(memory, "Tea!", at=JANUARY), at=JANUARY, **tea))
    told(memory, fact("It rains a lot", said(memory, "Rain!", at=JANUARY), at=JANUARY, subject=None))
    told(memory, fact("Tom is tall", said(memory, "Tom!", at=JANUARY), at=JANUARY, subject="Tom"))
    memory.remember("A note of no category")
    listed = [each.content for each in list_facts(memory.graph, space=memory.space, now=memory.now())]
    assert listed == ["Noor lives in Berlin", "Noor likes tea", "Tom is tall", "It rains a lot"]
    noor = list_facts(memory.graph, space=memory.space, now=memory.now(), subject="NOOR's", slot="likes")
    assert [(each.name, each.slot, each.sources) for each in noor] == [("Noor", "likes:tea", 1)]
    homes = list_facts(
        memory.graph, space=memory.space, now=memory.now(), subject="Noor", slot="Home", replaced=True
    )
    assert [(each.value, each.valid_to) for each in homes] == [("Berlin", FOREVER), ("Boston", MARCH)]
    assert list_facts(memory.graph, space=memory.space, now=memory.now(), subject="nobody") == []
    lines = list(cli.fact_lines(homes))
    assert lines[0] == "Noor"
    assert lines[1].endswith("home: Berlin  (Noor lives in Berlin)")
    assert "since 2025-01-01 until 2025-03-01, superseded, truth 0.67, evidence 1, fact" in lines[4]
