"""Facts from the turns of a graph: each turn is read once, by one worker, and again where that worker died."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pkgutil import resolve_name
from typing import Any

import pytest

from engram.beliefs.extraction import batches
from engram.beliefs.extraction.batches import Batch, count_due, learn_facts
from engram.beliefs.keeping.keeper import keep_facts
from engram.costs import Ledger
from engram.errors import DatabaseUnavailableError, LanguageModelDownError
from engram.llm import Models
from engram.llm.base import ChatModel
from engram.loop.agent import Agent
from engram.loop.extracting import Extracting
from engram.memory import Engram
from engram.records import Turn
from engram.testing import Asked, FixedClock, ScriptedModel
from engram.tuning import Tuning
from tests.graph.beside import another, everything, run
from tests.graph.talking import memories, nodes, talk

pytestmark = pytest.mark.graph

EXTRACT = resolve_name("engram.jobs.extract:JOB")
run_job: Callable[..., Any] = resolve_name("engram.jobs.job:run_job")
means: Callable[..., Any] = resolve_name("engram.jobs.means:Means")
SAID = ("I live in Utrecht.", "I work at Acme.", "I have a cat called Mies.")
FACTS = ("Noor has a cat called Mies.", "Noor lives in Utrecht.", "Noor works at Acme.")


def tell(
    memory: Engram, clock: FixedClock, *texts: str, session: str = "tea", tag: str = "external_user"
) -> None:
    """Store turns, a minute apart."""
    turns = [
        Turn(
            text=text,
            speaker="Noor",
            at=clock.advance(timedelta(minutes=1)),
            session=session,
            id=f"{session}-{n}",
            source_tag=tag,
        )
        for n, text in enumerate(texts)
    ]
    memory.remember_turns(turns)


def facts(memory: Engram) -> list[str]:
    """Return the facts that are held, in the order of their text."""
    return [each["content"] for each in nodes(memory, "memories") if each.get("category")]


def learn(memory: Engram, model: ChatModel | None = None, **more: Any) -> Batch:
    """Draw facts from a batch that is due."""
    batch = learn_facts(memory, model=model, **more)
    assert batch is not None
    return batch


def states(memory: Engram) -> list[tuple[bool, bool, str | None]]:
    """Return of each turn whether it is due, whether somebody has it, and who read it."""
    return [
        (
            each.get("extract_due_at") is not None,
            each.get("extract_lease_until") is not None,
            each.get("extracted_by"),
        )
        for each in nodes(memory, "turns")
    ]


def reading(asked: Asked) -> str:
    """Return what a model says that draws one fact from each turn that says where or for whom."""
    items = []
    for line in asked.messages[0].text.splitlines():
        number, _, rest = line.partition(". ")
        _, _, text = rest.partition("Noor: ")
        if number.isdigit() and text.startswith("I "):
            quote = text.rstrip(".")
            content = f"Noor {quote.removeprefix('I ')}s."
            items.append(
                {
                    "turn": int(number),
                    "quote": quote,
                    "content": content,
                    "category": "fact",
                    "subject": "Noor",
                    "confidence": 0.9,
                }
            )
    return json.dumps({"facts": items})


def test_facts_rest_on_the_turns_that_were_read(memory: Engram, clock: FixedClock) -> None:
    """What is due is read once, the oldest first; each fact is tied to its turn with the words, and the turns are done."""
    tell(memory, clock, *SAID)
    assert count_due(memory) == 3
    batch = learn(memory)
    assert (batch.turns, batch.kept, batch.merged, batch.plain) == (3, 3, 0, True)
    assert facts(memory) == [*FACTS]
    assert states(memory) == [(False, False, "plain")] * 3
    assert (count_due(memory), learn_facts(memory, model=None)) == (0, None)
    why = memory.why(batch.outcomes[0].memory or "")
    assert "I live in Utrecht." in str(why)


def test_a_model_reads_them_where_there_is_one(memory: Engram, clock: FixedClock) -> None:
    """One call for all of a batch; what it invents is dropped, and the turns say who read them."""
    tell(memory, clock, *SAID)
    model = ScriptedModel(respond=reading)
    batch = learn(memory, model)
    assert (batch.turns, batch.kept, batch.plain) == (3, 3, False)
    assert states(memory) == [(False, False, "model")] * 3
    tell(memory, clock, "I live in Ghent.", session="later")
    invented = json.dumps(
        {
            "facts": [
                {
                    "turn": 1,
                    "quote": "I am rich",
                    "content": "Noor is rich.",
                    "category": "fact",
                    "confidence": 1,
                }
            ]
        }
    )
    batch = learn(memory, ScriptedModel(invented))
    assert (batch.turns, batch.outcomes) == (1, ())
    assert [each.why for each in batch.dropped] == ["its quote does not stand in the turn"]
    assert states(memory)[-1] == (False, False, "model")


def test_what_the_agent_says_is_never_read(memory: Engram, clock: FixedClock) -> None:
    """Its own words add no facts; neither do those of another space."""
    tell(memory, clock, "You live in Paris.", "I live in the machine.", tag="internal_reply")
    other = another(memory, clock)
    tell(other, clock, *SAID)
    assert learn_facts(memory, model=None) is None
    assert facts(memory) == []
    assert count_due(other) == 3


def test_a_batch_that_ran_twice_adds_nothing(memory: Engram, clock: FixedClock) -> None:
    """A worker that died after it kept its facts: they are drawn again, and are the same memories on the same turns."""
    tell(memory, clock, *SAID)
    learn(memory)
    before = everything(memory)
    run(memory, "extract_make_due", now=clock())
    batch = learn(memory)
    assert (batch.turns, batch.kept, batch.merged) == (3, 0, 3)
    nodes_before, links_before = before
    nodes_after, links_after = everything(memory)
    assert len(nodes_after) == len(nodes_before)
    assert len(links_after) == len(links_before)


def test_a_batch_that_was_killed_is_due_again(
    memory: Engram, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody else has its turns while the lease holds; then they are due, and nothing is lost."""
    tell(memory, clock, *SAID)

    def killed(*_: object, **__: object) -> None:
        raise DatabaseUnavailableError("It is gone.")

    with monkeypatch.context() as patch:
        patch.setattr(batches, "keep_facts", killed)
        with pytest.raises(DatabaseUnavailableError):
            learn_facts(memory, model=None)
    assert states(memory) == [(True, True, None)] * 3
    assert learn_facts(memory, model=None) is None
    run(memory, "extract_end_leases")
    assert learn(memory).kept == 3
    assert facts(memory) == [*FACTS]


def test_two_workers_take_each_turn_once(memory: Engram, clock: FixedClock) -> None:
    """However many ask at the same time, every turn is shown to a model in one batch only."""
    tell(memory, clock, *(f"I like thing{n}." for n in range(12)))
    shown: list[str] = []

    def respond(asked: Asked) -> str:
        shown.extend(line for line in asked.messages[0].text.splitlines() if line[:1].isdigit())
        return '{"facts": []}'

    model = ScriptedModel(respond=respond)

    def work(_: int) -> int:
        done = 0
        while (batch := learn_facts(memory, model=model, limit=3)) is not None:
            done += batch.turns
        return done

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(work, range(4))) == 12
    assert len(shown) == len({line.partition("Noor: ")[2] for line in shown}) == 12
    assert states(memory) == [(False, False, "model")] * 12


def test_a_batch_is_of_the_oldest_turns(memory: Engram, clock: FixedClock) -> None:
    """In order of time over all sessions, or of one; what was said before comes along, and nothing of another session."""
    tell(memory, clock, *SAID, session="tea")
    tell(memory, clock, "I live in Ghent.", "I live in Rome.", session="work")
    model = ScriptedModel('{"facts": []}', '{"facts": []}')
    assert learn(memory, model, limit=2).turns == 2
    assert learn(memory, model, session="tea").turns == 1
    (first, second) = (asked.messages[0].text for asked in model.asked)
    assert "<before>" not in first
    assert all(said in first for said in SAID[:2])
    before, _, turns = second.partition("<turns>")
    assert all(said in before for said in SAID[:2])
    assert SAID[2] in turns
    assert "Ghent" not in second
    assert learn_facts(memory, model=None, least=3) is None
    assert learn(memory, least=2).turns == 2


def test_a_spent_budget_lets_turns_wait(memory: Engram, clock: FixedClock) -> None:
    """A model is there and may not be asked today: nothing is drawn in the plainer form, and the turns stay due."""
    tell(memory, clock, *SAID)
    ledger = Ledger(memory.graph, space=memory.space, clock=clock, prices={}, daily_calls=0)
    model = ScriptedModel(respond=reading)
    try:
        batch = learn(memory, ledger.model(model, purpose="extract", background=True))
    finally:
        ledger.close()
    assert (batch.turns, batch.waiting, batch.outcomes) == (0, 3, ())
    assert "budget" in batch.notes[0]
    assert states(memory) == [(True, False, None)] * 3
    assert nodes(memory, "calls") == []
    assert learn(memory, model).kept == 3


def test_one_fact_spoils_no_other(memory: Engram, clock: FixedClock, monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be kept for a reason that nobody foresaw is tried again when the lease is over, and not for ever."""
    tell(memory, clock, *SAID)

    def picky(memory: Engram, facts: Any, **more: Any) -> Any:
        if any("Acme" in fact.content for fact in facts):
            raise ZeroDivisionError
        return keep_facts(memory, facts, **more)

    monkeypatch.setattr(batches, "keep_facts", picky)
    batch = learn(memory)
    assert (batch.kept, [each.why for each in batch.dropped]) == (
        2,
        ["it could not be kept (ZeroDivisionError)"],
    )
    assert batch.notes
    assert count_due(memory) == 1
    memory.tune("extract.lease_seconds", 1)
    for _ in range(batches.TRIES):
        run(memory, "extract_end_leases")
        batches.learn_facts(memory, model=None)
    assert states(memory) == [(False, False, "plain")] * 3
    assert count_due(memory) == 0


# ----- The job


def job(memory: Engram, clock: FixedClock, quiet: ScriptedModel | None = None, **more: Any) -> Any:
    """Run the job over the space."""
    with means(memory, models=lambda: Models(quiet=quiet)) as opened:
        return run_job(EXTRACT, memory.graph, space=memory.space, clock=clock, means=opened, **more)


def test_the_job_reads_all_that_is_due(memory: Engram, clock: FixedClock) -> None:
    """In batches, until nothing is due; it tells how many facts became what and why, and a second run does nothing."""
    tell(memory, clock, *SAID, *(f"I like thing{n}." for n in range(20)))
    done = job(memory, clock)
    assert (done.changed, count_due(memory)) == (23, 0)
    assert {"became": "kept", "facts": 23, "why": "new"} in done.report
    assert done.examples[0]["fact"] == "Noor lives in Utrecht."
    assert any("English" in note for note in done.notes)
    again = job(memory, clock)
    assert (again.changed, again.report) == (0, ())


def test_a_dry_run_changes_nothing(memory: Engram, clock: FixedClock) -> None:
    """It says how many turns are due, and asks no model."""
    tell(memory, clock, *SAID)
    before = everything(memory)
    model = ScriptedModel()
    assert job(memory, clock, model, dry_run=True).changed == 3
    assert everything(memory) == before
    assert model.asked == []


def test_the_job_stops_where_the_budget_is_spent(memory: Engram, clock: FixedClock) -> None:
    """It says so, and the turns wait."""
    tell(memory, clock, *SAID)
    poor = Engram(
        memory.graph,
        memory.settings.model_copy(update={"daily_calls": 0}),
        space=memory.space,
        embedder=memory.embedder,
        clock=clock,
    )
    done = job(poor, clock, ScriptedModel(respond=reading))
    assert (done.changed, done.failed) == (0, 0)
    assert any("budget" in note for note in done.notes)
    assert count_due(memory) == 3


# ----- In the conversation


def said(agent: Agent, *texts: str) -> None:
    """Say something, wait until it is decided and until facts are drawn where they are due."""
    for text in texts:
        for _ in agent.say(text):
            pass
    agent._gatekeeper.wait()
    assert agent._extracting.wait()


def test_what_is_weighty_is_read_at_once(memory: Engram, clock: FixedClock) -> None:
    """A high signal has everything read that is due by then; without one, turns wait for a full batch."""
    with talk(memory, clock, user="Noor") as agent:
        said(agent, "I live in Utrecht, near the old canal.")
        assert facts(memory) == []
        said(agent, "Remember that I'm allergic to nuts.")
        assert facts(memory) == ["Noor is allergic to nuts.", "Noor lives in Utrecht."]
        said(agent, "I work at Acme as a nurse, by the way.")
        assert len(facts(memory)) == 2
    assert len(facts(memory)) == 2
    assert count_due(memory) == 1


def test_a_full_batch_is_read(memory: Engram, clock: FixedClock, monkeypatch: pytest.MonkeyPatch) -> None:
    """At `extract.batch_turns` turns, without any signal, in one call of the quiet model that is metered as background."""
    monkeypatch.setattr("engram.loop.parts.tuned", lambda _: Tuning({"extract.batch_turns": 3}))
    quiet = ScriptedModel(respond=reading)
    with talk(memory, clock, quiet=quiet, user="Noor", session="long") as agent:
        said(agent, "I walk along the canal every morning", "I bake bread on most Sundays")
        assert facts(memory) == []
        said(agent, "I grow roses in the garden")
    calls = [each for each in nodes(memory, "calls") if each["purpose"] == "extract"]
    assert [(each["background"], each["session"]) for each in calls] == [(True, "long")]
    assert len(facts(memory)) == 3


def test_failing_breaks_no_conversation(memory: Engram, clock: FixedClock) -> None:
    """Whatever goes wrong is kept as trouble for whoever looks, and the turns are due again."""

    def fails(_: int) -> Batch | None:
        raise LanguageModelDownError("It is away.")

    drawing = Extracting(fails, batch=lambda: 20)
    drawing.ask(urgent=True)
    assert drawing.wait()
    assert isinstance(drawing.trouble, LanguageModelDownError)
    drawing.close()
    with talk(memory, clock, user="Noor") as agent:
        agent._extracting = drawing
        said(agent, "Remember that I'm allergic to nuts.")
        assert any("Facts could not be drawn" in line for line in agent.describe())
    assert "Remember that I'm allergic to nuts." in memories(memory)


def test_the_end_begins_nothing_new(memory: Engram, clock: FixedClock) -> None:
    """What is decided as a conversation ends is left to the job: its model is not asked any more."""
    quiet = ScriptedModel(respond=lambda _: '{"facts": [], "notes": [], "pairs": []}')
    with talk(memory, clock, ScriptedModel("Noted."), quiet=quiet, user="Noor") as agent:
        agent._extracting.close()
        said(agent, "Remember that I'm allergic to nuts.")
    assert count_due(memory) == 1
    assert "extract" not in {each["purpose"] for each in nodes(memory, "calls")}
