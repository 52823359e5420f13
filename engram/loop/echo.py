"""Echoes: what was recalled is never stored again as new, whoever says it back and however it is cut.

Text is taken apart into lines and sentences. What repeats a memory word for word is taken out; what is left decides.
A sentence that adds something to what it repeats stays whole, because a half of it would say something else.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from engram.graph import Graph
from engram.loop.words import COMMON, content_words, is_fact, is_negation, sentences, spoken, tokens
from engram.questions import is_question
from engram.text import normal

FEWEST_WORDS = 3
"""Words that say something, below which what is left of an echo is none of its own."""
_SHORTEST_REPEATED = 3
"""Words of the shortest sentence of a memory that is looked for inside a longer one."""
_MOST_RECALLED = 500
"""Memories of earlier conversations that are held against what was said; those used last."""

# As the prompts print a memory: [1a2b3c4d] 2026-01-02 Ada: ...
_FENCED = re.compile(
    r"\[(?P<id>[0-9a-f]{8})\]\s{1,8}\d{4}-\d\d-\d\d\s{1,8}[^:\n]{1,80}:\s?(?P<body>.*)", re.IGNORECASE
)
# As it is quoted without a model: 2026-01-02, Ada: "..."  [1a2b3c4d]
_QUOTED = re.compile(
    r"\d{4}-\d\d-\d\d,\s[^:\n]{1,80}:\s[\u201c\"](?P<body>.{0,4000})[\u201d\"]\s{0,8}\[(?P<id>[0-9a-f]{8})\]",
    re.IGNORECASE,
)
# Where another one begins on the same line: the text was re-joined.
_BETWEEN = re.compile(
    r"\s+(?=\[[0-9a-f]{8}\]\s{1,8}\d{4}-\d\d-\d\d\s{1,8}[^:\n]{1,80}:)"
    r"|(?<=\[[0-9a-f]{8}\])\s+(?=\d{4}-\d\d-\d\d,\s)",
    re.IGNORECASE,
)
_PRINTED_ID = 8
"""Characters of an id in a printed line."""
_FRAME = re.compile(r"\s*(?:</?memories>|I remember:|\(none\))\s*$", re.IGNORECASE)

DOUBTS = frozenset(
    """
    if unless maybe perhaps probably thinks believes says claims hopes wants wanted would wish pretend pretended
    dreamed dreamt almost nearly until wrong false untrue doubt
    """.split()  # noqa: SIM905
)
"""Words that make what stands beside them no plain statement."""
_TURNS = frozenset("now but instead since changed wrong longer false untrue".split())  # noqa: SIM905
"""Words by which even a short addition says something new."""

_NODS = frozenset("yes yeah yep ok okay right correct exactly so well thanks then and".split())  # noqa: SIM905
"""Words before and after a sentence that only take it in, or ask whether it is so."""


def recalled_in(graph: Graph, *, space: str, sessions: Sequence[str]) -> dict[str, str]:
    """Return what was recalled in other conversations, by id, that used last coming last.

    It is known of what answered a person. What stood in a prompt as identity, and what a process recalled and could
    not write down before it died, only the process itself knew.

    Args:
        graph: Where it was written down.
        space: Whose.
        sessions: Names of those conversations.

    Raises:
        DatabaseError: It cannot be read.
    """
    if not sessions:
        return {}
    rows = graph.read(
        "inspect/list_recalled", space=space, sessions=sorted(set(sessions)), limit=_MOST_RECALLED
    )
    return {row["id"]: told(row["content"], row["compressed"]) for row in reversed(rows)}


def printed_in(graph: Graph, texts: Sequence[str], *, space: str, known: Mapping[str, str]) -> dict[str, str]:
    """Return the memories that stand in texts as Engram prints them, by id, whoever printed them and when.

    Args:
        graph: Where they are.
        texts: What was said.
        space: Whose.
        known: Memories that need no looking up, by id.

    Raises:
        DatabaseError: They cannot be read.
    """
    printed = {
        found["id"].lower() for text in texts for form in (_FENCED, _QUOTED) for found in form.finditer(text)
    }
    unknown = printed - {each[:_PRINTED_ID] for each in known}
    if not unknown:
        return {}
    rows = graph.read("inspect/find_printed", space=space, prefixes=sorted(unknown)[:_MOST_RECALLED])
    return {row["id"]: told(row["content"], row["compressed"]) for row in rows}


def told(content: str, compressed: str | None) -> str:
    """Return all words in which a memory may have been told."""
    return content if not compressed or compressed == content else f"{content}\n{compressed}"


@dataclass(frozen=True, slots=True)
class Remainder:
    """What is left of a text."""

    text: str
    """Empty where all of it was an echo."""
    ids: tuple[str, ...]
    """The memories that it repeated, in the order in which it did."""


def strip_recalled(text: str, recalled: Mapping[str, str]) -> Remainder:
    """Return what a text says beyond what was recalled.

    Args:
        text: What was said.
        recalled: By memory id, the content of everything recalled where it was said.
    """
    memories = [_read(key, content) for key, content in recalled.items()]
    said = normal(text)
    if exact := next((each.id for each in memories if said and said == each.normal), None):
        return Remainder("", (exact,))
    if joined := _joined_wholes(said, memories):
        return Remainder("", joined)
    units = _units(text, memories)
    _match(units, memories)
    if not any(unit.echoes for unit in units):
        return Remainder(text, ())
    ids = tuple(dict.fromkeys(key for unit in units for key in unit.echoes))
    kept = [unit for unit in units if not unit.gone and unit.tokens]
    left = " ".join(unit.text for unit in kept)
    if len(content_words(left)) >= FEWEST_WORDS:
        return Remainder(_joined(kept), ids)
    if any(
        is_negation(token) or token in _TURNS or token.isdigit() for unit in kept for token in unit.tokens
    ):
        # "Not any more." means nothing without what it answers.
        return Remainder(text, ())
    return Remainder("", ids)


def _joined_wholes(said: str, memories: Sequence["_Memory"]) -> tuple[str, ...]:
    """Return the memories that a text is joined of, whole and in any order; none where it says anything beside them.

    Without a full stop between them they are one sentence, so they are looked for before sentences are.
    """
    left = f" {' '.join(tokens(said))} "
    found: list[str] = []
    for memory in sorted(memories, key=lambda each: -len(each.tokens)):
        if len(memory.tokens) >= FEWEST_WORDS and memory.spaced in left:
            found.append(memory.id)
            # Two in a row share the space between them.
            while memory.spaced in left:
                left = left.replace(memory.spaced, "  ")
    rest = left.split()
    turned = any(is_negation(token) or token in _TURNS or token.isdigit() for token in rest)
    return () if turned or content_words(" ".join(rest)) else tuple(found)


@dataclass(slots=True)
class _Memory:
    """One recalled content, ready to be looked for."""

    id: str
    normal: str
    tokens: list[str]
    ends: list[int]
    """Where each sentence ends, as a number of tokens."""
    questions: set[int]
    """Tokens of sentences that ask."""
    spaced: str
    """The tokens with a space around each."""
    parts: list[str]
    """Its sentences, and itself, in the same form."""

    def find(self, spaced: str) -> list[tuple[int, int]]:
        """Return from which token to which this holds a run of tokens, for each time that it does."""
        found = []
        at = self.spaced.find(spaced)
        while at >= 0:
            first = self.spaced.count(" ", 0, at + 1) - 1
            found.append((first, first + spaced.count(" ") - 1))
            at = self.spaced.find(spaced, at + 1)
        return found

    def around(self, first: int, last: int) -> set[int]:
        """Return the tokens beside that run that turn around what it says: a negation, a doubt, a question."""
        start = max((end for end in self.ends if end <= first), default=0)
        stop = min((end for end in self.ends if end >= last), default=len(self.tokens))
        outside = [*range(start, first), *range(last, stop)]
        return {
            at
            for at in outside
            if is_negation(self.tokens[at]) or self.tokens[at] in DOUBTS or at in self.questions
        }


@lru_cache(maxsize=2_048)
def _read(key: str, content: str) -> _Memory:
    """Return a memory taken apart; nobody changes it: many texts are held against the same ones."""
    every: list[str] = []
    by_sentence: list[list[str]] = []
    ends: list[int] = []
    questions: set[int] = set()
    for each in sentences(content):
        if found := tokens(each):
            by_sentence.append(found)
            every.extend(found)
            ends.append(len(every))
            if is_question(each):
                questions.update(range(len(every) - len(found), len(every)))
    parts = {_spaced(each) for each in [every, *by_sentence] if len(each) >= _SHORTEST_REPEATED}
    longest_first = sorted(parts, key=len, reverse=True)
    return _Memory(key, normal(content), every, ends, questions, _spaced(every), longest_first)


@dataclass(slots=True)
class _Unit:
    """One sentence of what was said."""

    text: str
    line: int
    tokens: list[str]
    told: list[str]
    """The tokens without what only introduces them."""
    gone: bool = False
    echoes: list[str] = field(default_factory=list)


def _units(text: str, memories: Sequence[_Memory]) -> list[_Unit]:
    units: list[_Unit] = []

    def add(part: str) -> None:
        for each in sentences(part):
            intro, _, rest = each.partition(": ")
            # "You said: ..." is what comes behind it.
            told = rest if rest and all(token in COMMON for token in tokens(intro)) else each
            units.append(_Unit(each, number, tokens(each), tokens(told)))

    lines = (piece for line in text.splitlines() for piece in _BETWEEN.split(line))
    for number, line in enumerate(lines):
        if (printed := _printed(line, memories)) is not None:
            for part in (line[: printed.start()], printed["body"], line[printed.end() :]):
                add(part)
        elif _FRAME.match(line):
            units.append(_Unit("", number, [], [], gone=True))
        else:
            add(line)
    return units


def _printed(line: str, memories: Sequence[_Memory]) -> re.Match[str] | None:
    """Return where a line prints a recalled memory as Engram does; anybody's log may look the same."""
    printed = _FENCED.search(line) or _QUOTED.search(line)
    if printed is None or any(memory.id.startswith(printed["id"].lower()) for memory in memories):
        return printed
    words = tokens(printed["body"])
    body = _Unit(printed["body"], 0, words, words)
    told = len(body.tokens) >= _SHORTEST_REPEATED and any(_find(body, memory) for memory in memories)
    return printed if told else None


def _match(units: Sequence[_Unit], memories: Sequence[_Memory]) -> None:
    """Mark the units that are echoes."""
    covered: dict[str, set[int]] = {memory.id: set() for memory in memories}
    runs: list[tuple[_Unit, _Memory, int, int]] = []
    for unit in units:
        if not unit.tokens:
            continue
        for memory in memories:
            for found in _find(unit, memory):
                runs.append((unit, memory, *found))
                covered[memory.id].update(range(*found))
    # Half of a sentence may say the opposite of the whole one: only beside the other half it is an echo.
    for unit, memory, first, last in runs:
        if memory.around(first, last) <= covered[memory.id]:
            unit.gone = True
            unit.echoes.append(memory.id)
    for unit in units:
        if not unit.gone and unit.tokens:
            _match_contained(unit, memories)


def _find(unit: _Unit, memory: _Memory) -> list[tuple[int, int]]:
    """Return where a unit stands in a memory: all of it, or without what only asks or nods, or is cut off."""
    words = unit.told[:-1] if unit.text.endswith("\u2026") else unit.told
    while words and words[0] in _NODS:
        words = words[1:]
    while words and words[-1] in _NODS:
        words = words[:-1]
    # A memory may begin with what looks like an introduction, so the whole comes first.
    forms = (memory.find(_spaced(form)) for form in (unit.tokens, unit.told, words) if form)
    return next((found for found in forms if found), [])


def _match_contained(unit: _Unit, memories: Sequence[_Memory]) -> None:
    """Mark a unit that holds whole sentences of memories and little else."""
    left = _spaced(unit.tokens)
    ids = []
    for memory in memories:
        before = left
        for part in memory.parts:
            # The bar keeps the words before and after from becoming a sentence.
            left = left.replace(part, " | ")
        if left != before:
            ids.append(memory.id)
    if not ids:
        return
    rest = left.replace("|", " ").split()
    names = {word.casefold() for word in spoken(unit.text)[1:] if is_fact(word)}
    turned = any(is_negation(token) or token in _TURNS or token in names for token in rest)
    if not turned and len(content_words(" ".join(rest))) < FEWEST_WORDS:
        unit.gone = True
        unit.echoes.extend(ids)


def _spaced(words: Sequence[str]) -> str:
    return f" {' '.join(words)} "


def _joined(units: Sequence[_Unit]) -> str:
    lines: dict[int, list[str]] = {}
    for unit in units:
        lines.setdefault(unit.line, []).append(unit.text)
    return "\n".join(" ".join(each) for each in lines.values())
