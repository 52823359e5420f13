"""Merging: names that mean the same, as edges that lead to the one that stands for all, each with its way back.

Mentions stay where they are. An alias is `(:Entity)-[:ALIAS_OF]->(:Entity)`, always one step long: what is merged into
an alias goes to what that stands for, and what is merged brings its own aliases along.
"""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from engram.beliefs.changes import ChangeKind, Touched, record
from engram.entities import entity_key
from engram.errors import InvalidInputError, NotFoundError
from engram.graph import Graph, Row, Transaction

GENERIC = frozenset({"user", "human", "person", "me"})
"""Keys that stand for whoever talks; facts about that person are kept under them, so that they are no alias."""
NEAR = 3
"""Names that are offered where one is unknown."""
_LOOKED_AT = 5_000
"""Names among which near ones are looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge:
    """Two names that are one from now on."""

    change: str
    """Id of the change in the log."""
    alias: str
    """Key of the name that became an alias."""
    into: str
    """Key of the name that stands for both."""


def merge(
    graph: Graph,
    *,
    space: str,
    alias: str,
    into: str,
    by: str,
    reason: str,
    now: datetime,
    run: str | None = None,
    evidence: str | None = None,
    as_judged: bool = False,
) -> Merge | None:
    """Take two names for one, and return how; None where they are one already.

    Args:
        graph: Where the entities are.
        space: Whose.
        alias: Key of the name that becomes an alias, or that of an alias: then what it stands for becomes one.
        into: Key of the name that stands for both, or an alias of that.
        by: Who or what decided.
        reason: Why; it quotes nothing.
        now: When.
        run: Id of the job's run that does it.
        evidence: Id of the memory in which somebody says that they are one.
        as_judged: Whether to do nothing where one of the two has become an alias since the caller looked.

    Raises:
        NotFoundError: There is no such name.
    """

    def work(transaction: Transaction) -> Merge | None:
        given = _locked(transaction, space, (alias, into))
        for key in (alias, into):
            if key not in given:
                raise NotFoundError(f"There is no name {key!r} in the space {space!r}.")
        ends = [given[key]["canonical"] or key for key in (alias, into)]
        if ends[0] == ends[1] or (as_judged and ends != [alias, into]):
            return None
        # What stands for others can become an alias only under the locks of these, and one of them is held.
        held = _locked(transaction, space, ends)
        moved: list[Row] = held[ends[0]]["aliases"]
        _locked(transaction, space, [each["key"] for each in moved])
        return _merged(transaction, ends, moved)

    def _merged(transaction: Transaction, ends: Sequence[str], moved: Sequence[Row]) -> Merge:
        change = record(
            transaction,
            space=space,
            kind=ChangeKind.NAMES_MERGED,
            by=by,
            reason=reason,
            now=now,
            run=run,
            entities=[
                Touched(id=ends[0], role="alias"),
                Touched(id=ends[1], role="canonical"),
                *(Touched(id=each["key"], role="moved", before=each["edge"]) for each in moved),
            ],
        )
        transaction.run(
            "believe/entity_merge",
            space=space,
            alias=ends[0],
            into=ends[1],
            edge={"at": now, "by": by, "reason": reason, "change": change}
            | ({"evidence": evidence} if evidence else {}),
            change=change,
        )
        return Merge(change=change, alias=ends[0], into=ends[1])

    return graph.transact(work)


def split(graph: Graph, *, space: str, key: str, by: str, now: datetime) -> str:
    """Let an alias stand alone again, for good: no job takes it for the same once more.

    What had come with it goes with it, where the merge that brought it can be taken back as a whole.

    Args:
        graph: Where.
        space: Whose.
        key: The alias's.
        by: Who decided.
        now: When.

    Returns:
        The key of the name that it was taken for.

    Raises:
        NotFoundError: There is no such name.
        InvalidInputError: It is no alias.
    """

    def work(transaction: Transaction) -> str:
        held = _locked(transaction, space, [key])
        if key not in held:
            raise NotFoundError(f"There is no name {key!r} in the space {space!r}.")
        canonical: str | None = held[key]["canonical"]
        if canonical is None:
            raise _no_alias(key, [each["key"] for each in held[key]["aliases"]])
        for change in held[key]["changes"]:
            done = transaction.run("believe/undo_names_merge", space=space, id=change, now=now).rows
            if done and done[0]["undone"]:
                break
        for change in held[key]["changes"]:
            transaction.run("believe/mark_undone", space=space, id=change, by=None, now=now)
        transaction.run("believe/entity_part", space=space, key=key, other=canonical, by=by, now=now)
        return canonical

    return graph.transact(work)


def _no_alias(key: str, aliases: Sequence[str]) -> InvalidInputError:
    if aliases:
        return InvalidInputError(
            f"{key!r} is the name that others stand for it.",
            remedy=f"Split one of them: {', '.join(aliases)}.",
        )
    return InvalidInputError(f"{key!r} is taken for no other name.")


def _locked(transaction: Transaction, space: str, keys: Sequence[str]) -> Mapping[str, Row]:
    """Lock entities in the order of their keys, and return how each stands, by key."""
    rows = transaction.run("believe/entity_lock", space=space, keys=sorted(set(keys))).rows
    return {row["key"]: row for row in rows}


def find_key(graph: Graph, *, space: str, name: str) -> str:
    """Return the key of a name that is known.

    Args:
        graph: Where.
        space: Whose.
        name: As a person writes it.

    Raises:
        NotFoundError: It is not known; near names are offered.
    """
    key = entity_key(name)
    if key and graph.read("believe/entity_names", space=space, keys=[key]):
        return key
    rows = graph.read("believe/entity_list", space=space, limit=_LOOKED_AT)
    near = nearest(key, [row["key"] for row in rows])
    names = {row["key"]: row["name"] for row in rows}
    raise NotFoundError(
        f"Nobody and nothing is known by the name {name!r}.",
        remedy=f"Near: {', '.join(names[each] for each in near)}."
        if near
        else "`engram entities` lists the names.",
    )


def nearest(key: str, keys: Sequence[str]) -> list[str]:
    """Return the keys that a person may have meant, the nearest first."""
    words = set(key.split())
    within = [each for each in keys if words & set(each.split())]
    return list(dict.fromkeys([*difflib.get_close_matches(key, keys, n=NEAR), *within]))[:NEAR]


def stands_for(one: Mapping[str, Any], other: Mapping[str, Any]) -> tuple[str, str]:
    """Return which of two names becomes the alias, and which stands for both.

    Whoever talks, then the longer name, then the more frequent one, stands for both.

    Args:
        one: A map {key, words, mentions}.
        other: Another.
    """
    alias, into = sorted(
        (one, other), key=lambda each: (each["key"] in GENERIC, each["words"], each["mentions"], each["key"])
    )
    return alias["key"], into["key"]
