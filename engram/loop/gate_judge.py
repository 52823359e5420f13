"""The exit gate's one isolated call of a model: it settles unsure contradictions and writes each text's one line.

The model is told no history and no identity, and what it says is used here and nowhere else (v4 plan, 2.8). Whatever
goes wrong, the gate decides without it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import BaseModel, Field

from engram import prompts
from engram.llm.base import ChatModel
from engram.llm.structured import Parsed, ask
from engram.loop.compression import LONGEST_LINE, one_line
from engram.loop.fencing import section
from engram.text import inert

MOST_NOTES = 40
MOST_PAIRS = 40
"""Most that one call is about; the rest is decided without."""
LONGEST_NOTE = 600
"""Characters of a text that a model is shown."""
_TOKENS = 2_048
"""Of an answer about everything; thinking counts."""


class _Line(BaseModel):
    """A note in one line."""

    note: int
    line: str


class _Pair(BaseModel):
    """Whether the two of a pair contradict each other."""

    pair: int
    contradicts: bool


class Judgement(BaseModel):
    """The shape of the answer."""

    notes: list[_Line] = Field(default_factory=list)
    pairs: list[_Pair] = Field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Settled:
    """What the model said, as far as it can be used."""

    lines: Mapping[int, str] = field(default_factory=dict)
    """One line for each note, by its place."""
    contradicts: Mapping[int, bool] = field(default_factory=dict)
    """By the place of the pair."""


def settle(model: ChatModel | None, notes: Sequence[str], pairs: Sequence[tuple[str, str]]) -> Settled:
    """Ask a model once about notes and pairs; without a model, or a usable answer, nothing is settled.

    Args:
        model: Who is asked.
        notes: Texts that need one line.
        pairs: Texts that may contradict each other.
    """
    notes, pairs = notes[:MOST_NOTES], pairs[:MOST_PAIRS]
    if model is None or not (notes or pairs):
        return Settled()
    answer = ask(model, prompts.fill("gate"), _message(notes, pairs), Judgement, max_tokens=_TOKENS)
    if not isinstance(answer, Parsed):
        return Settled()
    return Settled(
        lines={
            each.note - 1: line
            for each in reversed(answer.value.notes)
            if 1 <= each.note <= len(notes) and (line := one_line(each.line, LONGEST_LINE))
        },
        contradicts={
            each.pair - 1: each.contradicts
            for each in reversed(answer.value.pairs)
            if 1 <= each.pair <= len(pairs)
        },
    )


def _message(notes: Sequence[str], pairs: Sequence[tuple[str, str]]) -> str:
    listed = [f"{number}. {inert(text, LONGEST_NOTE)}" for number, text in enumerate(notes, start=1)]
    paired = [
        f"{number}. A: {inert(said, LONGEST_NOTE)} | B: {inert(held, LONGEST_NOTE)}"
        for number, (said, held) in enumerate(pairs, start=1)
    ]
    return "\n\n".join(each for each in (section("notes", listed), section("pairs", paired)) if each)
