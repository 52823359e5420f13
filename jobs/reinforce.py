"""Reinforce: new memories strengthen the older ones that they are like."""

from datetime import UTC, datetime

from engram.lifecycle import close_ended_sessions, reinforcement

from .job import Job, Work

_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)


def _reinforce(work: Work) -> None:
    if not work.dry_run:
        # What ended before is judged before.
        close_ended_sessions(work.graph, space=work.space, now=work.now, tuning=work.tuning)
    after, skip = _BEGINNING, ""
    while not work.stopping():
        found = work.read(
            "consolidate/find_unreinforced",
            space=work.space,
            batch_size=work.tuning.whole("reinforce.batch_size"),
            before=work.now,
            after=after,
            skip=skip,
        )[0]
        if not found["ids"]:
            break
        row = work.write(
            "consolidate/reinforce_memories",
            space=work.space,
            ids=sorted(found["ids"]),
            **reinforcement(work.tuning),
        ).rows[0]
        work.count(row["changed"], row["examples"])
        after, skip = found["last"], found["ids"][-1]


JOB = Job(
    name="reinforce",
    why="New experience strengthens what it resembles. It happens as something is stored; this does what was left, "
    "such as the turns of an import.",
    steps=(_reinforce,),
    trigger="every write of a few memories",
    again="nothing: each memory reinforces once",
)
