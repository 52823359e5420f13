"""Idle: while nobody talks, a few things come to mind, and go where anything that is heard goes (v4 plan, 4.7)."""

import numpy as np

from engram.mind.idle import BUSY, IdleMind
from engram.mind.rations import PURPOSE
from engram.mind.surfacing import Surfaced

from .job import Job, Work, worker

_TOLD = 100
"""Characters of a thought in a report."""


def _wander(work: Work) -> None:
    """Let as many things come to mind as a run may, until somebody talks."""
    with IdleMind(
        work.memory,
        # A dry run costs nothing.
        None if work.dry_run else work.model(PURPOSE),
        generator=np.random.default_rng(work.generator.getrandbits(64)),
        run=work.run,
        worker=worker(),
    ) as mind:
        last = mind.last_at()
        if last is not None and last >= work.now:
            work.notes.append("Something has just come to mind.")
            return
        if work.dry_run:
            _imagine(work, mind)
            return
        for _ in range(work.tuning.whole("idle.cycles")):
            if work.stopping():
                break
            done = mind.cycle()
            if done.thought is None:
                work.empty += done.why == BUSY
                work.notes.append(done.why or "")
                break
            thought = done.thought
            became = done.reply or done.why or ""
            work.count(
                1, [{"channel": thought.channel, "leaning": thought.leaning, "text": thought.text[:_TOLD]}]
            )
            answered = done.answered or thought
            work.report.append(
                {"channel": answered.channel, "topic": answered.topic, "became": became[:_TOLD]}
            )
        work.notes.extend(mind.notes)


def _imagine(work: Work, mind: IdleMind) -> None:
    """Say what would come to mind."""
    found = mind.imagine()
    if isinstance(found, Surfaced):
        work.count(1, [{"channel": found.channel, "leaning": found.leaning, "text": found.text[:_TOLD]}])
    else:
        work.notes.append(found.why or "")


JOB = Job(
    name="idle",
    why="While nobody talks, memories come to mind: with a goal they are thought through, with something distant or with "
    "what the agent is they are kept for consolidation. Nothing that comes to mind counts as used.",
    steps=(_wander,),
    trigger="`engram idle`",
    again="nothing: time has to pass between two",
)
