"""Review: what becomes of an insight by its sources as they stand now, by a model's isolated call or by counting them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self

from pydantic import BaseModel, Field

from engram import prompts
from engram.beliefs.policy.kinds import may_reconsolidate
from engram.llm.base import ChatModel
from engram.llm.structured import Parsed, Unanswered, ask
from engram.loop.compression import one_line
from engram.loop.fencing import section
from engram.records import Kind, Memory, memory_from
from engram.text import inert

LONGEST_INSIGHT = 400
"""Characters of a revised insight."""
LONGEST_SOURCE = 600
"""Characters of a source that a model is shown."""
MOST_SOURCES = 40
"""Sources that a model is shown."""
_TOKENS = 1_024
"""Of an answer; thinking counts."""
_DRAWN = frozenset({Kind.REFLECTION, Kind.NARRATIVE})
"""Kinds of what is drawn from other memories: conclusions, and so notes, however they are worded."""


class Verdict(StrEnum):
    """What becomes of an insight."""

    KEEP = "keep"
    REVISE = "revise"
    WITHDRAW = "withdraw"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A memory that an insight rests on, as it stands now."""

    id: str
    content: str
    status: str
    stands: bool
    successor: Mapping[str, str] | None
    """Id and content of the memory that holds in its place, if there is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Insight:
    """An insight with what it rests on."""

    memory: Memory
    note: bool
    """Whether it may be reconsolidated."""
    turns: int
    """Turns that it rests on itself, which stand."""
    sources: tuple[Source, ...]
    """Ascending by id."""
    properties: Mapping[str, Any]
    """All properties of its node but the vector."""

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Self:
        """Return the insight in a row of `believe/reconsider_read`."""
        memory = memory_from(row["memory"])
        stored = row["memory"].get("memory_kind")
        return cls(
            memory=memory,
            note=memory.kind in _DRAWN or may_reconsolidate(memory, stored=stored),
            turns=row["turns"],
            sources=tuple(Source(**each) for each in row["sources"]),
            properties=row["memory"],
        )

    @property
    def standing(self) -> int:
        """How much of what it rests on stands."""
        return self.turns + sum(each.stands for each in self.sources)

    @property
    def total(self) -> int:
        """How much it rests on."""
        return self.turns + len(self.sources)

    @property
    def state(self) -> tuple[object, ...]:
        """What a decision about it is made on; equal where nothing of that has changed."""
        seen = (self.properties.get(name) for name in ("version", "status", "examined_at"))
        return (*seen, self.turns, self.sources)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What is to become of an insight."""

    verdict: Verdict
    by: str
    """`model`, or `sources` where they were counted."""
    reason: str
    """In a few words that quote nothing."""
    text: str = ""
    """The revised insight."""
    cites: tuple[str, ...] = ()
    """Ids of the memories that it rests on, ascending."""


class _Review(BaseModel):
    """The shape of a model's answer."""

    verdict: Verdict
    text: str = ""
    sources: list[int] = Field(default_factory=list)


def decide(insight: Insight, model: ChatModel | None, notes: list[str]) -> Decision | None:
    """Return what is to become of an insight; None where a model was asked and there is no answer.

    Args:
        insight: What is looked at.
        model: Who is asked, or None.
        notes: Is added to, where something could not be done.
    """
    if not insight.note:
        notes.append(f"{insight.memory.id[:8]} tells of an episode, and stays")
        return Decision(verdict=Verdict.KEEP, by="sources", reason="it tells of an episode")
    if model is None:
        return plain(insight)
    lines, holding = _listed(insight.sources[:MOST_SOURCES])
    text = "\n\n".join(
        (section("insight", [inert(insight.memory.content, LONGEST_SOURCE)]), section("sources", lines))
    )
    answer = ask(model, prompts.fill("reconsider"), text, _Review, max_tokens=_TOKENS)
    if isinstance(answer, Unanswered):
        notes.append(f"no model answered: {answer.error.message}")
        return None
    decision = _read(answer.value, insight, holding) if isinstance(answer, Parsed) else None
    if decision is None:
        notes.append(f"no usable answer about {insight.memory.id[:8]}, so its sources were counted")
    return decision or plain(insight)


def plain(insight: Insight) -> Decision:
    """Return what becomes of an insight by the number of its sources that stand: kept while that is over half."""
    verdict = Verdict.KEEP if 2 * insight.standing > insight.total else Verdict.WITHDRAW
    reason = f"{insight.standing} of the {insight.total} that it rests on still stand"
    return Decision(verdict=verdict, by="sources", reason=reason)


def _listed(sources: Sequence[Source]) -> tuple[list[str], dict[int, str]]:
    """Return the lines that a model is shown, and the ids of those among them that hold, by number."""
    lines: list[str] = []
    holding: dict[int, str] = {}
    for source in sources:
        lines.append(_line(len(lines) + 1, "holds" if source.stands else "no longer holds", source.content))
        if source.stands:
            holding[len(lines)] = source.id
        elif source.successor is not None:
            place = f"holds, in the place of {len(lines)}"
            lines.append(_line(len(lines) + 1, place, source.successor["content"]))
            holding[len(lines)] = source.successor["id"]
    return lines, holding


def _line(number: int, standing: str, text: str) -> str:
    return f"{number}. {standing}: {inert(text, LONGEST_SOURCE)}"


def _read(review: _Review, insight: Insight, holding: Mapping[int, str]) -> Decision | None:
    """Return what an answer says, as far as it can be used; None where it cites nothing that was given and holds."""
    if review.verdict is not Verdict.REVISE:
        reason = (
            "what holds bears it out" if review.verdict is Verdict.KEEP else "what holds does not bear it out"
        )
        return Decision(verdict=review.verdict, by="model", reason=reason)
    text = one_line(inert(review.text, 4 * LONGEST_INSIGHT), LONGEST_INSIGHT)
    if text and text == one_line(inert(insight.memory.content, 4 * LONGEST_INSIGHT), LONGEST_INSIGHT):
        return Decision(verdict=Verdict.KEEP, by="model", reason="what holds bears it out")
    cites = tuple(sorted({holding[number] for number in review.sources if number in holding}))
    if not text or not cites:
        return None
    return Decision(
        verdict=Verdict.REVISE, by="model", reason="what it rests on has changed", text=text, cites=cites
    )
