"""What statements are given of their own, where what their heads say of parameters is not enough to meet something.

`isolation_enrich_*.cypher` lay nodes with the ids `<space>:<name>` to be met: `the(name)` is such an id.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from engram.mind.priority import RATES
from engram.tuning import Tuning
from tests.conftest import DIMENSIONS
from tests.graph.erasing import NAME
from tests.graph.isolation import EARLY, NOW, VECTOR, Known, parameters

Own = Mapping[str, Any]
"""Values by parameter; a function makes one out of the names of the label in turn, and all that is known."""
_Made = Callable[[Sequence[str], Known], Any]


def the(name: str) -> _Made:
    """Return what finds the id `<space>:<name>`."""
    return lambda _, known: known.one(name)


def each(**fields: Any) -> _Made:
    """Return what makes a row of every name: the name as its id, and some fields."""
    return lambda names, _: [{"id": name, **fields} for name in names]


def _asking(**fields: Any) -> _Made:
    """Return what makes a row of every memory of the space that asks."""
    return lambda _, known: [{"id": name, **fields} for name in sorted(known.asking)]


def _entry(names: Sequence[str], _: Known) -> list[dict[str, Any]]:
    entry = {"id": names[0], "session": "s", "at": NOW, "text": "t", "speaker": "s", "skipped": False}
    return [{"key": names[0], "entry": entry, "answers": names[0], "told": True}]


def _memory(names: Sequence[str], _: Known) -> list[dict[str, Any]]:
    times = dict.fromkeys(("event_at", "known_at", "valid_from", "valid_to", "created_at"), NOW)
    row = {"index": 0, "id": f"{names[0]}!", "content_hash": names[0], "reopen": True, "label": "Semantic"}
    return [
        row | {"tombstones": [], "embedding": [1.0] * DIMENSIONS, "properties": {"content": "c", **times}}
    ]


def _turn(_: Sequence[str], known: Known) -> list[dict[str, Any]]:
    row = {
        "turn": known.names["Turn"][0],
        "session": known.names["Session"][0],
        "text": "t",
        "speaker": "s",
        "at": NOW,
    }
    told = {"caption": None, "source": "s", "source_tag": "external_user", "told": True}
    return [row | told | {"memory": known.one("newer"), "previous": known.one("older")}]


_RATES = Tuning().energy["rates"]
_PAIR = {"low": the("low"), "high": the("high")}
_MEMBERS = {"pairs": lambda _, known: [[known.one("newer"), known.one("cluster")]]}
_RUN = {"run": the("run")}
_LEASE = {"phase": "holding", **_RUN}
_SLOT_B = {"property": "embedding", "centroid": "centroid_b", "other": "centroid"}
"""Slot b is filled; its vectors are those of slot a, which there are."""
_VERSION = {"version": 3, "at": NOW, "state": "taken", "text": "taken over", "run": "a run"}


def _cites(_: Sequence[str], known: Known) -> list[dict[str, Any]]:
    return [{"memory": known.one("newer"), "line": 0, "key": "0"}]


OWN: Mapping[str, Own | Sequence[Own]] = {
    "believe/adapt_count_outcomes": {
        "rows": lambda names, _: [
            {
                "turn": name,
                "week": "2026-22",
                "count": "kept",
                "worthy": None,
                "good": 1.0,
                "why": "used since",
            }
            for name in names
        ]
    },
    "believe/adapt_find_repeats": {
        "rows": lambda names, _: [
            {"index": 0, "vector": VECTOR, "turn": f"{names[0]}!", "after": EARLY, "until": NOW}
        ]
    },
    "believe/adapt_list_steps": _RUN,
    "believe/adapt_mark_undone": {**_RUN, "key": "gate_persist"},
    "believe/approval_ask": (
        {},
        {
            "id": lambda _, known: known.names["Approval"][0],
            "memory": lambda _, known: known.asking[0],
        },
    ),
    "believe/approval_decide": {"from": ["pending"], "to": "refused"},
    "believe/behaviour_list_deeds": {"value": the("newer"), "speaker": "Noor"},
    "believe/dream_find_insights": {"least": -1.0},
    "believe/dream_rewrite_line": {"id": the("newer"), "seen": "in short", "line": "shorter", "by": "model"},
    "believe/entity_find_together": {"longer": [NAME.lower()], "shorter": ["tom"]},
    "believe/entity_read_named": {"groups": lambda names, _: [{"key": names[0], "keys": [*names]}]},
    "believe/entity_read_statements": {"cues": ["My"], "slots": ["home"]},
    "believe/entity_summarise": {"ids": []},
    "believe/extract_finish": {"again": []},
    "believe/fact_link_turns": {
        "id": the("newer"),
        "quotes": lambda _, known: [{"turn": turn, "citation": "this is"} for turn in known.names["Turn"]],
    },
    "believe/list_concerned": {"id": the("supersession-change")},
    "believe/list_run_changes": _RUN,
    "believe/pattern_go_on": {"id": the("promoted")},
    "believe/record_change": (
        {
            "id": uuid4().hex,
            "memories": each(role="old", before={}),
            "entities": each(role="alias", before={}),
        },
        {"id": the("insight-change"), "memories": _asking(role="old", before={}), "entities": []},
    ),
    "believe/tension_close": {**_PAIR, "said": the("saying")},
    "believe/tension_describe": {**_PAIR, "id": the("saying")},
    "believe/truth_find_leaning": {"ids": lambda _, known: [known.one("older")]},
    "believe/undo_insight": {"id": the("insight-change")},
    "believe/undo_promotion": {"id": the("promotion-change")},
    "believe/undo_resolution": {"id": the("resolution-change")},
    "believe/undo_rewriting": {"id": the("rewriting-change")},
    "believe/undo_supersession": {"id": the("supersession-change")},
    "believe/undo_tension": {"id": the("tension-change")},
    "believe/undo_withdrawal": {"id": the("withdrawal-change")},
    "consolidate/add_cluster_members": _MEMBERS,
    "consolidate/archive_find_archived": _RUN,
    "consolidate/archive_restore_facts": _RUN,
    "consolidate/archive_settle_facts": {"rows": each(seen={}, properties={}, revised=1)},
    "consolidate/box_fill": {
        "boxes": lambda _, known: [
            {
                "id": known.one("open"),
                "session": "s",
                "places": [],
                "properties": {"ended_at": NOW},
                "centroid": None,
            }
        ]
    },
    "consolidate/box_weave": {"id": the("sealed")},
    "consolidate/demote_memories": _RUN,
    "consolidate/find_promoted": _RUN,
    "consolidate/find_unreinforced": {"after": EARLY, "skip": ""},
    "consolidate/form_clusters": {
        "rows": lambda _, known: [
            {
                "id": known.one("cluster"),
                "size": 1,
                "label": "another",
                "sample": [*known.asking],
                "split_from": None,
            }
        ]
    },
    "consolidate/mark_cluster_edges": {"weight": 0.0, "similarity": -1.0, "decay": 0.0},
    "consolidate/rebase_energy": {"old": {"rates": _RATES}, "new": {"rates": _RATES, "expiry": 0.1}},
    "consolidate/remove_cluster_members": _MEMBERS,
    "consolidate/restore_edges": _RUN,
    "inspect/find_corrections": {"similarity": -1.0},
    "inspect/find_supersession": {"newer": the("newer"), "older": the("older")},
    "inspect/find_traces": {"words": [NAME.lower()]},
    "inspect/list_goals": {"states": None},
    "inspect/list_job_runs": {"job": None},
    "inspect/list_judged_lifts": {"recall": the("unanswered")},
    "inspect/sum_costs_by": {"session": None},
    "mind/axis_store": {
        "rows": [
            {
                "number": 0,
                "direction": VECTOR,
                "middle": 0.0,
                "spread": 1.0,
                "share": 1.0,
                "name": "hope: boat",
            }
        ]
    },
    "mind/gut_log": {
        "rows": lambda names, known: [
            {"id": each, "turn": turn, "at": NOW, "vector": VECTOR, "magnitude": 0.5, "context": "c"}
            for each, turn in zip((uuid4().hex, names[0]), (known.names["Turn"][0], names[-1]), strict=True)
        ]
    },
    "mind/gut_read": {"model": "a model"},
    "mind/gut_read_deltas": {"model": "a model"},
    "mind/gut_read_vectors": {"model": f"hash-{DIMENSIONS}"},
    "mind/outcome_list": {"kind": None},
    "mind/explain_goal": {"id": the("goal-active")},
    "mind/find_connected": {"strength": 0.5},
    "mind/link_goal": {"id": the("goal-active")},
    "mind/rank_goals": {"rates": dict(RATES)},
    "mind/replay_goals": {
        "least": -1.0,
        "strong": None,
        "patience": None,
        "weak": 0,
        "skip": 0,
        "fading": 0.8,
        "half": 1.0,
    },
    "mind/list_thoughts": {"state": None, "channel": None},
    "mind/settle_idle": {"midnight": datetime(2026, 6, 1, tzinfo=UTC)},
    "mind/state_find_seed": {"seed": "seed of a text"},
    "mind/state_list_person": {"subjects": ["noor"]},
    "mind/state_list_versions": {"number": None},
    "mind/state_move_signals": {"levels": {"bonding": 0.5, "signals_at": NOW}},
    "mind/weigh_thought": {"id": the("unweighed")},
    "mind/state_store": (
        {"version": lambda _, known: _VERSION | {"id": known.one("first")}, "cites": _cites},
        {"version": _VERSION | {"id": uuid4().hex}, "cites": _cites},
    ),
    "move/find_hashes": {"hashes": lambda names, _: [f"hash of {name}" for name in names]},
    "reindex/fill_centroids": _SLOT_B,
    "reindex/fill_traces": _SLOT_B,
    "reindex/find_holder": _LEASE,
    "store/find_items": {
        "names": lambda names, _: [{"namespace": "kept.here", "key": name} for name in names]
    },
    "store/list_items": {"namespace": "kept", "below": "kept."},
    "store/list_standing": {"namespace": "kept.here"},
    "store/list_versions": {"namespace": "kept", "below": "kept.", "key": None},
    "write/add_goal": (
        {},
        {"goal": {"id": uuid4().hex, "text": "be kind", "state": "active", "weight": 1.0, "created_at": NOW}},
    ),
    "write/begin_job_run": ({}, {"id": uuid4().hex}),
    "write/change_goals": {"goals": each(values={"state": "done", "weight": 1.0, "changed_at": NOW})},
    "write/claim_memories": (
        {},
        {"ids": lambda _, known: sorted(known.asking), "due": "version", "attempt": the("tried")},
    ),
    "write/confirm_memories": {"rows": each(similarity=0.9, times=1, told=1)},
    "write/end_loop_run": {"run": the("loop")},
    "write/hear_entries": {"rows": _entry},
    "write/judge_hits": {"recall": the("judged"), "ids": None},
    "write/link_entities": {
        "entities": lambda names, _: [
            {
                "key": "somebody",
                "name": "Somebody",
                "mentions": [{"id": name, "role": "named"} for name in names],
            }
        ]
    },
    "write/link_turns": {"rows": _turn},
    "write/move_weights": {"rows": each(alpha=1.0, beta=1.0)},
    "write/record_llm_calls": {"calls": each(purpose="gate", at=NOW, raw="taken over")},
    "write/record_safety_events": {
        "events": lambda names, _: [
            {"id": name, "at": NOW, "ceiling": "mass", "reason": "taken over"}
            for name in (*names, uuid4().hex)
        ]
    },
    "write/reinstate_memory": {"id": the("older")},
    "write/release_lease": _LEASE,
    "write/remember_memories": {"rows": _memory, "shared": {"status": "active"}},
    "write/renew_claim": {"attempt": the("holding")},
    "write/renew_lease": _LEASE,
    "write/scrub_traces": {
        "rows": lambda _, known: [
            {"element": element, "property": "note", "value": None} for element in known.elements
        ],
        "links": [],
    },
    "write/set_policy": {"states": {"policy_class": "protected"}, "names": ["policy_class"]},
}
"""Values of a statement's own. Of several mappings each is a call of its own: names that are there, and names that are new."""


def calls(statement: str, known: Known) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield, for every label whose names a statement may take, the label and parameters but the space."""
    own = OWN.get(statement, {})
    for values in [own] if isinstance(own, Mapping) else own:
        for label in known.labels(statement):
            yield label, parameters(statement, known, label, values)
