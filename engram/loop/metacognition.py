"""Metacognition: how sure an answer is, from its form, from what recall brought, and from an isolated question.

Models say that they are sure of nearly everything, so what a model says of itself counts least. Source: v4 plan,
2.11 (composite confidence score). What is recognised by its words is recognised in English; in another language the
form gives a little less, and nothing wrong.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, Field

from engram import prompts
from engram.llm.base import ChatModel
from engram.llm.structured import Parsed, ask
from engram.questions import MARKS, asks
from engram.records import Hit
from engram.text import inert, normal

OBJECTIVE, FEELING, VERBALIZED = 0.5, 0.35, 0.15
"""Weights of the composite."""

CEILING = 0.9
"""Confidence in a plain answer: a form shows doubt, and never that there is no reason for it."""
_HEDGING, _SELF_CORRECTION, _QUESTIONS, _LENGTH = 0.6, 0.4, 0.5, 0.2
"""What each sign of doubt takes away at most, as a share of what the others left."""
LONG, TOO_LONG = 150, 1_200
"""Words up to which an answer is no anomaly, and from which it is wholly one."""

UNRELATED, DIRECT = 0.2, 0.6
"""Cosines of all-MiniLM-L6-v2: unrelated sentences lie mostly under the first, direct answers about the second."""
AGREEMENT = 0.3
"""How much of the doubt that the best hit leaves is taken by others that are as near."""
SUPPORTING = 2
"""Hits behind the best that may agree with it."""
UNKNOWN, KNOWN = 0.25, 0.6
"""Feeling of knowing below and from which there is a verdict. A best hit alone has them at cosines of .30, from where
indirect answers lie, and .44."""

JUDGED_TOKENS = 1_024
"""Longest isolated answer; thinking counts."""
LONGEST_SECTION = 8_000
"""Characters of a question, an answer or a draft in an isolated prompt."""

_END = f".!\u2026\u3002\uff01\n{MARKS}"
_SENTENCE = re.compile(rf"[^{_END}]*\w[^{_END}]*(?P<end>[{_END}]*)")
_BREAK = re.compile(rf"(?<=[{_END}])\s+")
_ASKED = re.compile(rf"[{MARKS}]")
_WORDS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|\w+")
_QUOTED = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|\"[^\"\n]*\"|\u201c[^\u201c\u201d\n]*\u201d|\u00ab[^\u00ab\u00bb\n]*\u00bb",
    re.DOTALL,
)

_HEDGES = re.compile(
    r"\b(?:maybe|perhaps|possibly|probably|presumably|supposedly|likely|unsure|uncertain|unclear"
    r"|might|may (?:be|have)|could (?:be|have been)|seems?|appears? to|hard to (?:say|tell)"
    r"|i (?:think|guess|believe|suppose|assume|imagine|would guess)|i'd (?:say|guess)"
    r"|not (?:\w+ )?(?:sure|certain)|can(?:no|')t (?:be sure|say|tell)"
    r"|if i (?:remember|recall)|(?:as|so) far as i|to (?:the best of )?my knowledge|something like)\b"
)
_CORRECTIONS = re.compile(
    r"\bwait\b(?=[,.!\u2014 -]*(?:no|that|actually|i)\b)|\bactually, (?:no|wait|that|it|scratch)\b|\bno, actually\b"
    r"|\b(?:scratch|strike) that\b|\bcorrection:|\bon second thoughts?\b|\bor rather\b|\bi misspoke\b|\bi mean,"
    r"|\blet me (?:rephrase|correct|rethink|reconsider|try (?:that )?again|start over)\b"
)
_ABSTAINS = re.compile(
    r"\bi (?:do not|don't|can't|cannot|can not|didn't|did not) (?:\w+ )?(?:know|remember|recall|find)\b"
    r"|\bi (?:do not|don't) (?:\w+ )?have (?:any |a |that |this |the |enough )?(?:\w+ )?"
    r"(?:memory|memories|record|records|information)\b"
    r"|\bi have no (?:memory|memories|record|records|information|idea)\b|\b(?:i am|i'm) not aware\b"
    r"|\byou (?:have not|haven't|never|didn't|did not) (?:\w+ )?(?:told?|tell|mention(?:ed)?|said|say|share[d]?)\b"
)
_GOES_ON = re.compile(r"\bbut\b(?! (?:you|if|please|feel|tell|i'd|i would|i can)\b)")

_RECALLING = re.compile(
    r"\b(?:remember|recall|remind me|forgot|forgotten|last time|the other day|previously"
    r"|(?:i|we|you) (?:told|said|mentioned|talked|spoke|discussed|agreed|promised|planned|decided)"
    r"|you know about me|about me|know me)\b"
)
_SELF = r".{0,80}?\b(?:my|mine|our|ours|i|we)\b"
_PERSONAL = re.compile(
    r"\b(?:did|have|had|was|were|am|do|are) (?:i|we)\b"
    r"|\b(?:what|what's|when|where|where's|which|who|who's|whom|whose|is|are|was|were|does|did|do|has"
    rf"|have|had)\b{_SELF}"
    rf"|\bhow (?:often|many|much|long|old|far|did|is|are|was|were)\b{_SELF}"
)
_GENERIC = re.compile(
    r"\bhow (?:do|can|could|would|should|to) (?:i|we)\b|\b(?:can|could|may|shall|should) (?:i|we)\b"
)


def unquoted(text: str) -> str:
    """Return `text` in one case and one kind of apostrophe, without code and without what it quotes."""
    return normal(_QUOTED.sub(" ", text).replace("\u2019", "'"))


def structural_confidence(text: str) -> float:
    """Return how sure an answer sounds, 0 to 1, by its form alone.

    `0.9 · (1 - 0.6 h) (1 - 0.4 (1 - 2^-c)) (1 - 0.5 q) (1 - 0.2 l)`: h is the number of hedges by sentence, at most
    1; c the number of times that the answer corrects itself; q the share of its sentences that ask, where one
    question at the end of an answer is an offer and does not count; l how far it is too long, on a logarithmic
    scale. To say that one does not know is no hedge. No words: 0.

    Source: v4 plan, 2.11 (hedging, self-correction, question rate, length anomaly); the weights are ours.
    """
    words = len(_WORDS.findall(text))
    if not words:
        return 0.0
    spoken = unquoted(text)
    ends = [found["end"] for found in _SENTENCE.finditer(_QUOTED.sub("it", text))] or [""]
    body = ends[:-1] or ends
    asked = sum(bool(_ASKED.search(end)) for end in body) / len(body)
    hedging = min(1.0, len(_HEDGES.findall(spoken)) / len(ends))
    correcting = 1.0 - 0.5 ** len(_CORRECTIONS.findall(spoken))
    length = min(1.0, max(0.0, math.log(words / LONG) / math.log(TOO_LONG / LONG)))
    return (
        CEILING
        * (1.0 - _HEDGING * hedging)
        * (1.0 - _SELF_CORRECTION * correcting)
        * (1.0 - _QUESTIONS * asked)
        * (1.0 - _LENGTH * length)
    )


def objective_confidence(text: str, logprob: float | None) -> float:
    """Return the confidence that nobody claims, 0 to 1: the mean token's probability, else the text's form.

    Args:
        text: The answer.
        logprob: Mean natural log probability of its tokens; None where the provider tells none.
    """
    if logprob is None or math.isnan(logprob):
        return structural_confidence(text)
    return math.exp(min(0.0, logprob))


@dataclass(frozen=True, slots=True, kw_only=True)
class FOK:
    """A feeling of knowing: whether the answer is in memory, felt before it is given."""

    value: float
    """0 to 1."""

    @property
    def verdict(self) -> Literal["known", "uncertain", "unknown"]:
        """The feeling in a word."""
        if self.value >= KNOWN:
            return "known"
        return "unknown" if self.value < UNKNOWN else "uncertain"


def feeling_of_knowing(hits: Sequence[Hit]) -> FOK:
    """Return the feeling of knowing that a recall's hits give; no model is asked.

    Cue familiarity: `1 - (1 - s) (1 - 0.3 a)` with s the strength of the nearest hit, which rises from 0 at a cosine
    of 0.2 to 1 at 0.6, and a the mean strength of the two behind it. Earlier copies of the question are no answers:
    leave them out. Hits found by words alone have no cosine and give 0.5.

    Args:
        hits: What may answer, in any order.
    """
    cosines = sorted((hit.similarity for hit in hits if hit.similarity is not None), reverse=True)
    if not cosines:
        return FOK(value=0.5 if hits else 0.0)
    best, *others = (_strength(cosine) for cosine in cosines[: 1 + SUPPORTING])
    return FOK(value=1.0 - (1.0 - best) * (1.0 - AGREEMENT * sum(others) / SUPPORTING))


def _strength(cosine: float) -> float:
    return min(1.0, max(0.0, (cosine - UNRELATED) / (DIRECT - UNRELATED)))


def needs_memory(text: str) -> bool:
    """Say whether a message can only be answered from what was said before.

    That is a question about the person, about both, or about an earlier talk. A greeting, a statement, arithmetic,
    small talk and what is known everywhere need none; neither does how one does something.
    """
    questions = [each for each in _BREAK.split(unquoted(text)) if asks(each)]
    return any(
        _RECALLING.search(each) or (_PERSONAL.search(each) and not _GENERIC.search(each))
        for each in questions
    )


def felt_knowing(text: str, hits: Sequence[Hit]) -> FOK | None:
    """Return the feeling of knowing at a message, or None where there is nothing to feel.

    What comes to mind is a feeling at any message; that nothing does is one only where memory is needed.

    Args:
        text: The message.
        hits: What may answer it, see `feeling_of_knowing`.
    """
    feeling = feeling_of_knowing(hits)
    return feeling if feeling.verdict != "unknown" or needs_memory(text) else None


def abstains(answer: str) -> bool:
    """Say whether an answer begins by saying that it does not know, and leaves it at that."""
    sentence = re.split(r"[.!?\n]", unquoted(answer), maxsplit=1)[0]
    return bool(_ABSTAINS.search(sentence)) and _GOES_ON.search(sentence) is None


def composite(objective: float, fok: float | None, verbalized: float | None) -> float:
    """Return the composite confidence, 0 to 1: the mean of what is there, weighted 0.5, 0.35 and 0.15.

    Args:
        objective: See `objective_confidence`.
        fok: The feeling of knowing; None where there is none.
        verbalized: What a model says of the answer; None where it was not asked or gave no number.
    """
    parts = [(OBJECTIVE, objective), (FEELING, fok), (VERBALIZED, verbalized)]
    there = [(weight, value) for weight, value in parts if value is not None]
    return sum(weight * value for weight, value in there) / sum(weight for weight, _ in there)


class Verbalized(BaseModel):
    """A model's own word on how likely an answer is right."""

    confidence: float = Field(ge=0.0, le=1.0, description="Probability that the answer is right.")


def verbalized_confidence(
    model: ChatModel, question: str, answer: str, *, max_tokens: int = JUDGED_TOKENS
) -> float | None:
    """Return what a model says of an answer that it need not know to be its own, 0 to 1; None if nothing usable.

    The call is isolated: no history, no identity, and nothing of it is kept but the number (v4 plan, 2.11).
    """
    outcome = ask(
        model,
        prompts.fill("confidence"),
        sections(question=question, answer=answer),
        Verbalized,
        max_tokens=max_tokens,
    )
    return outcome.value.confidence if isinstance(outcome, Parsed) else None


def sections(**texts: str) -> str:
    """Return texts as the fenced sections of an isolated prompt, each made inert under its name."""
    return "\n\n".join(
        f"<{name}>\n{inert(text, LONGEST_SECTION)}\n</{name}>" for name, text in texts.items() if text.strip()
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Confidence:
    """How sure an answer is, and what that is made of."""

    value: float
    """The composite, 0 to 1."""
    objective: float
    fok: float | None
    """Feeling of knowing, as far as it speaks for the answer; None where there is none."""
    verbalized: float | None
    asked: bool
    """Whether the isolated call was made."""
    threshold: float
    """What the value has to reach."""

    @property
    def enough(self) -> bool:
        """Whether the answer may be given as it is."""
        return self.value >= self.threshold

    def __str__(self) -> str:
        """Return value and threshold, e.g. `0.31 of 0.45`."""
        return f"{self.value:.2f} of {self.threshold:.2f}"


def assess(
    model: ChatModel | None,
    *,
    question: str,
    answer: str,
    fok: FOK | None,
    logprob: float | None,
    threshold: float,
    max_tokens: int = JUDGED_TOKENS,
) -> Confidence:
    """Return how sure an answer is.

    A model is asked only where its word could change whether the threshold is reached: where the composite lies
    below with the word 0, and reaches it with the word 1. An answer that says "I do not know" is as sure as memory
    is empty: the feeling of knowing counts against it.

    Args:
        model: Who is asked, in isolation; None: nobody.
        question: What was answered.
        answer: The answer.
        fok: See `felt_knowing`.
        logprob: See `objective_confidence`.
        threshold: What the composite has to reach, see `engram.loop.escalation.required`.
        max_tokens: The longest answer of the isolated call.
    """
    objective = objective_confidence(answer, logprob)
    feeling = None if fok is None else (1.0 - fok.value if abstains(answer) else fok.value)
    open_still = composite(objective, feeling, 0.0) < threshold <= composite(objective, feeling, 1.0)
    said: float | None = None
    if open_still and model is not None:
        said = verbalized_confidence(model, question, answer, max_tokens=max_tokens)
    return Confidence(
        value=composite(objective, feeling, said),
        objective=objective,
        fok=feeling,
        verbalized=said,
        asked=open_still and model is not None,
        threshold=threshold,
    )
