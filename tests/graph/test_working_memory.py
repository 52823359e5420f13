"""The working memory against a real Neo4j: versions, guards, pointers, notes, signals, the file, and the seed."""

import json
import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import pytest

from engram.erasing.wanted import Whole
from engram.errors import InvalidInputError
from engram.llm import Models
from engram.llm.base import ToolCall
from engram.loop.scratch import Scratch
from engram.loop.tokens import count_tokens
from engram.memory import Engram
from engram.mind.state import importing
from engram.mind.state.budget import budget
from engram.mind.state.carried import NOTE, SEARCH, Carried
from engram.mind.state.erasing import forget_cited
from engram.mind.state.importing import BACKUP, take_in
from engram.mind.state.leaving import pointers_of
from engram.mind.state.lines import cited
from engram.mind.state.notes import AUTO, count, take_note, tell
from engram.mind.state.rendering import memory_file
from engram.mind.state.sections import Section, State, sections
from engram.mind.state.signals import Levels
from engram.mind.state.versions import Draft, InForce, Standing, get, history, standing, store
from engram.testing import Asked, FixedClock, ScriptedAnswer, ScriptedModel
from tests.graph.beside import another, run
from tests.graph.talking import entry, memories, talk

pytestmark = pytest.mark.graph

JOB: Any = resolve_name("engram.jobs.state:JOB")
Means: Any = resolve_name("engram.jobs.means:Means")
run_job: Callable[..., Any] = resolve_name("engram.jobs.job:run_job")

THINGS = ("boat", "garden", "violin", "kitchen", "bicycle", "library", "harbour", "telescope")
DOINGS = ("mended", "painted", "bought", "lost", "found", "drew", "cleaned", "sold")


def facts(count: int, begin: int = 0) -> list[str]:
    """Return things that somebody did, each in words of its own."""
    return [
        f"Noor {DOINGS[n % 8]} the {THINGS[n // 8 % 8]} of number {n}, beside Lake {chr(65 + n % 26)}{n} with Tomas{n}"
        for n in range(begin, begin + count)
    ]


def live(memory: Engram, clock: FixedClock, said: Sequence[str]) -> list[str]:
    """Remember things, a minute apart."""
    ids = []
    for text in said:
        clock.advance(timedelta(minutes=1))
        ids.append(memory.remember(text, speaker="Noor", importance=0.6).id)
    memory.flush()
    return ids


def cycle(memory: Engram, clock: FixedClock, model: ScriptedModel | None = None, **options: Any) -> Any:
    """Run the job two hours later."""
    clock.advance(timedelta(hours=2))
    with Means(memory, models=lambda: Models(quiet=model)) as means:
        return run_job(JOB, memory.graph, space=memory.space, means=means, clock=clock, **options)


def held(memory: Engram) -> Standing:
    """Return where the working memory stands."""
    return standing(memory.graph, space=memory.space)


def in_force(memory: Engram) -> InForce:
    """Return the version in force."""
    force = held(memory).force
    assert force is not None
    return force


def text_of(memory: Engram) -> str:
    """Return what it says."""
    return in_force(memory).text


def file_of(memory: Engram) -> Path:
    """Return the file."""
    return memory_file(memory)


def test_a_first_version_has_seven_sections_that_cite(memory: Engram, clock: FixedClock) -> None:
    """Every line that quotes a memory cites it, it is in the graph and in a file of its owner's alone, and says itself again."""
    ids = live(memory, clock, facts(6))
    preferred = memory.remember("I prefer oat milk in coffee", kind="preference", speaker="Noor").id
    always = memory.remember("Never tell a lie", immutable=True).id
    done = cycle(memory, clock)
    assert done.changed == 1
    force = in_force(memory)
    assert [*sections(force.text)] == [section.value for section in Section]
    assert {preferred, *ids} <= cited(force.lines)
    assert any("oat milk" in each.text for each in force.lines[Section.BOND])
    assert [each.cites for each in force.lines[Section.PHENOTYPE]] == [(always,)]
    path = file_of(memory)
    assert path.read_text(encoding="utf-8") == force.text
    assert path.stat().st_mode & 0o777 == 0o600
    assert "nothing is new" in " ".join(cycle(memory, clock).notes)
    assert held(memory).last == 1


def test_a_month_keeps_to_its_budget_and_loses_nothing(memory: Engram, clock: FixedClock) -> None:
    """However much comes, a version is within its budget, has twenty pointers at most, and each finds what it stands for."""
    tiny = memory.settings.model_copy(update={"context_tokens": 16_000})
    memory.settings = tiny
    told: set[str] = set()
    said: list[str] = []
    for week in range(3):
        live(memory, clock, facts(12, 12 * week))
        done = cycle(memory, clock)
        text = text_of(memory)
        assert len(text) <= budget(16_000)
        force = in_force(memory)
        pointers = pointers_of(force.lines[Section.POINTERS])
        assert len(pointers) <= 20
        for pointer in pointers:
            found = [hit.memory.id for hit in memory.recall(pointer.query, 5, read_only=True)]
            assert {*pointer.stands_for} <= {*found}
        present = cited(force.lines)
        said += done.notes
        assert all(any(each[:8] in note for note in said) for each in told - present)
        told |= present
        clock.advance(timedelta(days=5))
    assert pointers
    assert any(len(pointer.stands_for) > 1 for pointer in pointers)
    assert held(memory).last == 3


def test_a_collapse_is_kept_as_refused_and_the_old_stays(memory: Engram, clock: FixedClock) -> None:
    """It is kept with its reason; the old one stays, in the file too; notes wait on, and of the same none is made again."""
    long = State(
        at=clock.now,
        mood="",
        lines={Section.NICHE: tuple(f"the shed number {n} was built for {n} owners" for n in range(120))},
    ).text()
    laid = Draft(
        number=1,
        at=clock.now,
        state="taken",
        text=long,
        mood="",
        reason=None,
        plain=True,
        levels=Levels(at=clock.now),
        run="by hand",
    )
    assert store(memory.graph, laid, space=memory.space)
    assert not store(memory.graph, replace(laid, run="another"), space=memory.space)
    live(memory, clock, facts(5))
    noted = take_note(memory, "The deadline of the boat is the third of May")
    done = cycle(memory, clock)
    assert done.report[0]["state"] == "refused"
    assert "mass drop" in done.report[0]["reason"]
    newest, oldest = history(memory.graph, space=memory.space)
    assert (newest.state, newest.version, oldest.version) == ("refused", 2, 1)
    assert "mass drop" in (newest.reason or "")
    assert text_of(memory) == long == file_of(memory).read_text(encoding="utf-8")
    assert [note.id for note in held(memory).notes] == [noted.id]
    again = cycle(memory, clock)
    assert any("is not made again" in note for note in again.notes)
    assert held(memory).last == 2


def test_what_is_erased_meanwhile_is_not_stored(memory: Engram, clock: FixedClock) -> None:
    """A version that tells a memory, or takes in a note, which is gone by now is not stored; it is made anew without."""
    gone, left = live(memory, clock, facts(2))
    draft = Draft(
        number=1,
        at=clock.now,
        state="taken",
        text=State(at=clock.now, mood="", lines={Section.BOND: ("what was said",)}).text(),
        mood="",
        reason=None,
        plain=True,
        levels=Levels(at=clock.now),
        run="by hand",
        cites=tuple({"memory": one, "line": 0, "key": "k"} for one in (gone, left)),
    )
    memory.forget(gone, erase=True)
    assert not store(memory.graph, draft, space=memory.space)
    assert not store(memory.graph, replace(draft, cites=(), consumed=(gone,)), space=memory.space)
    assert held(memory).last == 0
    assert store(memory.graph, replace(draft, cites=draft.cites[1:], consumed=(left,)), space=memory.space)


def test_what_was_said_is_told_by_what_it_is_remembered_as(memory: Engram, clock: FixedClock) -> None:
    """Of a conversation and of what was not answered no word is told that cites nothing: what is erased is nowhere left."""
    said = "Will Tomas paint my lighthouse at Lake Asnen blue this year?"
    waits = entry("waits", clock.now, run="a run that died", text=said, awaits=True)
    Scratch(memory.graph, space=memory.space).hear([waits], run=waits.run, now=clock.now)
    live(memory, clock, facts(5))
    cycle(memory, clock)
    assert "lighthouse" not in text_of(memory)
    assert "Not answered yet: 1 that no memory holds" in text_of(memory)
    with talk(memory, clock, session="morning") as agent:
        [*agent.say("My telescope has a new lens since today")]
    take_note(memory, "another one")
    cycle(memory, clock)
    force = in_force(memory)
    gap = next(each for each in force.lines[Section.GAPS] if said in each.text)
    assert [memory.get(each).content for each in gap.cites] == [said]
    assert any(each.text.startswith("Talked 2") for each in force.lines[Section.ACTIVE])
    lines = [each for own in force.lines.values() for each in own]
    assert all(each.cites for each in lines if "lighthouse" in each.text or "telescope" in each.text)
    memory.forget(gap.cites[0], erase=True)
    assert "lighthouse" not in text_of(memory) + file_of(memory).read_text(encoding="utf-8")


def test_what_is_forgotten_is_told_no_more(memory: Engram, clock: FixedClock) -> None:
    """Neither in the conversation in which it is, nor in the next one, nor in the file, before any other version is made."""
    ids = live(memory, clock, facts(6))
    cycle(memory, clock)
    noted = take_note(memory, "The deadline of the boat is the third of May")
    force = in_force(memory)
    gone, later = (
        next(each.text for each in force.lines[Section.ACTIVE] if one in each.cites) for one in ids[:2]
    )
    with talk(memory, clock) as agent:
        carried = next(part for part in agent._presence._parts if isinstance(part, Carried))
        assert {f"- {gone}", f"- {noted.content}"} <= {*carried.sections()["working"]}
        for each in (ids[0], noted.id):
            memory.forget(each)
            carried.forget(each)
        told = carried.sections()["working"]
        assert f"- {later}" in told
        assert not {f"- {gone}", f"- {noted.content}", "Unsynthesised notes:"} & {*told}
    memory.forget(ids[1])
    with talk(memory, clock, session="later") as agent:
        told = agent._presence.sections()["working"]
        assert told
        assert not {f"- {gone}", f"- {later}"} & {*told}
    memory.tune("state.fewest", 50)
    assert cycle(memory, clock).changed == 0
    written = file_of(memory).read_text(encoding="utf-8")
    assert written == text_of(memory)
    assert gone not in written
    assert later not in written
    assert gone in in_force(memory).stored


def test_what_a_job_puts_away_leaves_as_a_pointer(memory: Engram, clock: FixedClock) -> None:
    """It is believed still: told until the next version, and pointed to from there; what is replaced is told no more at all."""
    away, replaced, *_ = live(memory, clock, facts(6))
    cycle(memory, clock)
    lines = in_force(memory).lines[Section.ACTIVE]
    told, other = (next(each.text for each in lines if one in each.cites) for one in (away, replaced))
    run(memory, "set_properties", id=away, properties={"status": "archived", "archive_reason": "stale"})
    run(memory, "set_properties", id=replaced, properties={"status": "superseded"})
    assert told in text_of(memory)
    assert other not in text_of(memory)
    for number in range(2):
        take_note(memory, f"note number {number} of Tomas")
        cycle(memory, clock)
        force = in_force(memory)
        assert told not in force.text
        (pointer,) = (each for each in pointers_of(force.lines[Section.POINTERS]) if away in each.stands_for)
        assert away in [hit.memory.id for hit in memory.recall(pointer.query, 5, read_only=True)]
        assert replaced not in cited(force.lines)


def test_a_note_is_found_at_once_and_waits_for_the_next_version(memory: Engram, clock: FixedClock) -> None:
    """It is a memory, stands in the prompt of whoever talks next, is told in the next version, and waits no longer then."""
    noted = take_note(memory, "The deadline of the boat is the third of May", importance=0.9)
    assert take_note(memory, "The deadline of the boat is the third of May").id == noted.id
    assert memory.recall("deadline boat", 1, read_only=True)[0].memory.id == noted.id
    model = ScriptedModel("It is the third of May.", respond=lambda _: "{}")
    with talk(memory, clock, model) as agent:
        [*agent.say("When is the boat due?")]
        assert agent.assembled is not None
        assert (
            "Unsynthesised notes:\n- The deadline of the boat is the third of May" in agent.assembled.system
        )
    assert cycle(memory, clock).changed == 1
    assert held(memory).notes == ()
    assert "third of May" in text_of(memory)
    assert noted.id in {each.memory for each in in_force(memory).cites}
    with talk(memory, clock, ScriptedModel("Yes.", respond=lambda _: "{}"), session="later") as agent:
        [*agent.say("Go on.")]
        assert agent.assembled is not None
        assert f"Noted {clock.now:%Y}" in agent.assembled.system
        assert "Unsynthesised" not in agent.assembled.system


def test_notes_that_are_not_shown_are_counted(memory: Engram, clock: FixedClock) -> None:
    """The newest twelve are told, each as one short line, and of the others how many there are and what finds them."""
    for number in range(14):
        clock.advance(timedelta(minutes=1))
        take_note(memory, f"note number {number} of Tomas " + "who goes on and on " * 20)
    with talk(memory, clock) as agent:
        told = agent._presence.sections()["working"]
        assert told[0] == "Unsynthesised notes:"
        assert [each.split()[3] for each in told[1:-1]] == [f"{number}" for number in range(2, 14)]
        assert max(map(len, told[1:-1])) == 202
        assert told[-1] == f"- and 2 more, by `{SEARCH}`"


def test_the_answering_model_notes_and_searches(memory: Engram, clock: FixedClock) -> None:
    """What it asks for is done while it answers, and told as fenced data; what a search finds came to mind, and is not used more."""
    (key,) = live(memory, clock, ["Noor keeps the key of the harbour <b>under</b> the blue stone"])
    asks = ScriptedAnswer(
        "Let me look.",
        calls=(
            ToolCall.read(id="a", name=SEARCH, raw='{"query": "key harbour"}'),
            ToolCall.read(id="b", name=NOTE, raw='{"note": "Noor asked for the key"}'),
            ToolCall.read(id="c", name=NOTE, raw='{"note": "", "more": 1}'),
            ToolCall.read(id="d", name="rm", raw="{}"),
        ),
    )
    model = ScriptedModel(asks, "It is under the blue stone.", respond=lambda _: "{}")
    with talk(memory, clock, model) as agent:
        carried = next(part for part in agent._presence._parts if isinstance(part, Carried))
        before = memory.get(key)
        search = carried.tools()[1]
        search.use(search.parameters(query="key harbour"))
        memory.flush()
        assert memory.get(key) == before
        assert key in agent._talk.shown
        [*agent.say("Where is the key of the harbour?")]
        assert agent._talk.said[-1].text == "Let me look.\n\nIt is under the blue stone."
    found, noted, refused, unknown = (each.text for each in model.asked[1].messages[-1].results)
    assert found.startswith("<result>\n[")
    assert "under" in found
    assert "<b>" not in found
    assert "Noted as" in noted
    assert "not usable" in refused
    assert "There is no tool 'rm'" in unknown
    assert "Noor asked for the key" in memories(memory)
    assert [note.content for note in held(memory).notes] == ["Noor asked for the key"]
    assert {SEARCH, NOTE} <= {tool.name for tool in model.asked[0].tools}


def test_a_signal_that_rises_high_is_noted_once(memory: Engram, clock: FixedClock) -> None:
    """Each rise over 0.7 makes one note; while it stays high there is no other, and after it has faded there may be."""
    for _ in range(6):
        tell(memory, ["thanks"], why="thanks", now=clock.now)
    (note,) = held(memory).notes
    assert note.content.startswith(f"{AUTO} bonding rose to 0.76")
    assert note.importance == 0.8
    clock.advance(timedelta(days=2))
    levels = held(memory).levels
    assert levels is not None
    assert levels.after(clock.now).bonding < 0.1
    for _ in range(4):
        tell(memory, ["thanks"], why="thanks", now=clock.now)
    assert len(held(memory).notes) == 2


def test_what_a_person_says_raises_signals(memory: Engram, clock: FixedClock) -> None:
    """Thanks and telling of oneself raise bonding, a correction friction; a cycle says the mood, and counts a goal once."""
    with talk(memory, clock) as agent:
        for said in ("Thank you, that was great work", "No, actually it is Tuesday", "My name is Noor"):
            [*agent.say(said)]
        goal = agent.goals.add("mend the boat of Noor")
    levels = held(memory).levels
    assert levels is not None
    assert levels.bonding > 0.35
    assert levels.friction == pytest.approx(0.3)
    clock.advance(timedelta(minutes=1))
    with talk(memory, clock) as agent:
        agent.goals.done(goal.id)
    cycle(memory, clock)
    force = in_force(memory)
    assert "motivated" in force.mood
    assert "Reached" in force.text
    reached = held(memory).levels
    assert reached is not None
    take_note(memory, "another one")
    cycle(memory, clock)
    later = held(memory).levels
    assert later is not None
    assert later.after(clock.now).achievement < reached.achievement


def test_what_is_recorded_is_counted_once(memory: Engram, clock: FixedClock) -> None:
    """However many workers look at the same time: a goal that was reached raises achievement by itself, and no more."""
    with talk(memory, clock) as agent:
        goal = agent.goals.add("mend the boat of Noor")
        since = clock.now
        clock.advance(timedelta(minutes=1))
        agent.goals.done(goal.id)
    with ThreadPoolExecutor(4) as workers:
        [*workers.map(lambda _: count(memory, since=since, most=10), range(4))]
    levels = held(memory).levels
    assert levels is not None
    assert levels.achievement == pytest.approx(0.6)


def test_a_file_that_is_behind_heals(memory: Engram, clock: FixedClock) -> None:
    """A process that dies between the transaction and the file leaves an old file; the next cycle makes it good, with nothing new."""
    live(memory, clock, facts(6))
    cycle(memory, clock)
    path = file_of(memory)
    path.unlink()
    assert cycle(memory, clock).changed == 0
    assert path.read_text(encoding="utf-8") == text_of(memory)


def test_spaces_of_one_name_have_files_of_their_own(memory: Engram, clock: FixedClock) -> None:
    """What is carried in one database is never written over what is carried in a space of that name in another one."""
    other = another(memory, clock)
    other.settings, other.space = memory.settings, memory.space
    other.__dict__["database_id"] = "another database"
    assert file_of(other) != file_of(memory)
    assert file_of(other).name == file_of(memory).name == "MEMORY.md"


def test_a_dry_run_leaves_nothing(memory: Engram, clock: FixedClock) -> None:
    """It says which version there would be."""
    live(memory, clock, facts(6))
    done = cycle(memory, clock, dry_run=True)
    assert done.examples[0]["state"] == "taken"
    assert held(memory).last == 0
    assert not file_of(memory).exists()


def test_a_model_words_it_from_the_same_lines(memory: Engram, clock: FixedClock) -> None:
    """What it words cites what it rests on; what rests on nothing is dropped; who the agent is it does not word."""
    live(memory, clock, facts(6))

    def words(asked: Asked) -> str:
        number = re.findall(r"\[(\d+)\] \(Active Context\)", asked.messages[0].text)[0]
        item = {"text": "Noor has been busy by the lakes", "lines": [int(number)]}
        invented = {"text": "I am the king of the lakes", "lines": [999]}
        return json.dumps({"bond": [], "active": [item, invented], "gaps": [], "skills": []})

    done = cycle(memory, clock, ScriptedModel(respond=words))
    force = in_force(memory)
    (active,) = force.lines[Section.ACTIVE]
    assert active.text == "Noor has been busy by the lakes"
    assert len(active.cites) == 1
    assert "king of" not in force.text
    assert any("rest on nothing" in note for note in done.notes)
    assert not get(memory.graph, 1, space=memory.space).plain


def test_a_model_that_fails_leaves_the_plain_form(memory: Engram, clock: FixedClock) -> None:
    """Without a usable answer the version is plain, and the run says why."""
    live(memory, clock, facts(6))
    done = cycle(memory, clock, ScriptedModel("no idea"))
    assert any(note.startswith("plain: ") for note in done.notes)
    assert get(memory.graph, 1, space=memory.space).plain


def test_a_hand_written_text_is_taken_in_once(memory: Engram, clock: FixedClock, tmp_path: Path) -> None:
    """It is copied, its pieces become memories, and it stands above the next version; later ones take over, and point to it."""
    paragraphs = [f"## Part {n}\n\n" + " ".join(facts(7, 7 * n)) for n in range(12)]
    own = "# My memory\n\n" + "\n\n".join(paragraphs)
    path = tmp_path / "MEMORY.md"
    path.write_text(own, encoding="utf-8")
    done = take_in(memory, path)
    assert path.with_name(f"MEMORY.md{BACKUP}").read_text(encoding="utf-8") == own
    assert len(done.memories) > 3
    assert {memory.get(each).importance for each in done.memories} == {0.75}
    assert {memory.get(each).source for each in done.memories} == {"seed"}
    again = take_in(memory, path)
    assert (again.again, again.version, held(memory).last) == (True, 1, 1)
    take_note(memory, "Noor likes the first part best")
    cycle(memory, clock)
    first = text_of(memory)
    assert first.startswith("# My memory\n\n## Part 0")
    assert "likes the first part best" in first
    lengths = [len(in_force(memory).kept)]
    for number in range(5):
        take_note(memory, f"note number {number} of Tomas")
        cycle(memory, clock)
        force = in_force(memory)
        assert len(force.text) <= budget(memory.settings.context_tokens)
        lengths.append(len(force.kept))
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[-1] < lengths[0] / 4
    force = in_force(memory)
    still = cited(force.lines) | {each.memory for each in force.kept_cites}
    assert {*done.memories} <= still


def test_a_second_text_pushes_the_first_out_into_pointers(
    memory: Engram, clock: FixedClock, tmp_path: Path
) -> None:
    """The job makes the next version though nothing else is new, and everything of the first text is told or pointed to."""
    first, second = tmp_path / "first.md", tmp_path / "second.md"
    first.write_text("\n\n".join(" ".join(facts(7, 7 * n)) for n in range(8)), encoding="utf-8")
    second.write_text("Noor moved to Ghent.", encoding="utf-8")
    done = take_in(memory, first)
    assert 0 < done.shown < done.characters
    later = take_in(memory, second)
    assert later.shown == later.characters == len("Noor moved to Ghent.")
    assert cycle(memory, clock).changed
    force = in_force(memory)
    assert not force.seeded
    assert force.text.startswith("Noor moved to Ghent.")
    assert {*done.memories, *later.memories} <= cited(force.lines) | {
        each.memory for each in force.kept_cites
    }
    assert not cycle(memory, clock).changed, "once"


@pytest.mark.parametrize("paragraphs", [("word{} of a boat " * 260,), ("boat{} " * 250, "harbour{} " * 170)])
def test_a_text_of_long_paragraphs_makes_way_as_well(
    memory: Engram, clock: FixedClock, tmp_path: Path, paragraphs: tuple[str, ...]
) -> None:
    """A paragraph that is one line is cut between words: half of the text goes each time, and no version is refused for it."""
    memory.settings = memory.settings.model_copy(update={"context_tokens": 200_000})
    path = tmp_path / "MEMORY.md"
    path.write_text("\n\n".join(each.format(*range(300)) for each in paragraphs), encoding="utf-8")
    take_in(memory, path)
    lengths = []
    for number in range(4):
        take_note(memory, f"note number {number} of Tomas")
        assert cycle(memory, clock).report[0]["state"] == "taken"
        lengths.append(len(in_force(memory).kept))
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[0] > 3_000
    assert lengths[0] / 8 > lengths[-1] - 150 > 0


@pytest.mark.parametrize("step", ["_remember", "_draft"])
def test_two_who_take_the_same_text_in_do_so_once(
    memory: Engram, clock: FixedClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """Who comes second, whether before it makes its version or while it does, is told what the first one has made."""
    path = tmp_path / "own.md"
    path.write_text("Noor paints boats in the harbour of Lake Asnen", encoding="utf-8")
    does, first = getattr(importing, step), []

    def held_up(*given: Any) -> Any:
        monkeypatch.undo()
        first.append(take_in(memory, path))
        return does(*given)

    monkeypatch.setattr(importing, step, held_up)
    second = take_in(memory, path)
    assert (first[0].again, second.again) == (False, True)
    assert second.version == first[0].version == held(memory).last == 1
    assert len(memories(memory)) == 1


def test_another_text_and_another_space_are_other_seeds(
    memory: Engram, clock: FixedClock, tmp_path: Path
) -> None:
    """Once per space and content; a copy that is there is never overwritten."""
    path = tmp_path / "own.md"
    path.write_text("Noor paints boats in the harbour of Lake Asnen", encoding="utf-8")
    path.with_name(f"own.md{BACKUP}").write_text("an older one", encoding="utf-8")
    first = take_in(memory, path)
    assert path.with_name(f"own.md{BACKUP}").read_text(encoding="utf-8") == "an older one"
    assert first.backup == str(path.with_name(f"own.md{BACKUP}-2"))
    assert Path(first.backup).read_bytes() == path.read_bytes()
    path.write_text("Tomas sails the boats that Noor has painted", encoding="utf-8")
    second = take_in(memory, path)
    assert (second.version, second.backup) == (2, str(path.with_name(f"own.md{BACKUP}-3")))
    assert Path(second.backup).read_bytes() == path.read_bytes()
    other = another(memory, clock)
    assert not take_in(other, path).again


def test_a_text_that_cannot_be_stored_is_stored_in_no_part(
    memory: Engram, clock: FixedClock, tmp_path: Path
) -> None:
    """All pieces are looked at before the first one is stored, or the copy is made; a long word is no hindrance."""
    path = tmp_path / "own.md"
    path.write_text("Noor paints boats.\n" + "word " * 400 + "\n" + "x" * 20_000, encoding="utf-8")
    whole = memory.settings
    memory.settings = whole.model_copy(update={"max_content_bytes": 200})
    with pytest.raises(InvalidInputError):
        take_in(memory, path)
    assert memories(memory) == []
    assert [*tmp_path.iterdir()] == [path]
    memory.settings = whole
    done = take_in(memory, path)
    assert max(count_tokens(memory.get(each).content) for each in done.memories) < 450


def test_what_is_erased_is_carried_no_more(memory: Engram, clock: FixedClock) -> None:
    """No line that rests on it is left in any version or in the file, however it was worded; the others keep what they cite."""
    secret = "The secret of the lighthouse " + "goes on and on, " * 20 + "and ends at the blue stone"
    memory.remember(secret, speaker="Noor", importance=0.9)
    ids = live(memory, clock, facts(6))
    cycle(memory, clock)
    live(memory, clock, facts(5, 10))
    cycle(memory, clock)
    assert "secret of the lighthouse" in text_of(memory)
    gone = memory.recall("secret lighthouse", 1, read_only=True)[0].memory.id
    assert forget_cited(memory.graph, [gone], space=memory.space) == 2
    memory.forget(gone, erase=True)
    assert not any("lighthouse" in each.text for each in history(memory.graph, space=memory.space))
    assert "lighthouse" not in file_of(memory).read_text(encoding="utf-8")
    force = in_force(memory)
    assert ids[0] in cited(force.lines)
    memory.eraser.erase(Whole())
    assert not file_of(memory).exists()
