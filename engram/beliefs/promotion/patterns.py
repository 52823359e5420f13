"""Patterns: what was evidenced again and again comes to matter more, in two stages, each once for a memory.

A promotion moves `weight` and never truth. What counts is the number of different days, in UTC, on which there was
evidence, and how far the first and the last are apart:

- turns of a person that the memory is drawn from, and the day since when it is known, if a person said it
- new memories of what a person said that are like it (`REINFORCES`)
- uses
- the day on which it was last said again, as long as that is the newest of all days. Only the last such day is on
  record; counted like this the number of days never falls, and it does not matter when anybody looks.

Source: v4 plan, 4.3, with its amounts. They bring a new memory, Beta(1, 4), to 0.43 and then to 0.67. The plan's ranges,
0.6 to 0.7 and above 0.8, are reached by what was also found useful: a verdict counts 1.0, and 5 of them give 0.67 with the
first stage, 10 give 0.82 with both. So a person is asked (above 0.85) about what is in use and judged, which is well
below the cap of 0.95.
"""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import IntEnum
from typing import Any, Self

from engram.graph import Graph, Outcome, Row, Transaction
from engram.records import USER_TAG
from engram.safety import Phase
from engram.scoring.weight import CAP_ODDS
from engram.tuning import Tuning


class Stage(IntEnum):
    """How far a memory was promoted."""

    NONE = 0
    GOAL = 1
    IDENTITY = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What a stage asks for, and what it gives."""

    stage: Stage
    days: int
    """Least number of different days with evidence."""
    span_days: int
    """Least number of days from the first to the last."""
    boost: float
    """Evidence for it that its weight gains."""


def rules(tuning: Mapping[str, float]) -> tuple[Rule, Rule]:
    """Return the rules of both stages, by the numbers of a space."""
    goal, identity = (
        Rule(
            stage=stage,
            days=int(tuning[f"patterns.{stage.name.lower()}_days"]),
            span_days=int(tuning[f"patterns.{stage.name.lower()}_span_days"]),
            boost=tuning[f"patterns.{stage.name.lower()}_boost"],
        )
        for stage in (Stage.GOAL, Stage.IDENTITY)
    )
    return goal, identity


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """On which days there was evidence for a memory, as whole days since 1970."""

    days: frozenset[int] = frozenset()
    at_least: int = 0
    """Number of days of use; of more uses than 64 the times are not kept, and their days only counted."""

    @classmethod
    def of(cls, days: Collection[int], *, seen: int | None = None, uses: int = 0) -> Self:
        """Return the evidence of these days.

        Args:
            days: Of turns, of what is like it, of uses.
            seen: The day on which it was last said again; it counts if it is the newest.
            uses: Number of days on which it was used.
        """
        newest = {seen} if seen is not None and seen > max(days, default=seen - 1) else set()
        return cls(days=frozenset({*days, *newest}), at_least=uses)

    @property
    def count(self) -> int:
        """How many different days."""
        return max(len(self.days), self.at_least)

    @property
    def span_days(self) -> int:
        """Days from the first to the last."""
        return max(self.days) - min(self.days) if self.days else 0


def stage_of(evidence: Evidence, rules: Sequence[Rule]) -> Stage:
    """Return the highest stage that evidence reaches; a stage is reached only after the one before it."""
    reached = Stage.NONE
    for rule in rules:
        if evidence.count < rule.days or evidence.span_days < rule.span_days:
            break
        reached = rule.stage
    return reached


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """A memory as far as its promotion depends on it."""

    id: str
    stands: bool
    """Whether it may be promoted at all: active and mutable."""
    alpha: float
    beta: float
    seen: tuple[float, float] | None
    """Alpha and beta at the last cycle of the job `safety`."""
    paused: bool
    """Whether its reinforcement is to pause, by that cycle."""
    stage: Stage
    lent: float
    """What promotions have added to alpha."""
    due: float
    """What it was promised and the ceilings have not let it have yet."""
    retry: int
    """Number of days of evidence from which it is tried again."""
    waits: bool
    """Whether a person was asked."""
    evidence: Evidence
    useful: int
    useless: int
    """Verdicts on its recalls."""

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Self:
        """Return the pattern in a `memory` of `believe/pattern_weigh`."""
        days = {*row["told"], *row["alike"], *row["used"], *([] if row["known"] is None else [row["known"]])}
        seen = row["weight_alpha_seen"]
        return cls(
            id=row["id"],
            stands=row["status"] == "active" and not row["immutable"],
            alpha=row["weight_alpha"],
            beta=row["weight_beta"],
            seen=None if seen is None else (seen, row["weight_beta_seen"]),
            paused=bool(row["weight_paused"]),
            stage=Stage(row["pattern_stage"] or 0),
            lent=row["pattern_alpha"] or 0.0,
            due=row["pattern_due"] or 0.0,
            retry=row["pattern_retry_days"] or 0,
            waits=row["waits"],
            evidence=Evidence.of(days, seen=row["seen"], uses=row["days_used"] or 0),
            useful=row["useful"],
            useless=row["useless"],
        )

    def center(self, gained: float = 0.0) -> float:
        """Return the centre of its weight, had its alpha gained so much."""
        return (self.alpha + gained) / (self.alpha + gained + self.beta)

    @property
    def utility(self) -> float:
        """What its recalls were found to be worth, -1 to 1; 0 where nobody has said."""
        return (self.useful - self.useless) / max(1, self.useful + self.useless)

    def room(self, tuning: Tuning) -> float:
        """Return how much its alpha may gain before a ceiling that is enforced stands against it.

        `write/move_weights` is what holds the ceilings; this only says whether it is worth a try.
        """
        safety = tuning.safety
        most = [math.inf]
        if safety["phase"] >= Phase.A:
            most.append(CAP_ODDS * self.beta)
        if safety["phase"] >= Phase.B and self.seen is not None:
            highest = (1.0 + safety["rate"]) * self.seen[0] / sum(self.seen)
            most.append(highest / (1.0 - highest) * self.beta if highest < 1.0 else math.inf)
        if safety["phase"] >= Phase.C and self.paused:
            most.append(self.alpha)
        return max(0.0, min(most) - self.alpha)


def read_pattern(transaction: Transaction, *, space: str, memory: str) -> Pattern | None:
    """Return a memory as far as its promotion depends on it; None where there is none.

    Args:
        transaction: In which it is locked already.
        space: Whose.
        memory: Its id.
    """
    rows = transaction.run("believe/pattern_weigh", space=space, ids=[memory], told=USER_TAG).rows
    return Pattern.from_row(rows[0]["memory"]) if rows else None


def track_outcomes(
    graph: Graph,
    *,
    space: str,
    tuning: Tuning,
    now: datetime,
    write: Callable[..., Outcome] | None = None,
) -> Row:
    """Note on promotions whose time has come what verdicts the memory had in the days before and after.

    Args:
        graph: Where.
        space: Whose.
        tuning: Its numbers.
        now: When.
        write: Runs a writing statement; the graph's own if left out.

    Returns:
        Map {changed (number of promotions), examples}.
    """
    days = tuning.whole("patterns.outcome_days")
    kept = timedelta(days=tuning["sweep.keep_days"])
    return (write or graph.write)(
        "believe/pattern_track",
        space=space,
        since=now - kept,
        days=days,
        limit=tuning.whole("patterns.batch_size"),
        now=now,
    ).rows[0]
