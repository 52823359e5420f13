"""Promote: carry out the promotions that are due, from working to short-term to long-term memory."""

from engram.lifecycle import close_ended_sessions, closing

from .job import Job, Work


def _close(work: Work) -> None:
    """Close the sessions that nobody uses any more, since a session's end makes promotions due."""
    if not work.dry_run:
        close_ended_sessions(work.graph, space=work.space, now=work.now, tuning=work.tuning)
        return
    # Each is closed and taken back by itself, so what each would make due has to be counted here.
    for row in work.read("inspect/list_ended_sessions", space=work.space, now=work.now):
        closed = work.write(
            "write/close_session", **closing(row["id"], work.space, work.now, work.tuning)
        ).rows[0]
        work.count(
            closed["due"], [{"session": row["id"], "due at its end": closed["due"]}] if closed["due"] else []
        )


def _promote(work: Work) -> None:
    size = work.tuning.whole("promote.batch_size")
    for begin, until in work.walk():
        after = begin
        while not work.stopping():
            ids = work.read(
                "consolidate/find_due_promotions",
                space=work.space,
                after=after,
                until=until,
                batch_size=size,
                now=work.now,
            )[0]["ids"]
            if not ids:
                break
            row = work.write(
                "consolidate/promote_memories", space=work.space, ids=ids, run=work.run, now=work.now
            ).rows[0]
            work.count(row["changed"], row["examples"])
            # Others may have been faster; what they left is further on.
            work.empty += not row["changed"]
            after = ids[-1]
            work.advance(after, until)
        work.advance(None, until)


def _demote(work: Work) -> None:
    kept = 0
    for ids in work.changed_by_undone("consolidate/find_promoted", batch_size="promote.batch_size"):
        row = work.write("consolidate/demote_memories", space=work.space, ids=ids, run=work.undoing).rows[0]
        work.count(row["changed"])
        kept += len(row["kept"])
    if kept:
        work.notes.append(f"{kept:,} stay promoted: they have been used or changed since")


JOB = Job(
    name="promote",
    why="What is used often enough moves to a tier that fades more slowly. The use that crosses a bar makes it due; "
    "this moves it, and leaves a snapshot of what it was.",
    steps=(_close, _promote),
    again="nothing: what was promoted is due no more",
    undo=_demote,
)
