"""Questions: what the newest memories ask for.

Source: Park et al. 2023, "Generative Agents", section 4.2: from the 100 newest memories, the three most salient
high-level questions that can be answered about them.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, Field

from engram.beliefs.dreaming.asking import Asker
from engram.beliefs.dreaming.material import Material, lines
from engram.clusters import typical_terms
from engram.loop.fencing import section
from engram.text import inert, normal

LONGEST_QUESTION = 200
FEWEST = 2
"""Memories that must name something before it is asked about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Questions:
    """What is asked."""

    texts: tuple[str, ...]
    plain: bool
    """Whether no model was of use."""


class _Questions(BaseModel):
    """The shape of the answer."""

    questions: list[str] = Field(default_factory=list)


def ask_questions(materials: Sequence[Material], asker: Asker, *, most: int) -> Questions:
    """Return the questions that memories raise, by a model or by what they have most in common.

    Args:
        materials: The newest memories.
        asker: Asks a model.
        most: How many questions at most.
    """
    answer = asker.ask("questions", section("memories", lines(materials)), _Questions, most=str(most))
    texts = _usable(answer.questions if answer else [], most)
    if texts:
        return Questions(texts=texts, plain=False)
    return Questions(texts=plain_questions(materials, most=most), plain=True)


def plain_questions(materials: Sequence[Material], *, most: int) -> tuple[str, ...]:
    """Return questions about what memories belong to, then what they name, then the words that they share.

    Args:
        materials: The newest memories.
        most: How many questions at most.
    """
    subjects = dict.fromkeys([*_labels(materials), *_names(materials), *_terms(materials)])
    return _usable([f"What about {subject}?" for subject in subjects], most)


def _usable(texts: Sequence[str], most: int) -> tuple[str, ...]:
    """Return the questions that are some, each once, as inert lines."""
    found = {normal(line): line for text in reversed(texts) if (line := inert(text, LONGEST_QUESTION))}
    return tuple(reversed(found.values()))[:most]


def _labels(materials: Sequence[Material]) -> Iterator[str]:
    counts = Counter(each.cluster.label for each in materials if each.cluster and each.cluster.label)
    return _common(counts)


def _names(materials: Sequence[Material]) -> Iterator[str]:
    spelled = {key: name for each in materials for key, name in each.named}
    counts = Counter(key for each in materials for key, _ in each.named)
    return (spelled[key] for key in _common(counts))


def _terms(materials: Sequence[Material]) -> list[str]:
    terms = typical_terms((("all", each.content) for each in materials), wanted={"all"})
    return [", ".join(terms["all"])] if terms.get("all") else []


def _common(counts: Counter[str]) -> Iterator[str]:
    ordered = sorted(counts, key=lambda each: (-counts[each], each))
    return (each for each in ordered if counts[each] >= FEWEST)
