"""Adapt: let the gates' numbers follow what came of the gates' decisions, and look after the blend of relevance."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from engram.beliefs.adapting.blend_history import MOST_EVIDENCE, blend_faults, blend_versions
from engram.beliefs.adapting.gate_tuning import (
    MOST_WEEKS,
    RULES,
    Advice,
    Cause,
    Held,
    Outcomes,
    Rule,
    Tally,
    advise,
    cause_of,
    outcomes_of,
    week_end,
    week_of,
)
from engram.embedding.protocol import Task
from engram.graph import Row, Transaction
from engram.lifecycle import tune
from engram.loop.comparing import LONGEST_SEEN, embed_words
from engram.loop.words import content_words
from engram.safety import ceilings, record_events
from engram.text import short
from engram.tuning import DEFAULTS_SPACE, read_tuning

from .job import EXAMPLES, Job, Work
from .lease import Lease, leased

BY = "job:adapt"
"""Who a number is said to be set by. What anybody else has set is left as it is."""
ASKED = 0.6
"""Cosine of a question and of what was held back from which that might have answered it."""
FEWEST_WORDS = 3
"""Words of content below which a text that comes again says nothing: everybody says "thank you" again."""
QUESTIONS, REPEATS = 200, 20
"""Questions that were answered badly, and later memories near one text, that are looked at, at most."""
VERSIONS = 5
"""Versions of the blend that are reported, the newest."""
_KEPT_WEEKS = 2 * MOST_WEEKS


def _follow(work: Work) -> None:
    """Note what was decided, count what came of it, and let the numbers follow, one worker at a time."""
    with leased(work, "adapt") as lease:
        if lease is None:
            return
        _note(lease)
        _judge(lease)
        lease.go_on()
        _tune(work)


# ----- What was decided


def _note(lease: Lease) -> None:
    """Note decisions where they outlive the scratch buffer."""
    work = lease.work
    waits = {
        kept: timedelta(days=work.tuning[key])
        for kept, key in ((False, "adapt.needed_days"), (True, "adapt.unused_days"))
    }
    for rows in _batches(lease, "believe/adapt_list_decided"):
        noted = [_noted(row["entry"], waits) for row in rows]
        done = work.write("believe/adapt_note_decisions", space=work.space, rows=noted).rows[0]
        examples = [{"decided": each["cause"], "week": each["week"]} for each in noted if each["cause"]]
        work.count(done["noted"], examples)


def _noted(entry: Row, waits: Mapping[bool, timedelta]) -> dict[str, Any]:
    at: datetime = entry["at"]
    cause = cause_of(entry)
    due_at = None if cause is None else at + waits[cause.kept]
    return {"entry": entry["id"], "week": week_of(at), "cause": cause, "at": at, "due_at": due_at}


# ----- What came of it


def _judge(lease: Lease) -> None:
    """Count what decisions have come to whose time is over."""
    work = lease.work
    for rows in _batches(lease, "believe/adapt_list_due", now=work.now):
        needed = _needed(work, [row for row in rows if not Cause(row["cause"]).kept])
        counted = [_counted(row, worthy=row["worthy"] or row["turn"] in needed) for row in rows]
        done = work.write("believe/adapt_count_outcomes", space=work.space, rows=counted, now=work.now).rows[
            0
        ]
        work.count(done["counted"], [_example(row) for row in counted if row["count"]])


def _counted(row: Row, *, worthy: bool) -> dict[str, Any]:
    cause = Cause(row["cause"])
    gone = row["worthy"] is None
    return {
        "turn": row["turn"],
        "week": row["week"],
        "count": None if gone else cause.value,
        "worthy": cause.worthy if worthy and not gone else None,
        # It was good to keep what was of worth, and to hold back what was not.
        "good": None if gone else float(cause.kept == worthy),
        "why": f"{'kept' if cause.kept else 'held back'} ({cause.value}), "
        f"{('used since' if cause.kept else 'needed since') if worthy else 'never used'}",
    }


def _example(counted: Mapping[str, Any]) -> dict[str, Any]:
    return {"week": counted["week"], "decided": counted["count"], "worthy": counted["worthy"] is not None}


def _needed(work: Work, rows: Sequence[Row]) -> set[str]:
    """Return the ids of the turns of those that were held back and turned out to be needed.

    It was, if a person said it again and then it was kept, or if a question that it might have answered was not.
    """
    if not rows:
        return set()
    embedder = work.memory.embedder
    vectors = embed_words(embedder, [row["text"] for row in rows])
    looked_for = [
        {
            "index": index,
            "turn": row["turn"],
            "vector": vectors[index].tolist(),
            "after": row["at"],
            "until": row["due_at"],
        }
        for index, row in enumerate(rows)
        if len(content_words(row["text"])) >= FEWEST_WORDS
    ]
    found = work.read("believe/adapt_find_repeats", space=work.space, rows=looked_for, width=REPEATS)
    texts = list(dict.fromkeys(row["content"] for row in found))
    again = dict(zip(texts, embed_words(embedder, texts), strict=True)) if texts else {}
    bar = work.tuning["gate.confirming"]
    needed = {
        rows[each["index"]]["turn"]
        for each in found
        if float(vectors[each["index"]] @ again[each["content"]]) > bar
    }
    questions = work.read(
        "believe/adapt_list_unanswered",
        space=work.space,
        since=min(row["at"] for row in rows),
        until=max(row["due_at"] for row in rows),
        limit=QUESTIONS,
    )
    if not questions:
        return needed
    asked = embedder.embed([each["query"][:LONGEST_SEEN] for each in questions], Task.QUERY)
    near = vectors @ asked.T > ASKED
    return needed | {
        row["turn"]
        for row, close in zip(rows, near, strict=True)
        if any(
            is_near and row["at"] < question["at"] <= row["due_at"]
            for is_near, question in zip(close, questions, strict=True)
        )
    }


def _batches(lease: Lease, statement: str, **parameters: Any) -> Iterator[list[Row]]:
    """Yield what a statement lists, so many at a time; what is listed is dealt with before the next are read."""
    work = lease.work
    size, seen = work.tuning.whole("adapt.batch_size"), 0
    before: object = None
    while True:
        lease.go_on()
        rows = work.read(
            statement, space=work.space, skip=seen if work.dry_run else 0, limit=size, **parameters
        )
        if not rows or rows == before:  # what could not be dealt with is left to the next run
            return
        yield rows
        before, seen = rows, seen + len(rows)


# ----- What follows from it


def _tune(work: Work) -> None:
    """Let each number take the step that the outcomes of whole weeks advise, and report where it stands."""
    read = work.read("believe/adapt_read_outcomes", space=work.space, weeks=_KEPT_WEEKS)[0]
    longest = timedelta(days=max(work.tuning["adapt.needed_days"], work.tuning["adapt.unused_days"]))
    weeks = {
        row["week"]: outcomes_of(row["counters"])
        for row in read["weeks"]
        if not row["waits"] and week_end(row["week"]) + longest <= work.now
    }
    given = {row["key"]: row for row in read["advice"]}
    for rule in RULES.values():
        last = given.get(rule.key, {"week": "", "direction": 0})
        new = {week: outcomes for week, outcomes in weeks.items() if week > last["week"]}
        said = _advised(work, rule, new, direction=last["direction"])
        work.report.append(_row(work, rule, list(weeks.values()), said))


def _advised(work: Work, rule: Rule, weeks: Mapping[str, Outcomes], *, direction: int) -> str:
    """Take the step that is advised for a number; return in words what was."""
    if _set_by_hand(work, rule):
        return "set by hand: left as it is"
    held = Held(value=work.tuning[rule.key], last=direction)
    advice = advise(rule, list(weeks.values()), held, enough=work.tuning.whole("adapt.outcomes"))
    if advice is None:
        return "too little is known yet"
    moved = _carried_out(work, rule, advice, week=max(weeks))
    if not advice.moves:
        return advice.why
    if not moved:
        return f"{advice.why}; a gate of safety kept it from {advice.after:g}"
    work.count(1, [{"number": rule.key, "before": advice.before, "after": advice.after}])
    return f"{advice.why}: from {advice.before:g} to {advice.after:g}"


def _carried_out(work: Work, rule: Rule, advice: Advice, *, week: str) -> bool:
    """Keep advice and move the number, unless a gate that is enforced is against it; return whether it is moved."""
    fired = ceilings(work.tuning)["two_gate"].fired(advice.change(), at=work.now) if advice.moves else None
    moved = advice.moves and not (fired and fired.enforced)
    if work.dry_run:
        return moved
    kept = {
        "key": advice.key,
        "week": week,
        "before": advice.before,
        "after": advice.after,
        "direction": advice.direction,
        "why": advice.why,
        "gain": advice.gain,
        "moved": moved,
        "own": rule.key in work.tuning.own,
    }

    def store(transaction: Transaction) -> bool:
        row = transaction.run(
            "believe/adapt_store_advice", space=work.space, advice=kept, run=work.run, now=work.now
        ).rows[0]
        if fired and row["stored"]:
            record_events(transaction, work.space, [fired])
        return bool(row["stored"])

    # Kept first: a run that dies in between has taken a step too few, not the same one twice.
    if not (work.graph.transact(store) and moved):
        return False
    tune(work.graph, space=work.space, key=rule.key, value=advice.after, by=BY, now=work.now)
    return True


def _set_by_hand(work: Work, rule: Rule) -> bool:
    """Say whether anybody but this job has set a number, for the space or for every space."""
    everywhere = read_tuning(work.graph, space=DEFAULTS_SPACE)[rule.key]
    if rule.key not in work.tuning.own:
        return everywhere != rule.default
    last = work.read("inspect/list_number_changes", spaces=[work.space], key=rule.key, limit=1)
    return not last or last[0]["by"] != BY or last[0]["after"] != work.tuning[rule.key]


def _row(work: Work, rule: Rule, weeks: Sequence[Outcomes], said: str) -> dict[str, Any]:
    """Return what is reported of a number."""
    back, let = (
        sum((week.get(cause, Tally()) for week in weeks[-MOST_WEEKS:]), Tally())
        for cause in (rule.held_back, rule.let_in)
    )
    return {
        "number": rule.key,
        "value": read_tuning(work.graph, space=work.space)[rule.key],
        "default": rule.default,
        "held_back": back.count,
        "needed": back.worthy,
        "let_in": let.count,
        "used": let.worthy,
        "advice": said,
    }


def _look_after(work: Work) -> None:
    """Report the blend, and say what is pathological about it and about the distributions of weight and truth."""
    for row in work.read("believe/adapt_list_blends", space=work.space, limit=0):
        work.notes.extend(blend_faults(row["experience"], row["offsets"]))
    versions = blend_versions(work.graph, space=work.space, limit=VERSIONS)
    work.report.extend(
        {"version": each.version, "at": each.at, "moved": each.component, "by": each.amount, **each.alphas}
        for each in versions[:VERSIONS]
    )
    found, examples = 0, list[str]()
    for row in work.batches(
        lambda **cursor: work.read("believe/adapt_list_stiff", most=MOST_EVIDENCE, **cursor),
        batch_size="health.batch_size",
    ):
        found += row["found"]
        examples += row["examples"][: EXAMPLES - len(examples)]
    if found:
        work.notes.append(
            f"{found:,} memories have so much evidence of weight or truth that nothing new moves them: "
            + ", ".join(map(short, examples))
        )


def _undo(work: Work) -> None:
    """Set back the numbers that a run has moved, where nobody has changed them since."""
    for step in work.read("believe/adapt_list_steps", space=work.space, run=work.undoing):
        key = step["key"]
        if _set_by_hand(work, RULES[key]) or work.tuning[key] != step["after"]:
            work.notes.append(f"{key} was changed since, to {work.tuning[key]:g}: left as it is")
            continue
        if not work.dry_run:
            before = step["before"] if step["own"] else None
            tune(work.graph, space=work.space, key=key, value=before, by=BY, now=work.now)
            work.graph.write(
                "believe/adapt_mark_undone", space=work.space, run=work.undoing, key=key, now=work.now
            )
        work.count(1, [{"number": key, "before": step["after"], "after": step["before"]}])


JOB = Job(
    name="adapt",
    why="Where a gate held back what was needed later, or lets in what nobody uses, its numbers move: a step at most, "
    "within bounds, and never those that a person has set. It also says where the blend of relevance or a "
    "distribution has gone out of shape.",
    steps=(_follow, _look_after),
    again="nothing: each decision is counted once, and each week looked at once",
    undo=_undo,
    undoes="the numbers that it moved; what was counted stays",
)
