"""The exit gate: what of all that was said becomes a memory (v4 plan, 2.8).

Relevance and novelty choose a cell of `engram.loop.matrix`. The gate starts permissive: too much kept fades by itself,
what was dropped is gone. Raw turns are kept whatever it decides.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from engram.embedding.protocol import Embedder, Vectors, prefixed
from engram.graph import Graph
from engram.llm.base import ChatModel
from engram.loop.carrying import carry_out
from engram.loop.compression import LONGEST_LINE, compress, one_line
from engram.loop.contradiction import Contradictions, Opposition, settled
from engram.loop.echo import strip_recalled
from engram.loop.gate_judge import settle
from engram.loop.inputs import Entry, Source
from engram.loop.matrix import (
    MATRIX,
    Action,
    Decision,
    Focus,
    NoveltyLevel,
    RelevanceLevel,
    charged,
    emotional_charge,
    importance,
    novelty_level,
    relevance_level,
)
from engram.loop.negation import Vector
from engram.loop.words import new_facts
from engram.records import Kind
from engram.remembering import turn_key
from engram.text import normal
from engram.tuning import Tuning

__all__ = ["Action", "Decision", "ExitGate", "Focus", "carry_out"]

NEAREST = 3
"""Memories that an entry is compared with."""
_WIDTH = 12
"""Rows taken from the vector index for that: approximate search loses some, and the entry's own turn is left out."""
_LONGEST_SEEN = 4_000
"""Characters of an entry that are embedded."""
_ROUNDING = 1e-6
_KEPT = {Action.PERSIST, Action.PERSIST_AND_FLAG}


@dataclass(frozen=True, slots=True)
class _Near:
    """A memory near an entry."""

    id: str
    content: str
    vector: Vector
    similarity: float


@dataclass(slots=True)
class _Look:
    """One entry under the gate's eyes, step by step."""

    entry: Entry
    text: str
    """What of it is its own."""
    vector: Vector
    relevance: float
    emotional: float
    near: list[_Near] = field(default_factory=list)
    oppositions: dict[str, Opposition] = field(default_factory=dict)
    """By memory id, of those that are near enough."""


class ExitGate:
    """Decides about entries of one space."""

    def __init__(
        self,
        graph: Graph,
        embedder: Callable[[], Embedder],
        *,
        space: str,
        tuned: Callable[[], Tuning],
        generator: np.random.Generator,
        judge: ChatModel | None,
    ) -> None:
        """Prepare to decide.

        Args:
            graph: Where memories are.
            embedder: Gives the embedder of the space's memories.
            space: Whose.
            tuned: Gives the space's numbers.
            generator: Draws the noise.
            judge: Is asked in isolation, at most once for each call of `decide`; None: nobody is.
        """
        self._graph = graph
        self._embedder = embedder
        self._space = space
        self._tuned = tuned
        self._generator = generator
        self._judge = judge
        self._contradictions = Contradictions()

    def decide(
        self, entries: Sequence[Entry], focus: Focus, *, last: bool, alone: bool = False
    ) -> list[Decision]:
        """Return what becomes of each entry, in their order; nothing is written.

        Args:
            entries: What waits.
            focus: What they are seen in the light of.
            last: Nothing may be looked at again.
            alone: Ask no model.

        Raises:
            DatabaseError: The memories near them could not be read.
            EmbeddingError: They could not be embedded.
        """
        tuning = self._tuned()
        decided: dict[str, Decision] = {}
        texts: dict[str, str] = {}
        for entry in entries:
            remainder = strip_recalled(entry.text, focus.recalled)
            if entry.skipped:
                decided[entry.id] = _passed(entry, Action.SKIP, "the entry gate let it pass by")
            elif not remainder.text:
                echo = f"an echo of what was recalled ({', '.join(each[:8] for each in remainder.ids[:3])})"
                decided[entry.id] = _passed(entry, Action.DROP, echo, nearest=next(iter(remainder.ids), None))
            else:
                texts[entry.id] = remainder.text
        waiting = [entry for entry in entries if entry.id in texts]
        if waiting:
            looks = self._look(waiting, texts, focus, tuning)
            self._compare(looks, tuning)
            decided |= self._judged(looks, focus, tuning, last=last, alone=alone)
        return [decided[entry.id] for entry in entries]

    # ----- Relevance

    def _look(
        self, entries: Sequence[Entry], texts: Mapping[str, str], focus: Focus, tuning: Tuning
    ) -> list[_Look]:
        around = [text[:_LONGEST_SEEN] for text in focus.texts if text.strip()]
        selves = [text for text in (*focus.goals, *focus.identity) if text.strip()]
        own = [texts[entry.id][:_LONGEST_SEEN] for entry in entries]
        vectors = self._embed([*own, *around, *selves])
        mine, rest = vectors[: len(own)], vectors[len(own) :]
        context, core = rest[: len(around)], rest[len(around) :]
        looks = []
        for entry, vector in zip(entries, mine, strict=True):
            # What was said is not its own context.
            others = np.array([normal(text) != normal(entry.text) for text in around], dtype=bool)
            near = [*(context[others] @ vector), *(core @ vector)]
            charge = emotional_charge(_gut(vector, core))
            looks.append(
                _Look(
                    entry=entry,
                    text=texts[entry.id],
                    vector=vector,
                    relevance=_relevance(entry, near, charge, tuning),
                    emotional=charge,
                )
            )
        return looks

    def _embed(self, texts: Sequence[str]) -> Vectors:
        embedder = self._embedder()
        # All with one prefix, and with that of the memory that an entry may become: then it is embedded once.
        return embedder.embed(
            [prefixed(Kind.EPISODIC, text) if embedder.uses_prefixes else text for text in texts]
        )

    # ----- Novelty

    def _compare(self, looks: Sequence[_Look], tuning: Tuning) -> None:
        """Find what is near, and what of that says the opposite."""
        self._find_near(looks)
        bar = tuning["gate.contradicting"]
        close = [(look, near) for look in looks for near in look.near if near.similarity > bar]
        if not close:
            return
        direction = self._contradictions.direction(self._embedder())
        for look, near in close:
            look.oppositions[near.id] = self._contradictions.weigh(
                (look.text, look.vector), (near.content, near.vector), direction
            )

    def _find_near(self, looks: Sequence[_Look]) -> None:
        rows = self._graph.read(
            "inspect/find_nearest",
            space=self._space,
            rows=[
                {"index": index, "vector": look.vector.tolist(), "turn": _turn(look.entry)}
                for index, look in enumerate(looks)
            ],
            width=_WIDTH,
            nearest=NEAREST,
        )
        found = {each["id"]: str(each["content"]) for row in rows for each in row["nearest"]}
        if not found:
            return
        # A memory's stored vector is of its context too: only the words tell whether the same was said.
        vectors = dict(
            zip(found, self._embed([text[:_LONGEST_SEEN] for text in found.values()]), strict=True)
        )
        for row in rows:
            look = looks[row["index"]]
            near = [
                _Near(
                    each["id"],
                    found[each["id"]],
                    vectors[each["id"]],
                    float(vectors[each["id"]] @ look.vector),
                )
                for each in row["nearest"]
            ]
            look.near = sorted(near, key=lambda one: (-one.similarity, one.id))

    # ----- The decision

    def _judged(
        self, looks: Sequence[_Look], focus: Focus, tuning: Tuning, *, last: bool, alone: bool
    ) -> dict[str, Decision]:
        relevant = [look for look in looks if relevance_level(look.relevance, tuning) != "irrelevant"]
        unsure = [
            (look, near)
            for look in relevant
            for near in look.near
            if near.id in look.oppositions and not look.oppositions[near.id].sure
        ]
        long = [look for look in relevant if len(one_line(look.text, len(look.text) + 1)) > LONGEST_LINE]
        answer = settle(
            None if alone else self._judge,
            [look.text for look in long],
            [(look.text, near.content) for look, near in unsure],
        )
        for place, contradicts in answer.contradicts.items():
            look, near = unsure[place]
            look.oppositions[near.id] = settled(look.oppositions[near.id], contradicts=contradicts)
        lines = {long[place].entry.id: line for place, line in answer.lines.items()}
        return {
            look.entry.id: self._decision(look, lines.get(look.entry.id), focus, tuning, last=last)
            for look in looks
        }

    def _decision(
        self, look: _Look, line: str | None, focus: Focus, tuning: Tuning, *, last: bool
    ) -> Decision:
        best = look.near[0] if look.near else None
        similarity = best.similarity if best else 0.0
        opposed = {key: each for key, each in look.oppositions.items() if each.found}
        relevance = relevance_level(look.relevance, tuning)
        novelty = novelty_level(
            similarity,
            opposed=bool(opposed),
            new_facts=best is not None and bool(new_facts(look.text, best.content)),
            tuning=tuning,
        )
        decision = Decision(
            entry=look.entry,
            action=MATRIX[relevance, novelty],
            reason=_reason(look, relevance, novelty, opposed),
            relevance=look.relevance,
            relevance_level=relevance,
            novelty_level=novelty,
            similarity=similarity,
            nearest=best.id if best else None,
            contradicts=tuple(opposed),
            importance=importance(look.text, relevance, novelty, similarity=similarity, tuning=tuning),
            emotional=look.emotional,
            compressed=line or compress(look.text),
        )
        if novelty == "confirming" and decision.nearest in focus.recalled and not _by_person(look.entry):
            # Recalled, said again in other words and stored or strengthened for it, a memory would feed itself.
            return replace(
                decision, action=Action.DROP, reason="an echo, in other words, of what was recalled"
            )
        return self._permitted(decision, tuning, last=last)

    def _permitted(self, decision: Decision, tuning: Tuning, *, last: bool) -> Decision:
        """Let through what the noise floor or a second look lets through."""
        if decision.action in _KEPT:
            return decision
        if self._generator.random() < tuning["gate.noise"]:
            return replace(decision, action=Action.PERSIST, reason=f"{decision.reason}; kept by chance")
        looks = decision.entry.looked + 1
        if decision.action is Action.BUFFER and (last or looks >= tuning.whole("gate.buffer_looks")):
            why = "the last look" if last else f"look {looks}"
            return replace(decision, action=Action.PERSIST, reason=f"{decision.reason}; kept at {why}")
        return decision


def _relevance(entry: Entry, near: Sequence[float], charge: float, tuning: Tuning) -> float:
    """Return how relevant an entry is, 0 to 1: the nearest of what is in focus, and what permission lifts it to."""
    relevance = charged(float(np.clip(max(near, default=0.0), 0.0, 1.0)), charge)
    if not (tuning["gate.permissive"] and _by_person(entry)):
        return relevance
    if not near:
        return 1.0
    if entry.signals:
        return max(relevance, min(1.0, tuning["gate.core"] + _ROUNDING))
    return max(relevance, min(1.0, tuning["gate.peripheral"] + _ROUNDING))


def _gut(vector: Vector, selves: Vectors) -> float:
    """Return the feeling about a text, 0 to 1 and 0.5 where there is none.

    It is `1 - distance / 2`, the distance being the cosine distance, 0 to 2, from the centroid of identity and goals.
    """
    if not len(selves):
        return 0.5
    centroid = selves.mean(axis=0)
    length = float(np.linalg.norm(centroid))
    return 0.5 if length < _ROUNDING else 0.5 + float(vector @ centroid) / length / 2.0


def _by_person(entry: Entry) -> bool:
    return entry.source_tag == Source.USER


def _turn(entry: Entry) -> str:
    return turn_key(entry.session, entry.turn, entry.speaker, entry.text)


def _passed(entry: Entry, action: Action, reason: str, *, nearest: str | None = None) -> Decision:
    echo = nearest is not None
    return Decision(
        entry=entry,
        action=action,
        reason=reason,
        novelty_level="confirming" if echo else "novel",
        similarity=1.0 if echo else 0.0,
        nearest=nearest,
        compressed=compress(entry.text),
    )


def _reason(
    look: _Look, relevance: RelevanceLevel, novelty: NoveltyLevel, opposed: Mapping[str, Opposition]
) -> str:
    where = f"{relevance} ({look.relevance:.2f})"
    if novelty == "contradicting":
        memory, opposition = next(iter(opposed.items()))
        return f"{where}, contradicts {memory[:8]}: {opposition.why}"
    if not look.near:
        return f"{where}, nothing like it is known"
    return f"{where}, {novelty}: {look.near[0].similarity:.2f} to {look.near[0].id[:8]}"
