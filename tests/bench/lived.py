"""A life of any size, laid into a space at once: memories of subjects, what was used, and what belongs together.

Memories are stored by the statement that stores them in earnest; what use would have left on them comes on top. The
memories of one subject are alike (cosine 0.8), and the subjects are no nearer to each other than chance has it.
"""

import zlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from engram.embedding.protocol import Task, Vectors, unit_rows
from engram.energy import TIERS
from engram.graph import Graph, Row
from engram.importance import estimated_importance
from engram.memory import Engram
from engram.records import FOREVER, USER_TAG, Kind
from engram.remembering import Draft, Writer
from engram.tuning import Tuning

T = TypeVar("T")
NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
"""When the life has reached the point at which jobs look at it."""
SPAN = timedelta(days=60)
"""How long it has lasted."""
TIER_SHARES = (0.6, 0.3, 0.1)
SUBJECT = 30
"""Memories of one subject."""
EDGES, WITHIN = 5, 3
"""Association edges for each memory, and how many of them are within its subject."""
FADED = timedelta(days=20)
"""Within this time the edges were used last."""
SESSION = 20
"""Turns of a session, and memories used in one."""
DIMENSIONS = 384
NOISE = 0.5
"""Length of the noise beside a vector of length 1; the cosine of two that share the vector is then 0.8."""
NOISES = 4_096
"""Noise vectors to choose from: making one for each text would take longer than storing it."""
AT_ONCE = 500
EDGES_AT_ONCE = 5_000
ENERGY = 5.0
_OLD = timedelta(days=40)


def run(graph: Graph, name: str, **parameters: Any) -> list[Row]:
    """Run a statement that stands beside this file in a transaction of its own, as a job's batch is run."""
    text = Path(__file__).with_name(f"{name}.cypher").read_text(encoding="utf-8")
    return graph.transact(lambda transaction: transaction._transaction.run(text, parameters).data())


def portions(items: Iterable[T], size: int = AT_ONCE) -> Iterator[list[T]]:
    """Yield the items in lists of so many, the last one shorter."""
    rest = iter(items)
    while some := list(islice(rest, size)):
        yield some


class Subjects:
    """An embedder that knows by the first word of a text what it is about."""

    name = "subjects"
    dimensions = DIMENSIONS
    uses_prefixes = False
    uses_tasks = False

    def __init__(self) -> None:
        noise = np.random.default_rng(0).standard_normal((NOISES, DIMENSIONS))
        self._noise = NOISE * unit_rows(noise)
        self._centres: dict[str, Vectors] = {}

    def embed(self, texts: Sequence[str], task: Task = Task.DOCUMENT) -> Vectors:
        """Return one unit vector per text, shape (n, d); the same text has the same vector each time."""
        del task
        centres = np.stack([self._centre(text.partition(" ")[0]) for text in texts])
        return unit_rows(centres + self._noise[[zlib.crc32(text.encode()) % NOISES for text in texts]])

    def close(self) -> None:
        """Do nothing."""

    def _centre(self, word: str) -> Vectors:
        if word not in self._centres:
            generator = np.random.default_rng(zlib.crc32(word.encode()))
            self._centres[word] = unit_rows(generator.standard_normal((1, DIMENSIONS)))[0]
        return self._centres[word]


_WORDS = [
    f"{a}{b}" for a in ("har", "bor", "lan", "mir", "sol", "tev") for b in ("k", "ma", "not", "pell", "ri")
]


class Life:
    """What is laid into the space of a memory."""

    def __init__(self, memory: Engram, size: int) -> None:
        """Prepare a life of `size` memories; nothing is written yet."""
        self.memory = memory
        self.size = size
        self.ids: list[str] = []
        """Those of all memories, the first said first."""
        self._tiers: list[str] = []
        self._generator = np.random.default_rng(size)
        self._writer = Writer(
            memory.graph, lambda: memory.embedder, space=memory.space, limit=10_000, tuned=Tuning
        )

    def lay(self) -> None:
        """Lay the memories, as they are after a life of use, and the edges between them."""
        for numbers in portions(range(self.size)):
            self._age(numbers, self._remember(numbers))
        for rows in portions(self._edges(), EDGES_AT_ONCE):
            used_at = NOW - FADED * self._generator.random()
            run(self.memory.graph, "lay_associations", rows=rows, now=used_at)

    def lay_sessions(self, number: int) -> None:
        """Lay sessions that ended just now, each with memories of one subject and some others."""
        rows = [
            {"id": f"used {n}", "memories": sorted({*self._some(SESSION // 2), *self._alike(SESSION // 2)})}
            for n in range(number)
        ]
        for some in portions(rows, AT_ONCE // SESSION):
            self._run("lay_sessions", rows=some, at=NOW)

    def lay_recalls(self, number: int) -> None:
        """Lay records of recalls that are older than they are kept."""
        rows = ({"id": f"{self.memory.space} {n}", "returned": self._some(5)} for n in range(number))
        for some in portions(rows):
            self._run("lay_recalls", rows=some, at=NOW - _OLD)

    def make_due(self, number: int) -> None:
        """Let so many working memories be due for promotion."""
        working = [each for each, tier in zip(self.ids, self._tiers, strict=True) if tier == TIERS[0]]
        for ids in portions(working[:number]):
            run(self.memory.graph, "make_due", ids=ids, at=NOW, energy=2.5)

    def set_energy(self, batch_size: int) -> None:
        """Write the same energy to all memories, as of `NOW`."""
        after: str | None = ""
        while after is not None:
            after = self._run("set_energy", after=after, batch_size=batch_size, energy=ENERGY, at=NOW)[0][
                "last"
            ]

    def questions(self, number: int) -> list[str]:
        """Return questions about some of the subjects."""
        subjects = self._generator.integers(self.size, size=number)
        return [f"{_subject(n)} {self._words(4)}" for n in subjects.tolist()]

    def _run(self, name: str, **parameters: Any) -> list[Row]:
        return run(self.memory.graph, name, space=self.memory.space, **parameters)

    def _remember(self, numbers: Sequence[int]) -> list[str]:
        """Store memories as they are stored in earnest, and return their ids."""
        drafts = [self._draft(n) for n in numbers]
        vectors = self.memory.embedder.embed([draft.content for draft in drafts]).tolist()
        rows = [
            self._writer._row(place, draft, vector, self.memory.embedder.name, draft.known_at)
            for place, (draft, vector) in enumerate(zip(drafts, vectors, strict=True))
        ]
        stored = self.memory.graph.transact(
            lambda transaction: self._writer._store(transaction, rows, drafts[-1].known_at)
        )
        return [row["id"] for row in stored]

    def _draft(self, n: int) -> Draft:
        content = f"{_subject(n)} {self._words(10)} {n}"
        at = NOW - SPAN * (1.0 - n / self.size)
        return Draft(
            content=content,
            contextualized=content,
            kind=Kind.EPISODIC,
            source=f"session {n // SESSION}",
            identity=f"turn:{n}",
            source_tag=USER_TAG,
            speaker=("Ann", "Bo")[n % 2],
            category=None,
            importance=estimated_importance(content),
            event_at=at,
            known_at=at,
            valid_from=at,
            valid_to=FOREVER,
            reopen=False,
        )

    def _age(self, numbers: Sequence[int], ids: list[str]) -> None:
        tiers = self._generator.choice(TIERS, size=len(ids), p=TIER_SHARES).tolist()
        rows = []
        for n, each, tier in zip(numbers, ids, tiers, strict=True):
            age = SPAN * (1.0 - n / self.size)
            uses = sorted(NOW - age * share for share in self._generator.random(TIERS.index(tier) * 4))
            properties = {
                "tier": tier,
                "accessed_at": uses,
                "access_count": len(uses),
                "last_accessed_at": uses[-1] if uses else NOW - age,
                # Every one would search the whole index.
                "reinforce_due_at": NOW if self._generator.random() < 0.01 else None,
            }
            follows = self.ids[-1] if n % SESSION else None
            rows.append({"id": each, "properties": properties, "follows": follows})
            self.ids.append(each)
        self._tiers += tiers
        run(self.memory.graph, "age_memories", rows=rows)

    def _edges(self) -> Iterator[Row]:
        """Yield the edges, some within a subject and some across, with weights about the bar of a cluster."""
        for n, each in enumerate(self.ids):
            first = n - n % SUBJECT
            count = min(SUBJECT, self.size - first)
            # Less than half of the way round, so that no two memories choose each other.
            steps = self._generator.permutation(np.arange(1, (count + 1) // 2))[:WITHIN]
            within = first + (n - first + steps) % count
            across = self._generator.integers(self.size, size=EDGES - len(within))
            weights = self._generator.uniform(1.0, 8.0, size=EDGES)
            for place, weight in zip([*within.tolist(), *across.tolist()], weights.tolist(), strict=True):
                other = self.ids[place]
                if other != each:
                    yield {"low": min(each, other), "high": max(each, other), "weight": weight}

    def _some(self, number: int) -> list[str]:
        return [self.ids[n] for n in self._generator.choice(self.size, size=number, replace=False).tolist()]

    def _alike(self, number: int) -> list[str]:
        first = int(self._generator.integers(self.size - number))
        return self.ids[first : first + number]

    def _words(self, number: int) -> str:
        return " ".join(_WORDS[n] for n in self._generator.integers(len(_WORDS), size=number).tolist())


def _subject(n: int) -> str:
    return f"subject{n // SUBJECT}"
