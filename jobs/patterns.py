"""Patterns: what is evidenced again and again comes to matter more; insights that have lost a source are looked at again."""

from collections.abc import Iterator

from engram.beliefs.promotion.patterns import rules, track_outcomes
from engram.beliefs.promotion.promoter import Fate, Promoter, Promotion
from engram.beliefs.promotion.reconsolidation import count_due, reconsider

from .believing import undo_changes
from .job import Job, Work
from .lease import leased

NAME = "patterns"
_BY = f"job:{NAME}"
_CHANGES = frozenset({Fate.PROMOTED, Fate.WENT_ON, Fate.ASKED})


def _promote(work: Work) -> None:
    promoter = Promoter(work.graph, space=work.space, tuning=work.tuning, now=work.now, by=_BY, run=work.run)
    for ids in _candidates(work):
        for memory in promoter.due(ids):
            if work.stopping():
                return
            for promotion in _attempts(work, promoter, memory):
                _tell(work, promotion)


def _candidates(work: Work) -> Iterator[list[str]]:
    """Yield the memories of each batch that may be patterns."""
    least = min(rule.days for rule in rules(work.tuning))
    for begin, until in work.walk():
        after: str | None = begin
        while after is not None and not work.stopping():
            row = work.read(
                "believe/pattern_list",
                space=work.space,
                after=after,
                until=until,
                batch_size=work.tuning.whole("patterns.batch_size"),
                least=least,
            )[0]
            yield row["ids"]
            after = row["last"]
            work.advance(after, until)


def _attempts(work: Work, promoter: Promoter, memory: str) -> Iterator[Promotion]:
    """Yield what comes of a memory: of one that reaches both stages at once, two promotions."""
    promotion = promoter.promote(memory, rehearse=work.dry_run)
    yield promotion
    if promotion.fate is Fate.PROMOTED and not work.dry_run:
        yield promoter.promote(memory)


def _tell(work: Work, promotion: Promotion) -> None:
    if promotion.fate in _CHANGES:
        example = {
            "id": promotion.memory,
            "stage": promotion.stage.name.lower(),
            "weight": promotion.center,
            "outcome": promotion.fate.value,
        }
        work.count(1, [example])
    elif promotion.fate is not Fate.NOTHING:
        work.notes.append(f"{promotion.memory[:8]}: {promotion.fate.value}, {promotion.why}")


def _track(work: Work) -> None:
    row = track_outcomes(work.graph, space=work.space, tuning=work.tuning, now=work.now, write=work.write)
    work.count(row["changed"], row["examples"])


def _reconsider(work: Work) -> None:
    """Look at insights again, one worker at a time: what a model has answered is not asked twice."""
    limit = work.tuning.whole("patterns.reconsidered")
    due = count_due(work.graph, space=work.space, limit=limit)
    if not due or work.stopping():
        return
    if work.dry_run:
        work.count(due, [{"insights to be looked at again": due}])
        return
    with leased(work, NAME) as lease:
        if lease is None:
            return
        done = reconsider(work.memory, work.model("reconsider"), run=work.run, limit=limit)
    work.notes.extend(done.notes)
    told = {"kept": done.kept, "revised": done.revised, "withdrawn": done.withdrawn}
    work.count(done.changed, [{name: len(ids) for name, ids in told.items()}])


JOB = Job(
    name=NAME,
    why="What is evidenced on many days comes to matter more, up to where a person is asked. What came of it is noted "
    "a week later. Insights that have lost a source are looked at again: kept, revised or withdrawn.",
    steps=(_promote, _track, _reconsider),
    again="nothing: each stage once, each outcome once, each change of a source once",
    undo=undo_changes,
    undoes="its promotions, revisions and withdrawals",
)
