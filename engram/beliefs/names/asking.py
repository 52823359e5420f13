"""The isolated call of a model about pairs of names that can be one and that the rule leaves unsure.

The model is told no history and no identity. It can only say yes to what the rule lets pass: names that can be one,
and nothing that speaks against it. Whatever goes wrong, the two stay two.
"""

from collections.abc import Sequence

from pydantic import BaseModel

from engram import prompts
from engram.beliefs.names.resolution import Named
from engram.llm.base import ChatModel
from engram.llm.structured import Parsed, ask
from engram.loop.fencing import LONGEST_NAME, section
from engram.text import inert

MOST_PAIRS = 20
"""Most that one call is about; the rest stays two."""
_SHOWN = 8
"""Neighbours and facts of each that the model is shown."""
_TOKENS = 1_024


class _Pair(BaseModel):
    """Whether the two of a pair are one."""

    pair: int
    same: bool


class _Answer(BaseModel):
    """The shape of the answer."""

    pairs: list[_Pair]


def judge_pairs(model: ChatModel | None, pairs: Sequence[tuple[Named, Named]]) -> frozenset[int]:
    """Ask a model once which pairs of names are one; return their places.

    A pair that it says nothing usable about, or two things, is none of them.

    Args:
        model: Who is asked; None says yes to nothing.
        pairs: What the rule leaves unsure.
    """
    pairs = pairs[:MOST_PAIRS]
    if model is None or not pairs:
        return frozenset()
    answer = ask(model, prompts.fill("names"), _message(pairs), _Answer, max_tokens=_TOKENS)
    if not isinstance(answer, Parsed):
        return frozenset()
    said = [(each.pair - 1, each.same) for each in answer.value.pairs]
    denied = {place for place, same in said if not same}
    return frozenset(place for place, _ in said if 0 <= place < len(pairs)) - denied


def _message(pairs: Sequence[tuple[Named, Named]]) -> str:
    return section(
        "pairs",
        [f"{number}. A: {_told(a)} | B: {_told(b)}" for number, (a, b) in enumerate(pairs, start=1)],
    )


def _told(named: Named) -> str:
    names = ", also ".join(inert(name, LONGEST_NAME) for name in named.names[:_SHOWN])
    facts = [
        f"{inert(slot, LONGEST_NAME)} {inert(held[-1].value, LONGEST_NAME)}"
        for slot, held in sorted(named.single.items())[:_SHOWN]
    ]
    beside = [inert(key, LONGEST_NAME) for key in sorted(named.neighbours)[:_SHOWN]]
    parts = (("", facts), ("mentioned with ", beside), ("introduced as ", _introductions(named)))
    return "; ".join([names, *(f"{what}{', '.join(some)}" for what, some in parts if some)])


def _introductions(named: Named) -> list[str]:
    return sorted({inert(role.partition(":")[2], LONGEST_NAME) for role in named.roles})[:_SHOWN]
