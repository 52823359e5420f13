"""Readiness: ten milestones on the way to a mind of its own, read from what is on record.

Nobody ticks them off, and nothing of them is stored: a statement each looks for the first time that it came to pass, and
returns the path in the graph that shows it. What is taken back or erased is not there any more, and so is a milestone that
rested on it.

Source: v4 plan, 5.2.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from engram.graph import Graph, Node, Path, Row


@dataclass(frozen=True, slots=True, kw_only=True)
class Achievement:
    """What is to come to pass for the first time."""

    statement: str
    """Which finds it; it begins with its number."""
    title: str
    counts: str
    """What would count, for a person."""

    @property
    def number(self) -> int:
        """Its place, from 1."""
        return int(self.statement.removeprefix("mind/ready_")[:2])


ACHIEVEMENTS = (
    Achievement(
        statement="mind/ready_01_first_memory",
        title="First memory formed",
        counts="something said in `engram chat` that the exit gate keeps",
    ),
    Achievement(
        statement="mind/ready_02_first_retrieval",
        title="First retrieval that helped",
        counts="a recall of which you say that it was of use: `/good` in a conversation",
    ),
    Achievement(
        statement="mind/ready_03_first_consolidation",
        title="First cycle of consolidation",
        counts="a merge, an insight and a narrative that tells of one, by the job `dream`",
    ),
    Achievement(
        statement="mind/ready_04_first_goal_weight",
        title="First memory that weighs like a goal",
        counts="a promotion by evidence of many days, by the job `patterns`",
    ),
    Achievement(
        statement="mind/ready_05_first_prompt_acted",
        title="First prompt to itself that it acted upon",
        counts="a thought of the idle mind about a goal that a model thought through, and answered",
    ),
    Achievement(
        statement="mind/ready_06_first_identity_weight",
        title="First memory that weighs like identity",
        counts="a second promotion of one memory, which may need `engram approve`",
    ),
    Achievement(
        statement="mind/ready_07_first_resolution",
        title="First conflict resolved",
        counts="a tension that is settled, or an insight withdrawn because its grounds have gone",
    ),
    Achievement(
        statement="mind/ready_08_first_association",
        title="First creative association",
        counts="a thought of the idle mind that brings two memories together",
    ),
    Achievement(
        statement="mind/ready_09_first_goal_reflected",
        title="First goal reached and reflected upon",
        counts="a goal that is done, and a thought, an insight or a narrative about it afterwards",
    ),
    Achievement(
        statement="mind/ready_10_first_own_decision",
        title="First decision by a value of its own",
        counts="a thought acted upon that goes back to a memory which experience has promoted",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """A node that shows that it came to pass."""

    label: str
    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Milestone:
    """An achievement, and when it was reached."""

    number: int
    title: str
    counts: str
    """What counts, for a person."""
    at: datetime | None
    """When it was reached first; None: not yet."""
    evidence: tuple[Witness, ...]
    """Along the path."""
    paths: tuple[Path, ...] = field(repr=False)
    """As the graph draws it; see `engram.explore.picture`."""


def readiness(graph: Graph, *, space: str) -> tuple[Milestone, ...]:
    """Return the ten milestones of a space in their order, each with what shows that it was reached."""
    return tuple(
        _milestone(achievement, graph.read(achievement.statement, space=space))
        for achievement in ACHIEVEMENTS
    )


def _milestone(achievement: Achievement, rows: Sequence[Row]) -> Milestone:
    row = rows[0] if rows else {"at": None, "evidence": [], "paths": []}
    labels = {node.properties.get("id"): _label(node) for node in _nodes(row["paths"])}
    return Milestone(
        number=achievement.number,
        title=achievement.title,
        counts=achievement.counts,
        at=row["at"],
        evidence=tuple(Witness(label=labels.get(each, ""), id=each) for each in row["evidence"]),
        paths=tuple(row["paths"]),
    )


def _nodes(paths: Sequence[Path]) -> Iterator[Node]:
    for path in paths:
        yield from path.nodes


def _label(node: Node) -> str:
    """Return what a node is; of a memory that it is one, whatever its kind."""
    return "Memory" if "Memory" in node.labels else min(node.labels, default="")
