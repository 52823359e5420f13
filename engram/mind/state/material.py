"""Material: what the next version of the working memory may say, as lines of each section, drawn from the graph.

A line that quotes a memory cites it. The phenotype is a view of the memories that weigh most, made anew each time: nothing
is carried over of it and no model words it, so that there is no stored self that one could talk an agent into.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from engram.entities import entity_key
from engram.graph import Graph
from engram.loop.identity import THRESHOLD, Identity, read_identity
from engram.mind.pressing import IDLE
from engram.mind.state.lines import Line, line
from engram.mind.state.notes import SOURCE as NOTE_SOURCE
from engram.mind.state.sections import Section
from engram.mind.state.versions import Note, Standing
from engram.records import REPLY_TAG, USER_TAG, Kind

RECENT = timedelta(days=7)
"""For how long what was done, got wrong or understood counts as recent."""
FADES = timedelta(days=3)
"""After which a line of the active context counts half."""
LISTED = 12
"""Most of each sort that is read."""
WEIGHS = THRESHOLD
"""Weight from which a memory is part of who the agent is becoming: the one from which it is drawn into a prompt as that."""
_NOTED = 0.5
"""What a note counts beside its importance in the version that takes it in."""
_UNTAGGED = frozenset({Kind.EPISODIC, Kind.SEMANTIC, Kind.PREFERENCE, Kind.PROCEDURAL})


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What was read for a version."""

    pool: Mapping[Section, tuple[Line, ...]]
    """Lines that are new or made anew, the weightiest first; nothing of the version before."""
    found: int
    """New memories since the version before, all of them."""


def read_material(
    graph: Graph, standing: Standing, *, space: str, now: datetime, limit: int, since: datetime
) -> Material:
    """Read what the next version may say.

    Args:
        graph: Where.
        standing: Where the working memory stands.
        space: Whose.
        now: When.
        limit: New memories that are looked at, the most important.
        since: From when a memory is new.
    """
    new = graph.read("mind/state_list_new", space=space, since=since, limit=limit)[0]
    work = graph.read("mind/state_read_work", space=space, since=now - RECENT, limit=LISTED, own=IDLE)[0]
    speakers = sorted({entity_key(row["speaker"]) for row in new["memories"] if _is_person_s(row)})
    person = graph.read("mind/state_list_person", space=space, subjects=speakers, limit=2 * LISTED)
    identity = read_identity(graph, space, weightiest=LISTED)
    known = {row["id"] for row in person}
    pool = {
        Section.PHENOTYPE: _phenotype(identity, known),
        Section.BOND: [line(row["content"], [row["id"]], row["truth"]) for row in person],
        Section.NICHE: _niche(work, now),
        Section.ACTIVE: [
            *_noted(standing.notes),
            *_done(work),
            *_lately(work, now),
            *(_remembered(row, now) for row in new["memories"] if _is_news(row) and row["id"] not in known),
        ],
        Section.GAPS: _gaps(work),
        Section.SKILLS: _skills(work),
    }
    return Material(
        pool={section: _ordered(lines) for section, lines in pool.items()},
        found=new["found"],
    )


def fading(importance: float, at: datetime, now: datetime) -> float:
    """Return what a line of the active context counts: its importance, halved every three days."""
    return float(importance * 2.0 ** -(max(timedelta(), now - at) / FADES))


def confidence(occurrences: int) -> float:
    """Return how sure it is that a pattern is one, `n / (n + 2)`: half sure of what came twice, 0.78 of seven times."""
    return occurrences / (occurrences + 2)


def _ordered(lines: Iterable[Line]) -> tuple[Line, ...]:
    """Return lines, the weightiest first, each memory in one of them alone."""
    seen: set[tuple[str, ...]] = set()
    ordered = []
    for each in sorted(lines, key=lambda one: -one.weight):
        what = each.cites or (each.text,)
        if what not in seen:
            seen.add(what)
            ordered.append(each)
    return tuple(ordered)


def _is_person_s(row: Mapping[str, Any]) -> bool:
    return row["source_tag"] == USER_TAG and bool(row["speaker"])


def _is_news(row: Mapping[str, Any]) -> bool:
    """Say whether a new memory is news: no note (those are told as notes), no reply, and nothing with a place elsewhere."""
    return row["source"] != NOTE_SOURCE and row["source_tag"] != REPLY_TAG and row["kind"] in _UNTAGGED


def _remembered(row: Mapping[str, Any], now: datetime) -> Line:
    who = f"{row['speaker']}: " if row["speaker"] else ""
    said = f"{row['event_at']:%Y-%m-%d} {who}{row['compressed'] or row['content']}"
    return line(said, [row["id"]], fading(row["importance"], row["event_at"], now))


def _phenotype(identity: Identity, known: Container[str]) -> list[Line]:
    """Return the memories that always hold, then those that weigh most, as they were said; the person's are the bond's."""
    held = [line(f"{each.content} (always holds)", [each.id], 2.0) for each in identity.immutable]
    weighed = (
        (each.weight_alpha / (each.weight_alpha + each.weight_beta), each)
        for each in identity.weightiest
        if each.id not in known
    )
    return [
        *held,
        *(
            line(f"{each.content} (weight {weight:.2f})", [each.id], weight)
            for weight, each in weighed
            if weight >= WEIGHS
        ),
    ]


def _niche(work: Mapping[str, Any], now: datetime) -> list[Line]:
    """Return what the agent's own records say of its work; no market is invented."""
    counts = work["counts"]
    lines = []
    if counts["sessions"]:
        lines.append(line(f"Conversations so far: {counts['sessions']:,}", weight=1.0))
    if counts["done"] or counts["dropped"]:
        lines.append(line(f"Goals reached: {counts['done']:,}; given up: {counts['dropped']:,}", weight=0.9))
    if kinds := [topic for trace in work["traces"] for topic in (trace["topics"] or ())[:2]]:
        lines.append(line(f"Works most on: {', '.join(dict.fromkeys(kinds))}", weight=0.8))
    if counts["runs"]:
        lines.append(line(f"Jobs run in the week before {now:%Y-%m-%d}: {counts['runs']:,}", weight=0.7))
    return lines


def _noted(notes: Sequence[Note]) -> list[Line]:
    return [
        line(f"Noted {each.event_at:%Y-%m-%d}: {each.content}", [each.id], _NOTED + each.importance)
        for each in notes
    ]


def _done(work: Mapping[str, Any]) -> list[Line]:
    """Return breakthroughs and frictions."""
    return [
        *(
            line(f"Reached {goal['changed_at']:%Y-%m-%d}: {goal['text']}", weight=0.9)
            for goal in work["done"]
        ),
        *(line(f"Avoid: {row['content']}", [row["id"]], 0.8) for row in work["corrections"]),
        *(line(f"Understood: {row['content']}", [row["id"]], 0.6) for row in work["insights"]),
    ]


def _lately(work: Mapping[str, Any], now: datetime) -> list[Line]:
    """Return the last conversations and what is being pursued."""
    talks = [
        # Without a word of it: what cites nothing would outlive an erasure.
        line(
            f"Talked {session['ended_at']:%Y-%m-%d %H:%M} ({session['turns']} turns)",
            weight=fading(1.0, session["ended_at"], now),
        )
        for session in work["sessions"]
    ]
    goals = [
        line(f"Goal: {goal['text']}" + _halted(goal), weight=0.7 + min(1.0, goal["priority"] or 0.0))
        for goal in work["goals"]
        if goal["state"] != "incubating"
    ]
    return [*talks, *goals]


def _halted(goal: Mapping[str, Any]) -> str:
    if goal["state"] != "blocked":
        return ""
    return f" (blocked by {goal['blocked_by']})" if goal["blocked_by"] else " (blocked)"


def _gaps(work: Mapping[str, Any]) -> list[Line]:
    """Return what is open: what was not answered, what contradicts itself, what nothing comes to mind for."""
    return [
        *_unanswered(work),
        *(
            line(
                f"Which holds: “{line(row['one'], longest=70).text}” or “{line(row['other'], longest=70).text}”?",
                [row["low"], row["high"]],
                0.8,
            )
            for row in work["tensions"]
        ),
        *(
            line(f"What would help with: {goal['text']}?", weight=0.6)
            for goal in work["goals"]
            if goal["state"] == "incubating"
        ),
    ]


def _unanswered(work: Mapping[str, Any]) -> list[Line]:
    """Return what waits for an answer, by the memories that hold it; of what is no memory how many there are."""
    known = [line(f"Not answered yet: {row['content']}", [row["id"]], 1.0) for row in work["unanswered"]]
    others = work["counts"]["unremembered"]
    return [
        *known,
        *([line(f"Not answered yet: {others:,} that no memory holds", weight=1.0)] if others else ()),
    ]


def _skills(work: Mapping[str, Any]) -> list[Line]:
    """Return what was done again and again, with how often and how sure."""

    def counted(what: str, times: int) -> str:
        return f"{line(what, longest=120).text} → Confidence: {confidence(times):.0%} | Occurrences: {times}"

    return [
        *(
            line(counted(", ".join(trace["topics"] or ()), trace["boxes"]), weight=confidence(trace["boxes"]))
            for trace in work["traces"]
            if trace["topics"]
        ),
        *(
            line(counted(row["content"], row["seen"]), [row["id"]], confidence(row["seen"]))
            for row in work["procedures"]
        ),
    ]
