"""Marking: states of a memory that a person sets by hand, and that no job changes."""

from collections.abc import Mapping
from datetime import datetime

from engram.beliefs.policy.rules import PolicyClass, VerificationState
from engram.errors import NotFoundError
from engram.graph import Graph
from engram.records import Memory, memory_from


def mark(
    graph: Graph,
    *,
    space: str,
    memory: str,
    verification: VerificationState | None = None,
    policy_class: PolicyClass | None = None,
    resolved_at: datetime | None = None,
) -> Memory:
    """Set states of a memory by hand; what is left out stays as it is.

    Args:
        graph: Where.
        space: Whose.
        memory: Its id.
        verification: Who stands for it.
        policy_class: How long it is meant to be kept at hand; `protected` keeps every job from archiving it.
        resolved_at: When a commitment was fulfilled.

    Returns:
        The memory as it is now.

    Raises:
        NotFoundError: There is none.
    """
    given = {
        "verification_state": None if verification is None else verification.value,
        "policy_class": None if policy_class is None else policy_class.value,
        "resolved_at": resolved_at,
    }
    states = {name: value for name, value in given.items() if value is not None}
    return _written(graph, space=space, memory=memory, states=states)


def unmark(graph: Graph, *, space: str, memory: str) -> Memory:
    """Give the states of a memory that were set by hand back to the jobs, and open its commitment again.

    Raises:
        NotFoundError: There is none.
    """
    states = dict.fromkeys(("verification_state", "policy_class", "resolved_at"))
    return _written(graph, space=space, memory=memory, states=states)


def _written(graph: Graph, *, space: str, memory: str, states: Mapping[str, object]) -> Memory:
    rows = graph.write("write/set_policy", space=space, id=memory, states=states, names=sorted(states)).rows
    if not rows:
        raise NotFoundError(f"There is no memory {memory!r} in the space {space!r}.")
    return memory_from(rows[0]["memory"])
