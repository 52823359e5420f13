"""A chain of evidence as a graph elsewhere: text for Graphviz, and a statement to paste into Neo4j Browser."""

from collections.abc import Sequence

from engram import statements
from engram.graph import Row
from engram.pasting import literal, parameter_lines
from engram.records import Evidence
from engram.text import inert

_LONGEST = 120
"""Characters of a text in a node."""
_BACKWARDS = {
    "SUPERSEDED_BY": "SUPERSEDES",
    "REINFORCED_BY": "REINFORCES",
    "DISPUTED_IN": "TENSION_BETWEEN",
}
"""Roles that meet a relationship at its end, and the relationship's type."""


def dot(chain: Sequence[Evidence]) -> str:
    """Return a chain of evidence in Graphviz's language: a node for each thing, an edge for each relationship."""
    nodes: dict[str, str] = {}
    edges: dict[str, None] = {}
    above: list[str] = []
    for step in chain:
        name = _quoted(f"{step.label} {step.id}")
        nodes.setdefault(name, f"{name} [label={_quoted(_label(step))}];")
        del above[step.depth :]
        if above:
            edges.setdefault(_edge(step, above[-1], name))
        above.append(name)
    lines = ["rankdir=LR;", "node [shape=box];", *nodes.values(), *edges]
    return "\n".join(["digraph why {", *(f"  {line}" for line in lines), "}"])


def pasted(name: str, parameters: Row) -> str:
    """Return a statement as it is pasted into Neo4j Browser: a `:param` line for each parameter, and it as it is.

    Args:
        name: The statement's, e.g. `inspect/explain_memory`.
        parameters: Texts and whole numbers.
    """
    lines = parameter_lines({key: literal(value) for key, value in parameters.items()})
    return "\n".join([*lines, statements.load(name).text.strip()])


def _edge(step: Evidence, above: str, name: str) -> str:
    kind = _BACKWARDS.get(step.relationship, step.relationship)
    start, end = (name, above) if step.relationship in _BACKWARDS else (above, name)
    both = step.relationship == "IN_TENSION_WITH"
    if both:  # stored in one direction, which means nothing
        start, end = sorted((start, end))
    return f"{start} -> {end} [label={_quoted(kind)}{', dir=none' if both else ''}];"


def _label(step: Evidence) -> str:
    if step.label == "Session":
        return f"conversation {step.text}"
    said = " ".join(filter(None, (f"{step.at:%Y-%m-%d}" if step.at else "", step.who)))
    return f"{step.label.lower()} {said}\n{inert(step.text, _LONGEST)}"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
