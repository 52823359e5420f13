"""Health: what the graph holds by tier, and whether everything that must be true of it is."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from engram.energy import TIERS
from engram.graph import Row
from engram.records import FOREVER, Kind

from .job import EXAMPLES, Job, Work


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that must be true of a space."""

    name: str
    """As the statement says it that finds what breaks it."""
    remedy: str
    notice: bool = False
    """Whether it is worth a word and nothing worse: it may happen, and passes or does no harm."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """Checks that one statement makes in one look.

    The statement returns one row: `last`, the id that the next batch comes after, or null at the end, and `found`, a
    list of maps `{check, broken, examples}`, without those that hold.
    """

    statement: str
    checks: tuple[Check, ...]
    batched: bool = True
    """Whether it takes `$after` and `$batch_size`, and is run until there is no more."""
    parameters: Callable[[Work], Mapping[str, Any]] = lambda _: {}


_RUN = "`engram jobs run {}` puts it right; if it comes back, please report it."
_BY_HAND = "Nothing of Engram's writes this. Look at the examples in Neo4j Browser and put them right there."
SUBJECTS = (
    Subject(
        statement="inspect/check_ids",
        checks=(Check(name="ids", remedy="Give them an id, or delete them in Neo4j Browser: " + _BY_HAND),),
        batched=False,
    ),
    Subject(statement="inspect/check_properties", checks=(Check(name="properties", remedy=_BY_HAND),)),
    Subject(
        statement="inspect/check_values",
        checks=(
            Check(name="tier", remedy=_BY_HAND),
            Check(name="status", remedy=_BY_HAND),
            Check(name="kind", remedy="The property and the label must say the same. " + _BY_HAND),
            Check(name="energy", remedy=_BY_HAND),
            Check(name="weights", remedy=_BY_HAND),
            Check(name="uses", remedy=_BY_HAND),
            Check(name="validity", remedy=_BY_HAND),
            Check(name="promotion", remedy=_RUN.format("promote")),
            Check(
                name="times ahead",
                remedy="The clock of a machine that writes is ahead of the database's; set it right. "
                "The memories fade again once that time has come.",
                notice=True,
            ),
            Check(
                name="scratch",
                remedy="A job that runs now, or one that was killed; its next run removes it.",
                notice=True,
            ),
        ),
        parameters=lambda work: {
            "tiers": list(TIERS),
            "statuses": ["active", "dormant", "superseded", "archived"],
            "kinds": [kind.value for kind in Kind],
            "kept": work.tuning.access["kept"],
        },
    ),
    Subject(
        statement="inspect/check_edges",
        checks=(
            Check(name="edge direction", remedy=_BY_HAND),
            Check(name="edge to itself", remedy=_BY_HAND),
            Check(name="edge weight", remedy=_BY_HAND),
            Check(name="double edge", remedy=_BY_HAND),
            Check(name="other space", remedy="Delete the relationship. " + _BY_HAND),
        ),
    ),
    Subject(
        statement="inspect/check_history",
        checks=(
            Check(
                name="superseded",
                remedy="`engram forget --undo ID` makes it hold again; after that, `engram forget ID` takes it "
                "out of recall.",
            ),
            Check(
                name="successor",
                remedy="What replaced it was erased. `engram forget --undo ID` makes it hold again.",
                notice=True,
            ),
            Check(name="snapshots", remedy=_BY_HAND),
            Check(name="double snapshot", remedy=_BY_HAND),
        ),
        parameters=lambda _: {"forever": FOREVER},
    ),
    Subject(
        statement="inspect/check_snapshots",
        checks=(Check(name="stray snapshot", remedy=_RUN.format("sweep")),),
    ),
    Subject(
        statement="inspect/check_claims",
        checks=(
            Check(name="double claim", remedy="It passes when the leases end; please report it."),
            Check(name="lapsed lease", remedy="A worker died. `engram jobs run sweep` clears it away."),
        ),
        batched=False,
    ),
    Subject(
        statement="inspect/check_clusters",
        checks=(Check(name="double membership", remedy=_RUN.format("cluster")),),
    ),
    Subject(
        statement="inspect/check_cluster_sizes",
        checks=(Check(name="cluster size", remedy=_RUN.format("cluster")),),
    ),
)
"""Everything that is checked, in the order in which it is reported."""


@dataclass(slots=True)
class _Finding:
    broken: int = 0
    examples: list[str] = field(default_factory=list)


def _describe(work: Work) -> None:
    """Report count and energies of each tier."""
    work.report.extend(
        work.read(
            "inspect/check_energy",
            space=work.space,
            tiers=list(TIERS),
            rates=work.tuning.energy["rates"],
            now=work.now,
        )
    )


def _check(work: Work) -> None:
    """Report every check, those that hold too."""
    for number, subject in enumerate(SUBJECTS):
        if work.progress is not None:
            work.progress(number / len(SUBJECTS))
        findings = {check.name: _Finding() for check in subject.checks}
        for row in _batches(work, subject):
            for found in row["found"]:
                finding = findings[found["check"]]
                finding.broken += found["broken"]
                finding.examples.extend(found["examples"][: EXAMPLES - len(finding.examples)])
        if work.stopping():
            return  # half a look is no finding
        for check in subject.checks:
            finding = findings[check.name]
            broken = 0 if check.notice else finding.broken
            work.broken += broken
            work.report.append(
                {
                    "check": check.name,
                    "broken": broken,
                    "noticed": finding.broken - broken,
                    "examples": finding.examples,
                    "remedy": check.remedy,
                }
            )


def _batches(work: Work, subject: Subject) -> Iterator[Row]:
    parameters = {"space": work.space, **subject.parameters(work)}
    if not subject.batched:
        yield work.read(subject.statement, **parameters)[0]
        return
    yield from work.batches(
        lambda **cursor: work.read(subject.statement, **parameters | cursor), batch_size="health.batch_size"
    )


JOB = Job(
    name="health",
    why="The database's free edition cannot hold most of what must be true of the graph by itself, and a hand in "
    "Neo4j Browser can change anything. This looks and says what is wrong; it changes nothing.",
    steps=(_describe, _check),
)
