"""Rewriting: how a memory is told and found, once it is known what it belongs to. What it says stays as said.

A line was made when a memory was, of one conversation. In a cluster it can be made so that it is understood wherever the
subject comes up. A preamble says who spoke, when and what about, before the context that is embedded and indexed.

A preamble is made of the memory itself, and of nothing that was said around it: what is erased must not live on in
what others are found by.

Source: v4 plan, 4.2 (compressed fields) and 4.6 (contextual retrieval).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from string import ascii_uppercase

import numpy as np
from pydantic import BaseModel, Field

from engram.beliefs.adapting.guidelines import Guidelines
from engram.beliefs.dreaming.asking import Asker
from engram.beliefs.dreaming.central import Embed, nearest
from engram.beliefs.dreaming.insights import By
from engram.beliefs.dreaming.material import LONGEST_SHOWN
from engram.beliefs.dreaming.yields import Dropped
from engram.loop.compression import one_line
from engram.loop.fencing import LONGEST_NAME, section
from engram.loop.words import content_words, new_facts, sentences
from engram.text import inert, printable

LONGEST_PREAMBLE = 160
"""Characters."""
COMPANY = 5
"""Other members of a cluster that a model is shown."""
_LONGEST_READ = 20_000
"""Characters of a text that are read for its line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lined:
    """A memory with its line, and what it belongs to: a row of `believe/dream_list_lines`."""

    id: str
    content: str
    compressed: str
    version: int
    cluster: str
    label: str | None
    centroid: Sequence[float] | None
    company: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A memory without a preamble: a row of `believe/dream_list_contexts`."""

    id: str
    kind: str
    content: str
    contextualized: str
    speaker: str | None
    event_at: datetime
    version: int
    session: str | None
    stale: bool = False
    """Whether only its vector is to be made anew."""


@dataclass(frozen=True, slots=True)
class Words:
    """A line or a preamble, and who worded it."""

    text: str
    by: By


class _Line(BaseModel):
    """The line of one note."""

    note: int
    line: str


class _Lines(BaseModel):
    """The shape of the answer."""

    lines: list[_Line] = Field(default_factory=list)


class _Context(BaseModel):
    """The preamble of one note."""

    note: int
    context: str


class _Contexts(BaseModel):
    """The shape of the answer."""

    contexts: list[_Context] = Field(default_factory=list)


def recompress(
    memories: Sequence[Lined], asker: Asker, embed: Embed, guidelines: Guidelines
) -> tuple[Mapping[str, Words], list[Dropped]]:
    """Return new lines, by the memories' ids, all asked about in one call; and what of the answer was dropped.

    A model's line may name nothing that the memory does not, and must have a word of it. Where it does not hold, the
    sentence nearest to the cluster is the line.

    Args:
        memories: What is told anew.
        asker: Asks a model.
        embed: Gives vectors.
        guidelines: How long lines are to be.
    """
    if not memories:
        return {}, []
    advice = inert(guidelines.lines[-1], LONGEST_SHOWN) if guidelines.lines else ""
    answer = asker.ask("recompress", _notes(memories), _Lines, longest=str(guidelines.longest), advice=advice)
    lines: dict[str, Words] = {}
    dropped = []
    for each in answer.lines if answer else []:
        memory = memories[each.note - 1] if 1 <= each.note <= len(memories) else None
        text = one_line(inert(each.line, LONGEST_SHOWN), guidelines.longest)
        if memory is None or memory.id in lines or not _bears_out(memory.content, text):
            dropped.append(Dropped.of(text, "no such memory, or not what it says"))
        else:
            lines[memory.id] = Words(text, "model")
    for memory in memories:
        if memory.id not in lines:
            lines[memory.id] = Words(_nearest_line(memory, embed, guidelines.longest), "words")
    return lines, dropped


def _bears_out(content: str, line: str) -> bool:
    return bool(content_words(line) & content_words(content)) and not new_facts(line, content)


def _notes(memories: Sequence[Lined]) -> str:
    clusters = list(dict.fromkeys(each.cluster for each in memories))
    letters = {cluster: _letter(place) for place, cluster in enumerate(clusters)}
    company = {each.cluster: each for each in reversed(memories)}
    subjects = [f"{letters[each]}. {_subject(company[each])}" for each in clusters]
    notes = [
        f"{number}. [{letters[each.cluster]}] {inert(each.content, 2 * LONGEST_SHOWN)}"
        for number, each in enumerate(memories, start=1)
    ]
    return "\n\n".join((section("subjects", subjects), section("notes", notes)))


def _subject(memory: Lined) -> str:
    known = " | ".join(inert(each, LONGEST_SHOWN // 2) for each in memory.company[:COMPANY])
    return f"{inert(memory.label or 'unnamed')}: {known}"


def _letter(place: int) -> str:
    round_, letter = divmod(place, len(ascii_uppercase))
    return ascii_uppercase[letter] + (str(round_) if round_ else "")


def _nearest_line(memory: Lined, embed: Embed, longest: int) -> str:
    """Return the sentence that is nearest to the cluster; the line that it has, where none fits."""
    fitting = [each for each in sentences(printable(memory.content[:_LONGEST_READ])) if len(each) <= longest]
    if not fitting or memory.centroid is None:
        return memory.compressed
    place = nearest(embed(fitting), np.asarray(memory.centroid, dtype=np.float64))
    return one_line(fitting[place], longest)


def preambles(memories: Sequence[Placed], asker: Asker, *, plainly: bool) -> dict[str, Words]:
    """Return preambles, by the memories' ids, all asked about in one call.

    Args:
        memories: What lacks one.
        asker: Asks a model.
        plainly: Whether those that no model words get a plain one.
    """
    if not memories:
        return {}
    answer = asker.ask(
        "preamble", section("notes", map(_note, range(1, 1 + len(memories)), memories)), _Contexts
    )
    found: dict[str, Words] = {}
    for each in answer.contexts if answer else []:
        text = one_line(inert(each.context, 4 * LONGEST_PREAMBLE), LONGEST_PREAMBLE)
        if text and 1 <= each.note <= len(memories) and not new_facts(text, _known(memories[each.note - 1])):
            found.setdefault(memories[each.note - 1].id, Words(text, "model"))
    if plainly:
        found = {each.id: found.get(each.id) or Words(plain_preamble(each), "words") for each in memories}
    return found


def plain_preamble(memory: Placed) -> str:
    """Return who said it, where and when."""
    who = inert(memory.speaker, LONGEST_NAME) if memory.speaker else "Somebody"
    where = f" in the conversation {inert(memory.session, LONGEST_NAME)}" if memory.session else ""
    return f"{who}{where} on {memory.event_at:%A}, {memory.event_at.day} {memory.event_at:%B %Y}."


def _note(number: int, memory: Placed) -> str:
    who = inert(memory.speaker, LONGEST_NAME) if memory.speaker else "somebody"
    where = inert(memory.session, LONGEST_NAME) if memory.session else "no conversation"
    when = f"{memory.event_at.day} {memory.event_at:%B %Y}"
    return f"{number}. {where}; {when}; {who}: {inert(memory.content, LONGEST_SHOWN)}"


def _known(memory: Placed) -> str:
    """Return all that a preamble may name."""
    at = memory.event_at
    return f"{memory.content} {memory.speaker} {memory.session} {at:%A} {at.day} {at:%B %Y %Y-%m-%d}"
