"""Conversations of any length, made from real ones, with vectors that cost nothing to come by.

The turns of a LoCoMo file are said again and again, each time in other sessions, earlier, and with some of their
words swapped for another turn's. A turn's vector is the real embedder's for the turn that it was made from, with
some noise; a context's lies between those of the turns in it; a question's is the real one.
"""

import time
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import count
from pathlib import Path

import numpy as np

from engram.config import Settings
from engram.context import quotation
from engram.embedding import open_embedder
from engram.embedding.protocol import Embedder, Task, Vectors, unit_rows
from engram.records import Turn
from tests.bench.locomo import load

SWAPPED = 0.25
"""Share of a turn's words that are another's, after the first time round."""
EARLIER = timedelta(days=30)
"""How much earlier the conversations are held, each time round."""
NOISE = 0.5
"""Length of the noise beside a vector of length 1; the cosine between the two is then 0.89."""
NOISES = 4_096
"""Noise vectors to choose from: making one for each text would be measured as writing."""


class CorpusEmbedder:
    """Knows the vectors of a corpus's questions, and of the turns it was told of last."""

    uses_prefixes = False
    uses_tasks = False

    def __init__(self, embedder: Embedder, texts: Sequence[str], questions: Sequence[str]) -> None:
        """Embed the texts that turns are made from, and the questions."""
        self.name = embedder.name
        self.dimensions = embedder.dimensions
        self._bases = embedder.embed(texts)
        self._questions = dict(zip(questions, embedder.embed(questions, Task.QUERY), strict=True))
        noise = np.random.default_rng(0).standard_normal((NOISES, self.dimensions))
        self._noise = NOISE * unit_rows(noise)
        self.seconds = 0.0
        """What `embed` took for turns so far: no part of what is measured."""
        self._before: dict[str, int] = {}
        self._places: dict[str, int] = {}

    def expect(self, turns: Sequence[tuple[int, Turn]]) -> None:
        """Take the turns that come next, each with the index of the text it was made from.

        Those before them are still known, since contexts quote them; all others are let go.
        """
        self._before = self._places
        self._places = {
            form: base
            for base, turn in turns
            for form in (turn.text, f"{turn.speaker}: {turn.text}", quotation(turn.text, turn.speaker))
        }

    def question(self, text: str) -> Vectors:
        """Return a question's vector, shape (d,); what a turn said may be asked as well."""
        vector: Vectors = self._questions[text] if text in self._questions else self.embed([text])[0]
        return vector

    def embed(self, texts: Sequence[str], task: Task = Task.DOCUMENT) -> Vectors:
        """Return one unit vector per text, shape (n, d); the same text has the same vector each time.

        Raises:
            KeyError: A text is neither one of the questions nor made of turns that came lately.
        """
        if task is Task.QUERY:
            return np.stack([self.question(text) for text in texts])
        began = time.perf_counter()
        noise = self._noise[[zlib.crc32(text.encode()) % NOISES for text in texts]]
        vectors = unit_rows(np.stack([self._base(text) for text in texts]) + noise)
        self.seconds += time.perf_counter() - began
        return vectors

    def close(self) -> None:
        """Do nothing."""

    def _base(self, text: str) -> Vectors:
        bases = [base for line in (text, *text.split("\n")) if (base := self._place(line)) is not None]
        if not bases:
            raise KeyError(text)
        direction: Vectors = self._bases[bases].mean(axis=0)
        return direction / np.linalg.norm(direction)

    def _place(self, line: str) -> int | None:
        return self._places.get(line, self._before.get(line))


class Corpus:
    """The turns and questions of a file."""

    def __init__(self, path: Path, settings: Settings) -> None:
        """Read the file and embed what is in it, which takes a minute the first time."""
        conversations = load(path)
        # One line each: a context is told apart into its turns by its lines.
        self._turns = [
            replace(turn, text=" ".join(turn.text.split()), session=f"{each.id} {turn.session}", caption=None)
            for each in conversations
            for turn in each.turns
        ]
        self.questions = list(
            dict.fromkeys(each.text.strip() for talk in conversations for each in talk.questions)
        )
        self.embedder = CorpusEmbedder(
            open_embedder(settings), [turn.text for turn in self._turns], self.questions
        )
        self.restart()

    def restart(self) -> None:
        """Begin with the first turn again."""
        self._rest = self._said()

    def take(self, number: int) -> list[Turn]:
        """Return the next turns, and tell the embedder of them."""
        turns = [next(self._rest) for _ in range(number)]
        self.embedder.expect(turns)
        return [turn for _, turn in turns]

    def _said(self) -> Iterator[tuple[int, Turn]]:
        generator = np.random.default_rng(1)
        yield from enumerate(self._turns)
        for round_ in count(1):
            for base, turn in enumerate(self._turns):
                other = self._turns[generator.integers(len(self._turns))]
                yield (
                    base,
                    replace(
                        turn,
                        text=f"{_swapped(turn.text, other.text, generator)} ({round_}.)",
                        session=f"{turn.session}, {round_} times before",
                        at=None if turn.at is None else turn.at - round_ * EARLIER,
                    ),
                )


def _swapped(text: str, other: str, generator: np.random.Generator) -> str:
    """Return a text with some of its words replaced by those of another."""
    words, others = text.split(), other.split()
    swaps = generator.random(len(words)) < SWAPPED
    picks = generator.integers(len(others), size=len(words))
    return " ".join(
        others[pick] if swap else word for word, swap, pick in zip(words, swaps, picks, strict=True)
    )
