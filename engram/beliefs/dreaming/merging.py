"""Merging: what was said several times, in other words, becomes one insight; its sources stay and fall quiet.

Three at least: two that say the same are evidence for one fact, and are merged where facts are kept. They must be near
by what they say alone, about the same, and neither opposed in words nor telling of different numbers, dates or names.
Without a model they must share their words too, since then one of their sentences stands for all.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from pydantic import BaseModel, Field

from engram.beliefs.dreaming.asking import Asker
from engram.beliefs.dreaming.central import Embed, overlap
from engram.beliefs.dreaming.insights import (
    LONGEST_INSIGHT,
    By,
    Drawn,
    Insight,
    extract,
    held_by,
)
from engram.beliefs.dreaming.material import LONGEST_SHOWN, Material
from engram.beliefs.dreaming.yields import Dropped
from engram.embedding.protocol import Vectors
from engram.loop.compression import one_line
from engram.loop.contradiction import ALIKE, compare_wording
from engram.loop.fencing import section
from engram.loop.words import new_facts, tells_nothing
from engram.text import inert, normal

MOST_SHOWN = 8
"""Members of a group that a model is shown."""


@dataclass(frozen=True, slots=True)
class Group:
    """Memories that say the same in other words."""

    members: tuple[Material, ...]

    @property
    def merged_into(self) -> str | None:
        """Id of the insight that at least half of them were merged into."""
        return held_by(self.members, lambda each: each.merged)

    @property
    def left(self) -> tuple[Material, ...]:
        """Those that were not merged into it yet."""
        into = self.merged_into
        return tuple(each for each in self.members if into is None or into not in each.merged)

    @property
    def refused(self) -> bool:
        """Whether an insight of theirs was taken back."""
        return held_by(self.members, lambda each: each.refused) is not None

    @property
    def worded_alike(self) -> bool:
        """Whether any two of them share half of their words."""
        return all(
            overlap(one.content, other.content) >= ALIKE
            for place, one in enumerate(self.members)
            for other in self.members[:place]
        )


class _Merge(BaseModel):
    """What one group comes to."""

    group: int
    text: str


class _Merges(BaseModel):
    """The shape of the answer."""

    merges: list[_Merge] = Field(default_factory=list)


def same_subject(one: Material, other: Material) -> bool:
    """Say whether two memories are about the same: a subject, a speaker or a name in common, or none in either."""
    if one.subject and other.subject and one.subject != other.subject:
        return False
    return bool(one.about & other.about) or not (one.about or other.about)


def mergeable(one: Material, other: Material) -> bool:
    """Say whether nothing in their words keeps two memories apart, however near they are."""
    if not same_subject(one, other):
        return False
    if new_facts(one.content, other.content) and new_facts(other.content, one.content):
        return False
    return compare_wording(one.content, other.content).found is False


def groups(materials: Sequence[Material], vectors: Vectors, *, similar: float, fewest: int) -> list[Group]:
    """Return disjoint groups in which any two memories may be merged, the largest first.

    Complete linkage, greedily: the memory with the most partners begins a group, and its partners join, the nearest
    first, as long as each goes with all that are in already. A chain of neighbours is no group.

    Args:
        materials: What may be grouped; short questions and insights are left out.
        vectors: What each says alone, as unit vectors, shape (n, d).
        similar: Cosine above which two are alike.
        fewest: Members of the smallest group.
    """
    # By date, so that ids, which are random, decide nothing.
    dated = sorted(range(len(materials)), key=lambda place: (materials[place].event_at, materials[place].id))
    materials, vectors = [materials[place] for place in dated], vectors[dated]
    partners = _partners(materials, vectors, similar)
    found = []
    while partners:
        seed = min(partners, key=lambda place: (-len(partners[place]), place))
        group = [seed]
        for place in sorted(partners[seed], key=lambda each: (-partners[seed][each], each)):
            if all(place in partners[member] for member in group):
                group.append(place)
        if len(group) >= fewest:
            found.append(Group(tuple(materials[place] for place in sorted(group))))
        else:
            group = [seed]
        _leave_out(partners, group)
    return sorted(found, key=lambda each: -len(each.members))


def _partners(
    materials: Sequence[Material], vectors: Vectors, similar: float
) -> defaultdict[int, dict[int, float]]:
    """Return, for the place of each memory that has any, its partners' places with their cosines."""
    apart = [each.depth > 0 or tells_nothing(each.content) for each in materials]
    cosines = vectors @ vectors.T
    partners: defaultdict[int, dict[int, float]] = defaultdict(dict)
    for one, other in np.argwhere(np.triu(cosines > similar, k=1)).tolist():
        if apart[one] or apart[other] or not mergeable(materials[one], materials[other]):
            continue
        partners[one][other] = partners[other][one] = float(cosines[one, other])
    return partners


def _leave_out(partners: defaultdict[int, dict[int, float]], group: Sequence[int]) -> None:
    for member in group:
        for other in partners.pop(member, {}):
            if other in partners:
                partners[other].pop(member, None)
                if not partners[other]:
                    del partners[other]


def merge(found: Sequence[Group], asker: Asker, embed: Embed) -> Drawn:
    """Return what groups come to, all asked about in one call.

    Who joins a group that was merged before is added to its insight, and nothing is asked.

    Args:
        found: The groups.
        asker: Asks a model.
        embed: Gives vectors for clustering.
    """
    joining = [each for each in found if each.merged_into and each.left]
    new = [each for each in found if not each.merged_into and not each.refused]
    texts = _worded(new, asker)
    insights = [_joined(each) for each in joining]
    dropped: list[Dropped] = []
    for place, group in enumerate(new):
        if place in texts:
            insights.append(_insight(group, texts[place], by="model"))
        elif group.worded_alike:
            drawn = extract(group.members, embed, sort="merge")
            insights += drawn.insights
            dropped += drawn.dropped
        else:
            dropped.append(Dropped.of(group.members[0].content, "alike in meaning alone"))
    return Drawn(insights=tuple(insights), dropped=tuple(dropped))


def _joined(group: Group) -> Insight:
    return replace(_insight(group, "", by="words"), cites=group.left, joins=group.merged_into)


def _insight(group: Group, text: str, *, by: By) -> Insight:
    return Insight(text=text, cites=group.members, by=by, sort="merge")


def _worded(found: Sequence[Group], asker: Asker) -> Mapping[int, str]:
    """Return what a model makes of groups, by their places; none of what it says of others, or twice."""
    if not found:
        return {}
    shown = [
        f"{number}. " + " | ".join(inert(each.content, LONGEST_SHOWN) for each in group.members[:MOST_SHOWN])
        for number, group in enumerate(found, start=1)
    ]
    answer = asker.ask("merge", section("groups", shown), _Merges)
    texts: dict[int, str] = {}
    for each in reversed(answer.merges if answer else []):
        text = one_line(inert(each.text, 4 * LONGEST_INSIGHT), LONGEST_INSIGHT)
        if 1 <= each.group <= len(found) and text and not _repeats(text, found[each.group - 1]):
            texts[each.group - 1] = text
    return texts


def _repeats(text: str, group: Group) -> bool:
    return normal(text) in {normal(each.content) for each in group.members}
