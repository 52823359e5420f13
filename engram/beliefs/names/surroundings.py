"""Surroundings: what the graph knows around a name, as far as it tells whether two names are one."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from engram.beliefs.names.naming import CUES, parse, roles, set_apart, stated
from engram.beliefs.names.resolution import Held, Named
from engram.entities import entity_key
from engram.graph import Graph, Row
from engram.records import FOREVER

READ = 1_000
"""Mentions of a name that are looked at."""
HUB = 200
"""A neighbour that is mentioned more often tells nothing of one name."""
FACTS = 500
TEXTS = 200
_BEGINNING = datetime(1, 1, 3, tzinfo=UTC)
_NAMES = frozenset({"name", "also_known_as"})
"""Slots whose value is another name of the subject."""
_OPEN = _NAMES | {"age"}
"""Slots whose values are no contradiction, though they have one at a time: a name is compared as one, years pass."""
_OF_PEOPLE = frozenset(
    {
        "home",
        "address",
        "grew_up",
        "birthplace",
        "employer",
        "occupation",
        "school",
        "studies",
        "age",
        "birthday",
    }
    | {
        "birth_year",
        "phone_number",
        "marital_status",
        "partner",
        "mother",
        "father",
        "diet",
        "smoking",
        "language",
    }
)
"""Slots that people have and things do not."""


@dataclass(frozen=True, slots=True)
class Group:
    """Names that are one already."""

    key: str
    """Of the one that stands for all."""
    keys: tuple[str, ...]
    names: tuple[str, ...]
    mentions: int = 0
    rivals: tuple[str, ...] = ()
    """The other names of the space that its own can be."""


def read_named(
    graph: Graph, *, space: str, groups: Sequence[Group], said: Mapping[str, Mapping[str, str]]
) -> dict[str, Named]:
    """Return what surrounds some names, by their keys.

    Args:
        graph: Where.
        space: Whose.
        groups: The names.
        said: What they were said to be; see `read_statements`.
    """
    rows = graph.read(
        "believe/entity_read_named",
        space=space,
        groups=[{"key": group.key, "keys": list(group.keys)} for group in groups],
        read=READ,
        hub=HUB,
        facts=FACTS,
    )
    found = {row["key"]: row for row in rows}
    return {
        group.key: _named(group, found[group.key], said.get(group.key, {}))
        for group in groups
        if group.key in found
    }


def _named(group: Group, row: Row, said: Mapping[str, str]) -> Named:
    own = [fact for fact in row["facts"] if fact["of"]]
    about = [
        fact for fact in row["facts"] if not fact["of"] and entity_key(fact["value"] or "") in group.keys
    ]
    introduced = _roles(group, row["introduced"]) | {f"{each['subject']}:{_head(each)}" for each in about}
    return Named(
        key=group.key,
        names=group.names,
        mentions=group.mentions,
        neighbours=frozenset(row["neighbours"]),
        sessions=frozenset(row["sessions"]),
        speaks=frozenset(row["speaks"]),
        person=bool(row["speaks"])
        or any(_head(fact) in _OF_PEOPLE for fact in own)
        or any(_head(fact) != "pet" for fact in about)
        or bool(introduced),
        single=_single(own),
        roles=frozenset(introduced),
        distinct=frozenset(filter(None, row["distinct"])),
        doubted=frozenset(row["doubted"]),
        rivals=group.rivals,
        said=dict(said),
    )


def _head(fact: Row) -> str:
    return str(fact["slot"]).partition(":")[0]


def _single(facts: Sequence[Row]) -> dict[str, tuple[Held, ...]]:
    held: defaultdict[str, list[Held]] = defaultdict(list)
    for fact in facts:
        if fact["single"] and fact["value"] and not fact["negated"] and _head(fact) not in _OPEN:
            held[fact["slot"]].append(
                Held(fact["value"], fact["valid_from"] or _BEGINNING, fact["valid_to"] or FOREVER)
            )
    return {slot: tuple(values) for slot, values in held.items()}


def _roles(group: Group, introduced: Sequence[Row]) -> set[str]:
    keys = set(group.keys)
    return {
        f"{entity_key(each['speaker'] or '')}:{role}"
        for each in introduced
        for key, role in roles(each["text"])
        if key in keys
    }


def read_statements(
    graph: Graph, *, space: str, keys: Sequence[str], canonical: Mapping[str, str]
) -> dict[str, dict[str, str]]:
    """Return what people said that names are: by key and by the other's key, the id of the memory of that.

    Args:
        graph: Where.
        space: Whose.
        keys: Keys of names that are looked at; one of the two is enough.
        canonical: For each key of the space, the one that stands for it; what is not in it is nobody's name.
    """
    rows = graph.read(
        "believe/entity_read_statements",
        space=space,
        keys=sorted(keys),
        cues=list(CUES),
        slots=sorted(_NAMES),
        read=READ,
        limit=TEXTS,
    )
    found: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for row in rows:
        for pair in stated(row["text"], row["speaker"]) if row["text"] else _called(row):
            ends = [canonical.get(entity_key(name)) for name in pair]
            if None not in ends and ends[0] != ends[1]:
                for one, other in (ends, ends[::-1]):
                    found[str(one)].setdefault(str(other), row["id"])
    return dict(found)


def _called(fact: Row) -> list[tuple[str, str]]:
    """Return subject and other name of a fact that says what somebody is called.

    What is told of a name counts for whoever tells it: `the cat's name` says who the cat is, and there are more cats.
    """
    if not fact["value"] or (fact["slot"] == "name" and fact["subject"] != entity_key(fact["speaker"] or "")):
        return []
    return [(fact["subject"], fact["value"])]


def told_apart(
    graph: Graph, *, space: str, a: Group, b: Group, named: tuple[Named, Named]
) -> tuple[Named, Named]:
    """Return two names with whether they stand side by side in one sentence, as two people do.

    Args:
        graph: Where.
        space: Whose.
        a: The one.
        b: The other.
        named: What surrounds them.
    """
    longer, shorter = sorted((a, b), key=lambda group: (_length(group), group.key), reverse=True)
    texts = graph.read(
        "believe/entity_find_together",
        space=space,
        keys=sorted({*a.keys, *b.keys}),
        longer=sorted((name.lower() for name in longer.names), key=len, reverse=True),
        shorter=[name.lower() for name in shorter.names],
        limit=TEXTS,
    )
    if not any(set_apart(row["text"], a.keys, b.keys) for row in texts):
        return named
    one, other = named
    return replace(one, apart=one.apart | {b.key}), replace(other, apart=other.apart | {a.key})


def _length(group: Group) -> tuple[int, int]:
    return max(((name.words, len(each)) for each in group.names if (name := parse(each))), default=(0, 0))


def with_rivals(groups: Mapping[str, Group], pairs: Sequence[tuple[str, str]]) -> dict[str, Group]:
    """Return names, each with what else of the space its own can be.

    Args:
        groups: All of the space, by key.
        pairs: All pairs that can be one by their names.
    """
    rivals: defaultdict[str, list[str]] = defaultdict(list)
    for one, other in pairs:
        rivals[one].extend(groups[other].names)
        rivals[other].extend(groups[one].names)
    return {key: replace(group, rivals=tuple(rivals[key])) for key, group in groups.items()}


def groups_of(rows: Sequence[Row]) -> dict[str, Group]:
    """Return the names of a space, those together that are one, by key.

    Args:
        rows: What `believe/entity_walk` returned of each.
    """
    together: defaultdict[str, list[Row]] = defaultdict(list)
    for row in _own_first(rows):
        together[row["canonical"] or row["key"]].append(row)
    return {
        key: Group(
            key=key,
            keys=tuple(row["key"] for row in some),
            names=tuple(row["name"] for row in some),
            mentions=sum(row["mentions"] for row in some),
        )
        for key, some in together.items()
    }


def _own_first(rows: Sequence[Row]) -> Iterator[Row]:
    yield from (row for row in rows if row["canonical"] is None)
    yield from (row for row in rows if row["canonical"] is not None)
