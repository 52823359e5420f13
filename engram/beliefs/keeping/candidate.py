"""A fact on its way to becoming a memory: checked, with its subject known by one key, and drafted."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from engram.beliefs.facts import KINDS, Fact, HeldFact
from engram.beliefs.names.resolution import canonical_keys
from engram.context import Said, contextualize
from engram.entities import entity_key
from engram.errors import InvalidInputError
from engram.graph import Graph, Row
from engram.importance import estimated_importance
from engram.records import FOREVER, USER_TAG
from engram.remembering import Draft
from engram.validation import MAX_NAME, check_content, check_fraction, check_name, content_hash

LONG_AGO = datetime(1000, 1, 1, tzinfo=UTC)
"""Since when something held of which only the end is known."""
_ELLIPSIS = " \N{HORIZONTAL ELLIPSIS} "


class Unfit(Exception):  # noqa: N818  (no error: one fact is left out)
    """A fact that cannot become a memory; the message says why."""


class Keys:
    """Which key stands for each key of an entity; asked once for each."""

    def __init__(self, graph: Graph, space: str) -> None:
        self._graph = graph
        self._space = space
        self._known: dict[str, str] = {}

    def meet(self, keys: Iterable[str | None]) -> None:
        """Learn what stands for some keys, all at once."""
        if new := {key for key in keys if key} - self._known.keys():
            self._known |= canonical_keys(self._graph, space=self._space, keys=new)

    def one(self, key: str | None) -> str | None:
        """Return what stands for a key; None for none."""
        return self._known.get(key, key) if key else None

    def all(self, keys: Iterable[str]) -> tuple[str, ...]:
        """Return what stands for some keys, each once, in order."""
        return tuple(sorted({self._known.get(key, key) for key in keys}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A fact that passed its checks."""

    fact: Fact
    draft: Draft
    """The memory that it would be."""
    new: HeldFact
    """It as it is compared with others; it has no id yet."""
    quotes: tuple[Row, ...]
    """Maps {turn, citation}, in the order of turns."""
    names: tuple[Row, ...]
    """Maps {key, name, role}, in the order of keys: who said it, and whom and what it is about."""
    about: tuple[Row, ...]
    """Maps {key, name}, in the order of keys: all that it is about, the subject by its other name too."""

    @property
    def hashed(self) -> str:
        """Its content hash, without episode."""
        return content_hash(self.draft.kind, self.draft.content, self.draft.identity)


def as_candidate(fact: Fact, turns: Mapping[str, Row], keys: Keys, *, limit: int) -> Candidate:
    """Return a fact as a candidate.

    Args:
        fact: What was drawn from turns.
        turns: Those of the turns that are there, by id: maps with `session` and `source_tag`.
        keys: Which know those of the fact.
        limit: Most bytes of content.

    Raises:
        Unfit: It is blank or too long, nobody but the agent said it, or its turns are gone.
    """
    there = [quote for quote in fact.quotes if quote.turn in turns]
    if not there:
        raise Unfit("its turns are gone")
    said = [quote for quote in there if turns[quote.turn]["source_tag"] in {None, USER_TAG}]
    if not said or fact.source_tag != USER_TAG:
        raise Unfit("the agent's own words are no evidence")
    try:
        draft = _draft(fact, session=turns[said[0].turn]["session"], keys=keys, limit=limit)
    except InvalidInputError as error:
        raise Unfit(error.message) from error
    citations: dict[str, list[str]] = {}
    for quote in said:
        citations.setdefault(quote.turn, []).append(quote.text)
    about = {key: name for name in draft.names or () if (key := entity_key(name))}
    roles = dict.fromkeys(about, "named") | {entity_key(fact.speaker): "speaker"}
    subject = draft.more["subject"]
    return Candidate(
        fact=fact,
        draft=draft,
        new=_compared(draft, entities=keys.all(about)),
        quotes=tuple(
            {"turn": turn, "citation": _ELLIPSIS.join(dict.fromkeys(texts))}
            for turn, texts in sorted(citations.items())
        ),
        names=tuple(
            {"key": key, "name": about.get(key, fact.speaker), "role": role}
            for key, role in sorted(roles.items())
            if key
        ),
        about=tuple(
            {"key": key, "name": name}
            for key, name in sorted((about | ({subject: fact.subject} if subject else {})).items())
        ),
    )


def _draft(fact: Fact, *, session: str | None, keys: Keys, limit: int) -> Draft:
    """Return the memory that a fact would be.

    Raises:
        InvalidInputError: Something of it is not usable.
    """
    content = check_content(fact.content, limit=limit)
    speaker = check_name(fact.speaker, "The speaker")
    start, end = _interval(fact)
    subject = keys.one(fact.subject_key)
    return Draft(
        content=content,
        # Who said it is no part of what it means: others may say the same.
        contextualized=contextualize([Said(text=content, speaker=None, at=fact.at)], 0),
        kind=KINDS[fact.category],
        source=f"fact:{session or subject or speaker}"[:MAX_NAME],
        identity=f"fact:{subject or ''}",
        source_tag=fact.source_tag,
        speaker=speaker,
        category=fact.category.value,
        importance=estimated_importance(content),
        event_at=fact.at,
        known_at=fact.at,
        valid_from=start,
        valid_to=end,
        reopen=True,
        source_confidence=check_fraction(fact.confidence, "The confidence"),
        names=tuple(check_name(name, "A name") for name in (fact.subject, *fact.entities) if name),
        more={
            "subject": subject,
            "slot": check_name(fact.slot, "The slot") if fact.slot else None,
            "value": check_content(fact.value, limit=limit) if fact.value else None,
            "single": fact.single,
            "negated": fact.negated,
            "last_seen_at": fact.at,
            "memory_kind": fact.memory_kind and fact.memory_kind.value,
        },
    )


def _interval(fact: Fact) -> tuple[datetime, datetime]:
    """Return since when and until when a fact holds.

    Raises:
        InvalidInputError: It ends before it begins.
    """
    end = fact.valid_to or FOREVER
    start = fact.valid_from or (fact.at if fact.at < end else LONG_AGO)
    if end <= start:
        raise InvalidInputError("It ends before it begins.")
    return start, end


def _compared(draft: Draft, *, entities: tuple[str, ...]) -> HeldFact:
    """Return a fact that is no memory yet as it is compared with others."""
    return HeldFact(
        id="",
        content=draft.content,
        category=draft.category,
        speaker=draft.speaker,
        source_tag=draft.source_tag,
        status="active",
        immutable=False,
        event_at=draft.event_at,
        valid_from=draft.valid_from,
        valid_to=draft.valid_to,
        entities=entities,
        **{name: draft.more[name] for name in ("subject", "slot", "value", "single", "negated")},
    )
