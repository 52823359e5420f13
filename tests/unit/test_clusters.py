"""Communities and clusters as plain sets: parts, succession, names."""

from itertools import combinations
from random import Random

import hypothesis.strategies as st
from hypothesis import given

from engram.clusters import TERMS, Succession, connected_parts, succession, typical_terms

MEMBERS = [f"{number:02x}" for number in range(24)]
NODES = st.sampled_from(MEMBERS)
ADJACENCY = st.lists(st.lists(NODES, min_size=1, max_size=5), max_size=30)


@st.composite
def partitions(draw: st.DrawFn) -> list[list[str]]:
    """Draw disjoint communities of two members or more, in the order of their first."""
    homes = draw(st.lists(st.integers(0, 6), min_size=len(MEMBERS), max_size=len(MEMBERS)))
    groups = [[each for each, home in zip(MEMBERS, homes, strict=True) if home == n] for n in range(1, 7)]
    return sorted(group for group in groups if len(group) > 1)


def named(partition: list[list[str]]) -> dict[str, list[str]]:
    """Return a partition as clusters, by id."""
    return {f"c{place}": members for place, members in enumerate(partition)}


@given(ADJACENCY)
def test_parts_are_the_classes_of_reachability(ties: list[list[str]]) -> None:
    """Two nodes are in one part if and only if a path of edges joins them; each node is in exactly one."""
    reach = {node: {node} for tie in ties for node in tie}
    for node, *others in ties:
        for other in others:
            joint = reach[node] | reach[other]
            for each in joint:
                reach[each] = joint
    parts = connected_parts(ties)
    assert parts == sorted(sorted(part) for part in {frozenset(each) for each in reach.values()})


@given(partitions(), partitions())
def test_each_cluster_has_one_fate(before: list[list[str]], now: list[list[str]]) -> None:
    """A community carries on one cluster at most, and a cluster is carried on, merged or dissolved, once."""
    found = succession(now, named(before))
    assert sorted([*found.kept.values(), *found.merged, *found.dissolved]) == sorted(named(before))
    assert not found.kept.keys() & found.split.keys()
    assert set(found.merged.values()) <= found.kept.keys()
    assert set(found.split.values()) <= set(found.kept.values())


@given(partitions(), partitions())
def test_largest_overlap_wins(before: list[list[str]], now: list[list[str]]) -> None:
    """Where a community does not carry on a cluster that it is related to, one of the two has a match as large."""
    clusters = named(before)
    found = succession(now, clusters)
    heirs = {cluster: place for place, cluster in found.kept.items()}

    def overlap(place: int, cluster: str) -> int:
        return len({*now[place]} & {*clusters[cluster]})

    for place, members in enumerate(now):
        for cluster in clusters:
            shared = overlap(place, cluster)
            if not shared or 2 * shared < min(len(members), len(clusters[cluster])):
                assert found.kept.get(place) != cluster
                continue
            of_community = overlap(place, found.kept[place]) if place in found.kept else 0
            of_cluster = overlap(heirs[cluster], cluster) if cluster in heirs else 0
            assert max(of_community, of_cluster) >= shared


@given(partitions(), partitions(), st.randoms(use_true_random=False))
def test_succession_does_not_depend_on_order(
    before: list[list[str]], now: list[list[str]], random: Random
) -> None:
    """Neither the order of the clusters nor that of members decides anything."""
    clusters = list(named(before).items())
    random.shuffle(clusters)
    shuffled = {each: random.sample(members, len(members)) for each, members in clusters}
    assert succession([random.sample(each, len(each)) for each in now], shuffled) == succession(
        now, named(before)
    )


@given(partitions(), st.permutations(range(6)))
def test_identity_is_kept_under_relabelling(partition: list[list[str]], names: list[int]) -> None:
    """The same members are the same cluster, whatever it is called and in whichever place its community stands."""
    clusters = {f"c{names[place]}": members for place, members in enumerate(partition)}
    now = partition[::-1]
    found = succession(now, clusters)
    assert {cluster: now[place] for place, cluster in found.kept.items()} == clusters
    assert not found.merged
    assert not found.split


def test_grow_merge_split_and_dissolve() -> None:
    """The larger part goes on, the smaller one is merged or split off, and a lone member carries nothing on."""
    clusters = {
        "grown": ["a", "b"],
        "whole": ["d", "e", "f", "g", "h"],
        "small": ["i", "j"],
        "gone": ["x", "y", "z"],
    }
    now = [["a", "b", "c", "i", "j", "k"], ["d", "e"], ["f", "g", "h"], ["x", "p", "q", "r"]]
    assert succession(now, clusters) == Succession(
        kept={0: "grown", 2: "whole"}, merged={"small": 0}, split={1: "whole"}, dissolved=("gone",)
    )


def test_terms_tell_clusters_apart() -> None:
    """What all clusters share says nothing; what one has says what it is about, spelled as it mostly is."""
    texts = [
        ("a", "The roses in Ana's garden want pruning"),
        ("a", "Roses of the garden: Ana's compost is for the roses"),
        ("b", "Tomasz's boat in the garden leaks"),
        ("b", "The boat wants Tomasz, and TOMASZ doesn't want the boat"),
    ]
    found = typical_terms(texts, wanted={"a", "b"})
    assert found["a"][:2] == ["Ana", "roses"]
    assert found["b"][:2] == ["boat", "Tomasz"]
    assert typical_terms(texts, wanted={"b"}) == {"b": found["b"]}


def test_terms_without_words() -> None:
    """Texts of stop words, digits and signs have no terms, and a cluster without texts has none either."""
    assert typical_terms([("a", "It isn't 42, is it?"), ("b", "... !")], wanted={"a", "b", "c"}) == {
        "a": [],
        "b": [],
        "c": [],
    }


@given(st.lists(st.tuples(st.sampled_from("abc"), st.text(max_size=80)), max_size=12))
def test_terms_are_words_of_the_texts(texts: list[tuple[str, str]]) -> None:
    """A term stands in one of the cluster's texts as it is spelled; there are few, and none twice."""
    for cluster, terms in typical_terms(texts, wanted={"a", "b", "c"}).items():
        own = " ".join(text for home, text in texts if home == cluster)
        assert len(terms) <= TERMS
        assert all(term in own for term in terms)
        assert all(one.casefold() != other.casefold() for one, other in combinations(terms, 2))
