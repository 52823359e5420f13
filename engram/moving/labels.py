"""What a space is made of: its labels with what tells their nodes apart, and its types of relationships.

Both lists are closed: a restore creates nothing else, whatever a file says. A test holds them against the statements.
"""

from collections.abc import Iterable

KEYS: dict[str, tuple[str, ...]] = {
    "ConsolidationConfig": (),
    "RelevanceBlend": (),
    "SafetyCycle": (),
    "AgentManifest": (),
    "Dream": (),
    "Session": ("id",),
    "Memory": ("id",),
    "Turn": ("id",),
    "Archived": ("id",),
    "SemanticCluster": ("id",),
    "MemoryBox": ("id",),
    "Trace": ("id",),
    "Entity": ("key",),
    "Tombstone": ("content_hash",),
    "Goal": ("id",),
    "Connection": ("id",),
    "Thought": ("id",),
    "GutDelta": ("id",),
    "GutAxis": ("id",),
    "WorkingMemory": ("id",),
    "Recall": ("id",),
    "BeliefChange": ("id",),
    "Approval": ("id",),
    "ConsolidationAttempt": ("id",),
    "JobRun": ("id",),
    "PrunedEdges": ("id",),
    "ScratchEntry": ("id",),
    "LoopRun": ("id",),
    "LlmCall": ("id",),
    "Outcome": ("id",),
    "SafetyEvent": ("id",),
    "RecordCounter": ("kind", "month"),
    "CompressionGuideline": ("version",),
    "GateOutcome": ("week",),
    "GateAdvice": ("key", "week"),
    "ConfigChange": (),
    "BlendChange": (),
}
"""Each label with the properties that, with the space, tell its nodes apart; in the order of the file.

Without any, a space has one such node, or its nodes are told apart by all that they hold: see `BY_CONTENT`.
"""
BY_CONTENT = frozenset({"ConfigChange", "BlendChange"})
"""Labels whose nodes have no key."""
ACROSS_SPACES = frozenset(
    {
        "Memory",
        "Archived",
        "SemanticCluster",
        "MemoryBox",
        "Goal",
        "Connection",
        "Thought",
        "GutDelta",
        "GutAxis",
        "WorkingMemory",
        "Recall",
        "BeliefChange",
        "Approval",
        "ConsolidationAttempt",
        "JobRun",
        "ScratchEntry",
        "LoopRun",
        "LlmCall",
        "Outcome",
        "SafetyEvent",
    }
)
"""Labels whose ids are unique in the whole database: a copy beside the original needs others."""
KINDS = frozenset(
    {"Episodic", "Semantic", "Procedural", "Preference", "Reflection", "Correction", "Narrative", "Tension"}
)
"""Labels that a memory has beside `Memory`."""
TYPES = frozenset(
    {
        "ABOUT",
        "ACCESSED_IN",
        "ADVISED",
        "ALIAS_OF",
        "ANSWERS",
        "ASKS_FOR",
        "AWAITS",
        "BELONGS_TO",
        "CHANGED",
        "CITES",
        "CONNECTS",
        "CONSOLIDATING",
        "CO_ACCESSED",
        "CRYSTALLIZED_INTO",
        "DERIVED_FROM",
        "FELT_AT",
        "FOLLOWS",
        "HEARD_AS",
        "IN_BOX",
        "IN_TENSION_WITH",
        "IN_TRACE",
        "LED_TO",
        "MENTIONS",
        "MERGED_INTO",
        "NEXT",
        "NOT_SAME_AS",
        "PART_OF",
        "PROMOTED_TO",
        "PRUNED",
        "REINFORCES",
        "REPLACES",
        "RETURNED",
        "SHOWN_BY",
        "SPLIT_FROM",
        "SUPERSEDES",
        "SURFACED",
        "TENSION_BETWEEN",
    }
)
"""Types of relationships."""


def main_label(labels: Iterable[str]) -> str | None:
    """Return the label that says what a node is, or None for one that is not Engram's."""
    return next((label for label in labels if label in KEYS), None)


def known_labels(labels: Iterable[str]) -> list[str]:
    """Return those labels of a node that are Engram's, the main one first."""
    main = main_label(labels)
    return [] if main is None else [main, *sorted(KINDS & {*labels})]
