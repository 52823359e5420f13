"""Folding the graph around a memory into a tree, and showing it."""

from collections.abc import Iterable
from datetime import UTC, datetime
from pkgutil import resolve_name
from typing import Any

from engram.beliefs.drawing import dot, pasted
from engram.beliefs.why import STATEMENT, fold, parameters
from engram.graph import Node, Row, Step
from engram.statements import load

why: Any = resolve_name("engram.cli.why")
AT = datetime(2026, 5, 1, tzinfo=UTC)


def node(name: str, label: str = "Semantic", **properties: Any) -> Node:
    """Return a memory's node, or with the label of a turn or a session one of those."""
    labels = {label} if label in {"Turn", "Session"} else {"Memory", label}
    return Node(name, frozenset(labels), {"id": name, "content": f"about {name}", **properties})


def rows(*steps: tuple[str, str, str], **nodes: Node) -> list[Row]:
    """Return what the statement would for steps (above, role, reached), given level by level."""
    depths = {steps[0][0]: 0}
    found = [_row(0, "", None, nodes.get(steps[0][0], node(steps[0][0])), 1)]
    for above, role, reached in steps:
        depth = depths[above] + 1
        depths.setdefault(reached, depth)
        total = sum(each[:2] == (above, role) for each in steps)
        link = Step(role, above, reached, {})
        found.append(_row(depth, role, link, nodes.get(reached, node(reached)), total))
    return found


def _row(depth: int, role: str, link: Step | None, reached: Node, total: int) -> Row:
    return {"depth": depth, "role": role, "total": total, "link": link, "node": reached}


def ends(lines: Iterable[str]) -> list[str]:
    """Return the lines without what guides the eye."""
    return [line.lstrip("│├└─ ") for line in lines]


def test_no_rows_are_no_evidence() -> None:
    """A memory that is not there has no chain."""
    assert fold([]) == []


def test_the_tree_is_depth_first_and_names_parents() -> None:
    """What comes level by level is told chain by chain, each step with what it hangs on."""
    chain = fold(rows(("a", "DERIVED_FROM", "b"), ("a", "DERIVED_FROM", "d"), ("b", "DERIVED_FROM", "c")))
    assert [(step.depth, step.id, step.parent) for step in chain] == [
        (0, "a", None),
        (1, "b", "a"),
        (2, "c", "b"),
        (1, "d", "a"),
    ]


def test_a_node_is_opened_where_it_is_reached_first() -> None:
    """Of two ways to a memory the shorter one opens it, though the longer one is told before; circles end."""
    chain = fold(
        rows(
            ("a", "DERIVED_FROM", "b"),
            ("a", "SUPERSEDES", "c"),
            ("b", "DERIVED_FROM", "c"),
            ("c", "DERIVED_FROM", "a"),
        )
    )
    assert [(step.id, step.repeated) for step in chain] == [
        ("a", False),
        ("b", False),
        ("c", True),
        ("c", False),
        ("a", True),
    ]


def test_a_memory_without_ground_is_broken() -> None:
    """A chain ends in a turn, or in a memory of which it is said that nothing is recorded below it."""
    chain = fold(
        rows(
            ("a", "DERIVED_FROM", "b"),
            ("a", "DERIVED_FROM", "t"),
            ("t", "PART_OF", "s"),
            t=node("t", "Turn"),
            s=node("s", "Session"),
        )
    )
    assert [step.id for step in chain if step.broken] == ["b"]


def test_what_is_cut_is_counted() -> None:
    """Steps that are not shown are counted at the node that they lead on from, for breadth and for depth."""
    found = rows(("a", "DERIVED_FROM", "b"))
    found[1]["total"] = 1_000
    found.append(_row(2, "DERIVED_FROM", None, node("b"), 3))
    chain = fold(found)
    assert [(step.id, step.left_out) for step in chain] == [
        ("a", {"DERIVED_FROM": 999}),
        ("b", {"DERIVED_FROM": 3}),
    ]
    assert not any(step.broken for step in chain)
    assert ends(why.evidence_lines(chain))[-2:] == [
        "rests on 3 more that are not shown",
        "rests on 999 more that are not shown",
    ]


def test_truth_is_its_mean_and_how_much_there_is() -> None:
    """Beta(5, 1) is 0.83 on four pieces of evidence; a turn has no truth."""
    chain = fold(
        rows(("a", "DERIVED_FROM", "t"), a=node("a", truth_alpha=5.0, truth_beta=1.0), t=node("t", "Turn"))
    )
    assert (chain[0].truth, chain[0].evidence) == (5 / 6, 4.0)
    assert chain[1].truth is None
    assert "truth 0.83, evidence 4" in why.evidence_lines(chain)[0]


def test_lines_say_when_who_and_in_which_words() -> None:
    """A line has the date, who said it, what, and the quoted span where it is not all of it; markup is text."""
    said = node(
        "t", "Turn", content=None, text="Well, [bold]I moved to Ghent\nlast week", speaker="Noor", at=AT
    )
    found = rows(("a", "DERIVED_FROM", "t"), t=said)
    found[1]["link"].properties["citation"] = "I moved to Ghent"
    line = why.evidence_lines(fold(found))[1]
    assert line == (
        "└── rests on 2026-05-01 Noor: “Well, [bold]I moved to Ghent last week”, "
        "in the words “I moved to Ghent”  [turn t]"
    )


def test_graphviz_text_cannot_be_broken_out_of() -> None:
    """Quotes, backslashes and line breaks of a memory stay within its label; each relationship is drawn once."""
    chain = fold(
        rows(
            ("a", "SUPERSEDED_BY", "b"),
            ("b", "SUPERSEDES", "a"),
            a=node("a", content='say "x"\\\n]; evil [label="'),
        )
    )
    text = dot(chain)
    assert text.count("->") == 1
    assert '"Semantic b" -> "Semantic a" [label="SUPERSEDES"];' in text
    for line in text.splitlines()[1:-1]:
        bare = line.replace("\\\\", "").replace('\\"', "")
        assert bare.count('"') % 2 == 0
        assert line.endswith(";")


def test_the_pasted_statement_is_the_one_that_runs() -> None:
    """It has a line for each parameter, whatever the space is called, and then the file as it stands."""
    text = pasted(STATEMENT, parameters("o'brien\\", "abc"))
    lines = text.splitlines()
    assert lines[0] == ":param space => 'o\\'brien\\\\';"
    assert text.endswith(load(STATEMENT).text.strip())
    assert {line.split()[1] for line in lines if line.startswith(":param")} == load(STATEMENT).declared
