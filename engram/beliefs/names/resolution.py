"""Resolution: which names mean the same, decided by name and neighbourhood and never by likeness alone.

Two names are one where they can be one (a short form, initials, a first name and a full one), where what surrounds
them supports it, and where nothing speaks against it. What can be two people stays two: a merge that was missed costs
little, and a wrong one tells of one person what is another's.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from itertools import combinations, product
from types import MappingProxyType

from engram.beliefs.facts import value_key
from engram.beliefs.names.naming import Fit, Name, fit, parse
from engram.beliefs.names.nicknames import FORMS
from engram.graph import Graph
from engram.records import FOREVER
from engram.tuning import NUMBERS

LARGEST_BLOCK = 100
"""Names with a word in common of which each is compared with each. What more are called tells nobody from anybody."""
_SURE = frozenset(set(Fit) - {Fit.SURNAME})
"""Fits that need nobody's opinion; a husband and a wife share a last name."""
_OF_PEOPLE = frozenset(set(Fit) - {Fit.SAME})
"""Fits that people's names have; things are called `Google` and `Google Maps`."""
_SHARED_BY_NAMESAKES = 1
"""What a full name and the same full name need in common."""


@dataclass(frozen=True, slots=True)
class Held:
    """A value of a slot that has one at a time, and when it held."""

    value: str
    begin: datetime
    end: datetime = FOREVER

    def contradicts(self, other: "Held") -> bool:
        """Return whether both cannot be true of one subject: other values at one time."""
        if not (self.begin < other.end and other.begin < self.end):
            return False
        one, another = (frozenset(value_key(each.value).split()) for each in (self, other))
        # `3 May` and `3 May 1990` say the same, one of them more of it.
        return not (one <= another or another <= one)


@dataclass(frozen=True, kw_only=True)
class Named:
    """A name, or several that are one already, with what surrounds it."""

    key: str
    """Key of the entity that stands for all of them."""
    names: tuple[str, ...]
    """As they are written, that one's first."""
    neighbours: frozenset[str] = frozenset()
    """Keys of what is mentioned together with it."""
    sessions: frozenset[str] = frozenset()
    """Conversations that it occurs in. However many two names share, that is one thing in common: there may be no other."""
    mentions: int = 0
    person: bool = False
    """Whether something but its name says that it is a person."""
    single: Mapping[str, tuple[Held, ...]] = field(default_factory=lambda: MappingProxyType({}))
    """Values of slots that have one at a time."""
    speaks: frozenset[str] = frozenset()
    """Conversations in which it speaks."""
    roles: frozenset[str] = frozenset()
    """What it was introduced as, and by whom, e.g. `noor:sister`."""
    apart: frozenset[str] = frozenset()
    """Keys that it stands beside in one sentence, as two people do."""
    distinct: frozenset[str] = frozenset()
    """Keys that a person said, or a change that a person took back says, are not it."""
    doubted: frozenset[str] = frozenset()
    """Keys that a job took for it and then no more; only somebody's word makes them one again."""
    rivals: tuple[str, ...] = ()
    """The other names of the space that its own can be."""
    said: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Keys that somebody said are it, each with the id of the memory of that."""

    @cached_property
    def parsed(self) -> tuple[Name, ...]:
        """Its names taken apart."""
        return tuple(name for each in self.names if (name := parse(each)))

    @cached_property
    def composed(self) -> tuple[Name, ...]:
        """What its names come to together: who is called Robert Miller and Bob is Bob Miller too."""
        return tuple(
            replace(full, core=(given.core[0], full.core[-1]), spelled=(given.spelled[0], full.spelled[-1]))
            for full, given in product(self.parsed, self.parsed)
            if full.full and len(given.core) == 1 and given.core[0] not in full.core
        )

    @cached_property
    def words(self) -> int:
        """Words of its longest name."""
        return max((name.words for name in self.parsed), default=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """Whether two names are one."""

    same: bool
    why: str
    """In a few words that quote nothing."""
    unsure: bool = False
    """Whether they can be one, nothing speaks against it, and the support is too thin to say so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """How much two neighbourhoods must have in common."""

    shared: int = int(NUMBERS["entities.shared"].default)
    """Neighbours of both, at least."""
    overlap: float = NUMBERS["entities.overlap"].default
    """Their share of the smaller neighbourhood, at least."""


def same_entity(a: Named, b: Named, need: Support = Support()) -> Judgement:
    """Return whether two names are one; the order of the two makes no difference.

    Args:
        a: The one.
        b: The other.
        need: How much their neighbourhoods must have in common.
    """
    said = b.key in a.said or a.key in b.said
    if why := _distinct(a, b) or _contradiction(a, b):
        return Judgement(same=False, why=why)
    if said:
        return Judgement(same=True, why="somebody said so")
    if b.key in a.doubted or a.key in b.doubted:
        return Judgement(same=False, why="they were taken for one in error")
    best = _surest((*a.parsed, *a.composed), (*b.parsed, *b.composed))
    why = "the names cannot be one" if best is None else _against(a, b, best)
    if best is None or why:
        return Judgement(same=False, why=why)
    shared = len(a.neighbours & b.neighbours) + bool(a.sessions & b.sessions)
    smaller = min(len(a.neighbours), len(b.neighbours))
    enough = _SHARED_BY_NAMESAKES if best is Fit.SAME and min(a.words, b.words) > 1 else need.shared
    if best in _SURE and shared >= enough and shared >= need.overlap * smaller:
        return Judgement(same=True, why=f"{best.value}, with {shared} things in common")
    return Judgement(
        same=False,
        why=f"{best.value}, but {shared} things in common are too few"
        if best in _SURE
        else f"{best.value} prove nothing by themselves",
        unsure=shared > 0,
    )


def _surest(some: Sequence[Name], others: Sequence[Name]) -> Fit | None:
    """Return the surest way in which one of some names can be one of others."""
    fits = {found for one, other in product(some, others) if (found := fit(one, other))}
    return next((each for each in Fit if each in fits), None)


def _distinct(a: Named, b: Named) -> str:
    if a.key == b.key:
        return "they are one already"
    said = (
        a.distinct & {b.key} or b.distinct & {a.key} or _is_one_of(b, a.distinct) or _is_one_of(a, b.distinct)
    )
    return "a person said that they are not one" if said else ""


def _is_one_of(a: Named, keys: frozenset[str]) -> bool:
    """Return whether a name is the same as one of some others, but for titles and spelling."""
    others = (name for key in keys if (name := parse(key)))
    return any(fit(name, other) is Fit.SAME for name, other in product(a.parsed, others))


def _contradiction(a: Named, b: Named) -> str:
    if a.speaks & b.speaks:
        return "both speak in one conversation"
    if _said_of_others(a, b) or _said_of_others(b, a):
        return "it was said to be others too"
    for slot in sorted(a.single.keys() & b.single.keys()):
        if any(one.contradicts(other) for one, other in product(a.single[slot], b.single[slot])):
            return f"two values of {slot} at one time"
    return ""


def _said_of_others(a: Named, b: Named) -> bool:
    """Return whether a name that says no more than the other was said to be somebody who cannot be that one."""
    if a.words > b.words or (b.key not in a.said and a.key not in b.said):
        return False
    others = (name for key in a.said if key != b.key and (name := parse(key)))
    return any(all(fit(other, name) is None for name in b.parsed) for other in others)


def _against(a: Named, b: Named, best: Fit) -> str:
    """Return what speaks against two names that can be one."""
    if b.key in a.apart or a.key in b.apart:
        return "they stand side by side in one sentence"
    if _introduced_differently(a.roles, b.roles):
        return "they were introduced as different people"
    if any(one.full and other.full and not fit(one, other) for one, other in product(a.parsed, b.parsed)):
        return "the full names differ"
    if best in _OF_PEOPLE and not _people(a, b):
        return "nothing says that they are people"
    return "the name fits others too" if ambiguous(a, b) or ambiguous(b, a) else ""


def _introduced_differently(one: frozenset[str], other: frozenset[str]) -> bool:
    """Return whether the same person introduced two as different: `noor:sister`, `noor:boss`."""
    by_both = {role.partition(":")[0] for role in one} & {role.partition(":")[0] for role in other}
    return any(
        {role for role in one if role.startswith(f"{who}:")}.isdisjoint(other) for who in sorted(by_both)
    )


def _people(a: Named, b: Named) -> bool:
    names = (*a.parsed, *b.parsed)
    if any(name.of_thing for name in names):
        return False
    return a.person or b.person or any(name.of_person for name in names)


def ambiguous(a: Named, b: Named) -> bool:
    """Return whether a name can be others' than the one that says no less, and those cannot be that one.

    Args:
        a: The name, with what else of the space it can be.
        b: The one.
    """
    if a.words > b.words:
        return False
    rivals = (name for each in a.rivals if (name := parse(each)) and name.words >= a.words)
    return any(
        all(fit(rival, name) is None for name in b.parsed if name.words >= a.words) for rival in rivals
    )


def candidates(names: Mapping[str, Sequence[str]]) -> dict[tuple[str, str], Fit]:
    """Return the pairs of entities that can be one by their names, and how, without comparing all with all.

    Args:
        names: The names of each entity, by its key.
    """
    parsed = {key: tuple(name for each in names[key] if (name := parse(each))) for key in sorted(names)}
    blocks: dict[str, list[str]] = {}
    for key, own in parsed.items():
        for token in sorted({token for name in own for token in _tokens(name)}):
            blocks.setdefault(token, []).append(key)
    pairs = {pair for block in blocks.values() for pair in combinations(block[:LARGEST_BLOCK], 2)}
    fits = {pair: _surest(parsed[pair[0]], parsed[pair[1]]) for pair in sorted(pairs)}
    return {pair: found for pair, found in fits.items() if found}


def _tokens(name: Name) -> Iterator[str]:
    """Yield words under which everything that a name can be is found."""
    first, last = (name.core[0], name.spelled[0]), (name.core[-1], name.spelled[-1])
    yield from (*first, *last)
    yield from (f"~{group}" for group in FORMS.get(name.core[0], ()))


def canonical_keys(graph: Graph, *, space: str, keys: Iterable[str]) -> dict[str, str]:
    """Return the key that stands for each of some keys: another's where it is an alias, else itself.

    Args:
        graph: Where the entities are.
        space: Whose.
        keys: Keys of entities (`engram.entities.entity_key`); what no entity is known by stands for itself.
    """
    wanted = sorted(set(keys))
    rows = graph.read("believe/entity_canonical", space=space, keys=wanted) if wanted else []
    return dict(zip(wanted, wanted, strict=True)) | {row["key"]: row["canonical"] for row in rows}
