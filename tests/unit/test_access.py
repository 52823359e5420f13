"""Every statement is sent where it can run: what reads to any member of a cluster, what writes to its leader."""

import ast
from collections import defaultdict
from pathlib import Path

from engram import statements
from tests.unit.test_layout import _WRITES, PYTHON, code_of

READERS = {"read", "_read", "changed_by_undone"}
"""Methods whose first argument is a statement that is sent to whoever can read."""
WRITERS = {"write", "keep", "rehearse", "Batches"}
"""Those whose statement is sent to the leader."""


def called(path: Path) -> dict[str, set[str]]:
    """Return the statements that a module names, by the method that it gives them to."""
    found: dict[str, set[str]] = defaultdict(set)
    known = {*statements.names()}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            method = getattr(node.func, "attr", getattr(node.func, "id", ""))
            given = [*node.args[:1], *(each.value for each in node.keywords if each.arg == "statement")]
            named = {each.value for each in given if isinstance(each, ast.Constant)}
            found[method] |= {name for name in named if isinstance(name, str)} & known
    return found


def test_statements_are_sent_where_they_can_run() -> None:
    """What is read with writes nothing, and what is written with does."""
    sent: dict[str, set[str]] = defaultdict(set)
    for path in PYTHON:
        for method, names in called(path).items():
            sent[method] |= names
    reading = set().union(*(sent[method] for method in READERS))
    writing = set().union(*(sent[method] for method in WRITERS))
    assert len(reading) > 80
    assert len(writing) > 50
    changing = {name for name in reading | writing if _WRITES.search(code_of(statements.load(name)))}
    assert reading & changing == set()
    assert writing - changing == set()
