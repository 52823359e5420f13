"""The exit gate: what of all that was said becomes a memory (v4 plan, 2.8).

Relevance and novelty choose a cell of `engram.loop.matrix`. The gate starts permissive: too much kept fades by itself,
what was dropped is gone. Raw turns are kept whatever it decides.
"""

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import replace

import numpy as np

from engram.embedding.protocol import Embedder
from engram.graph import Graph
from engram.llm.base import ChatModel
from engram.loop.carrying import carry_out
from engram.loop.comparing import Comparing, Look, Near, embed_words
from engram.loop.compression import LONGEST_LINE, compress, one_line
from engram.loop.contradiction import settled
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
from engram.loop.words import new_facts, tells_nothing
from engram.mind import gut
from engram.text import normal, short
from engram.tuning import Tuning

__all__ = ["Action", "Decision", "ExitGate", "Focus", "carry_out"]

_ROUNDING = 1e-6
_KEPT = {Action.PERSIST, Action.PERSIST_AND_FLAG}


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
        self._embedder = embedder
        self._tuned = tuned
        self._generator = generator
        self._judge = judge
        self._comparing = Comparing(graph, space=space)

    def decide(
        self, entries: Sequence[Entry], focus: Focus, *, last: bool, alone: bool = False
    ) -> list[Decision]:
        """Return what becomes of each entry, in their order; nothing is written.

        They are decided in the order in which they were said: what is kept counts as known for what comes after it.

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
                echo = f"an echo of what was recalled ({', '.join(map(short, remainder.ids[:3]))})"
                decided[entry.id] = _passed(entry, Action.DROP, echo, nearest=remainder.ids[0])
            elif tells_nothing(entry.text) and not entry.signals:
                decided[entry.id] = _passed(entry, Action.SKIP, "a short question tells nothing")
            else:
                texts[entry.id] = remainder.text
        waiting = sorted((entry for entry in entries if entry.id in texts), key=lambda entry: entry.at)
        if waiting:
            looks = self._look(waiting, texts, focus, tuning)
            self._comparing.compare(looks, self._embedder(), tuning)
            decided |= self._judged(looks, focus, tuning, last=last, alone=alone)
        return [decided[entry.id] for entry in entries]

    # ----- Relevance

    def _look(
        self, entries: Sequence[Entry], texts: Mapping[str, str], focus: Focus, tuning: Tuning
    ) -> list[Look]:
        around = [text for text in focus.texts if text.strip()]
        goals, identity = ([text for text in some if text.strip()] for some in (focus.goals, focus.identity))
        own = [texts[entry.id] for entry in entries]
        vectors = embed_words(self._embedder(), [*own, *around, *goals, *identity])
        mine, context, core = np.split(vectors, [len(own), len(own) + len(around)])
        # In a reindex, the conversation may still know that of another model's vectors.
        comparable = focus.depths is not None and focus.depths.shape == mine.shape[1:]
        depths = focus.depths if comparable else None
        looks = []
        for entry, vector in zip(entries, mine, strict=True):
            # What was said is not its own context.
            others = np.array([normal(text) != normal(entry.text) for text in around], dtype=bool)
            near = [*(context[others] @ vector), *(core @ vector)]
            charge = emotional_charge(gut.score(gut.delta(vector.astype(np.float64), depths)))
            looks.append(
                Look(
                    entry=entry,
                    text=texts[entry.id],
                    vector=vector,
                    relevance=_relevance(entry, near, charge, tuning),
                    emotional=charge,
                )
            )
        return looks

    # ----- The decision

    def _judged(
        self, looks: Sequence[Look], focus: Focus, tuning: Tuning, *, last: bool, alone: bool
    ) -> dict[str, Decision]:
        relevant = [look for look in looks if relevance_level(look.relevance, tuning) != "irrelevant"]
        pairs = [
            *((look, near) for look in relevant for near in look.memories),
            *((look, near) for look in relevant for near in look.earlier),
        ]
        unsure = [
            (look, near)
            for look, near in pairs
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
        decided: dict[str, Decision] = {}
        for look in looks:
            kept = {key for key, decision in decided.items() if decision.action in _KEPT}
            decision = _decision(look, look.near(kept), lines.get(look.entry.id), tuning)
            if (echo := _echoed(look, focus, tuning)) is not None:
                decision = replace(
                    decision,
                    action=Action.DROP,
                    reason="an echo, in other words, of what was recalled",
                    nearest=echo.id,
                    similarity=echo.similarity,
                    contradicts=(),
                )
            else:
                decision = self._permitted(decision, kept, tuning, last=last)
            decided[look.entry.id] = decision
        return decided

    def _permitted(self, decision: Decision, kept: Container[str], tuning: Tuning, *, last: bool) -> Decision:
        """Let through what the noise floor or a second look lets through."""
        if decision.action is Action.REINFORCE and decision.nearest in kept:
            # Twice within one flush: there is no memory yet that could gain by it.
            decision = replace(decision, action=Action.SKIP)
        if decision.action in _KEPT:
            return decision
        if self._generator.random() < tuning["gate.noise"]:
            return replace(decision, action=Action.PERSIST, reason=f"{decision.reason}; kept by chance")
        looks = decision.entry.looked + 1
        if decision.action is Action.BUFFER and (last or looks >= tuning.whole("gate.buffer_looks")):
            why = "the last look" if last else f"look {looks}"
            return replace(decision, action=Action.PERSIST, reason=f"{decision.reason}; kept at {why}")
        return decision


def _decision(look: Look, near: Sequence[Near], line: str | None, tuning: Tuning) -> Decision:
    """Return what an entry's cell of the matrix says.

    Args:
        look: The entry.
        near: What it is near to, best first.
        line: It in one line, as a model put it; None: there is no such line.
        tuning: The space's numbers.
    """
    best = near[0] if near else None
    similarity = best.similarity if best else 0.0
    opposed = [each for each in near if each.id in look.oppositions and look.oppositions[each.id].found]
    relevance = relevance_level(look.relevance, tuning)
    novelty = novelty_level(
        similarity,
        opposed=bool(opposed),
        new_facts=best is not None and bool(new_facts(look.text, best.content)),
        tuning=tuning,
    )
    return Decision(
        entry=look.entry,
        action=MATRIX[relevance, novelty],
        reason=_reason(look, relevance, novelty, opposed[0] if opposed else best),
        relevance=look.relevance,
        relevance_level=relevance,
        novelty_level=novelty,
        similarity=similarity,
        nearest=best.id if best else None,
        contradicts=tuple(each.id for each in opposed),
        importance=importance(look.text, relevance, novelty, similarity=similarity, tuning=tuning),
        emotional=look.emotional,
        compressed=line or compress(look.text),
    )


def _echoed(look: Look, focus: Focus, tuning: Tuning) -> Near | None:
    """Return the recalled memory that the agent says back in its own words; None: it does not, or a person said it.

    Stored or strengthened for having been recalled and said again, a memory would feed itself.
    """
    if _by_person(look.entry):
        return None
    for near in look.memories:
        opposition = look.oppositions.get(near.id)
        if (
            near.id in focus.recalled
            and novelty_level(
                near.similarity,
                opposed=opposition is not None and opposition.found,
                new_facts=bool(new_facts(look.text, near.content)),
                tuning=tuning,
            )
            == "confirming"
        ):
            return near
    return None


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


def _by_person(entry: Entry) -> bool:
    return entry.source_tag == Source.USER


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


def _reason(look: Look, relevance: RelevanceLevel, novelty: NoveltyLevel, near: Near | None) -> str:
    where = f"{relevance} ({look.relevance:.2f})"
    if near is None:
        return f"{where}, nothing like it is known"
    if novelty == "contradicting":
        return f"{where}, contradicts {short(near.id)}: {look.oppositions[near.id].why}"
    return f"{where}, {novelty}: {near.similarity:.2f} to {short(near.id)}"
