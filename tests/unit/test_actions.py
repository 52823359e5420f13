"""What may be done with something heard: strict in form, safe in doubt."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from engram.beliefs.policy.actions import (
    UNKNOWN,
    Action,
    ActionSource,
    Eligibility,
    action_of,
    eligibility_of,
)
from engram.beliefs.policy.rules import LifecycleState

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=5),
    max_leaves=10,
)
GOOD: dict[str, Any] = {
    "confidence": 0.8,
    "lifecycle_state": "active",
    "importance": 1,
    "source": "extraction",
}


def test_the_taxonomy() -> None:
    """There are seven actions, each known by its own name."""
    names = [
        "store_episode",
        "store_note",
        "update_note",
        "create_artifact",
        "summarize_node",
        "discard",
        "link_graph",
    ]
    assert [each.value for each in Action] == names
    assert [action_of(name) for name in names] == list(Action)


@given(value=JSON)
def test_any_other_value_is_discarded(value: object) -> None:
    """What is not exactly a name is `discard`; nothing raises."""
    named = {each.value: each for each in Action}
    assert action_of(value) == (
        named.get(value, Action.DISCARD) if isinstance(value, str) else Action.DISCARD
    )


@pytest.mark.parametrize(
    "near", ["Store_Note", " store_note", "store-note", "store_note\n", "STORE_NOTE", ["store_note"]]
)
def test_what_is_nearly_a_name_is_none(near: object) -> None:
    """Case, spaces and wrappings are not forgiven."""
    assert action_of(near) == Action.DISCARD


def test_a_valid_context_is_taken_as_it_is() -> None:
    """All four fields, of their types and in range, make an eligibility."""
    given_ = eligibility_of(GOOD)
    assert given_ == Eligibility(
        confidence=0.8,
        lifecycle_state=LifecycleState.ACTIVE,
        importance=1.0,
        source=ActionSource.EXTRACTION,
    )


@pytest.mark.parametrize(
    "change",
    [
        {"confidence": 1.1},
        {"confidence": -0.1},
        {"confidence": float("nan")},
        {"confidence": "0.8"},
        {"confidence": True},
        {"importance": None},
        {"importance": float("inf")},
        {"lifecycle_state": "alive"},
        {"source": "someone"},
        {"source": 3},
        {"more": 1},
    ],
)
def test_one_fault_spoils_all(change: dict[str, Any]) -> None:
    """A field that is wrong or unknown raises in strict parsing, and leaves nothing of the rest to count."""
    with pytest.raises(ValidationError):
        Eligibility.model_validate(GOOD | change)
    assert eligibility_of(GOOD | change) == UNKNOWN
    for name in GOOD:
        assert eligibility_of({key: value for key, value in GOOD.items() if key != name}) == UNKNOWN


@given(value=JSON | st.dictionaries(st.sampled_from(sorted(GOOD)), JSON))
def test_fuzzed_contexts_are_valid_or_unknown(value: object) -> None:
    """Whatever comes in, what comes out is valid, and raises nothing."""
    result = eligibility_of(value)
    assert Eligibility.model_validate(result.model_dump()) == result


def test_the_fallback_is_eligible_for_nothing() -> None:
    """What is not known counts as an unconfirmed, unimportant candidate of nobody."""
    assert UNKNOWN.model_dump(mode="json") == {
        "confidence": 0.0,
        "lifecycle_state": "candidate",
        "importance": 0.0,
        "source": "unknown",
    }
