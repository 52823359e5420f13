"""Spaces do not see each other: every statement, asked in one space by names of another."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from engram import statements
from engram.graph import Graph
from engram.memory import Engram
from engram.records import Turn
from engram.testing import FixedClock, HashEmbedder
from tests.conftest import DIMENSIONS, Address
from tests.graph.beside import everything, run
from tests.graph.erasing import lived_in
from tests.graph.isolation import EARLY, Known, attempt
from tests.graph.isolation_values import calls

pytestmark = pytest.mark.graph

SCOPED = [
    name
    for name in statements.names()
    if not name.startswith("schema/") and "space" in statements.load(name).declared
]
GROUPS = sorted({name.partition("/")[0] for name in SCOPED})
UNSCOPED = {
    "inspect/await_indexes": "the database's",
    "inspect/get_job_run": "a run may be over every space; it holds counts and no content",
    "inspect/list_indexes": "the database's",
    "inspect/list_number_changes": "who may change the numbers of every space sees the changes of all",
    "inspect/list_spaces": "for jobs, which then work in one space each",
    "inspect/read_clock": "the database's",
    "inspect/read_database": "the database's",
    "inspect/read_schema": "the database's",
    "migrate/read_quantization": "the database's",
    "migrate/record_migration": "the database's",
    "move/script_begin": "part of a script that a person runs",
    "move/script_end": "part of a script that a person runs",
    "move/script_nodes": "part of a script that a person runs",
    "move/script_relationships": "part of a script that a person runs",
    "move/script_settle": "part of a script that a person runs",
    "reindex/begin_filling": "one model makes the vectors of all spaces",
    "reindex/change_state": "one model makes the vectors of all spaces",
    "reindex/count_memories": "one model makes the vectors of all spaces",
    "reindex/drop_index": "one model makes the vectors of all spaces",
    "reindex/forget_other": "one model makes the vectors of all spaces",
    "reindex/switch_slots": "one model makes the vectors of all spaces",
    "write/end_job_run": "a run may be over every space; it holds counts and no content",
    "write/mark_run_undone": "a run may be over every space; it holds counts and no content",
    "write/record_schema": "the database's",
}
"""Statements that take no space, and why."""
AUTO_COMMIT = ("reindex/fill_centroids", "reindex/fill_traces", "reindex/clear_others")
"""Statements that make transactions of their own: they cannot be taken back, so what they did is looked at."""
LATER = datetime(2026, 6, 1, tzinfo=UTC)
"""After what a space that is lived in holds, so that what is laid comes last wherever times make an order."""


@pytest.fixture(scope="module")
def connection(neo4j_address: Address, _schema: None) -> Iterator[Graph]:
    """Give a connection for all."""
    address = neo4j_address
    with Graph(address.uri, address.user, address.password, address.database) as opened:
        yield opened


@pytest.fixture(scope="module")
def theirs(connection: Graph, neo4j_address: Address, tmp_path_factory: pytest.TempPathFactory) -> Engram:
    """Give a space that is lived in; nothing is written into it."""
    folder = tmp_path_factory.mktemp("theirs")
    memory = lived_in(connection, neo4j_address, f"test-{uuid4().hex[:12]}", FixedClock(), folder)
    _enrich(memory)
    return memory


def _enrich(memory: Engram) -> None:
    """Let there be something to do and to tell for every statement."""
    run(memory, "isolation_enrich", at=EARLY)
    for part in ("memories", "changes", "records", "mind"):
        run(memory, f"isolation_enrich_{part}", at=LATER)


@pytest.fixture(scope="module")
def ours(connection: Graph, neo4j_address: Address, tmp_path_factory: pytest.TempPathFactory) -> Engram:
    """Give the space that everything is asked in."""
    settings = neo4j_address.settings(data_dir=tmp_path_factory.mktemp("ours"))
    memory = Engram(connection, settings, space=f"test-{uuid4().hex[:12]}", embedder=HashEmbedder(DIMENSIONS))
    memory.remember_turns(Turn(text=f"we have apple {n}", speaker="Ada", session="ours") for n in range(4))
    memory.recall("apple", 3)
    assert memory.flush()
    return memory


def test_statements_without_a_space_are_known() -> None:
    """Whatever takes no space is on a list that says why."""
    every = {name for name in statements.names() if not name.startswith("schema/")}
    assert every - {*SCOPED} == UNSCOPED.keys()


@pytest.mark.parametrize("group", GROUPS)
def test_no_statement_reaches_into_another_space(ours: Engram, theirs: Engram, group: str) -> None:
    """Asked in one space by the names of another, none changes anything there or tells anything of it."""
    known = Known.of(theirs).asked_by(ours)
    secrets = {text for text in _texts(everything(theirs, leave_out=())) if len(text) > 24}
    secrets -= {*_texts(everything(ours))}
    wrong = []
    watch = _Watch(ours, known)
    for statement in (name for name in SCOPED if name.startswith(f"{group}/") and name not in AUTO_COMMIT):
        for label, values in calls(statement, known):
            rows, changes = watch.ask(statement, values)
            if changes:
                wrong.append(f"{statement} changes what is there, by names of {label}")
            if told := secrets & {*_texts(rows)} - {*_texts(values)}:
                wrong.append(f"{statement} tells {sorted(told)[:3]}, by names of {label}")
    assert not wrong


class _Watch:
    """Asks in one space, and watches what another holds."""

    def __init__(self, memory: Engram, known: Known) -> None:
        self._memory = memory
        self._known = known
        self._before = self._look()

    def _look(self) -> Any:
        return attempt(self._memory, "inspect/read_clock", {}, watched=self._known)[2]

    def changed_by(self, memory: Engram, statement: str) -> bool:
        """Run a statement for good in a memory's space, by the names watched, and return whether these have changed."""
        for _, values in calls(statement, self._known):
            memory.graph.keep(statement, space=memory.space, **values)
        before, self._before = self._before, self._look()
        return bool(before != self._before)

    def ask(self, statement: str, values: Mapping[str, Any]) -> tuple[list[Any], bool]:
        """Return what a statement tells, and whether it changes what it should not."""
        for _ in range(2):
            rows, _, after = attempt(self._memory, statement, values, watched=self._known)
            if after == self._before:
                return rows, False
            # A job over every space may have been there meanwhile.
            self._before = self._look()
        return rows, True


def test_what_cannot_be_taken_back_stays_in_its_space(
    connection: Graph, neo4j_address: Address, ours: Engram, tmp_path: Path
) -> None:
    """Run for good in one space, it leaves another as it was; and there it finds something to do."""
    settings = neo4j_address.settings(data_dir=tmp_path)
    other = Engram(
        connection,
        settings,
        space=f"test-{uuid4().hex[:12]}",
        embedder=HashEmbedder(DIMENSIONS),
        clock=FixedClock(),
    )
    other.remember_turns(Turn(text=f"they have pears {n}", speaker="Bo", session="theirs") for n in range(4))
    assert other.flush()
    _enrich(other)
    known = Known.of(other)
    watch = _Watch(ours, known)
    for statement in AUTO_COMMIT:
        assert not watch.changed_by(ours, statement), statement
        assert watch.changed_by(other, statement), statement


@pytest.mark.parametrize("group", GROUPS)
def test_statements_are_given_what_they_take(theirs: Engram, group: str) -> None:
    """The same calls in the space that the names are from find something there to tell, or change something.

    Otherwise the test of other spaces would be no test. A new statement that finds nothing needs values in `OWN`, or
    data in one of the files `isolation_enrich_*.cypher`.
    """
    known = Known.of(theirs)
    vain = [name for name in SCOPED if name.startswith(f"{group}/") and name not in AUTO_COMMIT]
    for _ in range(2):
        vain = [name for name in vain if not _reaches(theirs, known, name)]
        if vain:  # a job over every space, another test's, may have made the vectors that were lacking
            run(theirs, "isolation_enrich_vectors")
    assert not vain


def _reaches(memory: Engram, known: Known, statement: str) -> bool:
    writes = "Running it twice:" in statements.load(statement).head
    for _, values in calls(statement, known):
        rows, changed, _ = attempt(memory, statement, values)
        if changed or (not writes and any(any(row.values()) for row in rows)):
            return True
    return False


def _texts(value: Any) -> Iterator[str]:
    """Yield every text in a value, however deep."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list | tuple | set | frozenset):
        for each in value:
            yield from _texts(each)
    elif hasattr(value, "properties"):
        yield from _texts(value.properties)
