"""Actions: what may be done with something heard, and on what that may depend. Strict in form, safe in doubt.

Strict parsing raises; the two helpers that running code calls, `action_of` and `eligibility_of`, never do: what is not
understood is discarded, and is eligible for nothing.

Source: the memory action contracts of the project's second seed.
"""

from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from engram.beliefs.policy.rules import LifecycleState

Share = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]


class Action(StrEnum):
    """What may be done with something heard."""

    STORE_EPISODE = "store_episode"
    STORE_NOTE = "store_note"
    UPDATE_NOTE = "update_note"
    CREATE_ARTIFACT = "create_artifact"
    SUMMARIZE_NODE = "summarize_node"
    DISCARD = "discard"
    LINK_GRAPH = "link_graph"


class ActionSource(StrEnum):
    """Who proposes an action."""

    EXTRACTION = "extraction"
    CONSOLIDATION = "consolidation"
    REPLAY = "replay"
    MANUAL = "manual"
    UNKNOWN = "unknown"


class Eligibility(BaseModel):
    """What an action's permission may depend on. Nothing else fits, and no value is converted.

    Raises:
        pydantic.ValidationError: A field is missing, unknown, of another type or out of range.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    confidence: Share
    # Where it comes from, JSON has text for a state.
    lifecycle_state: Annotated[LifecycleState, Field(strict=False)]
    importance: Share
    source: Annotated[ActionSource, Field(strict=False)]


UNKNOWN = Eligibility(
    confidence=0.0,
    lifecycle_state=LifecycleState.CANDIDATE,
    importance=0.0,
    source=ActionSource.UNKNOWN,
)
"""What is assumed where nothing usable is said."""


def action_of(value: object) -> Action:
    """Return the action that a value names exactly; any other value is `discard`."""
    if not isinstance(value, str):
        return Action.DISCARD
    try:
        return Action(value)
    except ValueError:
        return Action.DISCARD


def eligibility_of(value: object) -> Eligibility:
    """Return the eligibility that a value holds; one that is not wholly valid is `UNKNOWN`, and no part of it counts."""
    try:
        return Eligibility.model_validate(value)
    except (ValidationError, RecursionError):
        return UNKNOWN
