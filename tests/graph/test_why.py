"""Why a memory is believed, what has happened to it, and what was believed when, on a real graph."""

import re
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest

from engram.beliefs.drawing import pasted
from engram.beliefs.why import BREADTH, DEPTH, STATEMENT, WIDTH, parameters
from engram.errors import InvalidInputError, NotFoundError
from engram.memory import Engram
from engram.records import Evidence, Memory, Turn
from engram.testing import FixedClock
from tests.graph.beside import another, run

pytestmark = pytest.mark.graph

START = datetime(2025, 3, 1, 9, tzinfo=UTC)


def link(memory: Engram, start: str, kind: str, end: str, **properties: Any) -> None:
    """Link two memories by hand."""
    run(memory, "create_relationship", start=start, type=kind, end=end, properties=properties)


def said(memory: Engram, text: str, *, session: str = "talk", speaker: str = "Noor") -> str:
    """Say something and return the id of its memory."""
    turn = Turn(text=text, speaker=speaker, session=session, id=text, at=START)
    return memory.remember_turns([turn]).memories[0]


def lattice(memory: Engram, clock: FixedClock, *sizes: int) -> list[list[str]]:
    """Lay layers of memories, each resting on all of the next layer; return the ids of each layer."""
    run(memory, "why_lay_lattice", sizes=list(sizes), now=clock.now)
    return [
        [f"a{layer}b{number:04}{memory.space[-12:]}" for number in range(1, size + 1)]
        for layer, size in enumerate(sizes)
    ]


def steps(chain: list[Evidence]) -> list[tuple[int, str, str]]:
    """Return each step's depth, relationship and text."""
    return [(step.depth, step.relationship, step.text) for step in chain]


def tension(memory: Engram, one: str, two: str) -> Memory:
    """Return a tension between two memories."""
    between = memory.remember(f"{one[:6]} and {two[:6]} disagree", kind="tension")
    for each, role in ((one, "a"), (two, "b")):
        link(memory, between.id, "TENSION_BETWEEN", each, role=role)
    return between


def test_a_chain_has_every_relationship_and_ends_in_turns(memory: Engram, clock: FixedClock) -> None:
    """What it rests on, replaced, was replaced and strengthened by and disagrees with, each down to who said it."""
    tea, coffee = said(memory, "I drink tea"), said(memory, "I drink coffee now")
    old = memory.remember("Noor drinks tea", derived_from=[tea])
    fact = memory.remember("Noor drinks coffee", derived_from=[coffee], supersedes=old.id, reason="she said")
    newer = memory.remember("Noor drinks water", supersedes=fact.id, reason="doctor")
    again = memory.remember("Noor and her espresso")
    memory.flush()
    link(memory, again.id, "REINFORCES", fact.id, strength=0.8, at=clock.now)
    link(memory, fact.id, "REINFORCES", tea, strength=0.7, at=clock.now)
    rival = memory.remember("Noor hates coffee")
    link(memory, min(fact.id, rival.id), "IN_TENSION_WITH", max(fact.id, rival.id), state="open")
    disagreement = tension(memory, fact.id, rival.id)
    chain = memory.why(fact.id)
    assert {(step.relationship, step.id) for step in chain if step.depth == 1} == {
        ("DERIVED_FROM", coffee),
        ("SUPERSEDES", old.id),
        ("SUPERSEDED_BY", newer.id),
        ("REINFORCED_BY", again.id),
        ("REINFORCES", tea),
        ("IN_TENSION_WITH", rival.id),
        ("DISPUTED_IN", disagreement.id),
    }
    turns = [step for step in chain if step.label == "Turn"]
    assert {step.text for step in turns} == {"I drink tea", "I drink coffee now"}
    assert all(step.who == "Noor" and step.detail["citation"] == step.text for step in turns)
    assert {step.id for step in chain if step.broken} == {newer.id, again.id, rival.id}
    assert not any(step.left_out for step in chain)
    assert chain[0].truth == pytest.approx(2 / 3)


def test_tension_is_seen_from_both_sides(memory: Engram) -> None:
    """Whichever of the two is asked about, the other one and what both disagree in are there."""
    one, two = memory.remember("It opens at nine"), memory.remember("It opens at ten")
    link(memory, min(one.id, two.id), "IN_TENSION_WITH", max(one.id, two.id), state="open")
    between = tension(memory, one.id, two.id)
    for asked, other in ((one, two), (two, one)):
        chain = memory.why(asked.id)
        assert ("IN_TENSION_WITH", other.id) in {(step.relationship, step.id) for step in chain}
        assert [step.parent for step in chain if step.relationship == "TENSION_BETWEEN"] == [between.id]
    assert {step.id for step in memory.why(between.id) if step.depth == 1} == {one.id, two.id}


def test_what_a_source_was_replaced_by_is_part_of_the_chain(memory: Engram) -> None:
    """An insight shows that a memory that it rests on no longer holds, and since when."""
    source = memory.remember("The shop opens at nine")
    insight = memory.remember("It opens early", kind="reflection", derived_from=[source.id])
    memory.remember("The shop opens at noon", supersedes=source.id, reason="winter")
    chain = memory.why(insight.id)
    assert steps(chain)[1:] == [
        (1, "DERIVED_FROM", "The shop opens at nine"),
        (2, "SUPERSEDED_BY", "The shop opens at noon"),
    ]
    assert chain[1].status == "superseded"
    assert chain[2].detail["reason"] == "winter"


def fact(memory: Engram, content: str, text: str, citation: str) -> str:
    """Return the id of a fact that was drawn from what was said."""
    kept = memory.remember(content, category="fact").id
    run(memory, "rest_on_turn", id=kept, text=text, citation=citation)
    return kept


def test_a_fact_shows_the_words_that_it_was_drawn_from(memory: Engram) -> None:
    """Facts of one turn each have their own quote, and the turn's own memory is no step between them and the turn."""
    text = "I moved to Ghent, and I work at the harbour"
    said(memory, text)
    quotes = {"Noor lives in Ghent": "I moved to Ghent", "Noor works at the harbour": "I work at the harbour"}
    for content, quote in quotes.items():
        chain = memory.why(fact(memory, content, text, quote))
        assert [(step.depth, step.label) for step in chain] == [(0, "Semantic"), (1, "Turn"), (2, "Session")]
        assert (chain[1].text, chain[1].who, chain[1].detail["citation"]) == (text, "Noor", quote)
        assert not any(step.broken or step.left_out for step in chain)


def test_a_tension_of_facts_ends_in_the_turns_of_both(memory: Engram) -> None:
    """Asked about what disagrees, each side leads to who said it; asked about one side, the other is there with its turn."""
    texts = {"Noor": "I eat no meat at all", "Ida": "Noor had a steak on Friday"}
    for speaker, text in texts.items():
        said(memory, text, speaker=speaker, session=speaker)
    one, two = (fact(memory, f"It is so: {text}", text, text) for text in texts.values())
    link(memory, min(one, two), "IN_TENSION_WITH", max(one, two), state="open")
    between = tension(memory, one, two).id
    for asked in (one, two, between):
        chain = memory.why(asked)
        assert {(step.who, step.text) for step in chain if step.label == "Turn"} == {*texts.items()}
        assert not any(step.broken for step in chain)
        assert {step.id for step in chain if step.label != "Turn" and step.depth < 2} == {one, two, between}


def test_many_facts_of_one_turn_are_no_way_from_one_to_another(memory: Engram) -> None:
    """A turn that very many facts rest on does not widen the chain of any of them."""
    text = "Here is the whole list"
    said(memory, text)
    facts = [fact(memory, f"Item {number} is on the list", text, text) for number in range(8)]
    assert len(memory.why(facts[0])) == 3


@pytest.mark.parametrize(
    "kinds", [("DERIVED_FROM", "SUPERSEDES"), ("TENSION_BETWEEN", "IN_TENSION_WITH", "REINFORCES")]
)
def test_circles_of_several_kinds_end(memory: Engram, kinds: tuple[str, ...]) -> None:
    """A circle whose steps differ, with a turn hanging from it, ends and reaches the turn."""
    said(memory, "We go round in circles")
    ids = [memory.remember(f"number {number} of the ring").id for number in range(6)]
    for place, (start, end) in enumerate(zip(ids, ids[1:] + ids[:1], strict=True)):
        link(memory, start, kinds[place % len(kinds)], end)
        link(memory, end, kinds[place % len(kinds)], start)
    run(memory, "rest_on_turn", id=ids[0], text="We go round in circles", citation="round")
    chain = memory.why(ids[0])
    assert [step.detail["citation"] for step in chain if step.label == "Turn"] == ["round"]
    assert len([step for step in chain if not step.repeated]) == len({step.id for step in chain})


@pytest.mark.parametrize("kind", ["SUPERSEDES", "DERIVED_FROM", "IN_TENSION_WITH", "TENSION_BETWEEN"])
def test_circles_end(memory: Engram, kind: str) -> None:
    """A circle that somebody made by hand, or a memory linked to itself, is shown once round."""
    ids = [memory.remember(f"number {number} of the circle").id for number in range(4)]
    for start, end in zip(ids, ids[1:] + ids[:1], strict=True):
        link(memory, start, kind, end)
    link(memory, ids[0], kind, ids[0])
    chain = memory.why(ids[0])
    assert {step.id for step in chain} >= {ids[0], ids[1], ids[3] if kind != "DERIVED_FROM" else ids[2]}
    assert len([step for step in chain if not step.repeated]) == len({step.id for step in chain})
    memory.history(ids[0])
    memory.believed("circle", clock_text(memory))


def clock_text(memory: Engram) -> str:
    """Return today."""
    return f"{memory.now():%Y-%m-%d}"


def test_a_thousand_sources_are_bounded_and_counted(memory: Engram, clock: FixedClock) -> None:
    """Of very many sources some are shown, and how many are not is said."""
    (top,), _ = lattice(memory, clock, 1, 1_000)
    chain = memory.why(top)
    assert len(chain) == 1 + BREADTH
    assert chain[0].left_out == {"DERIVED_FROM": 1_000 - BREADTH}
    assert all(step.broken for step in chain[1:])


def test_a_lattice_is_bounded_in_depth_and_breadth(memory: Engram, clock: FixedClock) -> None:
    """Where each rests on all below, ways to the bottom are countless; each memory is opened once, so deep at most."""
    layers = lattice(memory, clock, 1, *[10] * (DEPTH + 2))
    chain = memory.why(layers[0][0])
    assert max(step.depth for step in chain) == DEPTH
    shown = {step.id for step in chain}
    assert shown == {each for layer in layers[: DEPTH + 1] for each in layer}
    assert len(chain) <= 1 + DEPTH * WIDTH
    bottom = [step for step in chain if step.depth == DEPTH and not step.repeated]
    assert {step.left_out["DERIVED_FROM"] for step in bottom} == {10}
    assert not any(step.broken for step in chain)


def test_every_step_is_shown_or_counted(memory: Engram, clock: FixedClock) -> None:
    """Wherever the bounds cut, what is shown and what is left out add up to what there is."""
    layers = lattice(memory, clock, 1, 30, 40, 7)
    sizes = {each: len(below) for layer, below in pairwise(layers) for each in layer}
    chain = memory.why(layers[0][0])
    opened = {step.id: step for step in chain if not step.repeated}
    below = dict.fromkeys(opened, 0)
    for step in chain:
        if step.parent is not None:
            below[step.parent] += 1
    assert len(opened) > BREADTH
    for each, step in opened.items():
        assert below[each] + step.left_out.get("DERIVED_FROM", 0) == sizes.get(each, 0)


def test_another_space_is_never_shown(memory: Engram, clock: FixedClock) -> None:
    """Links that lead into another space are not followed, and nobody else's memory can be asked about."""
    mine = memory.remember("The ferry leaves at eight")
    other = another(memory, clock)
    theirs = other.remember("The ferry sank")
    for kind in ("DERIVED_FROM", "SUPERSEDES", "REINFORCES", "IN_TENSION_WITH", "TENSION_BETWEEN"):
        link(memory, mine.id, kind, theirs.id)
        link(other, theirs.id, kind, mine.id)
    assert [step.id for step in memory.why(mine.id)] == [mine.id]
    assert {event.what for event in memory.history(mine.id).events} == {"remembered"}
    assert [belief.successor for belief in memory.believed("ferry", clock_text(memory)).now] == [None]
    for ask in (memory.why, memory.history):
        with pytest.raises(NotFoundError):
            ask(theirs.id)


@pytest.mark.parametrize("ask", ["why", "history"])
@pytest.mark.parametrize("odd", ["", "abc", "x' OR 1=1", "a\x00bcdef", "*" * 40, None, 7])
def test_odd_ids_are_answered_in_words(memory: Engram, ask: str, odd: Any) -> None:
    """What cannot be an id is refused before it is looked for; what could be but is none is not found."""
    with pytest.raises(InvalidInputError):
        getattr(memory, ask)(odd)
    with pytest.raises(NotFoundError):
        getattr(memory, ask)("feedfacefeedface")


def test_an_erased_source_breaks_the_chain_and_says_so(memory: Engram) -> None:
    """Where everything that an insight rested on was erased, nothing is recorded below it any more."""
    source = said(memory, "My sister is called Iris")
    insight = memory.remember("Noor has a sister", kind="reflection", derived_from=[source])
    assert not memory.why(insight.id)[0].broken
    memory.forget(source, erase=True)
    chain = memory.why(insight.id)
    assert [step.id for step in chain] == [insight.id]
    assert chain[0].broken
    assert "Iris" not in str(memory.history(insight.id))


@pytest.mark.parametrize("name", ["{}", "o'brien \\' {}", '"; `x` // {}'])
def test_the_printed_statement_runs_as_printed(memory: Engram, space: str, name: str) -> None:
    """Pasted, with its parameters set as the printed lines set them, it gives what `why` gives."""
    odd = Engram(memory.graph, memory.settings, space=name.format(space), embedder=memory.embedder)
    kept = said(odd, "I keep bees")
    printed = pasted(STATEMENT, parameters(odd.space, kept))
    given = {}
    lines = printed.splitlines()
    while found := re.fullmatch(r":param (\w+) => (.*);", lines[0]):
        given[found[1]] = odd.graph._run("READ", f"RETURN {found[2]} AS value", {})[0]["value"]
        del lines[0]
    rows = odd.graph._run("READ", "\n".join(lines), given)
    assert [row["node"].properties["id"] for row in rows] == [step.id for step in odd.why(kept)]
    assert len(rows) == 3


def test_a_history_has_what_happened_in_order(memory: Engram, clock: FixedClock) -> None:
    """Remembered, seen again, recalled and judged, replaced and promoted: each is an event with its time."""
    began = clock.now
    old = memory.remember("Noor lives in Utrecht")
    clock.advance(timedelta(hours=1))
    memory.remember("Noor lives in Utrecht")
    clock.advance(timedelta(hours=1))
    memory.recall("Where does Noor live?", 1)[0].useful()
    clock.advance(timedelta(hours=1))
    new = memory.remember("Noor lives in Ghent", supersedes=old.id, reason="moved")
    clock.advance(timedelta(hours=1))
    last = memory.remember("Noor lives in Brussels", supersedes=new.id, reason="a job")
    found = memory.history(old.id)
    hours = {
        event.what: (event.at - began) / timedelta(hours=1) for event in reversed(found.events) if event.at
    }
    assert hours == {"remembered": 0, "seen again": 1, "recalled": 2, "replaced by": 3}
    recalled = next(event for event in found.events if event.what == "recalled")
    assert recalled.text == "Where does Noor live?"
    assert (recalled.detail["rank"], recalled.detail["useful"]) == (1, True)
    replaced = [event for event in found.events if event.what == "replaced by"]
    assert [(event.id, event.detail["steps"]) for event in replaced] == [(new.id, 1), (last.id, 2)]
    assert [event.id for event in memory.history(last.id).events if event.what == "replaced"] == [
        old.id,
        new.id,
    ]
    assert found.memory == memory.get(old.id)


def test_a_history_has_the_promotions(memory: Engram, clock: FixedClock) -> None:
    """Each step up is an event, with its time and its energy."""
    kept = memory.remember("The password of the shed is four twos")
    steps_up = (("working", "PROMOTED_TO", "a"), ("shortTerm", "CRYSTALLIZED_INTO", "b"))
    for number, (tier, _, mark) in enumerate(steps_up):
        snapshot = {"id": f"{kept.id}-{tier}", "tier": f"archived{tier}"}
        run(memory, "create_node", label="Archived", properties=snapshot | {"run": mark, "n": number})
    first, second = (f"{kept.id}-{tier}" for tier, _, _ in steps_up)
    link(memory, first, "PROMOTED_TO", second, at=clock.now, energy=2.5)
    link(memory, second, "CRYSTALLIZED_INTO", kept.id, at=clock.now + timedelta(days=1), energy=5.5)
    promoted = [event for event in memory.history(kept.id).events if event.what == "promoted"]
    assert [(event.text, event.detail["energy"]) for event in promoted] == [
        ("shortTerm", 2.5),
        ("longTerm", 5.5),
    ]
    assert [event.at for event in promoted] == [clock.now, clock.now + timedelta(days=1)]


def test_a_history_has_when_a_memory_was_put_away(memory: Engram, clock: FixedClock) -> None:
    """A status that has its time on the memory is an event, with its reason."""
    kept = memory.remember("The tram to the sea is late")
    away = {"archived_at": clock.now, "archive_reason": "nobody asked"}
    run(memory, "set_properties", id=kept.id, properties=away)
    event = memory.history(kept.id).events[-1]
    assert (event.what, event.at, event.detail) == ("archived", clock.now, {"reason": "nobody asked"})


def test_a_history_is_bounded_and_counted(memory: Engram, clock: FixedClock) -> None:
    """Of very many events of one sort the newest are listed, and the number of the others is said."""
    (top,), below = lattice(memory, clock, 1, 300)
    row = run(memory, "set_properties", id=top, properties={"created_at": clock.now})
    assert row == []
    events = memory.graph.read("inspect/memory_history", space=memory.space, id=top, limit=50)
    sources = [event for event in events if event["what"] == "rests on"]
    assert (len(sources), sources[0]["total"]) == (50, len(below))


def test_what_was_believed_stands_beside_what_is_now(memory: Engram, clock: FixedClock) -> None:
    """As of a day the old answer holds, with the end of its chain; today the end of the chain is the answer."""
    old = memory.remember("Noor lives in Utrecht")
    then = clock.now
    newer = old
    for city in ("Ghent", "Brussels"):
        clock.advance(timedelta(days=30))
        newer = memory.remember(f"Noor lives in {city}", supersedes=newer.id)
    found = memory.believed("Where does Noor live?", then)
    assert [belief.hit.memory.id for belief in found.then] == [old.id]
    assert [belief.hit.memory.id for belief in found.now] == [newer.id]
    successor = found.then[0].successor
    assert successor is not None
    assert (successor.memory.id, successor.steps, successor.at) == (newer.id, 2, clock.now)
    assert successor.replaced_at == then + timedelta(days=30)
    assert found.now[0].successor is None
    assert found.kept == frozenset()
    assert memory.history(old.id).memory.access_count == 0, "asking about the past teaches nothing"


def test_believed_needs_a_time_that_is_one(memory: Engram) -> None:
    """No date, or what is none, is refused in words; a future date is today's answer."""
    kept = memory.remember("The kettle is blue")
    for odd in (None, "yesterdayish", "2026-13-01"):
        with pytest.raises(InvalidInputError):
            memory.believed("kettle", odd)  # type: ignore[arg-type]
    found = memory.believed("kettle", "2999-01-01")
    assert found.kept == {kept.id}
