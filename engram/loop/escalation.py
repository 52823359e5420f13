"""Escalation: when the slower model is asked, and how.

System 1 corrects itself once before System 2 is called; System 2 answers System 1, which stays in the driver's seat.
Source: v4 plan, 3.5 (adaptive threshold) and 3.6 (triggers).
"""

from collections.abc import Iterable
from enum import StrEnum

from pydantic import BaseModel, Field

from engram import prompts
from engram.llm.base import ChatModel, Tool
from engram.llm.structured import Outcome, ask
from engram.loop.metacognition import FOK, LONGEST_SECTION, Confidence, sections
from engram.loop.stakes import asks_identity, changes_goal, is_about_agent, is_complex, is_irreversible
from engram.text import inert

GROWN = 1_000
"""Memories from which more of them add no maturity."""
LOW, SPAN = 0.3, 0.5
"""Threshold of a newborn, and what full maturity adds."""
TOUCHES_IDENTITY = 0.6
"""Cosine of a message and an identity memory above which the one touches the other."""
ENOUGH = 2
"""Triggers that escalate together."""
LONGEST_LINE = 1_200
"""Characters of a memory in System 2's prompt."""


def maturity(memories: int, density: float, *, grown: int = GROWN) -> float:
    """Return how mature an agent is, 0 (newborn) to 1: `(min(1, memories / 1000) + density) / 2`.

    Args:
        memories: How many it has.
        density: Mean weight of its identity memories (those above 0.7), 0 to 1; 0 where there are none.
        grown: Number of memories that saturates.
    """
    return (min(1.0, memories / grown) + density) / 2.0


def threshold(maturity: float, *, low: float = LOW, span: float = SPAN) -> float:
    """Return the doubt, `1 - confidence`, above which an answer is corrected: `0.3 + 0.5 * maturity`.

    A lower threshold escalates more. A newborn escalates at little doubt, because its first decisions form it; a
    mature agent has learned enough to be left alone, until an upheaval of its identity lowers the density again.

    The plan gives that reason and this formula, and also says "confidence < threshold", which would turn it round:
    the mature agent would escalate at nearly everything. The formula is a bound on doubt here, and the reason holds.
    """
    return min(1.0, low + span * maturity)


def required(maturity: float, *, low: float = LOW, span: float = SPAN) -> float:
    """Return the confidence that an answer needs, `1 - threshold(maturity)`: 0.7 of a newborn, 0.2 when mature."""
    return 1.0 - threshold(maturity, low=low, span=span)


class Trigger(StrEnum):
    """A reason to escalate; the value is its name in words."""

    LOW_CONFIDENCE = "not sure enough"
    CONTRADICTION = "memories contradict"
    COMPLEXITY = "several steps"
    NOVELTY = "nothing known about it"
    IRREVERSIBLE = "cannot be undone"
    IDENTITY = "goes to who I am"
    GOAL = "changes a goal"


ALWAYS = frozenset({Trigger.IRREVERSIBLE, Trigger.IDENTITY, Trigger.GOAL})
"""Triggers of which one is enough."""


def triggers(
    text: str,
    *,
    fok: FOK | None = None,
    confidence: Confidence | None = None,
    contradicts: bool = False,
    identity_similarity: float = 0.0,
    goals: Iterable[str] = (),
) -> frozenset[Trigger]:
    """Return the reasons to escalate that a message gives; no model is asked.

    Args:
        text: The message, whoever it comes from.
        fok: The feeling of knowing at it, see `engram.loop.metacognition.felt_knowing`.
        confidence: In the draft of an answer; None before there is one.
        contradicts: Whether it was found to contradict a memory.
        identity_similarity: Cosine of it and the nearest identity memory. It counts where the message speaks of the
            agent: a person may say much that is like what the agent holds dear.
        goals: What the agent strives for.
    """
    touched = identity_similarity > TOUCHES_IDENTITY and is_about_agent(text)
    found = {
        Trigger.LOW_CONFIDENCE: confidence is not None and not confidence.enough,
        Trigger.CONTRADICTION: contradicts,
        Trigger.COMPLEXITY: is_complex(text),
        Trigger.NOVELTY: fok is not None and fok.verdict == "unknown",
        Trigger.IRREVERSIBLE: is_irreversible(text),
        Trigger.IDENTITY: touched or asks_identity(text),
        Trigger.GOAL: changes_goal(text, goals),
    }
    return frozenset(trigger for trigger, holds in found.items() if holds)


def escalates(found: frozenset[Trigger]) -> bool:
    """Say whether System 2 is asked: at any trigger that always escalates, or at two."""
    return bool(ALWAYS & found) or len(found) >= ENOUGH


def reason(found: frozenset[Trigger], confidence: Confidence | None = None) -> str:
    """Return the triggers in a few words, e.g. `not sure enough (0.31 of 0.45), several steps`."""
    words = [trigger.value for trigger in Trigger if trigger in found]
    if confidence is not None and Trigger.LOW_CONFIDENCE in found:
        words[0] = f"{words[0]} ({confidence})"
    return ", ".join(words)


def correction_request(draft: str, why: str) -> str:
    """Return the feedback with which System 1 is asked once more, as a message behind its conversation.

    Args:
        draft: What it would have said.
        why: What is wrong with that, in a few words, see `reason`.
    """
    return prompts.fill("correct", draft=inert(draft, LONGEST_SECTION), why=inert(why))


class Deliberate(BaseModel):
    """The arguments of the tool `deliberate`."""

    question: str = Field(description="The question to think through, complete in itself.")
    why: str = Field(description="Why it needs more thought, in a few words.")


DELIBERATE = Tool(
    name="deliberate",
    description=(
        "Hand one hard question to a slower, more careful model and get its answer back. Use it where you are not "
        "sure, where memories disagree, where several steps depend on each other, or where something cannot be undone."
    ),
    parameters=Deliberate,
)
"""What System 1 may ask for by itself."""


class Correction(BaseModel):
    """What was wrong with a draft, so that it does not happen again."""

    trigger: str = Field(min_length=1, description="The kind of situation, in general terms.")
    error_type: str = Field(min_length=1, description="Two or three words.")
    original_reasoning: str = Field(description="How the draft went wrong.")
    correction: str = Field(min_length=1, description="What to do instead.")


class Deliberation(BaseModel):
    """What System 2 gives back."""

    answer: str = Field(min_length=1, description="What to tell the person.")
    explanation: str = Field(description="Why, in a few sentences.")
    correction: Correction | None = Field(default=None, description="Only where the draft has an error.")


def deliberate(
    model: ChatModel, *, question: str, draft: str | None, context: str, why: str, max_tokens: int
) -> Outcome[Deliberation]:
    """Ask System 2 and return what it thinks; it is told no history and no identity.

    Args:
        model: System 2.
        question: What is to be thought through.
        draft: System 1's answer, where there is one.
        context: Memories that bear on it, one line each, as a prompt has them.
        why: Why it is asked, see `reason`.
        max_tokens: The longest answer; thinking counts.
    """
    parts = [sections(question=question, draft=draft or "", why=why)]
    if lines := [inert(line, LONGEST_LINE) for line in context.splitlines() if line.strip()]:
        parts.append("\n".join(["<memories>", *lines, "</memories>"]))
    return ask(
        model,
        prompts.fill("deliberate"),
        "\n\n".join(parts),
        Deliberation,
        max_tokens=max_tokens,
        effort="high",
    )
