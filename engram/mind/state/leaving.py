"""Leaving: what has lost its place in the working memory, as searches that are known to find it (seed: crystal pointers).

A pointer is a promise, so it is tried: its words must find what it stands for among the first five hits of a search that
teaches nothing. It is tried again at every cycle, because a memory grows around it.
"""

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice, repeat

from engram.mind.state.guards import MOST_POINTERS
from engram.mind.state.lines import Line, cut
from engram.mind.state.pointers import FOUND_AMONG, Pointer, checked, parse

Search = Callable[[str], Sequence[str]]
"""Returns the ids that a search finds, best first; it teaches nothing."""
TOPIC = 40
"""Characters of a pointer's topic."""
QUERY = 160
"""Characters of a pointer's query."""
LONGEST_POINTER = 250
"""Characters of a pointer's line, at most."""
SHORT = 80
"""Characters of a line that stays because no search finds it."""
_MORE = " and more"
"""Ends a topic of several, where there is no place to name them."""
_FEW, _SOME = 3, 6
"""Words of the first queries that are tried."""
_PARTNERS = 6
"""Other pointers that one is tried to be merged with at a time."""
_PAIRS = 100
"""Pairs of pointers that are tried in one cycle: each is a search or three."""
_WORD = re.compile(r"\w[\w'\u2019-]{2,}")
_PREFIX = re.compile(r"^(?:Noted \d{4}-\d\d-\d\d: |Avoid: |Understood: |\d{4}-\d\d-\d\d (?:[^:]{1,40}: )?)")
_COMMON_WORDS = """
about after all also and any are because been before being but can could did does for from had has have her here him
his how into its just like may more most much must not noted now off one only other our out over she should some such
than that the their them then there these they this those through too under very was were what when where which while
who will with would you your
"""
"""Words of four letters or so that say nothing of what a text is about."""
_COMMON = frozenset(_COMMON_WORDS.split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Old:
    """What has been told before, or is promised to be."""

    lines: Sequence[Line]
    """The weightiest first; what cites nothing may leave without a word."""
    pointers: Sequence[Pointer]
    """The newest first."""
    contents: Mapping[str, str]
    """What the memories say, by id, of those that are believed still: others need no pointer."""
    away: Collection[str] = ()
    """Ids of those that a job has put away: they get a pointer, and no line."""

    def leaving(self, told: Collection[str]) -> int:
        """Return how many pointers are needed at most beside lines that tell some memories."""
        behind = (*(each.cites for each in self.lines), *(each.stands_for for each in self.pointers))
        return sum(any(one in self.contents and one not in told for one in ids) for ids in behind)


@dataclass(frozen=True, slots=True)
class Missed:
    """What could not be kept."""

    memories: tuple[str, ...]
    """Ids of what is told no more."""
    why: str
    """In words; `{}` stands for the ids."""

    def note(self) -> str:
        """Return it in words."""
        return self.why.format(", ".join(each[:8] for each in self.memories))


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What became of the pointers and of what leaves."""

    pointers: tuple[Pointer, ...]
    """Of what left now first, then the older ones."""
    stay: tuple[Line, ...]
    """Shorter lines for what no search finds."""
    missed: tuple[Missed, ...]

    @property
    def notes(self) -> tuple[str, ...]:
        """What could not be kept, in words."""
        return tuple(each.note() for each in self.missed)

    def beside(self, told: Collection[str]) -> "Kept":
        """Return what is needed of it beside lines that tell some memories."""

        def untold(ids: Sequence[str]) -> tuple[str, ...]:
            return tuple(each for each in ids if each not in told)

        return Kept(
            pointers=tuple(
                replace(each, stands_for=left) for each in self.pointers if (left := untold(each.stands_for))
            ),
            stay=tuple(replace(each, cites=left) for each in self.stay if (left := untold(each.cites))),
            missed=tuple(
                replace(each, memories=left) for each in self.missed if (left := untold(each.memories))
            ),
        )


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
    old: Old, *, present: Iterable[str], search: Search, room: float = math.inf, most: int = MOST_POINTERS
) -> Kept:
    """Return pointers for what leaves and for what had left before.

    Args:
        old: What may leave, and what has left.
        present: Ids of memories that the new version's lines tell.
        search: Looks a query up.
        room: Characters that the pointers' lines may take.
        most: Pointers at most.
    """
    contents = old.contents
    told, missed, stay, fresh = {*present}, [], [], []
    pointed: set[str] = set()
    again = []
    for pointer in old.pointers:
        wanted = tuple(each for each in pointer.stands_for if each in contents and each not in told)
        if not wanted:
            continue
        found, lost = _tried(pointer, wanted, contents, search)
        if lost:
            missed.append(Missed(lost, "no search finds {} any more: its pointer is left out"))
        again += found
        pointed |= {*wanted} - {*lost}
    for each in old.lines:
        wanted = tuple(one for one in each.cites if one in contents and one not in told | pointed)
        if not wanted:
            continue
        found, lost = _tried(Pointer(topic=_topic(each.text), query=""), wanted, contents, search)
        if here := tuple(one for one in lost if one not in old.away):
            stay.append(replace(each, text=cut(each.text, SHORT), cites=here))
        if away := tuple(one for one in lost if one in old.away):
            missed.append(Missed(away, "{} was put away, and no search finds it"))
        fresh += found
        pointed |= {*wanted} - {*lost}
    spare = [
        Pointer(topic=_topic(contents[one]), query=query)
        for one in sorted(pointed)
        for query in islice(queries([contents[one]]), 1)
    ]
    pointers, dropped = merged([*fresh, *again], search=search, most=most, room=room, spare=spare)
    full = f"there is room for {len(pointers)} pointers: the one to {{}} is left out"
    missed += [Missed(one.stands_for, full) for one in dropped]
    return Kept(pointers=tuple(pointers), stay=tuple(stay), missed=tuple(missed))


def _tried(
    pointer: Pointer, wanted: Sequence[str], contents: Mapping[str, str], search: Search
) -> tuple[list[Pointer], tuple[str, ...]]:
    """Return a pointer whose words find all that is wanted, else one for each memory; and what no words find."""
    words = (pointer.query, *queries(contents[each] for each in wanted))
    found = checked(pointer.topic, wanted, filter(None, words), search=search)
    if found is not None:
        return [found], ()
    each_own = {
        one: checked(_topic(contents[one]), [one], queries([contents[one]]), search=search) for one in wanted
    }
    return (
        [own for own in each_own.values() if own is not None],
        tuple(one for one, own in each_own.items() if own is None),
    )


def merged(
    pointers: Sequence[Pointer],
    *,
    search: Search,
    most: int,
    room: float = math.inf,
    spare: Sequence[Pointer] = (),
) -> tuple[list[Pointer], list[Pointer]]:
    """Return at most so many pointers, merged where one search finds what several stand for.

    First those are that need no more words than there are, then the oldest by the words of both.

    Args:
        pointers: The newest first.
        search: Looks a query up.
        most: How many are left at most.
        room: Characters that their lines may take.
        spare: Others that may stand for what these stand for; they stand for nothing yet.

    Returns:
        Those that are left, and those that there is no place for.
    """
    left, dropped = [*pointers], []
    search = cache(search)
    pairs = islice(repeat(0), _PAIRS)
    while len(left) > most or sum(Line(each.line()).size for each in left) > room:
        # With a place to spare, where that does: a memory grows, and pushes the last hit out.
        covers = (_covering(left, spare, search, among) for among in (FOUND_AMONG - 1, FOUND_AMONG))
        fewer = next((cover for cover in covers if len(cover) < len(left)), None)
        if fewer is not None:
            left = fewer
        elif not _merge_one(left, search, pairs):
            dropped.append(left.pop())
    return left, dropped


def _covering(
    pointers: Sequence[Pointer], spare: Sequence[Pointer], search: Search, among: int
) -> list[Pointer]:
    """Return pointers that stand for the same, the search that finds most of what is left chosen first (greedy set cover).

    Args:
        pointers: The newest first; each finds what it stands for.
        spare: Others that may be chosen.
        search: Looks a query up.
        among: Hits that are looked at.
    """
    order = [*dict.fromkeys(memory for each in pointers for memory in each.stands_for)]
    left, chosen = {*order}, []
    ways = [*pointers, *spare]
    found = [{*search(each.query)[:among], *each.stands_for} for each in ways]
    while left:
        place = max(range(len(ways)), key=lambda one: len(found[one] & left))
        taken = tuple(memory for memory in order if memory in found[place] & left)
        topic = ways[place].topic
        if len(taken) > max(1, len(ways[place].stands_for)):
            topic = _and_more(topic)
        chosen.append(replace(ways[place], topic=topic, stands_for=taken))
        left -= found[place]
    return sorted(chosen, key=lambda each: order.index(each.stands_for[0]))


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
    both = _joined(one, other, f"{one.query} {other.query}")
    if len(both.stands_for) > FOUND_AMONG or len(both.query) > QUERY:
        return None
    return checked(both.topic, both.stands_for, [both.query], search=search)


def _joined(one: Pointer, other: Pointer, query: str) -> Pointer:
    """Return the pointer to what both stand for; nothing is tried."""
    wanted = tuple(dict.fromkeys((*one.stands_for, *other.stands_for)))
    topic = f"{one.topic}; {other.topic}"
    if len(topic) > TOPIC:
        topic = _and_more(one.topic)
    return Pointer(topic=topic, query=query, stands_for=wanted)


def _and_more(topic: str) -> str:
    """Return a topic that says that it is one of several."""
    return f"{cut(topic.removesuffix(_MORE), TOPIC - len(_MORE))}{_MORE}"


def pointers_of(lines: Iterable[Line]) -> list[Pointer]:
    """Return the pointers that lines are, with what they stand for."""
    found = ((parse(each.text), each.cites) for each in lines)
    return [replace(pointer, stands_for=cites) for pointer, cites in found if pointer is not None and cites]


def _topic(text: str) -> str:
    """Return what a line is about, so that it can stand in a pointer's line."""
    return cut(_PREFIX.sub("", text).replace("→", "-").replace("`", "'"), TOPIC)
