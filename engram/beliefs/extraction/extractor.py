"""Extraction: typed facts from turns, by one isolated call of a model or by patterns.

A model's answer proves itself item by item: it may name only turns that it was given, and has to quote what stands in
them. What cannot prove itself is dropped, with a reason, and nothing else with it. Where there is no usable answer,
patterns find what they can (`engram.beliefs.extraction.plain`), and the result says so.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, SkipValidation, ValidationError

from engram import prompts
from engram.beliefs.extraction.plain import plain_facts
from engram.beliefs.extraction.slots import find_slot, listed_slots
from engram.beliefs.extraction.spans import find_span
from engram.beliefs.facts import Category, Fact, Quote, Revision, SourceTurn, slot_key
from engram.beliefs.policy.actions import Action, action_of
from engram.beliefs.policy.kinds import MemoryKind
from engram.entities import MAX_NAMES, entity_key
from engram.errors import BudgetError, InvalidInputError
from engram.llm.base import ChatModel
from engram.llm.structured import Parsed, Unanswered, Unparsed, ask
from engram.loop.fencing import LONGEST_NAME, section
from engram.text import inert, normal
from engram.validation import MAX_NAME

MOST_TURNS = 20
"""Turns of one call."""
MOST_FACTS = 100
"""Items that are read of one answer; no twenty turns hold more."""
LONGEST_TURN = 4_000
"""Characters of a turn that a model is shown."""
LONGEST_CONTENT = 300
"""Characters of a fact."""
LONGEST_SLOT = 80
LONGEST_VALUE = 200
_STORING = {
    Action.STORE_EPISODE: MemoryKind.EPISODE,
    Action.STORE_NOTE: MemoryKind.NOTE,
    Action.UPDATE_NOTE: MemoryKind.NOTE,
}
"""What an item may ask for, and what it becomes by that."""
_SHOWN = 80
"""Characters of a dropped item that are told."""
_TOKENS = 8_192
"""Of an answer about twenty turns; thinking counts."""
_SELF = frozenset({"user", "the user", "speaker", "the speaker", "i", "me", "myself"})
_ABBREVIATIONS = frozenset("mr mrs ms dr prof st jr sr vs no inc ltd co e.g i.e etc".split())  # noqa: SIM905
_LEANING = frozenset(
    "i i'm i've i'd i'll me my mine he she it they we you his her its their our your this that these those there".split()  # noqa: SIM905
)
"""Words that need another sentence: one that begins with them does not stand by itself."""


class _Item(BaseModel):
    """One fact as a model tells it."""

    model_config = ConfigDict(strict=True)

    action: str | None = None
    turn: int
    quote: str
    content: str
    category: Annotated[Category, Field(strict=False)]
    subject: str | None = None
    slot: str | None = None
    value: str | None = None
    single: bool = False
    negated: bool = False
    revision: Revision = "none"
    confidence: float
    valid_from: str | None = None
    valid_to: str | None = None
    entities: list[str] = Field(default_factory=list)


class Extraction(BaseModel):
    """The shape of the answer; its items are looked at one by one, so that one that is bad spoils no other."""

    facts: list[SkipValidation[_Item]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """An item that became no fact."""

    what: str
    """The beginning of it, for people: 80 characters at most."""
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """What was drawn from a batch of turns."""

    facts: tuple[Fact, ...]
    """In the order of their turns."""
    dropped: tuple[Dropped, ...] = ()
    plain: bool
    """Whether patterns drew them and no model."""
    notes: tuple[str, ...] = ()
    """What could not be done as it should, and why."""


class _Unproven(Exception):  # noqa: N818  (no error: an item is left out)
    """Why an item is dropped."""


def extract(
    turns: Sequence[SourceTurn], *, before: Sequence[SourceTurn] = (), model: ChatModel | None
) -> Extracted:
    """Draw facts from turns.

    Args:
        turns: At most `MOST_TURNS`, of one conversation or several, in order of time.
        before: Turns of the same conversations that were said earlier; nothing is drawn from them.
        model: Who is asked; without one, patterns in English find what they can.

    Raises:
        BudgetError: The model's budget is used up; nothing was drawn, and it can be tried again.
        InvalidInputError: There are too many turns.
    """
    if len(turns) > MOST_TURNS:
        raise InvalidInputError(
            f"{len(turns):,} turns are too many at once.", remedy=f"At most {MOST_TURNS}."
        )
    if not turns:
        return Extracted(facts=(), plain=model is None)
    if model is None:
        return _plainly(turns, before)
    system = prompts.fill("extract", slots=listed_slots(), categories=", ".join(Category))
    answer = ask(model, system, _message(turns, before), Extraction, max_tokens=_TOKENS)
    match answer:
        case Parsed(value=found):
            return _checked(found.facts, turns, before)
        case Unparsed(kind=kind):
            return _plainly(turns, before, f"the model's answer could not be used ({kind})")
        case Unanswered(error=BudgetError() as error):
            raise error
        case Unanswered(error=error):
            return _plainly(turns, before, f"the model did not answer ({type(error).__name__})")


def _plainly(turns: Sequence[SourceTurn], before: Sequence[SourceTurn], *why: str) -> Extracted:
    notes = (*why, "by patterns, which know English only and find less than a model")
    return Extracted(facts=tuple(plain_facts(turns, before=before)), plain=True, notes=notes)


def _message(turns: Sequence[SourceTurn], before: Sequence[SourceTurn]) -> str:
    """Return the turns with their numbers, conversation by conversation, each after what was said before it."""
    numbered = sorted(enumerate(turns, start=1), key=lambda each: each[1].session)
    parts: list[str] = []
    for session, group in groupby(numbered, key=lambda each: each[1].session):
        parts.append(section("before", [_line("-", each) for each in before if each.session == session]))
        parts.append(section("turns", [_line(f"{number}.", each) for number, each in group]))
    return "\n\n".join(part for part in parts if part)


def _line(mark: str, turn: SourceTurn) -> str:
    shown = f" (sends a picture: {inert(turn.caption, LONGEST_TURN)})" if turn.caption else ""
    speaker = inert(turn.speaker, LONGEST_NAME)
    return f"{mark} {turn.at:%Y-%m-%d %H:%M} {speaker}: {inert(turn.text, LONGEST_TURN)}{shown}"


def _checked(items: Sequence[Any], turns: Sequence[SourceTurn], before: Sequence[SourceTurn]) -> Extracted:
    """Return those items that prove themselves, and why the others do not."""
    known = _words(turns, before)
    facts: list[tuple[int, Fact]] = []
    dropped: list[Dropped] = []
    said: set[tuple[int, str]] = set()
    for item in items[:MOST_FACTS]:
        try:
            read = _read(item)
            fact = _fact(read, turns, known)
        except _Unproven as why:
            dropped.append(Dropped(what=_shown(item), why=str(why)))
            continue
        key = (read.turn, normal(fact.content))
        if key in said:
            dropped.append(Dropped(what=_shown(item), why="it is there twice"))
        else:
            said.add(key)
            facts.append((read.turn, fact))
    unread, cut = len(items) - MOST_FACTS, sum(len(turn.text) > LONGEST_TURN for turn in turns)
    told = {
        f"{unread:,} further items were not read": unread > 0,
        f"of {cut:,} long turns a model read the first {LONGEST_TURN:,} characters": cut > 0,
    }
    notes = tuple(note for note, holds in told.items() if holds)
    facts.sort(key=lambda each: each[0])
    return Extracted(facts=tuple(fact for _, fact in facts), dropped=tuple(dropped), plain=False, notes=notes)


def _shown(item: object) -> str:
    content = item.get("content") if isinstance(item, dict) else None
    return inert(content, _SHOWN) if isinstance(content, str) else "an item without content"


def _words(turns: Iterable[SourceTurn], before: Iterable[SourceTurn]) -> frozenset[str]:
    """Return the words of everything that was shown: names are made of these."""
    return frozenset(
        word
        for turn in (*turns, *before)
        for word in entity_key(" ".join((turn.speaker, turn.text, turn.caption or ""))).split()
    )


def _read(item: object) -> _Item:
    try:
        return _Item.model_validate(item)
    except (ValidationError, RecursionError) as error:
        found = (
            error.errors(include_url=False, include_context=False, include_input=False)
            if isinstance(error, ValidationError)
            else []
        )
        where = ".".join(map(str, found[0]["loc"])) if found else ""
        raise _Unproven(
            f"it has not the shape of a fact{f' ({inert(where, 40)})' if where else ''}"
        ) from None


def _fact(item: _Item, turns: Sequence[SourceTurn], known: frozenset[str]) -> Fact:
    if not 1 <= item.turn <= len(turns):
        raise _Unproven(f"turn {item.turn} was not given")
    turn = turns[item.turn - 1]
    kind = _kind(item.action)
    span = find_span(turn.text, item.quote)
    if span is None:
        raise _Unproven("its quote does not stand in the turn")
    if not 0.0 <= item.confidence <= 1.0:
        raise _Unproven("its confidence is not between 0 and 1")
    valid_from, valid_to = _date(item.valid_from), _date(item.valid_to)
    if valid_from is not None and valid_to is not None and valid_to <= valid_from:
        raise _Unproven("it ends before it begins")
    subject = _subject(item.subject, turn, known)
    slot, value = _attribute(item, subject)
    listed = find_slot(slot) if slot else None
    return Fact(
        content=_content(item.content),
        category=item.category,
        quotes=(Quote(turn=turn.id, text=span),),
        at=turn.at,
        speaker=turn.speaker,
        source_tag=turn.source_tag,
        subject=subject,
        slot=slot,
        value=value,
        single=slot is not None and (item.single if listed is None else listed.single),
        negated=slot is not None and item.negated,
        revision=item.revision,
        confidence=item.confidence,
        memory_kind=kind,
        valid_from=valid_from,
        valid_to=valid_to,
        entities=tuple(_names(item.entities, known)),
    )


def _kind(action: str | None) -> MemoryKind | None:
    """Return what an item becomes by its action; None where it names none, and its words decide.

    Raises:
        _Unproven: It is to be discarded, which whatever is no action means too.
    """
    if action is None:
        return None
    wanted = action_of(action)
    if wanted not in _STORING:
        raise _Unproven(f"its action comes to {wanted.value}")
    return _STORING[wanted]


def _content(said: str) -> str:
    """Return the sentence of an item.

    Raises:
        _Unproven: It is none, too long, several, or leans on another sentence.
    """
    content = " ".join(said.split())
    if not any(each.isalnum() for each in content):
        raise _Unproven("it says nothing")
    if len(content) > LONGEST_CONTENT:
        raise _Unproven(f"it is longer than {LONGEST_CONTENT} characters")
    if not content.isprintable():
        raise _Unproven("it holds what cannot be printed")
    if sum(1 for _ in _ends(content)):
        raise _Unproven("it is more than one sentence")
    words = content.replace("\u2019", "'").split()
    if words[0].strip(",.:;\"'").casefold() in _LEANING or any(
        word in {"I", "I'm", "I've"} for word in words
    ):
        raise _Unproven("it does not stand by itself")
    return content


def _ends(content: str) -> Iterator[str]:
    """Yield the words within a text that end a sentence."""
    for word, following in zip(content.split(), content.split()[1:], strict=False):
        bare = word.rstrip("\"')\u201d\u2019")
        ends = bare.endswith((".", "!", "?", "\u2026", "\u3002")) and not following[0].islower()
        abbreviated = bare[:-1].casefold() in _ABBREVIATIONS or len(bare) == 2
        if ends and not (bare.endswith(".") and abbreviated):
            yield word


def _date(said: str | None) -> datetime | None:
    if said is None:
        return None
    try:
        time = datetime.fromisoformat(said.strip())
        return (time if time.tzinfo else time.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise _Unproven("a date of it is no ISO 8601 date") from None


def _subject(said: str | None, turn: SourceTurn, known: frozenset[str]) -> str | None:
    """Return whose fact it is; of what people say about themselves, their name."""
    if said is None or not said.strip():
        return None
    name = " ".join(said.split())
    if normal(name) in _SELF or entity_key(name) == entity_key(turn.speaker):
        return turn.speaker
    if not _is_known(name, known):
        raise _Unproven("its subject is named nowhere")
    return name


def _attribute(item: _Item, subject: str | None) -> tuple[str | None, str | None]:
    """Return slot and value of an item; neither where one of them says nothing without the other."""
    slot = slot_key(item.slot or "") if subject else ""
    value = " ".join((item.value or "").split()) or None
    if not slot or len(slot) > LONGEST_SLOT or (value is None and not item.negated):
        return None, None
    if value is not None and len(value) > LONGEST_VALUE:
        return None, None
    return slot, value


def _names(said: Sequence[str], known: frozenset[str]) -> Iterator[str]:
    """Yield the names that were shown, each once."""
    names = {entity_key(name): " ".join(name.split()) for name in reversed(said) if _is_known(name, known)}
    yield from list(reversed(names.values()))[:MAX_NAMES]


def _is_known(name: str, known: frozenset[str]) -> bool:
    words = entity_key(name).split()
    return bool(words) and len(name) <= MAX_NAME and known.issuperset(words)
