"""Conversations with questions, in LoCoMo's form, and the metric they are scored by.

A file is a list of conversations: {id, turns: [{id, session, at, speaker, text, caption}], questions:
[{question, category, evidence: [turn id, ...]}]}. recall@k is the share of a question's evidence turns among
the first k that came back, averaged over questions.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from pathlib import Path
from statistics import fmean
from typing import Any

from engram.records import Turn

DEPTHS = (5, 10, 20)
MULTI_HOP = 1
"""The category of questions whose answer lies in several turns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question and the ids of the turns that answer it."""

    text: str
    category: int
    evidence: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A conversation and what is asked about it."""

    id: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]

    @property
    def sessions(self) -> list[list[Turn]]:
        """The turns of each session, in order."""
        return [list(turns) for _, turns in groupby(self.turns, key=lambda turn: turn.session)]


def load(path: Path) -> list[Conversation]:
    """Return the conversations of a file."""
    return parse(json.loads(path.read_text(encoding="utf-8")))


def parse(data: Iterable[Mapping[str, Any]]) -> list[Conversation]:
    """Return the conversations of a file's data."""
    return [
        Conversation(
            id=each["id"],
            turns=tuple(
                Turn(
                    id=turn["id"],
                    session=str(turn["session"]),
                    at=datetime.fromisoformat(turn["at"]),
                    speaker=turn["speaker"],
                    text=turn["text"],
                    caption=turn.get("caption"),
                )
                for turn in each["turns"]
            ),
            questions=tuple(
                Question(
                    text=question["question"],
                    category=question["category"],
                    evidence=frozenset(question["evidence"]),
                )
                for question in each["questions"]
            ),
        )
        for each in data
    ]


METRICS = (*(f"recall@{depth}" for depth in DEPTHS), "multi-hop @10", "MRR")


def share_found(retrieved: Sequence[str], evidence: frozenset[str], depth: int) -> float:
    """Return the share of the evidence among the first `depth` different turns."""
    return len(evidence.intersection(list(dict.fromkeys(retrieved))[:depth])) / len(evidence)


def reciprocal_rank(retrieved: Sequence[str], evidence: frozenset[str]) -> float:
    """Return 1 / rank of the first turn that is evidence, 0 without one."""
    return next((1 / rank for rank, turn in enumerate(retrieved, start=1) if turn in evidence), 0.0)


def scores(
    conversations: Iterable[Conversation], retrieved: Mapping[tuple[str, int], Sequence[str]]
) -> dict[str, float]:
    """Return recall@5, @10, @20, multi-hop recall@10 and MRR; a question without an answer found nothing."""
    asked = [
        (question, retrieved.get((conversation.id, index), ()))
        for conversation in conversations
        for index, question in enumerate(conversation.questions)
    ]
    multi = [
        share_found(turns, question.evidence, 10)
        for question, turns in asked
        if question.category == MULTI_HOP
    ]
    return {
        **{
            f"recall@{depth}": fmean(
                share_found(turns, question.evidence, depth) for question, turns in asked
            )
            for depth in DEPTHS
        },
        "multi-hop @10": fmean(multi) if multi else float("nan"),
        "MRR": fmean(reciprocal_rank(turns, question.evidence) for question, turns in asked),
    }
