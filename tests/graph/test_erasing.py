"""Erasing: all about somebody, one memory, a whole space; what stays, and what a crash leaves."""

import json
from collections import Counter
from pathlib import Path

import pytest
from prompt_toolkit.history import FileHistory

from engram.embedding.cache import CachedEmbedder, VectorCache
from engram.erasing import About, One, Wanted, Whole
from engram.erasing.files import Files, history_file
from engram.errors import EmbeddingError, ErasedError, InvalidInputError, NotFoundError
from engram.graph import Graph
from engram.learning import lost_file, lost_lessons
from engram.loop.journal import Journal
from engram.memory import Engram
from engram.private import append_private
from engram.records import Turn
from engram.testing import FixedClock, HashEmbedder
from tests.conftest import DIMENSIONS, Address
from tests.graph.beside import another, everything
from tests.graph.erasing import (
    ENGINES,
    ILLNESS,
    NAME,
    OTHERS,
    SAID,
    WORDED,
    cached,
    lay_notes,
    lived_in,
    places,
)
from tests.graph.talking import entry

pytestmark = pytest.mark.graph


@pytest.fixture
def lived(graph: Graph, neo4j_address: Address, space: str, clock: FixedClock, tmp_path: Path) -> Engram:
    """Give a memory that speaks of somebody in every place that has a text."""
    memory = lived_in(graph, neo4j_address, space, clock, tmp_path)
    found = places(memory, NAME)
    assert {
        "Memory.content",
        "Memory.contextualized",
        "Turn.text",
        "Recall.query",
        "LlmCall.raw",
        "Goal.text",
    } <= {*found}
    assert {"Entity.name", "ScratchEntry.text", "Session.id", "chat_history", "the full-text index"} <= {
        *found
    }
    return memory


def labels(memory: Engram) -> Counter[str]:
    """Count the nodes of a space by label."""
    return Counter(node["labels"][0] for node in everything(memory, leave_out=())[0])


_EMBEDDED = (
    SAID,
    f"Noor: {SAID}",
    f"Who is {NAME}?",
    f"be honest to {NAME} about {ILLNESS}",
    f"I saw {NAME} today and we talked about {ILLNESS}",
)
"""Texts of memories, questions, goals and turns that the space had vectors of."""


def test_all_that_a_space_holds_is_words_or_the_engines(lived: Engram) -> None:
    """Each text is in a property that erasing looks at, or in one that the engine alone writes; none is in neither."""
    nodes, links = everything(lived, leave_out=("Tombstone",))
    held = [
        (each["labels"], each["properties"]) for each in nodes if each["properties"].get("note") != "laid"
    ]
    held += [([each["type"]], each["properties"]) for each in links]
    unknown = {
        (label, name)
        for labelled, properties in held
        for label in {"Memory"} & {*labelled} or labelled[:1]
        for name, value in properties.items()
        if name != "space"
        and (isinstance(value, str) or (isinstance(value, list) and str in map(type, value)))
        if name not in WORDED.get(label, ()) and name not in ENGINES.get(label, ())
    }
    assert unknown == set()
    assert not [label for label in WORDED if WORDED[label] & ENGINES.get(label, frozenset())]


class _Gemini(HashEmbedder):
    """An embedder with a word for a name."""

    def __init__(self, dimensions: int) -> None:
        super().__init__(dimensions)
        self.name = "gemini-embedding-001"


def test_words_of_the_engine_are_nobodys(memory: Engram, clock: FixedClock) -> None:
    """A name that only the engine's own values hold is known to nobody, and erasing all about it takes nothing."""
    settings, space = memory.settings, memory.space
    talked = Engram(memory.graph, settings, space=space, embedder=_Gemini(DIMENSIONS), clock=clock)
    talked.remember("The lake is cold", speaker="Noor")
    talked.remember_turns([Turn(text="The ferry is late", speaker="Noor", session="s", at=clock.now)])
    talked.recall("Is the lake cold?", 3)
    before = everything(talked)
    values = {text for each in before[0] for text in each["properties"].values() if isinstance(text, str)}
    assert {"gemini-embedding-001", "external_user", "active", "episodic", "user", "session:s"} <= values
    for word in ("user", "gemini", "active", "episodic", "session"):
        with pytest.raises(NotFoundError):
            talked.eraser.about(word)
        talked.eraser.erase(About(names=(word,), keys=(), ids=()))
        assert everything(talked) == before, word


def test_short_words_leave_files_as_they_are(memory: Engram, clock: FixedClock) -> None:
    """Erasing "no" takes lines that say no more than that: none that only has it in a word."""
    journal = Journal(memory.settings, space=memory.space, database=memory.database_id)
    lost, history = lost_file(memory.settings), FileHistory(str(history_file(memory.settings)))
    for text in ("I know nothing about it", "no"):
        journal.append(entry(f"{memory.space}-{len(text)}", clock.now, text=text))
        history.store_string(text)
        append_private(lost, json.dumps({"count": 1, "reason": text}) + "\n")
    Files(memory).forget_content("no")
    assert len(journal) == 1
    assert [*FileHistory(str(history_file(memory.settings))).load_history_strings()] == [
        "I know nothing about it"
    ]
    assert [json.loads(line)["reason"] for line in lost.read_text().splitlines()] == [
        "I know nothing about it",
        "(erased)",
    ]


def test_vectors_of_questions_that_quote_go_with_one_memory(
    graph: Graph, neo4j_address: Address, space: str, tmp_path: Path
) -> None:
    """A question that quotes what is erased loses its cached vector with its words, though it was answered otherwise."""
    settings = neo4j_address.settings(data_dir=tmp_path / "data", cache_dir=tmp_path / "cache")
    embedder = CachedEmbedder(HashEmbedder(DIMENSIONS), VectorCache(settings.cache_dir))
    memory = Engram(graph, settings, space=space, embedder=embedder)
    question = "who knows that my code is 4711?"
    memory.remember("The lake is cold")
    memory.recall(question, 1)
    assert memory.flush()
    memory.forget(memory.remember("my code is 4711").id, erase=True)
    assert places(memory, question) == []
    assert cached(memory, [question]) == 0
    assert cached(memory, ["The lake is cold"]) > 0


def test_all_about_somebody_leaves_no_trace(lived: Engram, clock: FixedClock) -> None:
    """No node, relationship, index, cache or file has the name any more; what was said of others is as it was."""
    assert places(lived, ILLNESS)
    about = lived.eraser.about(NAME.lower())
    beside = another(lived, clock)
    beside.remember(SAID)
    before = everything(beside)
    preview = lived.eraser.preview(about)
    held = labels(lived)
    lived.eraser.erase(about)
    assert places(lived, NAME, ILLNESS) == []
    assert cached(lived, _EMBEDDED) == 0
    left = labels(lived)
    assert {label: held[label] - left[label] for label in ("Memory", "Turn", "ScratchEntry", "Goal")} == {
        label: preview.goes[label] for label in ("Memory", "Turn", "ScratchEntry", "Goal")
    }
    assert {*OTHERS} <= {hit.memory.content for hit in lived.recall("canal hard dog", 50, read_only=True)}
    assert everything(beside) == before
    journal = Journal(lived.settings, space=lived.space, database=lived.database_id)
    assert (len(journal), lost_lessons(lived.settings.data_dir / "lost-lessons.jsonl")) == (
        1,
        (2, "the database is away"),
    )
    with pytest.raises(ErasedError):
        lived.remember(SAID)


def test_one_memory_takes_whoever_quotes_it_in_full(memory: Engram, clock: FixedClock) -> None:
    """What repeats the erased words goes, a context or a record loses them, and the preview has said so."""
    said = memory.remember(SAID, speaker="Noor")
    memory.remember_turns(
        [
            Turn(text=text, speaker="Tom", session="later", at=clock.now)
            for text in (f"You told me: {SAID.upper()}!", "I remember", f"And {NAME} is kind")
        ]
    )
    memory.remember("It rains", supersedes=memory.remember("It is dry").id, reason=f"Noor: {SAID}")
    lay_notes(memory)
    preview = memory.eraser.preview(One(said.id))
    assert (preview.goes["Memory"], preview.goes["Turn"]) == (2, 1)
    assert preview.rewritten["SUPERSEDES"] == 1
    assert any("2 other turns" in reason for reason in preview.stays)
    memory.forget(said.id, erase=True)
    assert places(memory, SAID) == []
    reasons = [
        each["properties"].get("reason") for each in everything(memory)[1] if each["type"] == "SUPERSEDES"
    ]
    assert reasons == ["(erased)"]
    # In words of their own, they speak of it; the name stays.
    assert "Memory.content" in places(memory, NAME)


def test_a_name_that_is_a_word_takes_no_other_words(memory: Engram) -> None:
    """Erasing Will takes Will and not what somebody will do; a longer name is no part of a word either."""
    memory.remember("We met Will and he was late")
    memory.remember("I will go to the market")
    memory.remember("We sang with Anna")
    memory.remember("The bandanna is red")
    for name in ("Will", "Anna"):
        memory.eraser.erase(memory.eraser.about(name))
    held = {node["properties"]["content"] for node in everything(memory)[0] if "Memory" in node["labels"]}
    assert held == {"I will go to the market", "The bandanna is red"}


def test_a_name_that_fits_several_is_refused_with_their_names(memory: Engram) -> None:
    """Nobody is erased by a name that may be another's; one that is known to nobody is not found."""
    memory.remember("We met Tom Ashby at the lake and then Tom Reyes came along")
    with pytest.raises(InvalidInputError, match="Tom Ashby, Tom Reyes"):
        memory.eraser.about("tom")
    with pytest.raises(NotFoundError, match="Tom Ashby"):
        memory.eraser.about("Tom Ashbi")
    assert memory.eraser.about("ashby").keys == ("tom ashby",)


def test_all_about_somebody_is_forgotten_and_brought_back(memory: Engram) -> None:
    """Out of recall nothing is lost: back again, the space says and finds what it did."""
    memory.remember("We met Anna at the lake")
    memory.remember("Anna sings well")
    memory.remember("The lake is cold")
    anna = memory.eraser.about("Anna")
    preview = memory.eraser.preview(anna, erase=False)
    assert preview.goes == {"Memory": 2}
    assert len(memory.eraser.forget(anna)) == 2
    assert [hit.memory.content for hit in memory.recall("Anna lake", 5)] == ["The lake is cold"]
    assert memory.eraser.forget(anna) == []
    assert len(memory.eraser.restore(Whole())) == 2
    assert len(memory.recall("Anna lake", 5)) == 3


def test_a_whole_space_leaves_tombstones_alone(lived: Engram, clock: FixedClock) -> None:
    """Nothing is left of it but hashes of what was said, which keep that away; its neighbour is as it was."""
    beside = another(lived, clock)
    beside.remember("I live next door")
    before = everything(beside)
    preview = lived.eraser.preview(Whole())
    assert preview.goes == labels(lived) - Counter(Tombstone=10_000)
    lived.eraser.erase(Whole())
    assert labels(lived).keys() == {"Tombstone"}
    assert cached(lived, _EMBEDDED) == 0
    assert places(lived, NAME, ILLNESS) == []
    assert everything(beside) == before
    assert not Journal(lived.settings, space=lived.space, database=lived.database_id).file.exists()
    turn = Turn(text=SAID, speaker="Noor", session="again")
    assert lived.remember_turns([turn]).refused == ((0, "it was erased at a person's wish"),)
    assert lived.remember("Quite another thing").created


class _Killed(BaseException):
    """The end of the process."""


@pytest.mark.parametrize("whole", [False, True])
def test_an_erasure_that_was_killed_is_finished_by_the_next(memory: Engram, *, whole: bool) -> None:
    """Stopped after its first batch, it goes on when it is run again, and leaves what it would have."""
    settings = memory.settings.model_copy(update={"batch_size": 5})
    small = Engram(memory.graph, settings, space=memory.space, embedder=memory.embedder)
    small.remember_turns(
        Turn(text=f"{NAME} told me story {n}", speaker="Noor", session="s", id=str(n)) for n in range(12)
    )

    def wanted() -> Wanted:
        return Whole() if whole else small.eraser.about(NAME)

    def kill(_: int) -> None:
        raise _Killed

    with pytest.raises(_Killed):
        small.eraser.erase(wanted(), progress=kill)
    assert labels(small)["Memory"] == 7
    small.eraser.erase(wanted())
    assert places(small, NAME) == []
    assert labels(small)["Turn"] == 0
    assert labels(small)["Tombstone"] == 24  # twice each: the turn's, and the text's wherever


class _Stubborn(HashEmbedder):
    """An embedder whose cache cannot be changed at first."""

    failures = 1

    def forget(self, texts: list[str]) -> int:
        """Fail once."""
        self.failures -= 1
        if self.failures >= 0:
            raise EmbeddingError("The cached vectors could not be deleted.")
        return len(texts)


def test_vectors_go_before_what_finds_them(memory: Engram, clock: FixedClock) -> None:
    """Where a cached vector cannot be deleted nothing is, so that the same command tries again."""
    settings, space = memory.settings, memory.space
    stubborn = Engram(memory.graph, settings, space=space, embedder=_Stubborn(DIMENSIONS), clock=clock)
    said = stubborn.remember(SAID)
    with pytest.raises(EmbeddingError):
        stubborn.forget(said.id, erase=True)
    assert memory.get(said.id).content == SAID
    stubborn.forget(said.id, erase=True)
    assert places(memory, NAME) == []


def test_erasing_a_run_of_turns_closes_the_talk(memory: Engram, clock: FixedClock) -> None:
    """However many neighbours go at once, the next follows the last before them, and the talk goes on from its end."""
    texts = ("Hello", f"{NAME} one", f"{NAME} two", f"{NAME} three", "Go on", f"{NAME} four", f"{NAME} five")
    memory.remember_turns(Turn(text=text, speaker="Noor", session="s", at=clock.now) for text in texts)
    memory.eraser.erase(About(names=(NAME,), keys=(), ids=()))
    memory.remember_turns([Turn(text="Bye", speaker="Noor", session="s")])
    nodes, links = everything(memory)
    content = {node["id"]: node["properties"].get("content") for node in nodes}
    follows = {(content[each["start"]], content[each["end"]]) for each in links if each["type"] == "FOLLOWS"}
    assert follows == {("Go on", "Hello"), ("Bye", "Go on")}
