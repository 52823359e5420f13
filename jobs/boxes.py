"""Boxes: put episodes that followed one another and are about one thing together, and link boxes that come back to it."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from engram.beliefs.policy.boxes import Box, Episode, Limits, box_from, close, episode_from, pack, texts
from engram.clusters import typical_terms
from engram.graph import Row

from .job import Job, Work
from .lease import Lease, leased

_PHASE = "boxes"


def _box(work: Work) -> None:
    with leased(work, _PHASE) as lease:
        if lease is not None:
            _fill(lease)
            _weave(lease)


def _fill(lease: Lease) -> None:
    work = lease.work
    limits = _limits(work)
    left = {row["session"]: box_from(row, row["session"]) for row in _open(work)}
    waiting = _waiting(lease)
    for session in sorted(waiting.keys() | left.keys()):
        box = left.get(session)
        for part in _parts(waiting.get(session, []), work.tuning.whole("boxes.batch_size")):
            lease.go_on()
            boxes = pack(_episodes(work, part), session=session, limits=limits, open_box=box)
            _store(work, boxes)
            box = _stored(boxes)
        if box is not None and (closed := close(box, now=work.now, limits=limits)).sealed_at is not None:
            _store(work, [closed])


def _limits(work: Work) -> Limits:
    return Limits(
        overlap=work.tuning["boxes.overlap"],
        gap=work.tuning.minutes("boxes.idle_minutes"),
        memories=work.tuning.whole("boxes.memories"),
    )


def _open(work: Work) -> list[Row]:
    return work.read("consolidate/box_list_open", space=work.space)


def _waiting(lease: Lease) -> dict[str, list[tuple[datetime, str]]]:
    """Return when what is in no box yet happened, and its id, by conversation, in order."""
    waiting: defaultdict[str, list[tuple[datetime, str]]] = defaultdict(list)
    for row in lease.batches(lambda **cursor: lease.work.read("consolidate/box_list_unboxed", **cursor)):
        for each in row["episodes"]:
            waiting[each["session"]].append((each["event_at"], each["id"]))
    return {session: sorted(each) for session, each in waiting.items()}


def _parts(times: Sequence[tuple[datetime, str]], size: int) -> Iterator[list[str]]:
    for start in range(0, len(times), size):
        yield [each for _, each in times[start : start + size]]


def _episodes(work: Work, ids: list[str]) -> list[Episode]:
    rows = {row["id"]: row for row in work.read("consolidate/box_read_episodes", space=work.space, ids=ids)}
    # What was erased meanwhile is not there any more.
    return [episode_from(rows[each]) for each in ids if each in rows]


def _store(work: Work, boxes: Sequence[Box]) -> None:
    """Write what is new in boxes, in one transaction."""
    closed = [box for box in boxes if box.sealed_at is not None]
    topics = typical_terms(texts(closed), wanted={box.id for box in closed})
    rows = [_row(box, topics.get(box.id, [])) for box in boxes if box.new or box.sealed_at is not None]
    if not rows:
        return
    done = work.write(
        "consolidate/box_fill",
        space=work.space,
        ids=sorted(each.id for box in boxes for each in box.new),
        boxes=rows,
        now=work.now,
    ).rows[0]
    work.count(done["changed"], done["examples"])


def _row(box: Box, topics: list[str]) -> Mapping[str, Any]:
    properties: dict[str, Any] = {"started_at": box.started_at, "ended_at": box.ended_at}
    centroid = None
    if box.sealed_at is not None and box.sealed_why is not None:
        centroid = box.centroid.tolist() if box.centroid.any() else None
        properties |= {
            "sealed_at": box.sealed_at,
            "sealed_why": box.sealed_why.value,
            "topics": topics,
            "due": "trace",
        }
    return {
        "id": box.id,
        "session": box.session,
        "places": [[each.id, place] for place, each in enumerate(box.episodes[box.stored :], box.stored)],
        "properties": properties,
        "centroid": centroid,
    }


def _stored(boxes: Sequence[Box]) -> Box | None:
    """Return the open box, of which all is in the graph now."""
    return replace(boxes[-1], stored=len(boxes[-1].episodes)) if boxes else None


def _weave(lease: Lease) -> None:
    work = lease.work
    for row in work.read("consolidate/box_list_unwoven", space=work.space):
        lease.go_on()
        woven = work.write(
            "consolidate/box_weave",
            space=work.space,
            id=row["id"],
            overlap=work.tuning["boxes.trace_overlap"],
            days=work.tuning.whole("boxes.trace_days"),
        ).rows
        for each in woven:
            work.count(each["changed"], each["examples"])


JOB = Job(
    name="boxes",
    why="Episodes that followed one another and are about one thing go into a box, which is closed when the subject "
    "or the time breaks off; boxes that come back to a subject make a trace.",
    steps=(_box,),
    again="nothing: each episode is in one box, and each closed box in one trace",
)
