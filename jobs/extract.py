"""Extract: draw facts from the turns that wait for it."""

from collections import Counter

from engram.beliefs.extraction.batches import Batch, count_due, learn_facts

from .job import Job, Work


def _extract(work: Work) -> None:
    if work.dry_run:
        due = count_due(work.memory)
        work.count(due, [{"turns that wait": due}] if due else [])
        return
    model = work.model("extract")
    became = Counter[tuple[str, str]]()
    notes = dict[str, None]()
    while not work.stopping():
        batch = learn_facts(
            work.memory, model=model, limit=work.tuning.whole("extract.batch_turns"), run=work.run
        )
        if batch is None:
            break
        notes.update(dict.fromkeys(batch.notes))
        if batch.waiting:
            break  # they wait until the budget allows it
        became.update(_reasons(batch))
        work.count(
            batch.turns,
            [
                {"id": each.memory, "became": each.became.value, "fact": each.fact.content}
                for each in batch.outcomes
            ],
        )
    work.report.extend(
        {"became": name, "facts": count, "why": why} for (name, why), count in sorted(became.items())
    )
    work.notes.extend(notes)


def _reasons(batch: Batch) -> Counter[tuple[str, str]]:
    """Return how many facts became what, and why."""
    outcomes = Counter((each.became.value, each.why) for each in batch.outcomes)
    return outcomes + Counter(("dropped", each.why) for each in batch.dropped)


JOB = Job(
    name="extract",
    why="What people said becomes facts: who lives where, who likes what, what was promised. Each points to the words that "
    "it rests on; what is known already gains evidence instead of a copy.",
    steps=(_extract,),
    trigger="the conversation itself, where something weighty is said or enough waits",
    again="nothing: facts are drawn from each turn once",
)
