"""Boxes: episodes in a row that are about one thing, closed when the subject or the time breaks off.

The topic of an episode is its vector: single turns share too few words to compare them by, and a vector is there
without a language model. Topic overlap is the cosine of an episode's vector and the mean of those in the box.

Source: memory boxes and traces of the project's second seed, where topics are labels that a model gives.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
_NOTHING = 1e-12


class Seal(StrEnum):
    """Why a box is closed."""

    TOPIC_SHIFT = "topic shift"
    TIME_GAP = "time gap"
    FULL = "full"


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """One episodic memory on its way into a box."""

    id: str
    at: datetime
    content: str
    vector: Vector
    """Shape (d,); zeros where it has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """When a box is closed."""

    overlap: float = 0.35
    """Cosine below which an episode is about something else."""
    gap: timedelta = timedelta(minutes=30)
    memories: int = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """Episodes that belong together, in order."""

    id: str
    session: str
    """The conversation's name; empty for what belongs to none."""
    episodes: tuple[Episode, ...]
    sealed_at: datetime | None = None
    """In the time of what happened; None while it is open."""
    sealed_why: Seal | None = None
    stored: int = 0
    """How many of the episodes are in the graph already."""

    @property
    def started_at(self) -> datetime:
        """When the first of them happened."""
        return min(each.at for each in self.episodes)

    @property
    def ended_at(self) -> datetime:
        """When the last of them happened."""
        return max(each.at for each in self.episodes)

    @property
    def centroid(self) -> Vector:
        """Mean of the vectors, of length 1; zeros where they cancel out. What has none yet does not count."""
        longest = max(len(each.vector) for each in self.episodes)
        mean = np.mean([each.vector for each in self.episodes if len(each.vector) == longest], axis=0)
        length = float(np.linalg.norm(mean))
        return mean / length if length > _NOTHING else np.zeros_like(mean)

    @property
    def new(self) -> tuple[Episode, ...]:
        """Those that are not in the graph yet."""
        return self.episodes[self.stored :]


def overlap(one: Vector, other: Vector) -> float | None:
    """Return the cosine of two vectors; None where one is all zeros or there is none yet, which says nothing."""
    if len(one) != len(other):
        return None
    lengths = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(one @ other) / lengths if lengths > _NOTHING else None


def pack(
    episodes: Iterable[Episode], *, session: str, limits: Limits, open_box: Box | None = None
) -> list[Box]:
    """Return the boxes that episodes of one conversation go into: the open one first, the last one open.

    Packed in one go or in parts, each part going on from the open box, the boxes are the same.

    Args:
        episodes: In order of time, and of id where that is equal.
        session: The conversation's name.
        limits: When a box is closed.
        open_box: The box that its last episode went into.
    """
    boxes: list[Box] = [] if open_box is None else [open_box]
    for episode in episodes:
        why = _break(boxes[-1], episode, limits) if boxes else None
        if boxes and why is None:
            boxes[-1] = replace(boxes[-1], episodes=(*boxes[-1].episodes, episode))
            continue
        if boxes and why is not None:
            boxes[-1] = _sealed(boxes[-1], why, episode.at, limits)
        boxes.append(Box(id=box_id(episode.id), session=session, episodes=(episode,)))
    return boxes


def close(box: Box, *, now: datetime, limits: Limits) -> Box:
    """Return a box as it is at `now`: closed where it is full or nothing has come into it for too long."""
    if box.sealed_at is not None:
        return box
    if len(box.episodes) >= limits.memories:
        return _sealed(box, Seal.FULL, now, limits)
    if now - box.ended_at > limits.gap:
        return _sealed(box, Seal.TIME_GAP, now, limits)
    return box


def box_id(first: str) -> str:
    """Return the id of the box whose first memory has this id: formed twice, it is one box."""
    return f"box-{first}"


def box_from(row: Mapping[str, Any], session: str) -> Box:
    """Return the open box in a row of `consolidate/box_list_open`."""
    episodes = tuple(episode_from(each) for each in row["episodes"])
    return Box(id=row["id"], session=session, episodes=episodes, stored=len(episodes))


def episode_from(row: Mapping[str, Any]) -> Episode:
    """Return the episode in a map {id, event_at, content, embedding}."""
    return Episode(
        id=row["id"],
        at=row["event_at"],
        content=row["content"],
        vector=np.asarray(row["embedding"] or [0.0], dtype=np.float64),
    )


def texts(boxes: Sequence[Box]) -> list[tuple[str, str]]:
    """Return the id of each box and the text of each of its episodes, for `engram.clusters.typical_terms`."""
    return [(box.id, each.content) for box in boxes for each in box.episodes]


def _break(box: Box, episode: Episode, limits: Limits) -> Seal | None:
    """Return why an episode does not go into a box, or None where it does."""
    if box.sealed_why is not None:
        return box.sealed_why
    # What is told late may have happened before the box began.
    gap = max(episode.at - box.ended_at, box.started_at - episode.at)
    if len(box.episodes) >= limits.memories:
        return Seal.FULL
    if gap > limits.gap:
        return Seal.TIME_GAP
    shared = overlap(box.centroid, episode.vector)
    return Seal.TOPIC_SHIFT if shared is not None and shared < limits.overlap else None


def _sealed(box: Box, why: Seal, at: datetime, limits: Limits) -> Box:
    """Return a box closed, as of when that became so and not of when it was noticed."""
    if box.sealed_at is not None:
        return box
    times = {
        Seal.TIME_GAP: box.ended_at + limits.gap,
        Seal.TOPIC_SHIFT: max(at, box.ended_at),
        Seal.FULL: box.ended_at,
    }
    return replace(box, sealed_at=times[why], sealed_why=why)
