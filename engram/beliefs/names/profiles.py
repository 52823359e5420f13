"""Profiles: all that is known of somebody or something under whatever name, and a short summary that cites.

A summary is kept with the entity. Where a model writes it, it cites the facts that it was shown, and an invented citation
drops it; without one, or then, it is the best evidenced facts, word for word. What it cites must still hold when it is
shown; else the facts of the moment stand in for it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from pydantic import BaseModel

from engram import prompts
from engram.beliefs.facts import Category
from engram.beliefs.names.merging import find_key
from engram.beliefs.names.resolution import canonical_keys
from engram.graph import Graph, Row
from engram.llm.base import ChatModel
from engram.llm.structured import Parsed, ask
from engram.loop.fencing import LONGEST_NAME, section
from engram.records import FOREVER
from engram.text import inert, single_line

READ = 2_000
"""Mentions of each name that a profile looks at."""
FACTS = 200
"""Facts of a profile, the best evidenced."""
BESIDE = 5
LONGEST_SUMMARY = 300
"""Characters."""
_SHOWN = 40
"""Facts that a model is shown."""
_LONGEST_FACT = 300
_QUOTED = 3
"""Facts that stand in for a summary."""
_TOKENS = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileFact:
    """A fact as a profile shows it."""

    id: str
    """The memory's."""
    content: str
    category: str
    slot: str | None
    value: str | None
    negated: bool
    truth: float
    """0 to 1."""
    evidence: int
    """What it was drawn from."""
    valid_from: datetime
    valid_to: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What somebody or something is, in a sentence or two."""

    text: str
    cites: tuple[str, ...]
    """Ids of the memories that it rests on, ascending."""
    plain: bool
    """Whether it was put together from facts, without a model."""
    at: datetime | None = None
    """When it was written; None: just now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What is known of somebody or something."""

    key: str
    """Of the name that stands for all."""
    name: str
    aliases: tuple[str, ...]
    mentions: int
    read: int
    """How many of them were looked at for the times and for what it is mentioned with."""
    since: datetime | None
    """When it was first spoken of."""
    last_seen: datetime | None
    facts: tuple[ProfileFact, ...]
    """What holds now, by slot and then the best evidenced first."""
    relationships: tuple[ProfileFact, ...]
    """Who it is to whom, from either side."""
    beside: tuple[tuple[str, int], ...]
    """What it is mentioned with most, and how often."""
    tensions: int
    """Contradictions among its facts that nothing has settled."""
    summary: Summary | None
    """None where no fact is known."""


class _Answer(BaseModel):
    """The shape of a model's answer."""

    summary: str
    cites: list[int]


def profile(graph: Graph, *, space: str, name: str, now: datetime) -> Profile:
    """Return what is known of somebody or something by any of their names.

    Args:
        graph: Where.
        space: Whose.
        name: As a person writes it.
        now: At which time; facts that have ended, or hold later, are left out.

    Raises:
        NotFoundError: Nobody is known by it; near names are offered.
    """
    key = find_key(graph, space=space, name=name)
    canonical = canonical_keys(graph, space=space, keys=[key])[key]
    found = read_profile(graph, space=space, key=canonical, now=now)
    if found is None:  # erased meanwhile
        return profile(graph, space=space, name=name, now=now)
    return found


def read_profile(graph: Graph, *, space: str, key: str, now: datetime) -> Profile | None:
    """Return what is known of the entity that stands for a group of names; None where there is no such entity.

    Args:
        graph: Where.
        space: Whose.
        key: The entity's.
        now: At which time.
    """
    rows = graph.read("believe/entity_profile", space=space, key=key, read=READ, facts=FACTS, beside=BESIDE)
    if not rows:
        return None
    row = rows[0]
    held = [_fact(each) for each in row["facts"]]
    current = [fact for fact in held if fact.valid_from <= now < fact.valid_to]
    own = {fact.id for fact in current}
    relations = [fact for each in row["relations"] if (fact := _fact(each)).valid_from <= now < fact.valid_to]
    bonds = [fact for fact in current if fact.category == Category.RELATIONSHIP]
    found = Profile(
        key=key,
        name=row["name"],
        aliases=tuple(row["aliases"]),
        mentions=row["mentions"],
        read=row["read"],
        since=row["since"],
        last_seen=row["last_seen"],
        facts=_by_slot([fact for fact in current if fact.category != Category.RELATIONSHIP]),
        relationships=(*bonds, *(fact for fact in relations if fact.id not in own)),
        beside=tuple((each["name"], each["times"]) for each in row["beside"]),
        tensions=row["tensions"],
        summary=_kept(row["summary"]),
    )
    return found if found.summary else replace(found, summary=extract_summary(found))


def _fact(row: Row) -> ProfileFact:
    return ProfileFact(
        id=row["id"],
        content=row["content"],
        category=row["category"],
        slot=row["slot"],
        value=row["value"],
        negated=bool(row["negated"]),
        truth=row["truth"],
        evidence=row["evidence"],
        valid_from=row["valid_from"] or datetime.min.replace(tzinfo=UTC),
        valid_to=row["valid_to"] or FOREVER,
    )


def _by_slot(facts: Sequence[ProfileFact]) -> tuple[ProfileFact, ...]:
    """Return facts, those of one slot together, each slot where its best one stands; those without one last."""
    places: dict[str, int] = {}
    for place, fact in enumerate(facts):
        places.setdefault(fact.slot or "~", len(facts) if fact.slot is None else place)
    return tuple(sorted(facts, key=lambda fact: places[fact.slot or "~"]))


def _kept(row: Mapping[str, Any]) -> Summary | None:
    if not row["text"] or not row["whole"]:
        return None
    return Summary(text=row["text"], cites=tuple(row["of"]), plain=row["plain"], at=row["at"])


def extract_summary(found: Profile) -> Summary | None:
    """Return the best evidenced facts of a profile, word for word, as its summary; None where there are none.

    Args:
        found: The profile.
    """
    chosen: list[ProfileFact] = []
    for fact in _best(found):
        if len(" ".join(each.content for each in (*chosen, fact))) <= LONGEST_SUMMARY:
            chosen.append(fact)
        if len(chosen) == _QUOTED:
            break
    if not chosen:
        return None
    return Summary(
        text=" ".join(single_line(fact.content) for fact in chosen),
        cites=tuple(sorted(fact.id for fact in chosen)),
        plain=True,
    )


def summarise(found: Profile, *, model: ChatModel | None) -> Summary | None:
    """Return a summary of a profile: a model's where it cites what it was shown and nothing else, else the plain one.

    Args:
        found: The profile.
        model: Who is asked.
    """
    plain = extract_summary(found)
    if model is None or plain is None:
        return plain
    shown = _best(found)[:_SHOWN]
    message = "\n\n".join(
        (
            section("name", [inert(found.name, LONGEST_NAME)]),
            section(
                "facts",
                [
                    f"{number}. {inert(fact.content, _LONGEST_FACT)}"
                    for number, fact in enumerate(shown, start=1)
                ],
            ),
        )
    )
    answer = ask(model, prompts.fill("profile"), message, _Answer, max_tokens=_TOKENS)
    if not isinstance(answer, Parsed):
        return plain
    text, cites = single_line(answer.value.summary), set(answer.value.cites)
    if not (text and len(text) <= LONGEST_SUMMARY and cites and cites <= set(range(1, len(shown) + 1))):
        return plain
    return Summary(text=text, cites=tuple(sorted({shown[place - 1].id for place in cites})), plain=False)


def _best(found: Profile) -> list[ProfileFact]:
    facts = [*found.facts, *found.relationships]
    return sorted(facts, key=lambda fact: (-fact.truth, -fact.evidence, fact.id))


def keep_summary(graph: Graph, *, space: str, found: Profile, summary: Summary | None, now: datetime) -> bool:
    """Keep a summary with the entity, unless a memory that it cites is gone; return whether it was kept.

    Args:
        graph: Where.
        space: Whose.
        found: What it sums up.
        summary: The summary; None: there is nothing to say yet.
        now: When.
    """
    ids = [] if summary is None else list(summary.cites)
    done = graph.transact(
        lambda transaction: (
            transaction.run("write/lock_memories", space=space, ids=ids),
            transaction.run(
                "believe/entity_summarise",
                space=space,
                key=found.key,
                ids=ids,
                text=None if summary is None else summary.text,
                plain=summary is None or summary.plain,
                mentions=found.mentions,
                now=now,
            ),
        )
    )
    return bool(done[1].rows[0]["changed"])
