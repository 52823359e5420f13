"""Spaces do not see each other: every statement, asked in one space by names of another."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from uuid import uuid4

import pytest

from engram import statements
from engram.graph import Graph
from engram.memory import Engram
from engram.records import Turn
from engram.testing import FixedClock, HashEmbedder
from engram.tuning import Tuning
from tests.conftest import DIMENSIONS, Address
from tests.graph.beside import everything, run
from tests.graph.erasing import NAME, lived_in
from tests.graph.isolation import EARLY, NOW, Known, attempt, parameters

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


def _entry(names: Sequence[str], _: Sequence[str]) -> list[dict[str, Any]]:
    entry = {"id": names[0], "session": "s", "at": NOW, "text": "t", "speaker": "s", "skipped": False}
    return [{"key": names[0], "entry": entry, "answers": names[0], "told": True}]


def _call(names: Sequence[str], _: Sequence[str]) -> list[dict[str, Any]]:
    return [{"id": name, "purpose": "gate", "at": NOW, "raw": "taken over"} for name in names]


def _memory(names: Sequence[str], _: Sequence[str]) -> list[dict[str, Any]]:
    times = dict.fromkeys(("event_at", "known_at", "valid_from", "valid_to", "created_at"), NOW)
    row = {"index": 0, "id": f"{names[0]}!", "content_hash": names[0], "reopen": True, "label": "Semantic"}
    return [
        row | {"tombstones": [], "embedding": [1.0] * DIMENSIONS, "properties": {"content": "c", **times}}
    ]


RATES = Tuning().energy["rates"]
OWN: Mapping[str, Mapping[str, Any]] = {
    "consolidate/rebase_energy": {"old": {"rates": RATES}, "new": {"rates": RATES, "expiry": 0.1}},
    "believe/approval_decide": {"from": ["pending"], "to": "refused"},
    "believe/entity_summarise": {"ids": []},
    "believe/extract_finish": {"again": []},
    "believe/entity_read_named": {"groups": lambda names, _: [{"key": names[0], "keys": [*names]}]},
    "believe/record_change": {
        "id": uuid4().hex,
        "memories": lambda names, _: [{"id": name, "role": "old", "before": {}} for name in names],
        "entities": lambda names, _: [{"id": name, "role": "alias", "before": {}} for name in names],
    },
    "inspect/find_traces": {"words": [NAME.lower()]},
    "inspect/list_goals": {"state": None},
    "inspect/list_job_runs": {"job": None},
    "store/find_items": {
        "names": lambda names, _: [{"namespace": "kept.here", "key": name} for name in names]
    },
    "store/list_items": {"namespace": "kept", "below": "kept."},
    "store/list_standing": {"namespace": "kept.here"},
    "store/list_versions": {"namespace": "kept", "below": "kept.", "key": None},
    "write/change_goals": {
        "goals": lambda names, _: [
            {"id": name, "state": "done", "weight": 1.0, "changed_at": NOW} for name in names
        ]
    },
    "write/confirm_memories": {
        "rows": lambda names, _: [{"id": name, "similarity": 0.9, "times": 1, "told": 1} for name in names]
    },
    "write/hear_entries": {"rows": _entry},
    "write/link_entities": {
        "entities": lambda names, _: [
            {
                "key": "somebody",
                "name": "Somebody",
                "mentions": [{"id": name, "role": "named"} for name in names],
            }
        ]
    },
    "write/move_weights": {
        "rows": lambda names, _: [{"id": name, "alpha": 1.0, "beta": 1.0} for name in names]
    },
    "write/record_llm_calls": {"calls": _call},
    "write/remember_memories": {"rows": _memory, "shared": {"status": "active"}},
    "write/scrub_traces": {
        "rows": lambda _, elements: [
            {"element": each, "property": "note", "value": None} for each in elements
        ],
        "links": [],
    },
    "write/set_policy": {"states": {"policy_class": "protected"}, "names": ["policy_class"]},
}
"""Values of a statement's own, where its head does not say enough; a function is given the names."""
AUTO_COMMIT = {"reindex/clear_others"}
"""Statements that make transactions of their own: they cannot be taken back, so what they did is looked at."""
UNREACHED = frozenset(
    {
        "believe/adapt_count_outcomes",
        "believe/adapt_find_repeats",
        "believe/adapt_list_decided",
        "believe/adapt_list_due",
        "believe/adapt_list_steps",
        "believe/adapt_list_unanswered",
        "believe/adapt_mark_undone",
        "believe/adapt_read_outcomes",
        "believe/behaviour_list_deeds",
        "believe/dream_find_insights",
        "believe/dream_list_lines",
        "believe/dream_list_themes",
        "believe/dream_rewrite_line",
        "believe/entity_find_together",
        "believe/entity_read_statements",
        "believe/list_concerned",
        "believe/list_run_changes",
        "believe/pattern_go_on",
        "believe/pattern_track",
        "believe/reconsider_find",
        "believe/tension_close",
        "believe/tension_describe",
        "believe/truth_find_leaning",
        "believe/undo_promotion",
        "believe/undo_resolution",
        "believe/undo_supersession",
        "believe/undo_tension",
        "believe/undo_withdrawal",
        "consolidate/archive_find_archived",
        "consolidate/archive_settle_facts",
        "consolidate/box_list_open",
        "consolidate/box_list_unwoven",
        "consolidate/find_promoted",
        "consolidate/find_unreinforced",
        "consolidate/list_clusters",
        "consolidate/rank_sum_ranks",
        "consolidate/restore_edges",
        "consolidate/roll_up_attempts",
        "consolidate/sweep_pruned_edges",
        "consolidate/sweep_scratch",
        "explore/draw_lasting",
        "inspect/find_corrections",
        "inspect/find_supersession",
        "inspect/list_judged_lifts",
        "inspect/sum_costs_by",
        "move/find_hashes",
        "reindex/fill_centroids",
        "reindex/fill_traces",
        "reindex/find_holder",
        "reindex/list_due",
        "write/add_goal",
        "write/begin_job_run",
        "write/link_turns",
        "write/record_safety_events",
        "write/reinstate_memory",
        "write/release_lease",
        "write/renew_lease",
    }
)
"""Statements that find nothing to do or to tell in the space that the names are from: something has to be due first."""


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
    run(memory, "isolation_enrich", at=EARLY)
    return memory


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
    known = Known.of(theirs)
    secrets = {text for text in _texts(everything(theirs, leave_out=())) if len(text) > 24}
    secrets -= {*_texts(everything(ours))}
    wrong = []
    watch = _Watch(ours, known)
    for statement in (name for name in SCOPED if name.startswith(f"{group}/") and name not in AUTO_COMMIT):
        for label in known.labels(statement):
            values = parameters(statement, known, label, OWN.get(statement, {}))
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

    def ask(self, statement: str, values: Mapping[str, Any]) -> tuple[list[Any], bool]:
        """Return what a statement tells, and whether it changes what it should not."""
        for _ in range(2):
            rows, _, after = attempt(self._memory, statement, values, watched=self._known)
            if after == self._before:
                return rows, False
            # A job over every space may have been there meanwhile.
            self._before = self._look()
        return rows, True


@pytest.mark.parametrize("statement", sorted(AUTO_COMMIT))
def test_what_cannot_be_taken_back_stays_in_its_space(ours: Engram, theirs: Engram, statement: str) -> None:
    """Run for good in one space, it leaves the other as it was."""
    before = everything(theirs, leave_out=())
    known = Known.of(theirs)
    for label in known.labels(statement):
        values = parameters(statement, known, label, OWN.get(statement, {}))
        ours.graph.keep(statement, space=ours.space, **values)
    assert everything(theirs, leave_out=()) == before


@pytest.mark.parametrize("group", GROUPS)
def test_statements_are_given_what_they_take(theirs: Engram, group: str) -> None:
    """The same calls in the space that the names are from are right, and find something there to do or to tell.

    Otherwise the test before would be no test. A new statement that finds nothing belongs into `OWN`, or into `UNREACHED`.
    """
    known = Known.of(theirs)
    vain = {
        name
        for name in SCOPED
        if name.startswith(f"{group}/") and name not in AUTO_COMMIT and not _reaches(theirs, known, name)
    }
    assert vain - UNREACHED == set()


def _reaches(memory: Engram, known: Known, statement: str) -> bool:
    calls = [
        attempt(memory, statement, parameters(statement, known, label, OWN.get(statement, {})))
        for label in known.labels(statement)
    ]
    return any(changed or any(any(row.values()) for row in rows) for rows, changed, _ in calls)


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
