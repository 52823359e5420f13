"""The answer without a model: memories that bear on what was said, word for word."""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engram.embedding.protocol import Embedder, Task
from engram.loop.window import Said
from engram.questions import is_question
from engram.records import Hit, Kind
from engram.text import inert, normal, short, single_line

RELATED = 0.3
"""Cosine above which a memory without a word in common still counts as an answer.

With all-MiniLM-L6-v2, unrelated sentences lie mostly under 0.2, indirect answers from about 0.3.
"""

NO_MODEL = (
    "There is no language model, so I answer by quoting what I remember. "
    "Set ENGRAM_GEMINI_API_KEY or ENGRAM_ANTHROPIC_API_KEY to have a conversation."
)
FALLBACK = "Without the model I quote what I remember."
NOTHING = "I remember nothing about that."
NOTED = "Noted."


def fresh(hits: Sequence[Hit], said: Sequence[Said]) -> tuple[Hit, ...]:
    """Return the hits that the conversation at hand does not hold already, word for word or by id."""
    ids = {one.memory for one in said}
    texts = {normal(one.text) for one in said}
    return tuple(hit for hit in hits if hit.memory.id not in ids and normal(hit.memory.content) not in texts)


def answers(hits: Sequence[Hit], asked: str, *, user: str) -> tuple[Hit, ...]:
    """Return the hits that can answer: not what `user` only asked, nor what says just what is `asked`."""
    same = _bare(asked)
    return ranked(
        [
            hit
            for hit in hits
            if _bare(hit.memory.content) != same
            and not (
                hit.memory.kind is Kind.EPISODIC
                and hit.memory.speaker == user
                and is_question(hit.memory.content)
            )
        ]
    )


def ranked(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Return the hits numbered from 1 as they stand."""
    return tuple(replace(hit, rank=rank) for rank, hit in enumerate(hits, start=1))


def _bare(text: str) -> str:
    return normal(text).rstrip("?!. ")


def quote(hits: Sequence[Hit]) -> str:
    """Return memories as an answer: date, who said it, the words, the id."""
    if not hits:
        return NOTHING
    lines = [
        f"  {hit.memory.event_at:%Y-%m-%d}, {who(hit.memory.speaker)}: “{single_line(hit.memory.content)}”"
        f"  [{short(hit.memory.id)}]"
        for hit in hits
    ]
    return "\n".join(["I remember:", *lines])


def related(text: str, hits: Sequence[Hit], embedder: Embedder) -> tuple[Hit, ...]:
    """Return the hits that bear on `text`: a word in common, or near in meaning.

    A search always finds the nearest; without a model to judge, the far ones must not be quoted.
    """
    if not hits:
        return ()
    asked = words(text)
    vectors = embedder.embed([text, *(hit.memory.content for hit in hits)], Task.SIMILARITY)
    near = np.asarray(vectors[1:] @ vectors[0]) >= RELATED
    return tuple(
        hit for hit, close in zip(hits, near, strict=True) if close or asked & words(hit.memory.content)
    )


# Sharing one of these says nothing. English only; other languages rely on the vectors.
_COMMON_WORDS = """
about after all and any are but can could did does for from had has have her him his how into its just like may
more most much not now off once one only our out over said say she should some such tell than that the their them
then there these they this those too under until very was were what when where which while who whom why will with
would you your remember know think going get got let user assistant yes
"""
_COMMON = frozenset(_COMMON_WORDS.split())


def words(text: str) -> frozenset[str]:
    """Return the words of `text` that say what it is about, without plural and possessive endings."""
    found = re.findall(r"[^\W_]{3,}", normal(text))
    return frozenset(re.sub(r"(?<=..[^s])s$", "", word) for word in found if word not in _COMMON)


def who(speaker: str | None) -> str:
    """Return a speaker's name for one line of text."""
    return inert(speaker) if speaker else "noted"
