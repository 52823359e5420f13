"""Clusters: which parts a community falls into, which cluster it carries on, and what it is called.

The communities themselves are found in the graph, in Cypher; what is here has no graph and no clock.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

TERMS = 3
"""Terms of a label."""
TEXT_LENGTH = 1_000
"""Characters of a memory that count for a label: a long one tells its subject early."""

_WORD = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W_]+)*")
_POSSESSIVE = re.compile(r"['\u2019]s$", re.IGNORECASE)
# English; of other languages, what all clusters share weighs little anyway.
_STOP_WORD_LIST = """
a about after again all already also always am an and another any anything are around as at away back be became
because become been before being best better between big both but by came can come could day days did do does
doing done down during each either else enough even ever every everyone everything few finally first for found
from get gets getting give go goes going gone good got great had has have having he hello her here hers hey hi
him his how however i if in instead into is it its itself just keep kept know known last later least less let
like little long look looking lot lots made make makes making many may maybe me mean might mine more most much
must my myself need needs never new next no nobody none nor not nothing now of off often oh ok okay old on once
one ones only or other others our ours out over own people please quite rather really right said same saw say
says see seem seems seen shall she should since so some someone something sometimes soon still such sure take
taken tell than thank thanks that the their theirs them then there these they thing things think this those
though thought through time times to today together told tomorrow tonight too took toward towards tried try two
under until up upon us use used user very want wanted wants was way we well went were what when where whether
which while who whole whom whose why will with within without would yes yesterday yet you your yours
"""
_STOP_WORDS = frozenset(_STOP_WORD_LIST.split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Succession:
    """How the communities of now and the clusters of the last run belong together."""

    kept: Mapping[int, str]
    """Community, by its place, to the cluster that it carries on; what is not here is a new cluster."""
    merged: Mapping[str, int]
    """Cluster that is part of a community that carries on another one, to that community."""
    split: Mapping[int, str]
    """Community that is part of a cluster that another one carries on, to that cluster."""
    dissolved: tuple[str, ...]
    """Clusters of which no community is left."""


def connected_parts(ties: Iterable[Sequence[str]]) -> list[list[str]]:
    """Return the connected parts of a graph, each as its nodes in order, the part with the first node first.

    Args:
        ties: Adjacency lists: a node, then nodes that it is tied to. An edge need be listed from one end only.

    Source: the disjoint sets of Galler and Fischer (1964), with path halving.
    """
    above: dict[str, str] = {}

    def root(node: str) -> str:
        above.setdefault(node, node)
        while above[node] != node:
            above[node] = above[above[node]]
            node = above[node]
        return node

    for node, *others in ties:
        for other in others:
            low, high = sorted((root(node), root(other)))
            above[high] = low
        root(node)
    parts: defaultdict[str, list[str]] = defaultdict(list)
    for node in sorted(above):
        parts[root(node)].append(node)
    return list(parts.values())


def succession(communities: Sequence[Collection[str]], clusters: Mapping[str, Collection[str]]) -> Succession:
    """Return which cluster each community carries on.

    The largest overlap wins; then the smaller cluster id and the earlier community. Only what shares at least half
    of the smaller of the two (the overlap coefficient) is related at all: one memory that went over to a large
    community does not make that community its old cluster.

    Args:
        communities: Disjoint, each the ids of its members.
        clusters: The active clusters of the last run, the ids of their members by the cluster's.
    """
    joint: Counter[tuple[int, str]] = Counter()
    home = {member: place for place, community in enumerate(communities) for member in community}
    for cluster, members in clusters.items():
        joint.update((home[member], cluster) for member in members if member in home)
    related = sorted(
        (
            (place, cluster)
            for (place, cluster), shared in joint.items()
            if 2 * shared >= min(len(communities[place]), len(clusters[cluster]))
        ),
        key=lambda pair: (-joint[pair], pair[1], pair[0]),
    )
    kept: dict[int, str] = {}
    survivors: set[str] = set()
    for place, cluster in related:
        if place not in kept and cluster not in survivors:
            kept[place] = cluster
            survivors.add(cluster)
    merged: dict[str, int] = {}
    split: dict[int, str] = {}
    for place, cluster in related:  # the largest overlap first
        if cluster not in survivors:
            merged.setdefault(cluster, place)
        if place not in kept:
            split.setdefault(place, cluster)
    return Succession(
        kept=kept,
        merged=merged,
        split=split,
        dissolved=tuple(sorted(clusters.keys() - survivors - merged.keys())),
    )


def typical_terms(texts: Iterable[tuple[str, str]], *, wanted: Collection[str]) -> dict[str, list[str]]:
    """Return the terms that tell a cluster from the others, at most `TERMS`, the most typical first.

    A term weighs n(t, c) · ln(1 + A / n(t)): the texts of the cluster that hold it, those of all clusters that do,
    and A, how many terms a cluster has on average. Counting texts and not words, no single one outweighs the rest.

    Source: class-based TF-IDF, Grootendorst 2022, "BERTopic", section 3.3.

    Args:
        texts: A cluster's id and the text of one of its members, for each member of each cluster.
        wanted: Ids of the clusters whose terms are wanted.

    Returns:
        Terms in the spelling that is most used in the cluster, by its id; none where all are stop words.
    """
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    spellings: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for cluster, text in texts:
        terms = list(_terms(text))
        counts[cluster].update({term for term, _ in terms})
        if cluster in wanted:
            for term, spelling in terms:
                spellings[cluster, term][spelling] += 1
    total: Counter[str] = Counter()
    for each in counts.values():
        total.update(each)
    average = total.total() / max(len(counts), 1)

    def typical(cluster: str) -> list[str]:
        weights = {term: n * math.log1p(average / total[term]) for term, n in counts[cluster].items()}
        return sorted(weights, key=lambda term: (-weights[term], term))[:TERMS]

    return {
        cluster: [_commonest(spellings[cluster, term]) for term in typical(cluster)]
        for cluster in sorted(wanted)
    }


def _terms(text: str) -> Iterator[tuple[str, str]]:
    """Yield the words of a text that may be typical of something: what each is counted as, and how it is spelled."""
    for found in _WORD.findall(text):
        spelling = _POSSESSIVE.sub("", found)
        key = spelling.casefold().replace("\u2019", "'")
        if len(key) > 1 and not key.endswith("n't") and key.partition("'")[0] not in _STOP_WORDS:
            yield key, spelling


def _commonest(spellings: Counter[str]) -> str:
    """Return the spelling used most; of several the one in lower case, since a sentence's first word is not."""
    return min(spellings, key=lambda spelling: (-spellings[spelling], spelling.swapcase()))
