"""Rewriting: a model words a new version of the working memory, from the same lines that would stand there without it.

It is asked once, alone. Each of its items has to rest on lines that it was given, and cites what they cite; items that rest
on nothing are dropped. Who the agent is, what it has done and what has left it does not word.
"""

from collections.abc import Mapping, Sequence

from pydantic import BaseModel, Field

from engram import prompts
from engram.llm.base import ChatModel
from engram.llm.structured import Parsed, Unanswered, ask
from engram.loop.fencing import section
from engram.mind.state.lines import LONGEST, Line, line
from engram.mind.state.sections import Section

TOKENS = 4_096
"""Of the answer; thinking counts."""
GIVEN = 40
"""Lines of a section that the model is given, the weightiest."""
WORDED = (Section.BOND, Section.ACTIVE, Section.GAPS, Section.SKILLS)
"""What it words."""


class Item(BaseModel):
    """One line of a section."""

    text: str = Field(min_length=1)
    lines: list[int]


class Rewritten(BaseModel):
    """The four sections."""

    bond: list[Item]
    active: list[Item]
    gaps: list[Item]
    skills: list[Item]


def rewrite(
    model: ChatModel, pool: Mapping[Section, Sequence[Line]], before: str
) -> tuple[dict[Section, tuple[Line, ...]] | None, list[str]]:
    """Return the sections that a model words, and notes on what it did not do; None: it gave no usable answer.

    Args:
        model: Who is asked, metered.
        pool: What the new version may say, the weightiest first.
        before: The text of the version before; '' where there is none.
    """
    given = [(name, each) for name in WORDED for each in pool.get(name, ())[:GIVEN]]
    material = [
        f"[{number}] ({name.value}) {each.text}" for number, (name, each) in enumerate(given, start=1)
    ]
    question = f"{section('working', before.splitlines())}\n\n{section('material', material)}"
    answer = ask(model, prompts.fill("state", longest=str(LONGEST)), question, Rewritten, max_tokens=TOKENS)
    if not isinstance(answer, Parsed):
        why = answer.error.message if isinstance(answer, Unanswered) else f"the answer was {answer.kind}"
        return None, [f"plain: {why}"]
    told = answer.value
    by_section = dict(zip(WORDED, (told.bond, told.active, told.gaps, told.skills), strict=True))
    lines = [each for _, each in given]
    worded = {name: tuple(_lines(items, lines)) for name, items in by_section.items()}
    dropped = sum(map(len, by_section.values())) - sum(map(len, worded.values()))
    return worded, [f"{dropped} of the model's lines rest on nothing and are dropped"] if dropped else []


def _lines(items: Sequence[Item], given: Sequence[Line]) -> list[Line]:
    """Return the items that rest on something as lines, the first the weightiest."""
    kept = []
    for place, item in enumerate(items):
        on = [given[number - 1] for number in item.lines if 0 < number <= len(given)]
        if on and item.text.strip():
            cites = [memory for each in on for memory in each.cites]
            kept.append(line(item.text, cites, 1.0 / (1 + place)))
    return kept
