"""The demonstration: a conversation over three months, six questions, one fact that changes, one explanation.

Each step returns values; the `engram demo` command prints them.
"""

import math
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import resources
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from engram import statements
from engram.importing import Reading, Tally, store_turns
from engram.pasting import literal, parameter_lines
from engram.records import Evidence, Hit, Kind, Memory, Turn

if TYPE_CHECKING:
    from engram.memory import Engram

SPACE = "demo"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Something to ask a memory."""

    text: str
    as_of: datetime | None = None
    """Ask what was known at this time; None: now."""
    answers: frozenset[str] = frozenset()
    """The ids of the bundled turns that hold the answer, for the tests alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A question and what it brought back."""

    question: Question
    hits: list[Hit]
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """A statement to paste into Neo4j Browser, and the lines that set its parameters."""

    parameters: tuple[str, ...]
    statement: str


QUESTIONS = (
    Question(text="At which address does Ines live now?", answers=frozenset({"07-01"})),
    Question(
        text="Where does Ines live?",
        as_of=datetime(2026, 9, 1, tzinfo=UTC),
        answers=frozenset({"01-02", "01-03"}),
    ),
    Question(text="Which nuts is Tomasz allergic to?", answers=frozenset({"04-01", "04-03"})),
    Question(
        text="To which dates did they move the hike in the Tatra mountains?", answers=frozenset({"05-04"})
    ),
    Question(
        text="Did Tomasz sell his dinghy Skrat, or did he change his mind?", answers=frozenset({"07-08"})
    ),
    Question(text="When does Ines start her new job with the city?", answers=frozenset({"06-01", "08-01"})),
)

_MOVED = datetime(2026, 9, 19, tzinfo=UTC)
_OLD_ADDRESS = "Ines Okafor lives in the attic flat on Oudburg, in Patershol."
_NEW_ADDRESS = "Ines Okafor lives at Hoveniersstraat 9 in Ledeberg, on the ground floor."

_DRAWN = 150
_WORD = re.compile(r"[^\W\d_][\w'\u2019-]{2,30}")
_LOOKED_AT = 20_000
"""Turns of a person's own log from which questions are made; more would not make them better."""


@contextmanager
def bundled_conversation() -> Iterator[Path]:
    """Give the path of the conversation that travels with Engram, as long as the context is open."""
    with resources.as_file(resources.files("engram.data").joinpath("demo.jsonl")) as path:
        yield path


def load(memory: "Engram", reading: Reading, *, progress: Callable[[int], None] | None = None) -> Tally:
    """Store a conversation and return the count; a second time nothing is new.

    Raises:
        ImportFileError: It is no conversation that Engram reads.
    """
    tally = Tally()
    store_turns(memory, reading, tally, progress=progress)
    return tally


def ask(memory: "Engram", question: Question, k: int = 3) -> Answered:
    """Recall the best `k` memories for a question."""
    start = time.perf_counter()
    hits = memory.recall(question.text, k, as_of=question.as_of)
    return Answered(question=question, hits=hits, seconds=time.perf_counter() - start)


def change_address(memory: "Engram") -> Memory:
    """Let the new address supersede the old one, as facts of their own, and return the new one.

    Running it twice: the second time finds the new fact and its chain, and changes nothing; run after a stop
    half-way, it adds what is missing.
    """
    said = [hit.memory for hit in memory.recall(_NEW_ADDRESS, 3) if hit.memory.kind is Kind.EPISODIC]
    new = memory.remember(
        _NEW_ADDRESS,
        kind=Kind.SEMANTIC,
        event_at=_MOVED,
        valid_from=_MOVED,
        source="demo",
        category="home",
        derived_from=[turn.id for turn in said[:1]],
    )
    if not any(step.relationship == "SUPERSEDES" for step in memory.why(new.id)):
        old = memory.remember(
            _OLD_ADDRESS,
            kind=Kind.SEMANTIC,
            event_at=datetime(2026, 8, 2, 17, 15, tzinfo=UTC),
            valid_from=datetime(2021, 10, 1, tzinfo=UTC),
            source="demo",
            category="home",
        )
        memory.supersede(old.id, new.id, "she moved on 19 September")
    return new


def explain(memory: "Engram", memory_id: str) -> list[Evidence]:
    """Return what a memory rests on, the memory itself first."""
    return memory.why(memory_id)


def drawing(space: str) -> Drawing:
    """Return the statement that draws a space, with the Browser's parameter lines."""
    values = {"space": literal(space), "limit": literal(_DRAWN)}
    return Drawing(
        parameters=tuple(parameter_lines(values)),
        statement=statements.load("inspect/draw_space").text.strip(),
    )


def space_for(conversation: Path) -> str:
    """Return the name of the space for a person's own log, `demo-` and the file's name."""
    stem = re.sub(r"[^\w.-]+", "-", conversation.stem.lower()).strip("-.")[:40]
    return f"{SPACE}-{stem or 'log'}"


def questions_about(turns: Iterable[Turn], count: int = 6) -> list[Question]:
    """Make up questions on what a conversation dwells on: "What did <speaker> say about <word>?".

    A word that people talk about is rare and comes in few stretches of the talk; a word of the language is
    common or spread evenly. So words are ranked by how many fewer stretches they are found in than as many
    turns drawn by chance would be, times the logarithm of their rarity: in any language, without a list of
    words to leave out. Words that nobody repeats come last.

    Args:
        turns: The conversation; the first twenty thousand turns are looked at.
        count: How many questions at most; each is on a word of its own and, where it can be, a turn of its own.
    """
    looked_at = list(islice(turns, _LOOKED_AT))
    stretches = max(1, min(40, len(looked_at) // 4 or len(looked_at)))
    speakers = {
        word.lower() for speaker in {turn.speaker for turn in looked_at} for word in _WORD.findall(speaker)
    }
    where: dict[str, set[int]] = {}
    forms: dict[str, Counter[str]] = {}
    for index, turn in enumerate(looked_at):
        for word in _WORD.findall(turn.text[:4_000]):
            plain = word.lower().removesuffix("'s").removesuffix("\u2019s")
            # An apostrophe left over is a contraction, which is never what a talk is about.
            if len(plain) > 3 and plain.replace("-", "").isalpha() and plain not in speakers:
                where.setdefault(plain, set()).add(index)
                forms.setdefault(plain, Counter())[word[: len(plain)]] += 1

    def weight(plain: str) -> tuple[bool, float, int, str]:
        turns_with = len(where[plain])
        found = len({index * stretches // len(looked_at) for index in where[plain]})
        by_chance = stretches * (1 - (1 - 1 / stretches) ** turns_with)
        dwelling = (by_chance - found) * math.log(len(looked_at) / turns_with)
        return turns_with > 1, dwelling, len(plain), plain

    questions: list[Question] = []
    used: set[int] = set()
    for plain in sorted(where, key=weight, reverse=True):
        if len(questions) == count:
            break
        if where[plain] <= used:
            continue
        used |= where[plain]
        who = Counter(looked_at[index].speaker for index in sorted(where[plain])).most_common(1)[0][0]
        shown = forms[plain].most_common(1)[0][0]
        questions.append(Question(text=f"What did {who} say about {shown}?"))
    return questions


def questions_from(reading: Reading, count: int = 6) -> list[Question]:
    """Make up questions on the conversation that a reading gives, see `questions_about`."""
    return questions_about((item for item in reading if isinstance(item, Turn)), count)
