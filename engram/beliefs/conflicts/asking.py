"""The isolated call of a model about pairs of facts that slots and words leave unsure.

The model is told no history and no identity. Whatever goes wrong, the pair keeps its plain verdict; what it answers
goes through the same guard as that (`engram.beliefs.conflicts.judging.guarded`).
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Literal

from pydantic import BaseModel

from engram import prompts
from engram.beliefs.facts import HeldFact
from engram.llm.base import ChatModel
from engram.llm.structured import Parsed, ask
from engram.loop.fencing import LONGEST_NAME, section
from engram.text import inert

Answer = Literal["supersede", "correction", "tension", "unrelated"]

MOST_PAIRS = 20
"""Most that one call is about; the rest keeps its plain verdict."""
LONGEST_FACT = 600
"""Characters of a fact that a model is shown."""
_TOKENS = 1_024
_NOTHING: Mapping[int, Answer] = MappingProxyType({})


class _Pair(BaseModel):
    """What becomes of the two facts of a pair."""

    pair: int
    outcome: Answer


class Judgement(BaseModel):
    """The shape of the answer."""

    pairs: list[_Pair]


def settle(model: ChatModel | None, new: HeldFact, held: Sequence[HeldFact]) -> Mapping[int, Answer]:
    """Ask a model once what becomes of a new fact and each of those that are held.

    Args:
        model: Who is asked; None answers nothing.
        new: What was said now.
        held: What was held before.

    Returns:
        The answers by the place of the held fact: none for those that a model said nothing usable about, or two
        things.
    """
    held = held[:MOST_PAIRS]
    if model is None or not held:
        return _NOTHING
    answer = ask(model, prompts.fill("conflict"), _message(new, held), Judgement, max_tokens=_TOKENS)
    if not isinstance(answer, Parsed):
        return _NOTHING
    answers: dict[int, Answer] = {}
    doubled: set[int] = set()
    for each in answer.value.pairs:
        place = each.pair - 1
        if answers.setdefault(place, each.outcome) != each.outcome:
            doubled.add(place)
    return {
        place: outcome
        for place, outcome in answers.items()
        if 0 <= place < len(held) and place not in doubled
    }


def _message(new: HeldFact, held: Sequence[HeldFact]) -> str:
    listed = [f"{number}. {_line(fact)}" for number, fact in enumerate(held, start=1)]
    return "\n\n".join((section("new", [_line(new)]), section("held", listed)))


def _line(fact: HeldFact) -> str:
    who = inert(fact.speaker, LONGEST_NAME) if fact.speaker else "somebody"
    return f"{fact.event_at:%Y-%m-%d} {who}: {inert(fact.content, LONGEST_FACT)}"
