"""The library against a real Neo4j: remembering, recalling, replacing, forgetting."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from engram.errors import ErasedError, InvalidInputError, NotFoundError
from engram.graph import Graph
from engram.memory import Engram
from engram.records import FOREVER, REPLY_TAG, USER_TAG, Kind, Turn
from engram.testing import FixedClock, HashEmbedder

pytestmark = pytest.mark.graph

START = datetime(2026, 3, 1, 9, tzinfo=UTC)


def talk(*lines: str, session: str = "talk") -> list[Turn]:
    """Return a conversation of two, a minute between turns."""
    return [
        Turn(
            text=line,
            speaker=("Noor", "Felix")[place % 2],
            at=START + timedelta(minutes=place),
            session=session,
            id=f"t{place}",
        )
        for place, line in enumerate(lines)
    ]


def contents(memory: Engram, query: str, k: int = 5, **more: object) -> list[str]:
    """Return the contents of a recall's hits."""
    return [hit.memory.content for hit in memory.recall(query, k, read_only=True, **more)]  # type: ignore[arg-type]


def test_remember_returns_what_get_finds(memory: Engram, clock: FixedClock) -> None:
    """A remembered thing is durable as returned, with every time in UTC and the open end at FOREVER."""
    stored = memory.remember(
        "The bicycle is in the cellar", kind="preference", speaker="Noor", importance=0.9
    )
    assert memory.get(stored.id) == stored
    assert stored.kind is Kind.PREFERENCE
    assert (stored.created_at, stored.event_at, stored.known_at) == (clock.now,) * 3
    assert stored.valid_to == FOREVER
    assert (stored.tier, stored.status, stored.energy) == ("working", "active", 1.0)


def test_same_content_and_source_is_one_memory(memory: Engram) -> None:
    """Saying the same again, in other case and spacing, counts as seen again and stores nothing."""
    first = memory.remember("The key is under the mat")
    again = memory.remember("  the KEY is  under the mat ")
    assert (again.id, again.created, again.seen_count) == (first.id, False, 2)
    assert memory.stats().memories == 1


def test_other_source_or_kind_is_another_memory(memory: Engram) -> None:
    """Content is one memory per kind and source."""
    ids = {
        memory.remember("yes").id,
        memory.remember("yes", source="letter").id,
        memory.remember("yes", kind=Kind.PREFERENCE).id,
    }
    assert len(ids) == 3


def test_what_came_back_is_a_new_episode(memory: Engram, clock: FixedClock) -> None:
    """Boston, Berlin, Boston: the second Boston is a memory of its own, valid from its own day."""
    boston = memory.remember("Felix lives in Boston")
    clock.advance(timedelta(days=30))
    berlin = memory.remember("Felix lives in Berlin", supersedes=boston.id, reason="he moved")
    clock.advance(timedelta(days=30))
    back = memory.remember("Felix lives in Boston", supersedes=berlin.id, reason="he moved back")
    assert back.created
    assert back.id != boston.id
    assert memory.get(boston.id).status == memory.get(berlin.id).status == "superseded"
    assert contents(memory, "Where does Felix live?") == ["Felix lives in Boston"]
    then = clock.now - timedelta(days=15)
    assert contents(memory, "Where does Felix live?", as_of=then) == ["Felix lives in Berlin"]


def test_what_was_told_late_leaves_no_gap(memory: Engram, clock: FixedClock) -> None:
    """Told in January of a move in September, recall as of October says what was believed in October."""
    old = memory.remember("Felix lives in Utrecht", event_at="2025-06-01", known_at="2025-06-01")
    memory.remember("Felix lives in Ghent", event_at="2025-09-01", supersedes=old.id, reason="he moved")
    assert contents(memory, "Where does Felix live?", as_of="2025-08-01") == ["Felix lives in Utrecht"]
    assert contents(memory, "Where does Felix live?", as_of="2025-10-01") == ["Felix lives in Utrecht"]
    assert contents(memory, "Where does Felix live?") == ["Felix lives in Ghent"]
    clock.advance(timedelta(days=1))
    assert contents(memory, "Where does Felix live?", as_of=clock.now) == ["Felix lives in Ghent"]


def test_recall_finds_by_meaning_and_by_words(memory: Engram) -> None:
    """Both legs work: every hit's terms add up to its score, and the best hit has both."""
    memory.remember("The piano was tuned in April")
    memory.remember("Rain fell on the harbour")
    hits = memory.recall("piano tuning", explain=True)
    assert hits[0].memory.content == "The piano was tuned in April"
    assert [hit.rank for hit in hits] == [1, 2]
    for hit in hits:
        assert hit.terms is not None
        assert sum(hit.terms.values()) == pytest.approx(hit.score, abs=1e-12)
    assert hits[0].terms is not None
    assert hits[0].terms["semantic"] > 0
    assert hits[0].terms["lexical"] > 0


def test_recall_twice_is_the_same(memory: Engram) -> None:
    """mode="search" is deterministic, and read_only=True writes nothing."""
    memory.remember_turns(talk(*(f"thing number {n % 7} was seen" for n in range(40))))
    first = memory.recall("number 3", 40, read_only=True)
    assert memory.recall("number 3", 40, read_only=True) == first
    assert {hit.memory.access_count for hit in first} == {0}


def test_superseded_and_forgotten_stay_out_of_recall(memory: Engram) -> None:
    """Recall sees active memories; `restore` brings a forgotten one back."""
    old = memory.remember("The meeting is on Monday")
    memory.remember("The meeting is on Friday", supersedes=old.id, reason="moved")
    memory.forget(memory.remember("The meeting is boring").id)
    assert contents(memory, "meeting") == ["The meeting is on Friday"]
    memory.restore(memory.remember("The meeting is boring").id)
    assert len(contents(memory, "meeting")) == 2


def test_supersede_closes_the_old_where_the_new_begins(memory: Engram, clock: FixedClock) -> None:
    """valid_to of the old is valid_from of the new, and the chain is what `why` shows."""
    old = memory.remember("The shop opens at nine", event_at="2026-01-02")
    new = memory.remember("The shop opens at ten", event_at="2026-02-03")
    closed = memory.supersede(old.id, new.id[:8], "new hours")
    assert closed.valid_to == datetime(2026, 2, 3, tzinfo=UTC)
    assert memory.supersede(old.id, new.id, "new hours") == closed, "a second time changes nothing"
    chain = memory.why(new.id)
    assert [(step.depth, step.relationship, step.text) for step in chain] == [
        (0, "", "The shop opens at ten"),
        (1, "SUPERSEDES", "The shop opens at nine"),
    ]
    assert chain[1].detail["reason"] == "new hours"
    assert memory.why(old.id)[1].relationship == "SUPERSEDED_BY"


def test_a_replacement_is_said_by_whoever_said_the_replaced(memory: Engram) -> None:
    """Without a speaker of its own it has the older one's, so that a question about them finds it; with one, that."""
    first = memory.remember("I live in Utrecht", speaker="Noor")
    second = memory.remember("I live in Ghent", supersedes=first.id)
    third = memory.remember("She lives in Bruges", supersedes=second.id, speaker="Bo")
    assert (second.speaker, third.speaker) == ("Noor", "Bo")


def test_what_was_replaced_is_not_forgotten_again(memory: Engram) -> None:
    """It is out of recall already: the error says so, and what can be done."""
    first = memory.remember("I drive a Saab")
    memory.remember("I drive a Volvo", supersedes=first.id)
    with pytest.raises(InvalidInputError, match="out of recall already") as refused:
        memory.forget(first.id)
    assert "history" in (refused.value.remedy or "")


def test_supersede_refuses_circles(memory: Engram) -> None:
    """No memory replaces itself, not even by way of others, and an old one is replaced once."""
    one, two, three = (memory.remember(f"version {name}") for name in ("one", "two", "three"))
    memory.supersede(one.id, two.id, "newer")
    memory.supersede(two.id, three.id, "newer")
    for old, new in ((one, one), (three, one), (one, three)):
        with pytest.raises(InvalidInputError):
            memory.supersede(old.id, new.id, "no")
    assert memory.get(three.id).status == "active"


def test_failed_supersession_stores_nothing(memory: Engram) -> None:
    """`remember(supersedes=…)` is one transaction: where it may not replace, it is not stored either."""
    one = memory.remember("version one")
    memory.remember("version two", supersedes=one.id, reason="newer")
    with pytest.raises(InvalidInputError):
        memory.remember("version three", supersedes=one.id, reason="newer")
    assert memory.stats().memories == 2


def test_as_of_answers_from_what_was_known_then(memory: Engram, clock: FixedClock) -> None:
    """Told today of something long past, yesterday's self does not know it."""
    memory.remember("The house was built in 1911", event_at="1911-05-01")
    assert contents(memory, "house", as_of=clock.now) == ["The house was built in 1911"]
    assert contents(memory, "house", as_of=clock.now - timedelta(days=1)) == []


def test_imported_turns_are_known_at_their_own_time(memory: Engram) -> None:
    """An imported conversation answers as of its own days."""
    memory.remember_turns(talk("I bought a red kayak", "Nice, where?"))
    assert contents(memory, "kayak", as_of=START) == ["I bought a red kayak"]
    assert contents(memory, "kayak", as_of=START - timedelta(seconds=1)) == []


def test_turns_are_linked_to_where_they_were_said(memory: Engram) -> None:
    """A turn's memory rests on the turn, the turn on its session, with the quotation on the relationship."""
    memory.remember_turns(talk("Hello", "I sold the boat", "Pity"))
    hit = memory.recall("sold boat", 1)[0]
    chain = memory.why(hit.memory.id)
    assert [(step.depth, step.relationship, step.label) for step in chain] == [
        (0, "", "Episodic"),
        (1, "DERIVED_FROM", "Turn"),
        (2, "PART_OF", "Session"),
    ]
    assert chain[1].detail["citation"] == "I sold the boat"
    turns = memory.graph.read(
        "inspect/list_turns", space=memory.space, session="talk", before=FOREVER, limit=9
    )
    assert [turn["text"] for turn in turns] == ["Pity", "I sold the boat", "Hello"]


def test_the_agents_own_words_are_no_evidence(memory: Engram) -> None:
    """A reply is remembered, tagged as one, with a truth that says nothing yet."""
    reply = Turn(text="The moon is a cheese", speaker="assistant", session="s", source_tag=REPLY_TAG)
    told = memory.remember_turns([reply, Turn(text="No it is not", speaker="Noor", session="s")])
    kept, answer = (memory.get(each) for each in told.memories)
    assert (kept.source_tag, kept.truth_alpha, kept.truth_beta) == (REPLY_TAG, 1.0, 1.0)
    assert (answer.source_tag, answer.truth_alpha, answer.truth_beta) == (USER_TAG, 2.0, 1.0)


def test_context_holds_neighbours_and_content_stays_as_said(memory: Engram) -> None:
    """The stored context has two turns before and one after, also across batches; content has none of it."""
    small = Engram(
        memory.graph,
        memory.settings.model_copy(update={"batch_size": 2}),
        space=memory.space,
        embedder=memory.embedder,
    )
    small.remember_turns(talk("alpha", "beta", "gamma", "delta", "epsilon"))
    gamma = next(hit.memory for hit in memory.recall("gamma", 5) if hit.memory.content == "gamma")
    assert [word in gamma.contextualized for word in ("alpha", "beta", "gamma", "delta", "epsilon")] == [
        True,
        True,
        True,
        True,
        False,
    ]


def test_import_twice_stores_once(memory: Engram) -> None:
    """The same conversation again, or cut off and again, adds nothing but what was missing."""
    lines = talk(*(f"line {n}" for n in range(9)))
    assert memory.remember_turns(lines[:4]).stored == 4
    again = memory.remember_turns(lines)
    assert (again.stored, again.seen) == (5, 4)
    before = memory.stats()
    assert memory.remember_turns(lines).stored == 0
    assert memory.stats() == before


def test_same_turn_ids_in_two_conversations_do_not_meet(memory: Engram) -> None:
    """Turns are told apart by session and text, not by an id that every conversation uses."""
    memory.remember_turns([Turn(text="yes", speaker="A", session="one", id="D1:1", at=START)])
    memory.remember_turns([Turn(text="yes", speaker="A", session="two", id="D1:1", at=START)])
    memory.remember_turns([Turn(text="no", speaker="A", session="two", id="D1:1", at=START)])
    assert memory.stats().turns == memory.stats().memories == 3


def test_unusable_turns_are_listed_and_the_rest_is_stored(memory: Engram) -> None:
    """A blank or broken turn does not keep the others away."""
    done = memory.remember_turns(
        [
            Turn(text="fine", speaker="A"),
            Turn(text="  ", speaker="A"),
            Turn(text="bad \x00 byte", speaker="A"),
            Turn(text="also fine", speaker="A"),
            Turn(text="x" * 40_000, speaker="A"),
        ]
    )
    assert done.stored == 2
    assert [index for index, _ in done.refused] == [1, 2, 4]


def test_spaces_do_not_see_each_other(memory: Engram) -> None:
    """Nothing of one space is found, got, explained, superseded or forgotten from another."""
    other = Engram(memory.graph, memory.settings, space=memory.space + "'x", embedder=memory.embedder)
    mine = memory.remember("The password is swordfish")
    theirs = other.remember("The password is marlin")
    assert contents(memory, "password") == ["The password is swordfish"]
    assert contents(other, "password") == ["The password is marlin"]
    attempts: list[Callable[[], object]] = [
        lambda: other.get(mine.id),
        lambda: other.why(mine.id),
        lambda: other.forget(mine.id),
        lambda: other.forget(mine.id, erase=True),
        lambda: other.restore(mine.id),
        lambda: other.supersede(mine.id, theirs.id, "no"),
        lambda: other.remember("x", supersedes=mine.id, reason="no"),
    ]
    for attempt in attempts:
        with pytest.raises(NotFoundError):
            attempt()
    assert memory.get(mine.id) == mine


@pytest.mark.parametrize(
    "space", ["o'brien", '"; MATCH (n) DETACH DELETE n //', "`x`", "日本", "a\\b", "$space"]
)
def test_odd_space_names_are_just_names(memory: Engram, space: str) -> None:
    """Quotes, Cypher and other scripts in a space's name mean nothing to the database."""
    odd = Engram(memory.graph, memory.settings, space=f"{memory.space} {space}", embedder=memory.embedder)
    odd.remember("a thing")
    assert contents(odd, "thing") == ["a thing"]
    assert odd.stats().memories == 1


HOSTILE = [
    '+-&|!(){}[]^"~*?:\\/',
    '"unbalanced',
    "AND OR NOT",
    "&& || !",
    "a AND (b OR",
    "content:secret",
    "*",
    "~",
    "\\",
    "what's up? (really) [yes] {no} ^2 ~0.8 a/b c:d",
    "space_key:s0 OR *:*",
    "/.*/",
    "[a TO z]",
    "'; MATCH (n) DETACH DELETE n //",
    "word " * 10_000,
    "x" * 20_000,
    "日本語で話しましょう",
    "🙂",
    "e\u0301t\u00e9",
]


@pytest.mark.parametrize("query", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_queries_are_answered(memory: Engram, query: str) -> None:
    """No text breaks the full-text parser, reaches another space or finds nothing at all."""
    memory.remember("what's up with the secret word")
    assert contents(memory, query) == ["what's up with the secret word"]


@pytest.mark.parametrize("content", [line for line in HOSTILE if len(line.encode()) <= 32_768])
def test_hostile_content_is_stored_as_said(memory: Engram, content: str) -> None:
    """Content comes back as it was said, less the white space around it."""
    assert memory.get(memory.remember(content).id).content == content.strip()


@pytest.mark.parametrize("k", [0, -1, 10**9, True, 2.5])
def test_k_out_of_range_is_refused(memory: Engram, k: int) -> None:
    """K is a whole number between 1 and 1,000."""
    with pytest.raises(InvalidInputError, match="k must be"):
        memory.recall("x", k)


def test_more_than_there_is_gives_what_there_is(memory: Engram) -> None:
    """K above the number of memories returns them all."""
    memory.remember("only one")
    assert len(memory.recall("one", 1_000)) == 1


@pytest.mark.parametrize("bad", ["", "zz", "abc", "g'; DROP", "a" * 40, "12345\x00"])
def test_unknown_ids_are_refused(memory: Engram, bad: str) -> None:
    """What is no id, or nobody's, gives an error that says so."""
    with pytest.raises((InvalidInputError, NotFoundError)):
        memory.get(bad)


def test_erase_leaves_no_trace(memory: Engram, graph: Graph) -> None:
    """Erased: no memory, no turn, no quotation in a neighbour's context, no way back in; the talk closes up."""
    secret = "my doctor says it is the quokka fever"
    lines = talk("Hello", "How are you?", secret, "Oh dear", "Get well", "Thanks")
    memory.remember_turns(lines)
    target = memory.recall("quokka fever", 1)[0].memory
    assert target.content == secret
    memory.forget(target.id, erase=True)
    for hit in memory.recall("quokka fever doctor", 20):
        assert "quokka" not in hit.memory.content + hit.memory.contextualized
    again = memory.remember_turns(lines)
    assert (again.stored, again.seen) == (0, 5)
    assert again.refused == ((2, "it was erased at a person's wish"),)
    with pytest.raises(ErasedError):
        memory.remember(secret)
    with pytest.raises(NotFoundError):
        memory.get(target.id)
    rows = graph.read("inspect/list_turns", space=memory.space, session="talk", before=FOREVER, limit=20)
    assert "quokka" not in str(rows)
    oh_dear = next(hit.memory for hit in memory.recall("Oh dear", 5) if hit.memory.content == "Oh dear")
    assert "How are you?" in oh_dear.contextualized


def test_erasing_takes_every_episode(memory: Engram, clock: FixedClock) -> None:
    """A thing said outside of a talk is erased with all the times that it held; the rest is still found."""
    first = memory.remember("the cat is called Mitzi, said the neighbour")
    clock.advance(timedelta(days=1))
    second = memory.remember("the cat is called Fritz", supersedes=first.id, reason="renamed")
    clock.advance(timedelta(days=1))
    memory.remember(
        "the cat is called Mitzi, said the neighbour", supersedes=second.id, reason="renamed back"
    )
    memory.forget(first.id, erase=True)
    # Also a guard: a quantized index fails here, for every space (see schema/12_memory_embedding).
    assert contents(memory, "cat") == []
    assert contents(memory, "cat", as_of=second.created_at) == ["the cat is called Fritz"]
    assert memory.stats().memories == 1


def test_erasing_short_words_bars_only_their_own_place(memory: Engram) -> None:
    """An erased "yes" of one turn does not stop everybody else from saying yes."""
    memory.remember_turns(talk("Shall we?", "yes"))
    target = next(hit.memory for hit in memory.recall("yes", 5) if hit.memory.content == "yes")
    memory.forget(target.id, erase=True)
    assert memory.remember("yes").created
    assert memory.remember_turns(talk("Again?", "yes", session="later")).stored == 2


def test_writers_of_the_same_thing_at_once_store_it_once(memory: Engram) -> None:
    """Eight threads remembering the same ten things store ten, and count every one of the eighty sayings."""

    def say(_: int) -> None:
        for n in range(10):
            memory.remember(f"the thing with the number {n}")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(say, range(8)))
    hits = memory.recall("thing number", 100)
    assert len(hits) == 10
    assert sum(hit.memory.seen_count for hit in hits) == 80


def test_imports_of_the_same_conversation_at_once_store_it_once(memory: Engram) -> None:
    """Four threads importing one conversation neither deadlock nor double a turn or a link."""
    lines = talk(*(f"we talked about {n}" for n in range(60)))
    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(lambda _: memory.remember_turns(lines), range(4)))
    assert sum(result.stored for result in done) == 60
    stats = memory.stats()
    assert (stats.memories, stats.turns, stats.sessions) == (60, 60, 1)
    # One DERIVED_FROM and one MENTIONS (who said it) each, and FOLLOWS between neighbours.
    assert stats.relationships == 60 + 60 + 59


def test_another_dimension_never_reaches_the_index(memory: Engram) -> None:
    """An embedder whose vectors do not fit the database is refused before anything is written."""
    from engram.errors import EmbedderMismatchError

    other = Engram(memory.graph, memory.settings, space=memory.space, embedder=HashEmbedder(32))
    other.ensure_schema()
    with pytest.raises(EmbedderMismatchError, match="384"):
        other.remember("x")
    assert memory.stats().memories == 0


def test_erased_words_do_not_come_back_as_context(memory: Engram) -> None:
    """Importing a file that has grown since does not quote the erased turn in its new neighbours."""
    secret = "My secret diagnosis is Zanzibar fever"
    first = talk("Shall we talk?", secret)
    memory.remember_turns(first)
    memory.forget(memory.recall("Zanzibar", 1)[0].memory.id, erase=True)
    again = memory.remember_turns(talk("Shall we talk?", secret, "I will keep it quiet"))
    assert (again.stored, again.seen, len(again.refused)) == (1, 1, 1)
    assert "Zanzibar" not in str(memory.recall("Zanzibar fever", 10))


def test_erasing_reaches_whoever_quotes(memory: Engram) -> None:
    """An edited turn quotes its neighbour without following it; erasing the neighbour reaches it all the same."""
    memory.remember_turns(talk("Hello", "How are you?", "I have Zanzibar fever"))
    memory.remember_turns(talk("Hello", "And how are you today?", "I have Zanzibar fever"))
    target = next(hit.memory for hit in memory.recall("Zanzibar", 9) if "Zanzibar" in hit.memory.content)
    memory.forget(target.id, erase=True)
    assert memory.stats().memories == 3
    assert "Zanzibar" not in str(memory.recall("Zanzibar fever", 10))


def test_words_that_only_stop_do_not_drown_the_meaning(memory: Engram) -> None:
    """A query of stop words alone is answered by its vector, not by whatever lies first in the index."""
    memory.remember_turns(talk(*(f"Note {n}: the hose is in the shed" for n in range(150))))
    memory.remember("Will moved to Lisbon")
    assert contents(memory, "Will", 1) == ["Will moved to Lisbon"]


def test_turns_one_by_one_have_their_context(memory: Engram, clock: FixedClock) -> None:
    """A chat that stores each turn as it happens gets the turns before it into the context."""
    for n, text in enumerate(("Shall we meet?", "Where?", "Yes, next Friday")):
        clock.advance(timedelta(seconds=1))
        memory.remember_turns([Turn(text=text, speaker="AB"[n % 2], at=clock.now, session="chat")])
    last = next(hit.memory for hit in memory.recall("next Friday", 3) if "Friday" in hit.memory.content)
    assert "A: Shall we meet?\nB: Where?\nA: Yes, next Friday" in last.contextualized


def test_yes_at_two_times_is_said_twice(memory: Engram) -> None:
    """Turns without an id are told apart by their time, and stored once however often they are imported."""
    yes = [Turn(text="yes", speaker="A", session="s", at=START + timedelta(hours=n)) for n in range(2)]
    assert memory.remember_turns(yes[:1]).stored == 1
    assert memory.remember_turns(yes).stored == 1
    assert memory.remember_turns(yes).seen == 2


def test_a_blank_caption_is_none(memory: Engram) -> None:
    """An empty description of a picture does not cost the words."""
    done = memory.remember_turns(
        [Turn(text="look", speaker="A", caption="  "), Turn(text="x", speaker="A", id="\ud800")]
    )
    assert (done.stored, len(done.refused)) == (1, 1)


def test_superseding_does_not_lengthen_what_had_ended(memory: Engram) -> None:
    """A validity that was over before the new one began stays over when it was."""
    old = memory.remember("The lease runs", valid_from="2026-01-01", valid_to="2026-03-01")
    new = memory.remember("The house is ours", valid_from="2026-06-01")
    assert memory.supersede(old.id, new.id, "bought").valid_to == datetime(2026, 3, 1, tzinfo=UTC)


def test_what_is_forgotten_is_not_superseded(memory: Engram) -> None:
    """A forgotten memory is brought back first, so that both steps can be undone."""
    old, new = memory.remember("one"), memory.remember("two")
    memory.forget(old.id)
    with pytest.raises(InvalidInputError, match="--undo"):
        memory.supersede(old.id, new.id, "no")


def test_brought_back_is_the_one_that_is_seen_again(memory: Engram) -> None:
    """Of two episodes the active one is the one that a remember meets."""
    first = memory.remember("a thing")
    memory.forget(first.id)
    second = memory.remember("a thing")
    memory.forget(second.id)
    memory.restore(first.id)
    assert memory.remember("a thing").id == first.id


def test_equal_scores_are_ordered_by_time(memory: Engram, clock: FixedClock) -> None:
    """Of two memories that say the same the newer is the first, whatever the server's order."""
    for n in range(6):
        clock.advance(timedelta(minutes=1))
        for source in ("a", "b"):
            clock.advance(timedelta(minutes=1))
            memory.remember(f"the number of the house is {n}", source=source)
    for n in range(6):
        hits = memory.recall(f"the number of the house is {n}", 2)
        assert [hit.memory.source for hit in hits] == ["b", "a"]


def test_writing_statements_keep_to_their_space(memory: Engram) -> None:
    """No statement that writes by id touches a memory of another space."""
    mine = memory.remember("mine")
    with_id: dict[str, dict[str, object]] = {
        "write/lock_memories": {"ids": [mine.id]},
        "write/set_status": {"id": mine.id, "from": ["active"], "to": "archived"},
        "write/supersede_memory": {
            "old": mine.id,
            "new": mine.id,
            "valid_to": START,
            "closed_at": START,
            "reason": "x",
            "correction": False,
            "by": "x",
            "now": START,
        },
        "write/erase_memories": {
            "ids": [mine.id],
            "turns": [],
            "hashes": [],
            "words": ["mine"],
            "quotes": ["mine"],
            "now": START,
        },
        "write/rewrite_context": {"rows": [{"id": mine.id, "contextualized": "x", "embedding": [0.1] * 384}]},
        "write/link_sources": {"id": mine.id, "sources": [mine.id], "now": START},
        "inspect/explain_memory": {"id": mine.id, "depth": 8, "breadth": 20, "width": 100},
        "inspect/get_memory": {"prefix": mine.id},
        "inspect/find_erasure": {"ids": [mine.id], "turns": [], "specific": 24, "shortest": 4},
    }
    for name, parameters in with_id.items():
        outcome = memory.graph.write(name, space="another", **parameters)
        assert outcome.changed == 0, name
        assert not [row for row in outcome.rows if row.get("found") or row.get("memory")], name
    assert memory.get(mine.id) == mine


def test_a_date_alone_means_the_end_of_that_day(memory: Engram, clock: FixedClock) -> None:
    """Asked as of today's date, what was remembered today is known; a known_at of one's own is believed."""
    memory.remember("the ferry was late")
    memory.remember("the tram was late", known_at="2020-05-05", event_at="2020-05-05")
    assert contents(memory, "ferry", as_of=f"{clock.now:%Y-%m-%d}")[0] == "the ferry was late"
    assert contents(memory, "late", as_of="2020-05-05") == ["the tram was late"]
    assert contents(memory, "late", as_of="2020-05-04") == []


def test_a_supersession_can_be_undone(memory: Engram) -> None:
    """Restoring what was superseded gives it back its end and takes the link away, and twice changes nothing."""
    old = memory.remember("The lease runs", valid_to="2099-01-01")
    new = memory.remember("The lease is over", supersedes=old.id, reason="bought")
    back = memory.restore(old.id)
    assert (back.status, back.valid_to) == ("active", old.valid_to)
    assert [step.relationship for step in memory.why(new.id)] == [""]
    assert memory.restore(old.id) == back
    assert memory.supersede(old.id, new.id, "after all").status == "superseded"
