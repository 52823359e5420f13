"""Decay: write down what elapsed time has left of each memory's energy, and what idle time says against it."""

from datetime import UTC, datetime

from .job import Job, Work

_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)


def _decay(work: Work) -> None:
    after, skip = _BEGINNING, ""
    while not work.stopping():
        row = work.write(
            "consolidate/decay_memories",
            space=work.space,
            after=after,
            skip=skip,
            batch_size=work.tuning.whole("decay.batch_size"),
            energy=work.tuning.energy,
            tolerance=work.tuning["decay.tolerance"],
            weight=work.tuning.idle,
            now=work.now,
        ).rows[0]
        if not row["looked"]:
            break
        work.count(row["changed"], row["examples"])
        if work.dry_run:
            # What a run has seen is due later; what a dry run has seen is still due.
            after, skip = row["last"], row["last_id"]


JOB = Job(
    name="decay",
    why="Readers compute energy from elapsed time, so settling changes no answer; it keeps the stored figures fresh "
    "for the Browser and for other jobs. What is never used loses weight, slowly.",
    steps=(_decay,),
    again="nothing: both are functions of elapsed time",
)
