"""Names that are one, profiles and recall by another name, against a real Neo4j."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pkgutil import resolve_name
from typing import Any

import pytest

from engram.beliefs.changes import list_changes, undo
from engram.beliefs.names.merging import find_key, merge, split
from engram.beliefs.names.profiles import profile
from engram.beliefs.names.resolution import canonical_keys
from engram.entities import entity_key
from engram.errors import InvalidInputError, NotFoundError
from engram.llm import Models
from engram.memory import Engram
from engram.records import FOREVER, Kind, Turn
from engram.remembering import Draft
from engram.testing import FixedClock, ScriptedModel
from tests.graph.beside import another, everything

pytestmark = pytest.mark.graph

JOB: Any = resolve_name("engram.jobs.entities:JOB")
run_job: Callable[..., Any] = resolve_name("engram.jobs.job:run_job")
MEANS: Any = resolve_name("engram.jobs.means:Means")
START = datetime(2026, 1, 1, 9, tzinfo=UTC)


def know(memory: Engram, *names: str) -> None:
    """Have each of some names mentioned once."""
    for name in names:
        memory.remember(f"We spoke of {name} at length, number {len(name)}")


def join(memory: Engram, clock: FixedClock, alias: str, into: str, **options: Any) -> str:
    """Take two names for one and return the id of the change."""
    given = {"by": "user", "reason": "by hand"} | options
    done = merge(memory.graph, space=memory.space, alias=alias, into=into, now=clock.now, **given)
    assert done is not None
    return done.change


def aliases(memory: Engram) -> dict[str, str]:
    """Return which name stands for each alias."""
    _, relationships = everything(memory)
    return {each["start"]: each["end"] for each in relationships if each["type"] == "ALIAS_OF"}


def state(memory: Engram) -> Any:
    """Return all of a space but the log of changes."""
    nodes, relationships = everything(memory, leave_out=("JobRun", "BeliefChange"))
    return nodes, [each for each in relationships if each["type"] != "CHANGED"]


def test_aliases_make_no_chain(memory: Engram, clock: FixedClock) -> None:
    """Whatever is merged into whatever, every alias leads in one step to the name that stands for all."""
    know(memory, "Bob", "Robert Miller", "Bobby", "Rob", "Robert James Miller")
    join(memory, clock, "bobby", "bob")
    join(memory, clock, "bob", "robert miller")
    join(memory, clock, "rob", "bobby")
    join(memory, clock, "rob", "robert james miller")
    assert aliases(memory) == dict.fromkeys(("bob", "bobby", "rob", "robert miller"), "robert james miller")
    keys = canonical_keys(memory.graph, space=memory.space, keys=["bobby", "nobody", "robert james miller"])
    assert keys == {
        "bobby": "robert james miller",
        "nobody": "nobody",
        "robert james miller": "robert james miller",
    }


def test_undoing_merges_restores_all_of_it(memory: Engram, clock: FixedClock) -> None:
    """Merges taken back in reverse leave the graph as it was before each of them, properties and all."""
    know(memory, "Bob", "Robert Miller", "Bobby", "Rob", "Robert James Miller")
    pairs = (
        ("bobby", "bob"),
        ("rob", "bob"),
        ("bob", "robert miller"),
        ("robert miller", "robert james miller"),
    )
    before, changes = [], []
    for alias, into in pairs:
        before.append(state(memory))
        clock.advance(timedelta(minutes=1))
        changes.append(join(memory, clock, alias, into, evidence="some memory"))
    with pytest.raises(InvalidInputError, match="yet another since"):
        undo(memory.graph, space=memory.space, change=changes[0], now=clock.now)
    for change, expected in zip(reversed(changes), reversed(before), strict=True):
        undo(memory.graph, space=memory.space, change=change, now=clock.now)
        assert state(memory) == expected


def test_splitting_is_for_good(memory: Engram, clock: FixedClock) -> None:
    """A split name stands alone, with what had come with it, and its merge counts as taken back."""
    know(memory, "Bob", "Robert Miller", "Bobby", "Robert James Miller")
    join(memory, clock, "bobby", "bob")
    join(memory, clock, "bob", "robert miller")
    assert split(memory.graph, space=memory.space, key="bob", by="user", now=clock.now) == "robert miller"
    assert aliases(memory) == {"bobby": "bob"}
    open_changes = [each for each in list_changes(memory.graph, space=memory.space) if not each.undone_at]
    assert len(open_changes) == 1
    _, relationships = everything(memory)
    (apart,) = [each for each in relationships if each["type"] == "NOT_SAME_AS"]
    assert (apart["start"], apart["end"]) == ("bob", "robert miller")
    for key in ("bob", "robert miller"):
        with pytest.raises(InvalidInputError):
            split(memory.graph, space=memory.space, key=key, by="user", now=clock.now)


def test_what_was_moved_can_be_split_by_itself(memory: Engram, clock: FixedClock) -> None:
    """An alias that came along with another is split alone, and undoing the later merge does not bring it back."""
    know(memory, "Bob", "Robert Miller", "Robert James Miller")
    join(memory, clock, "bob", "robert miller")
    later = join(memory, clock, "robert miller", "robert james miller")
    split(memory.graph, space=memory.space, key="bob", by="user", now=clock.now)
    assert aliases(memory) == {"robert miller": "robert james miller"}
    undo(memory.graph, space=memory.space, change=later, now=clock.now)
    assert aliases(memory) == {}


def test_two_who_merge_at_once_merge_once(memory: Engram, clock: FixedClock) -> None:
    """Workers that take the same names for one at the same time, either way round, leave one alias and no chain."""
    know(memory, "Bob", "Robert Miller", "Bobby", "Rob")
    pairs = [("bob", "robert miller"), ("bobby", "bob"), ("rob", "bobby"), ("bob", "robert miller")] * 2
    with ThreadPoolExecutor(4) as pool:
        done = list(
            pool.map(
                lambda pair: merge(
                    memory.graph,
                    space=memory.space,
                    alias=pair[0],
                    into=pair[1],
                    by="user",
                    reason="by hand",
                    now=clock.now,
                ),
                pairs,
            )
        )
    assert len([each for each in done if each]) == 3
    found = aliases(memory)
    assert len(found) == 3
    assert len(set(found.values())) == 1


def test_another_space_keeps_its_names(memory: Engram, clock: FixedClock) -> None:
    """Merging, undoing and splitting in one space changes nothing in another that knows the same names."""
    other = another(memory, clock)
    for each in (memory, other):
        know(each, "Bob", "Robert Miller")
    before = everything(other)
    change = join(memory, clock, "bob", "robert miller")
    assert canonical_keys(other.graph, space=other.space, keys=["bob"]) == {"bob": "bob"}
    with pytest.raises(NotFoundError):
        undo(other.graph, space=other.space, change=change, now=clock.now)
    split(memory.graph, space=memory.space, key="bob", by="user", now=clock.now)
    assert everything(other) == before


def test_an_unknown_name_is_answered_with_near_ones(memory: Engram) -> None:
    """A name that nobody is known by raises, and names the near ones."""
    know(memory, "Robert Miller")
    with pytest.raises(NotFoundError) as raised:
        find_key(memory.graph, space=memory.space, name="Robert Milner")
    assert "Robert Miller" in str(raised.value.remedy)


def resolve(memory: Engram, clock: FixedClock, **options: Any) -> Any:
    """Run the job over the memory's space."""
    return run_job(JOB, memory.graph, space=memory.space, clock=clock, **options)


def means(memory: Engram, answer: Any) -> Any:
    """Return means with a model that answers every question with this."""
    return MEANS(memory, models=lambda: Models(quiet=ScriptedModel(respond=lambda _: json.dumps(answer))))


def say(memory: Engram, *texts: str, session: str = "talk", speaker: str = "Noor") -> None:
    """Store what somebody said."""
    memory.remember_turns(
        Turn(
            text=text,
            speaker=speaker,
            session=session,
            at=START + timedelta(minutes=place),
            id=f"{place} {text}",
        )
        for place, text in enumerate(texts)
    )


def fact(memory: Engram, clock: FixedClock, subject: str, slot: str, value: str, **more: Any) -> str:
    """Store a fact and return its id."""
    now = clock.now
    content = more.pop("content", f"{subject} has {slot} {value}")
    draft = Draft(
        content=content,
        contextualized=content,
        kind=Kind.SEMANTIC,
        source="extraction",
        identity=content,
        source_tag="external_user",
        speaker=more.pop("speaker", None),
        category=more.pop("category", "fact"),
        importance=0.5,
        event_at=now,
        known_at=now,
        valid_from=more.pop("valid_from", now),
        valid_to=more.pop("valid_to", FOREVER),
        reopen=True,
        names=(subject, *more.pop("names", ())),
        more={"subject": entity_key(subject), "slot": slot, "value": value, "single": True, "negated": False}
        | more,
    )
    return memory.writer.write(draft, now, then=lambda *_: None).id


NEAR = (
    "On my way home from the shop I saw Anna Schmidt, who was with Ben in Leiden",
    "It seems that Anna went to see the museum in Leiden once more, and Ben was there too",
    "In the morning I had coffee with Bob Jones, and we talked of Clara and the trip to Ghent",
    "My neighbour is called Bob Miller, he knows Clara and has a house somewhere near Ghent",
)


def test_the_job_merges_what_is_one_and_nothing_else(memory: Engram, clock: FixedClock) -> None:
    """A first name goes to the one full name with the same around it; two full names stay two, and a rerun is idle."""
    say(memory, *NEAR)
    assert resolve(memory, clock, dry_run=True).changed == 1
    assert aliases(memory) == {}
    done = resolve(memory, clock)
    assert aliases(memory) == {"anna": "anna schmidt"}
    assert done.examples[0]["name"] == "Anna"
    assert resolve(memory, clock).changed == 0


def test_a_run_can_be_taken_back_and_is_not_repeated(memory: Engram, clock: FixedClock) -> None:
    """Undoing a run parts what it merged, and no later run merges it again, however often the names are mentioned."""
    say(memory, *NEAR)
    run = resolve(memory, clock)
    assert resolve(memory, clock, undoing=run.id).changed == 1
    assert aliases(memory) == {}
    say(
        memory, "The next day Anna went to Leiden with Ben", "There I saw Anna Schmidt again", session="later"
    )
    resolve(memory, clock)
    assert aliases(memory) == {}


def test_a_run_is_taken_back_from_its_end(memory: Engram, clock: FixedClock) -> None:
    """Merges of one instant that rest on each other are all taken back at once, the last one first."""
    know(memory, "Bob", "Bobby", "Rob", "Robert Miller", "Robert James Miller")
    pairs = (
        ("bobby", "bob"),
        ("bob", "rob"),
        ("rob", "robert miller"),
        ("robert miller", "robert james miller"),
    )
    for pair in pairs:
        join(memory, clock, *pair, by="job:entities", run="one run")
    done = resolve(memory, clock, undoing="one run")
    assert (done.changed, done.notes) == (len(pairs), ())
    assert aliases(memory) == {}


def test_what_a_person_split_stays_split(memory: Engram, clock: FixedClock) -> None:
    """No job merges again what a person has split, directly or through a third name."""
    say(memory, *NEAR)
    resolve(memory, clock)
    split(memory.graph, space=memory.space, key="anna", by="user", now=clock.now)
    say(
        memory,
        "The next day Anna went to Leiden with Ben",
        "In the hall of it I heard Dr Anna Schmidt talk to Ben about Leiden",
        session="later",
    )
    resolve(memory, clock)
    assert "anna" not in aliases(memory)
    assert len(aliases(memory)) == 1


def test_a_word_of_a_person_is_enough_and_goes_with_it(memory: Engram, clock: FixedClock) -> None:
    """What somebody says is one becomes one; once that is erased, neither the alias nor a record of it is left."""
    know(memory, "Anna", "Annie")
    kept = memory.remember("My cousin Anna, everyone calls her Annie, is here")
    resolve(memory, clock)
    assert list(aliases(memory).items()) in ([("annie", "anna")], [("anna", "annie")])
    memory.forget(kept.id, erase=True)
    assert aliases(memory) == {}
    assert list_changes(memory.graph, space=memory.space) == []


WEBER = "Then I got a letter from Anna Weber, who lives in Oslo"


def test_a_later_name_puts_a_merge_of_the_job_in_question(memory: Engram, clock: FixedClock) -> None:
    """Once a first name fits two, the job takes its own merge back, says so, and merges it again at somebody's word only."""
    say(memory, *NEAR)
    resolve(memory, clock)
    assert aliases(memory) == {"anna": "anna schmidt"}
    say(memory, WEBER, session="later")
    assert resolve(memory, clock, dry_run=True).changed == 1
    assert aliases(memory) == {"anna": "anna schmidt"}
    done = resolve(memory, clock)
    assert aliases(memory) == {}
    assert done.examples[0] == {"name": "Anna", "is not": "Anna Schmidt", "because": "it fits others too"}
    (change,) = list_changes(memory.graph, space=memory.space)
    assert change.undone_by == "job:entities"
    say(memory, "The next day Anna went to Leiden with Ben", session="again")
    assert resolve(memory, clock).changed == 0
    say(memory, "I met Anna Schmidt, everyone calls her Anna", session="at last")
    resolve(memory, clock)
    assert aliases(memory) == {"anna": "anna schmidt"}
    assert resolve(memory, clock).changed == 0


def test_what_a_person_merged_stays_whoever_comes(memory: Engram, clock: FixedClock) -> None:
    """A later name puts no merge in question that a person has made."""
    say(memory, *NEAR)
    join(memory, clock, "anna", "anna schmidt")
    say(memory, WEBER, session="later")
    resolve(memory, clock)
    assert aliases(memory) == {"anna": "anna schmidt"}


def test_two_in_one_sentence_stay_two(memory: Engram, clock: FixedClock) -> None:
    """A text that has both names side by side forbids the merge, even where one of them begins it."""
    say(memory, *NEAR, "Anna and also Anna Schmidt came to the museum")
    resolve(memory, clock)
    assert aliases(memory) == {}


def test_other_values_of_one_slot_stay_two(memory: Engram, clock: FixedClock) -> None:
    """Who was born on another day is somebody else, whatever else they share."""
    say(memory, *NEAR)
    fact(memory, clock, "Anna", "birthday", "3 May")
    fact(memory, clock, "Anna Schmidt", "birthday", "4 June")
    resolve(memory, clock)
    assert aliases(memory) == {}


def test_a_model_decides_what_is_unsure_and_only_that(memory: Engram, clock: FixedClock) -> None:
    """Names that share too little are one where a model says so; what it says of other numbers counts for nothing."""
    say(memory, "On my way home I saw Anna Schmidt in Leiden", session="one")
    say(memory, "The day after that Anna went to Leiden", session="two")
    resolve(memory, clock)
    assert aliases(memory) == {}
    say(memory, "And so Anna is back", session="three")
    with means(memory, {"pairs": [{"pair": 7, "same": True}]}) as invented:
        resolve(memory, clock, means=invented)
    assert aliases(memory) == {}
    say(memory, "And so Anna is back again", session="four")
    with means(memory, {"pairs": [{"pair": 1, "same": True}]}) as sure:
        resolve(memory, clock, means=sure)
    assert aliases(memory) == {"anna": "anna schmidt"}


def test_two_runs_at_once_merge_once(memory: Engram, clock: FixedClock) -> None:
    """Two workers that run the job at the same time leave one alias and one change."""
    say(memory, *NEAR)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda _: resolve(memory, clock), range(2)))
    assert aliases(memory) == {"anna": "anna schmidt"}
    assert len(list_changes(memory.graph, space=memory.space)) == 1


@pytest.mark.parametrize(("asked", "said"), [("Bob", "Robert Miller"), ("Robert Miller", "Bob")])
def test_recall_finds_what_was_said_under_the_other_name(
    memory: Engram, clock: FixedClock, asked: str, said: str
) -> None:
    """A question that names an alias finds what mentions the canonical name, and the other way round."""
    for place in range(30):
        memory.remember(f"Entry {place} on quarterly invoices and receipts in the ledger")
    kept = memory.remember(f"At the harbour stood {said} holding a lantern")
    know(memory, "Bob", "Robert Miller")

    def hit() -> Any:
        found = memory.recall(f"Which lantern did {asked} hold?", k=50, explain=True, read_only=True)
        return next(each for each in found if each.memory.id == kept.id)

    before = hit()
    join(memory, clock, "bob", "robert miller")
    assert before.terms["entity"] == 0.0
    assert hit().terms["entity"] > 0.0
    assert hit().score > before.score


def test_a_profile_holds_what_is_known_under_all_names(memory: Engram, clock: FixedClock) -> None:
    """Facts, mentions and neighbours of an alias are in the profile that any of the names gives."""
    say(memory, *NEAR)
    home = fact(memory, clock, "Anna", "home", "Leiden")
    fact(memory, clock, "Anna Schmidt", "employer", "Acme")
    fact(memory, clock, "Anna", "home", "Ghent", valid_to=clock.now)
    friend = fact(memory, clock, "Noor", "friend", "Anna", category="relationship", names=("Anna",))
    join(memory, clock, "anna", "anna schmidt")
    found = profile(memory.graph, space=memory.space, name="anna", now=clock.now)
    assert found == profile(memory.graph, space=memory.space, name="Anna Schmidt", now=clock.now)
    assert (found.name, found.aliases, found.mentions) == ("Anna Schmidt", ("Anna",), 6)
    assert {each.slot: each.value for each in found.facts} == {"home": "Leiden", "employer": "Acme"}
    assert [each.id for each in found.relationships] == [friend]
    assert found.beside[:2] == (("Ben", 2), ("Leiden", 2))
    assert found.since is not None
    assert found.summary is not None
    assert found.summary.plain
    assert home in found.summary.cites


def test_a_summary_is_kept_and_goes_with_what_it_cites(memory: Engram, clock: FixedClock) -> None:
    """A model's summary is shown while all that it cites holds; an invented citation drops it; erasing removes it."""
    for slot in ("home", "birthplace", "school"):
        fact(memory, clock, "Anna", slot, "Leiden")

    def shown() -> Any:
        return profile(memory.graph, space=memory.space, name="Anna", now=clock.now).summary

    memory.tune("entities.least", 1)
    with means(memory, {"summary": "She is of Leiden.", "cites": [1, 99]}) as invented:
        resolve(memory, clock, means=invented)
    assert shown().plain
    fact(memory, clock, "Anna", "employer", "Acme")
    with means(memory, {"summary": "She is of Leiden.", "cites": [1]}) as honest:
        resolve(memory, clock, means=honest)
    assert (shown().text, shown().plain) == ("She is of Leiden.", False)
    (cited,) = shown().cites
    memory.forget(cited, erase=True)
    assert shown().text != "She is of Leiden."
    nodes, _ = everything(memory)
    assert not [each for each in nodes if each["properties"].get("summary") == "She is of Leiden."]


def test_the_name_of_others_is_handed_on_when_it_is_erased(memory: Engram, clock: FixedClock) -> None:
    """Where the canonical name goes with its last mention, its aliases stay one under the most frequent of them."""
    know(memory, "Bob", "Bobby")
    memory.remember("Again we spoke of Bobby, twice")
    only = memory.remember("We spoke of Robert Miller at length")
    join(memory, clock, "bob", "robert miller")
    join(memory, clock, "bobby", "robert miller")
    memory.forget(only.id, erase=True)
    assert aliases(memory) == {"bob": "bobby"}


def test_what_was_handed_on_can_still_be_split(memory: Engram, clock: FixedClock) -> None:
    """Aliases whose canonical name was erased are split like others."""
    know(memory, "Bob", "Bobby")
    only = memory.remember("We spoke of Robert Miller at length")
    join(memory, clock, "bob", "robert miller")
    join(memory, clock, "bobby", "robert miller")
    memory.forget(only.id, erase=True)
    ((alias, canonical),) = aliases(memory).items()
    assert split(memory.graph, space=memory.space, key=alias, by="user", now=clock.now) == canonical
    assert aliases(memory) == {}


def test_whoever_talks_is_known_by_what_they_call_themselves(memory: Engram, clock: FixedClock) -> None:
    """A fact that tells the speaker's own name makes it one with them; one of somebody else's cat does not."""
    know(memory, "Noor Khan", "Mies")
    fact(memory, clock, "user", "name", "Noor Khan", speaker="user")
    fact(memory, clock, "Cat", "name", "Mies", speaker="user")
    resolve(memory, clock)
    assert aliases(memory) == {"noor khan": "user"}
