"""Folding graph paths into a tree."""

import itertools

from engram.evidence import fold_paths
from engram.graph import Node, Path, Step


def node(name: str, label: str = "Semantic") -> Node:
    """Return a memory's node."""
    return Node(name, frozenset({"Memory", label}), {"id": name, "content": f"about {name}"})


def path(*names: str, kind: str = "SUPERSEDES", back: bool = False) -> Path:
    """Return a path through nodes, each pair linked forwards or backwards."""
    steps = tuple(
        Step(kind, *((two, one) if back else (one, two)), {}) for one, two in itertools.pairwise(names)
    )
    return Path(tuple(map(node, names)), steps)


def test_no_paths_are_no_evidence() -> None:
    """A memory that is not there has no chain."""
    assert fold_paths([]) == []


def test_shared_beginnings_are_listed_once() -> None:
    """Paths that begin alike are one branch, and each step names its parent."""
    chain = fold_paths([path("a"), path("a", "b"), path("a", "b", "c"), path("a", "d")])
    assert [(step.depth, step.id, step.parent) for step in chain] == [
        (0, "a", None),
        (1, "b", "a"),
        (2, "c", "b"),
        (1, "d", "a"),
    ]


def test_direction_gives_the_role() -> None:
    """What supersedes and what is superseded are told apart."""
    chain = fold_paths([path("a"), path("a", "b"), path("a", "c", back=True)])
    assert {(step.id, step.relationship) for step in chain[1:]} == {
        ("b", "SUPERSEDES"),
        ("c", "SUPERSEDED_BY"),
    }


def test_circles_end() -> None:
    """A node that was opened is listed again but not opened again."""
    chain = fold_paths([path("a"), path("a", "b"), path("a", "b", "a")])
    assert [step.id for step in chain] == ["a", "b", "a"]
