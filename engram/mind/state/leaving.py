"""Leaving: what has lost its place in the working memory, as searches that are known to find it (seed: crystal pointers).

A pointer is a promise, so it is tried: its words must find what it stands for among the first five hits of a search that
teaches nothing. It is tried again at every cycle, because a memory grows around it.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, repeat

from engram.mind.state.guards import MOST_POINTERS
from engram.mind.state.lines import Line, cut
from engram.mind.state.pointers import FOUND_AMONG, Pointer, checked, parse

Search = Callable[[str], Sequence[str]]
"""Returns the ids that a search finds, best first; it teaches nothing."""
TOPIC = 60
"""Characters of a pointer's topic."""
QUERY = 160
"""Characters of a pointer's query."""
SHORT = 80
"""Characters of a line that stays because no search finds it."""
_FEW, _SOME = 3, 6
"""Words of the first queries that are tried."""
_PARTNERS = 6
"""Other pointers that one is tried to be merged with at a time."""
_PAIRS = 100
"""Pairs of pointers that are tried in one cycle: each is a search or three."""
_WORD = re.compile(r"\w[\w'\u2019-]{2,}")
_PREFIX = re.compile(r"^(?:Noted \d{4}-\d\d-\d\d: |Avoid: |Understood: |\d{4}-\d\d-\d\d )")
_COMMON_WORDS = """
about after all also and any are because been before being but can could did does for from had has have her here him
his how into its just like may more most much must not noted now off one only other our out over she should some such
than that the their them then there these they this those through too under very was were what when where which while
who will with would you your
"""
"""Words of four letters or so that say nothing of what a text is about."""
_COMMON = frozenset(_COMMON_WORDS.split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What became of the pointers and of what leaves."""

    pointers: tuple[Pointer, ...]
    """Of what left now first, then the older ones."""
    stay: tuple[Line, ...]
    """Shorter lines for what no search finds."""
    notes: tuple[str, ...]
    """What could not be kept, in words."""


def queries(texts: Iterable[str]) -> Iterator[str]:
    """Yield words to search by, the shortest first: names and long words, more of them, then the text itself."""
    joined = " ".join(_PREFIX.sub("", text) for text in texts)
    words = [word for word in dict.fromkeys(_WORD.findall(joined)) if word.casefold() not in _COMMON]
    # Names say most, then long words; in the order of the text they read best.
    telling = sorted(words, key=lambda word: (not word[0].isupper(), -len(word)))
    for most in (_FEW, _SOME):
        chosen = {*telling[:most]}
        if chosen:
            yield cut(" ".join(word for word in words if word in chosen), QUERY).rstrip("…")
    if joined.strip():
        yield cut(joined, QUERY).rstrip("…").replace("`", "'")


def point(
    left: Sequence[Line],
    older: Sequence[Pointer],
    contents: Mapping[str, str],
    *,
    present: Iterable[str],
    search: Search,
    most: int = MOST_POINTERS,
) -> Kept:
    """Return pointers for what leaves and for what had left before.

    Args:
        left: Lines that lose their place, the weightiest first; each cites something.
        older: The pointers of the version before, the newest first.
        contents: What the memories say, by id, of those that are active still: others need no pointer.
        present: Ids of memories that the new version's lines tell.
        search: Looks a query up.
        most: Pointers at most.
    """
    told, notes, stay, fresh = {*present}, [], [], []
    pointed: set[str] = set()
    again = []
    for pointer in older:
        wanted = tuple(each for each in pointer.stands_for if each in contents and each not in told)
        if not wanted:
            continue
        words = (pointer.query, *queries(contents[each] for each in wanted))
        found = checked(pointer.topic, wanted, words, search=search)
        if found is None:
            notes.append(f"no search finds {_ids(wanted)} any more: its pointer is left out")
            continue
        again.append(found)
        pointed |= {*wanted}
    for each in left:
        wanted = tuple(one for one in each.cites if one in contents and one not in told | pointed)
        if not wanted:
            continue
        found = checked(_topic(each.text), wanted, queries(contents[one] for one in wanted), search=search)
        if found is None:
            stay.append(replace(each, text=cut(each.text, SHORT), cites=wanted))
            continue
        fresh.append(found)
        pointed |= {*wanted}
    pointers, dropped = merged([*fresh, *again], search=search, most=most)
    notes += [
        f"there are {most} pointers already: the one to {_ids(one.stands_for)} is left out" for one in dropped
    ]
    return Kept(pointers=tuple(pointers), stay=tuple(stay), notes=tuple(notes))


def merged(pointers: Sequence[Pointer], *, search: Search, most: int) -> tuple[list[Pointer], list[Pointer]]:
    """Return at most so many pointers, the oldest of them merged where one search finds what two stand for.

    Args:
        pointers: The newest first.
        search: Looks a query up.
        most: How many are left at most.

    Returns:
        Those that are left, and those that there is no place for.
    """
    left, dropped = [*pointers], []
    pairs = islice(repeat(0), _PAIRS)
    while len(left) > most:
        if not _merge_one(left, search, pairs):
            dropped.append(left.pop())
    return left, dropped


def _merge_one(left: list[Pointer], search: Search, pairs: Iterator[int]) -> bool:
    """Merge two pointers, the oldest that can be; return whether there were any.

    Args:
        left: The newest first; changed.
        search: Looks a query up.
        pairs: Yields once for each pair that may still be tried.
    """
    for place in reversed(range(len(left))):
        room = FOUND_AMONG - len(left[place].stands_for)
        partners = [other for other in range(place) if len(left[other].stands_for) <= room]
        for other, _ in zip(reversed(partners[-_PARTNERS:]), pairs, strict=False):
            both = _both(left[other], left[place], search)
            if both is not None:
                left[other] = both
                del left[place]
                return True
    return False


def _both(one: Pointer, other: Pointer, search: Search) -> Pointer | None:
    """Return one pointer for two, where some words find all that they stand for."""
    wanted = tuple(dict.fromkeys((*one.stands_for, *other.stands_for)))
    if len(wanted) > FOUND_AMONG:
        return None
    words = [one.query, other.query, f"{one.query} {other.query}"]
    topic = cut(f"{one.topic}; {other.topic}", TOPIC)
    return checked(topic, wanted, [word for word in words if len(word) <= QUERY], search=search)


def pointers_of(lines: Iterable[Line]) -> list[Pointer]:
    """Return the pointers that lines are, with what they stand for."""
    found = ((parse(each.text), each.cites) for each in lines)
    return [replace(pointer, stands_for=cites) for pointer, cites in found if pointer is not None and cites]


def _topic(text: str) -> str:
    """Return what a line is about, so that it can stand in a pointer's line."""
    return cut(_PREFIX.sub("", text).replace("→", "-").replace("`", "'"), TOPIC)


def _ids(ids: Iterable[str]) -> str:
    return ", ".join(each[:8] for each in ids)
