"""What the loop adds to a model's answer: `python -m tests.bench.loop --data FILE [--size 20000]`.

FILE is in LoCoMo's form. Two things are measured, on one new server:

- Time. A space of `--size` memories, the default embedder, and models that answer at once. Each text is said to the
  loop, up to its last event, and asked of `Engram.recall`, in turns; the two share no cached vector, and no text comes
  twice. Once back to back, so that what works behind the conversation competes with it, and once waiting for that
  after each turn, as a person who reads does.
- Tokens. Each conversation is imported into a space of its own, and its questions are asked; no model. What of the
  memory stands in each prompt is held against the whole conversation, and against the turns that answer the question.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

import numpy as np

from engram.config import Settings
from engram.costs import Ledger
from engram.embedding import CachedEmbedder, VectorCache, open_embedder
from engram.goals import Goals
from engram.llm import Models
from engram.loop.agent import PERSONA, Agent
from engram.loop.assembly import Assembled
from engram.loop.composing import Composer
from engram.loop.knowing import Knowing
from engram.loop.quoting import fresh, ranked
from engram.loop.recollecting import SEARCHED
from engram.loop.talk import Talk
from engram.loop.tokens import count_tokens
from engram.loop.window import Said
from engram.memory import Engram
from engram.testing import Asked, ScriptedModel
from tests.bench.corpus import Corpus
from tests.bench.latency import Times
from tests.bench.locomo import Conversation, load
from tests.bench.retrieval import database

P = ParamSpec("P")
R = TypeVar("R")

SPACE, SESSION = "bench", "talk"
BATCH = 500
WARM_UP, TURNS = 20, 100
REPLY_TURNS = 3
"""Turns of the corpus that make up one reply: some fifty words."""
JUDGEMENT = '{"confidence": 0.9, "answer": "So it is.", "explanation": "It was said."}'
"""What every question in isolation is answered with; each shape takes what it knows of it."""
PARTS = ("hear", "attention", "recall", "compose", "hear the reply")
TOLD = ("immutable", "identity", "errors", "memories", "disagreements")
"""The sections of a prompt that come from the memory."""


@dataclass(slots=True)
class Pass:
    """What was measured in one go; milliseconds, one for each turn."""

    turns: list[float] = field(default_factory=list)
    recalls: list[float] = field(default_factory=list)
    waited: list[float] = field(default_factory=list)
    """For what works behind the conversation."""
    parts: dict[str, list[float]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Speed:
    """What was measured in all."""

    size: int
    first: float
    """Milliseconds of a conversation's first turn; the embedder is not loaded and nothing compiled."""
    hurried: Pass
    calm: Pass


class Stopwatch:
    """Adds up the milliseconds that parts of a turn take."""

    def __init__(self) -> None:
        self.taken: dict[str, float] = {}

    def watch(self, owner: object, method: str, part: str) -> None:
        """Count what a method takes as that part's."""
        setattr(owner, method, self._timed(getattr(owner, method), part))

    def _timed(self, work: Callable[P, R], part: str) -> Callable[P, R]:
        @wraps(work)
        def timed(*args: P.args, **kwargs: P.kwargs) -> R:
            began = time.perf_counter()
            try:
                return work(*args, **kwargs)
            finally:
                self.taken[part] = self.taken.get(part, 0.0) + (time.perf_counter() - began) * 1000

        return timed


class Bench:
    """A conversation with a large memory, beside a client that only recalls."""

    def __init__(self, settings: Settings, corpus: Corpus, folder: Path) -> None:
        self._corpus = corpus
        self._texts = self._said()
        self._memory = Engram.open(settings, space=SPACE, embedder=_embedder(settings, folder / "loop"))
        self._other = Engram.open(settings, space=SPACE, embedder=_embedder(settings, folder / "recall"))
        model = ScriptedModel(respond=self._answer)
        self._agent = Agent(self._memory, Models(system1=model, system2=model, quiet=model), session=SESSION)
        self._watch = Stopwatch()
        for owner, method, part in (
            (self._agent._keeping, "person", "hear"),
            (self._agent, "_choose", "attention"),
            (self._memory, "recall", "recall"),
            (self._agent._composer, "compose", "compose"),
            (self._agent._keeping, "agent", "hear the reply"),
        ):
            self._watch.watch(owner, method, part)

    def close(self) -> None:
        """End the conversation and both connections."""
        self._agent.finish()
        self._memory.close()
        self._other.close()

    def say(self) -> float:
        """Say the next text and return the milliseconds of the turn."""
        return self._turn(next(self._texts))

    def run(self, turns: int, *, wait: bool) -> Pass:
        """Say texts and recall them, in turns.

        Args:
            turns: How many.
            wait: Whether everything behind the conversation is waited for after each.
        """
        done = Pass()
        for place, text in zip(range(turns), self._texts, strict=False):
            # Whoever comes second finds the server's caches warm, so each does every other time; both sorts of text.
            first = place // 2 % 2 == 0
            if not first:
                done.recalls.append(self._recall(text))
            self._watch.taken.clear()
            done.turns.append(self._turn(text))
            for part in PARTS:
                done.parts.setdefault(part, []).append(self._watch.taken.get(part, 0.0))
            if wait:
                done.waited.append(_milliseconds(self._wait))
            if first:
                done.recalls.append(self._recall(text))
        return done

    def _said(self) -> Iterator[str]:
        """Yield what a person says: something told, something asked, and so on."""
        for question in self._corpus.questions:
            yield self._corpus.take(1)[0].text
            yield question

    def _answer(self, asked: Asked) -> str:
        if asked.shape is not None:
            return JUDGEMENT
        return " ".join(turn.text for turn in self._corpus.take(REPLY_TURNS))

    def _turn(self, text: str) -> float:
        return _milliseconds(lambda: list(self._agent.say(text)))

    def _recall(self, text: str) -> float:
        return _milliseconds(lambda: self._other.recall(text, read_only=True))

    def _wait(self) -> None:
        self._agent._gatekeeper.wait()
        self._agent._lately.wait()
        self._memory.flush()
        self._agent.ledger.flush()


def speed(settings: Settings, data: Path, size: int) -> Speed:
    """Fill a space and measure the loop in it."""
    corpus = Corpus(data, Settings.load())
    with Engram.open(settings, space=SPACE, embedder=corpus.embedder) as memory:
        for there in range(0, size, BATCH):
            memory.remember_turns(corpus.take(min(BATCH, size - there)))
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(settings, corpus, Path(folder))
        try:
            first = bench.say()
            bench.run(WARM_UP, wait=False)
            return Speed(
                size=size,
                first=first,
                hurried=bench.run(TURNS, wait=False),
                calm=bench.run(TURNS, wait=True),
            )
        finally:
            bench.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What of a memory stood in the prompts for one conversation's questions."""

    conversation: str
    turns: int
    whole: int
    """Tokens of the whole conversation."""
    tokens: tuple[int, ...]
    """Of memory, in each prompt."""
    found: tuple[float, ...]
    """Share of each question's evidence turns that stood in its prompt, uncut."""


class Prompts:
    """Composes the prompts for questions about one conversation, each as if nothing had been said before."""

    def __init__(self, memory: Engram, conversation: Conversation) -> None:
        self._memory = memory
        self._conversation = conversation
        turns = conversation.turns
        done = memory.remember_turns(turns)
        refused = {index for index, _ in done.refused}
        kept = [turn.id or "" for index, turn in enumerate(turns) if index not in refused]
        self._turns = dict(zip(done.memories, kept, strict=True))
        self._ledger = Ledger(memory.graph, space=memory.space, clock=memory.now, prices={})
        self._generator = np.random.default_rng(0)
        self._knowing = Knowing(
            memory.graph,
            space=memory.space,
            goals=lambda: Goals(memory.graph, memory.embedder, space=memory.space, clock=memory.now),
            embedder=lambda: memory.embedder,
            tuned=memory.tuned,
        )

    def ask(self) -> Told:
        """Compose a prompt for every question, and say what stands in them."""
        conversation = self._conversation
        prompts = [self._prompt(question.text) for question in conversation.questions]
        self._ledger.close()
        return Told(
            conversation=conversation.id,
            turns=len(conversation.turns),
            whole=sum(count_tokens(f"{turn.speaker}: {turn.text}") for turn in conversation.turns),
            tokens=tuple(sum(prompt.tokens[name] for name in TOLD) for prompt in prompts),
            found=tuple(
                len(question.evidence & self._told(prompt)) / len(question.evidence)
                for question, prompt in zip(conversation.questions, prompts, strict=True)
            ),
        )

    def _prompt(self, question: str) -> Assembled:
        composer = Composer(
            self._memory,
            Talk(),
            self._knowing,
            self._ledger,
            persona=PERSONA,
            user="user",
            restart="",
            clock=self._memory.now,
            generator=self._generator,
            tuned=self._memory.tuned,
        )
        said = (Said(role="user", text=question),)
        hits = ranked(fresh(self._memory.recall(question, k=SEARCHED, read_only=True), said))
        return composer.compose(question, hits, report="", said=said).assembled

    def _told(self, prompt: Assembled) -> set[str]:
        uncut = [placed.memory for placed in prompt.situational if placed.form == "full"]
        return {self._turns.get(each.id, "") for each in (*prompt.immutable, *prompt.identity, *uncut)}


def tokens(settings: Settings, conversations: Sequence[Conversation]) -> Iterator[Told]:
    """Import each conversation into a space of its own and yield what its questions are told."""
    for conversation in conversations:
        with Engram.open(settings, space=conversation.id) as memory:
            yield Prompts(memory, conversation).ask()


def speed_table(measured: Speed) -> str:
    """Return what was measured of time as markdown."""
    hurried, calm = measured.hurried, measured.calm
    counted = [turn + waited for turn, waited in zip(calm.turns, calm.waited, strict=True)]
    rows = {
        "back to back": (hurried.turns, hurried.recalls),
        "with a pause after each": (calm.turns, calm.recalls),
        "and that pause counted": (counted, calm.recalls),
    }
    lines = [
        (
            f"{measured.size:,} memories, {len(hurried.turns)} turns each way; milliseconds, median (p95). The pause "
            "lasts until all that works behind the conversation is done.\n"
        ),
        "| | a turn of the loop, less the model | `recall` alone | ratio |",
        "|:--|---:|---:|---:|",
    ]
    for name, (turns, recalls) in rows.items():
        turn, recall = Times(tuple(turns)), Times(tuple(recalls))
        lines.append(f"| {name} | {turn} | {recall} | {turn.ratio(recall)} |")
    lines += [f"\nThe first turn of a new process on a new server: {measured.first:.0f} ms.\n"]
    lines += ["| | back to back | with a pause |", "|:--|---:|---:|"]
    rest = {name: _rest(each) for name, each in (("hurried", hurried), ("calm", calm))}
    for part in PARTS:
        lines.append(f"| {part} | {Times(tuple(hurried.parts[part]))} | {Times(tuple(calm.parts[part]))} |")
    lines.append(f"| all else | {rest['hurried']} | {rest['calm']} |")
    return "\n".join(lines)


def tokens_table(told: Sequence[Told]) -> str:
    """Return what was measured of tokens as markdown."""
    lines = [
        "\n| conversation | turns | tokens of all of it | of memory in a prompt | share | evidence in the prompt |",
        "|:--|---:|---:|---:|---:|---:|",
    ]
    for each in told:
        mean = statistics.fmean(each.tokens)
        lines.append(
            f"| {each.conversation} | {each.turns} | {each.whole:,} | {mean:,.0f} | {mean / each.whole:.3f} "
            f"| {statistics.fmean(each.found):.3f} |"
        )
    shares = [count / each.whole for each in told for count in each.tokens]
    found = [share for each in told for share in each.found]
    lines.append(
        f"| all {len(found):,} questions | | | | {statistics.fmean(shares):.3f} | {statistics.fmean(found):.3f} |"
    )
    return "\n".join(lines)


def _rest(each: Pass) -> Times:
    """Return what the turns took beside the parts that are told apart."""
    parts = zip(*(each.parts[part] for part in PARTS), strict=True)
    return Times(tuple(turn - sum(some) for turn, some in zip(each.turns, parts, strict=True)))


def _embedder(settings: Settings, folder: Path) -> CachedEmbedder:
    """Return the settings' embedder with a cache of its own, in which nothing is yet."""
    return CachedEmbedder(open_embedder(settings).embedder, VectorCache(folder))


def _milliseconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000


def main() -> None:
    """Measure and print markdown tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--size", type=int, default=20_000)
    options = parser.parse_args()
    with database() as settings:
        print(speed_table(speed(settings, options.data, options.size)))
        print(tokens_table(list(tokens(settings, load(options.data)))))


if __name__ == "__main__":
    main()
