"""Drafts: what a dream stores, as the memories that they become."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from engram.beliefs.dreaming.insights import FEWEST_CITED, By, Insight, Sort
from engram.context import Said, contextualize
from engram.entities import names_in
from engram.loop.inputs import Source
from engram.records import FOREVER, Kind
from engram.remembering import Draft

SOURCE = "dream"
"""Source of what was dreamed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A memory that is about to be dreamed."""

    text: str
    kind: Kind
    sort: Sort
    by: By
    depth: int
    importance: float
    cites: tuple[str, ...]
    names: tuple[str, ...] | None = None
    narrates: str | None = None


def context(text: str, now: datetime) -> str:
    """Return the context that what is dreamed is stored with."""
    return contextualize([Said(text=text, speaker=None, at=now)], 0)


def draft(item: Item, *, now: datetime, run: str) -> Draft:
    """Return what is written of an item: the agent's own thought, which is no evidence of anything.

    Args:
        item: What was dreamed.
        now: When.
        run: Id of the job's run.
    """
    return Draft(
        content=item.text,
        contextualized=context(item.text, now),
        kind=item.kind,
        source=SOURCE,
        identity=SOURCE,
        source_tag=Source.CONSOLIDATION.value,
        speaker=None,
        category=None,
        importance=item.importance,
        event_at=now,
        known_at=now,
        valid_from=now,
        valid_to=FOREVER,
        reopen=True,
        names=item.names,
        more={
            "dreamed": item.sort,
            "dreamed_by": item.by,
            "dream_depth": item.depth,
            "dream_run": run,
            "narrates": item.narrates,
            # What it was drawn from must not be strengthened by that.
            "reinforce_due_at": None,
        },
    )


def names_of(insight: Insight) -> tuple[str, ...]:
    """Return whom and what an insight is about: the names in it, and those that two of its sources mention."""
    spelled = {key: name for each in insight.cites for key, name in each.names}
    counts = Counter(key for each in insight.cites for key, _ in each.names)
    shared = (spelled[key] for key in sorted(counts) if counts[key] >= FEWEST_CITED)
    return tuple(dict.fromkeys((*names_in(insight.text), *shared)))
