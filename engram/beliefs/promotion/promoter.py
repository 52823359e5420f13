"""Promotion: a pattern's weight is raised within the ceilings, and taken back where the whole would suffer.

One attempt is one transaction, under the memory's lock: look again at the evidence, ask a person where that is due, pass
the two gates, raise the weight, measure the coherence of what weighs like identity before and after, and write the change
into the log. What a ceiling that is enforced does not let through comes in later cycles.

Source: v4 plan, 4.3 and 5.3.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import uuid4

from engram.beliefs.changes import ChangeKind, Touched, record
from engram.beliefs.promotion.patterns import Pattern, Rule, Stage, read_pattern, rules, stage_of
from engram.feedback import move_weights
from engram.graph import Graph, Outcome, Transaction
from engram.records import USER_TAG
from engram.safety import Change, ceilings, record_events
from engram.safety.measures import TOP, Coherence, kept_share, share
from engram.tuning import Tuning

TRUSTED = 3
"""The trust level from which nobody is asked (v4 plan, 4.3)."""
_NEGLIGIBLE = 1e-6
"""Alpha that is not worth a write."""


class Fate(StrEnum):
    """What came of an attempt to promote a memory."""

    NOTHING = "nothing is due"
    PROMOTED = "promoted"
    WENT_ON = "given more of what it was promised"
    ASKED = "waits for a person's word"
    STOPPED = "stopped by a ceiling"
    ROLLED_BACK = "rolled back"


@dataclass(frozen=True, slots=True, kw_only=True)
class Promotion:
    """What came of an attempt to promote a memory."""

    memory: str
    fate: Fate
    stage: Stage = Stage.NONE
    """What it is promoted to, or would be."""
    granted: float = 0.0
    """What its alpha has gained."""
    center: float = 0.0
    """Of its weight, after."""
    why: str = ""
    """What stood against it."""
    change: str | None = None
    """Id of the entry in the log of changes."""


class Promoter:
    """Promotes memories of one space, each attempt in a transaction of its own."""

    def __init__(
        self, graph: Graph, *, space: str, tuning: Tuning, now: datetime, by: str, run: str | None = None
    ) -> None:
        """Prepare.

        Args:
            graph: Where.
            space: Whose.
            tuning: Its numbers.
            now: When.
            by: Who or what promotes, for the log of changes.
            run: Id of the job's run.
        """
        self.graph = graph
        self.space = space
        self.tuning = tuning
        self.now = now
        self.by = by
        self.run = run
        self.rules = rules(tuning)
        self.ceilings = ceilings(tuning)

    def due(self, ids: Sequence[str]) -> list[str]:
        """Return which of these memories there is something to do for."""
        rows = self.graph.read("believe/pattern_weigh", space=self.space, ids=list(ids), told=USER_TAG)
        found = [Pattern.from_row(row["memory"]) for row in rows]
        return [each.id for each in found if self.goes_on(each) or self.next(each) is not None]

    def promote(self, memory: str, *, approved: Stage | None = None, rehearse: bool = False) -> Promotion:
        """Promote a memory to its next stage, if that is due and nothing stands against it.

        Args:
            memory: Its id.
            approved: The stage that a person has approved; no other is given then.
            rehearse: Take everything back; what is returned is what would have come of it.
        """

        def work(transaction: Transaction) -> Promotion:
            transaction.run("write/lock_memories", space=self.space, ids=[memory])
            pattern = read_pattern(transaction, space=self.space, memory=memory)
            if pattern is None:
                return Promotion(memory=memory, fate=Fate.NOTHING)
            promotion = _Attempt(self, transaction, pattern, approved).carry_out()
            if rehearse:
                raise _TakenBack(promotion)
            return promotion

        try:
            return self.graph.transact(work)
        except _TakenBack as taken:
            return taken.promotion

    def goes_on(self, pattern: Pattern) -> bool:
        """Say whether something is left of its last promotion that a memory may have by now."""
        return pattern.stands and pattern.due > 0.0 and pattern.room(self.tuning) > _NEGLIGIBLE

    def next(self, pattern: Pattern, *, approved: Stage | None = None) -> Rule | None:
        """Return the rule of a memory's next stage, if that is due."""
        if not pattern.stands or pattern.due or stage_of(pattern.evidence, self.rules) <= pattern.stage:
            return None
        rule = self.rules[pattern.stage]
        if approved is not None:
            return rule if rule.stage is approved else None
        waits = pattern.waits and not self.trusted
        return None if waits or pattern.evidence.count < pattern.retry else rule

    @property
    def trusted(self) -> bool:
        """Whether no person is asked."""
        return self.tuning["approve.trust_level"] >= TRUSTED


class _TakenBack(Exception):  # noqa: N818  (no error: it carries a result out of a transaction)
    def __init__(self, promotion: Promotion) -> None:
        super().__init__()
        self.promotion = promotion


@dataclass(frozen=True, slots=True, kw_only=True)
class _Whole:
    """What is measured of a space."""

    coherence: float
    """Of what weighs like identity, on the three axes of the job `safety`, 0 to 1."""
    own: float
    """Alpha of all weights, but for what promotions have added."""
    lent: float
    """What they have."""

    def load(self, more: float = 0.0) -> float:
        """Return the share that promotions have lent, were it so much more."""
        return (self.lent + more) / max(self.own, _NEGLIGIBLE)


class _Attempt:
    """One attempt, in a transaction in which the memory is locked."""

    def __init__(
        self, setting: Promoter, transaction: Transaction, pattern: Pattern, approved: Stage | None
    ) -> None:
        self._setting = setting
        self._transaction = transaction
        self._pattern = pattern
        self._approved = approved

    def carry_out(self) -> Promotion:
        """Do what is due."""
        setting, pattern = self._setting, self._pattern
        if self._approved is None and setting.goes_on(pattern):
            return self._lift(pattern.stage, pattern.due, self._measure(), fate=Fate.WENT_ON)
        rule = setting.next(pattern, approved=self._approved)
        if rule is None:
            return Promotion(memory=pattern.id, fate=Fate.NOTHING, stage=pattern.stage)
        center = pattern.center(rule.boost)
        if self._approved is None and not setting.trusted and center > setting.tuning["approve.centre"]:
            return self._ask(rule.stage, center)
        whole = self._measure()
        if why := self._stopped(rule, whole):
            return self._left(rule.stage, Fate.STOPPED, why)
        return self._lift(rule.stage, rule.boost, whole, fate=Fate.PROMOTED)

    def _ask(self, stage: Stage, center: float) -> Promotion:
        evidence = self._pattern.evidence
        self._run(
            "approval_ask",
            id=uuid4().hex,
            memory=self._pattern.id,
            stage=int(stage),
            center=center,
            days=evidence.count,
            span_days=evidence.span_days,
            now=self._setting.now,
        )
        return Promotion(memory=self._pattern.id, fate=Fate.ASKED, stage=stage, center=center)

    def _stopped(self, rule: Rule, whole: _Whole) -> str | None:
        """Hold the promotion against the two gates; return why it may not be, if that is enforced.

        Its gain is what its recalls were found to be worth. Its load is what promotions have lent to all memories, as
        a share of the alpha that these have of their own.
        """
        change = Change(
            subject=self._pattern.id,
            before=whole.load(),
            after=whole.load(rule.boost),
            gain=self._pattern.utility,
        )
        fired = self._setting.ceilings["two_gate"].fired(change, at=self._setting.now)
        if fired is None:
            return None
        record_events(self._transaction, self._setting.space, [fired])
        return fired.reason if fired.enforced else None

    def _lift(self, stage: Stage, amount: float, whole: _Whole, *, fate: Fate) -> Promotion:
        """Let the weight gain so much, as far as the ceilings let it, unless the whole then holds together less.

        Args:
            stage: What the memory is promoted to.
            amount: What its alpha is to gain.
            whole: What was measured before.
            fate: `PROMOTED`, or `WENT_ON` with a promotion that is in the log already.
        """
        setting, pattern = self._setting, self._pattern
        move_weights(
            self._transaction,
            [{"id": pattern.id, "alpha": amount, "beta": 0.0}],
            by="a promotion",
            space=setting.space,
            tuning=setting.tuning,
            now=setting.now,
        )
        raised = read_pattern(self._transaction, space=setting.space, memory=pattern.id) or pattern
        if why := self._fallen(whole.coherence):
            return self._left(stage, Fate.ROLLED_BACK, why)
        granted = raised.alpha - pattern.alpha
        left = amount - granted
        self._note(
            pattern_stage=int(stage),
            pattern_alpha=pattern.lent + granted,
            pattern_due=left if left > _NEGLIGIBLE else None,
            pattern_retry_days=None,
        )
        return Promotion(
            memory=pattern.id,
            fate=fate,
            stage=stage,
            granted=granted,
            center=raised.center(),
            change=self._begun(stage, granted) if fate is Fate.PROMOTED else self._gone_on(granted),
        )

    def _fallen(self, before: float) -> str | None:
        """Return why the promotion must be rolled back, and record that; None where the whole holds together."""
        # Whatever the phase: what this does by itself, it takes back by itself.
        ceiling = replace(self._setting.ceilings["coherence"], enforced=True)
        change = Change(subject=self._pattern.id, before=before, after=self._measure().coherence)
        if ceiling.check(change).passed:
            return None
        why = f"by its promotion coherence would fall by {change.before - change.after:.3f}"
        event = ceiling.event(change, reason=why, at=self._setting.now)
        record_events(self._transaction, self._setting.space, [event])
        return why

    def _left(self, stage: Stage, fate: Fate, why: str) -> Promotion:
        """Leave the memory as it was until there is evidence of another day."""
        pattern = self._pattern
        self._note(
            weight_alpha=pattern.alpha, pattern_due=None, pattern_retry_days=pattern.evidence.count + 1
        )
        return Promotion(memory=pattern.id, fate=fate, stage=stage, center=pattern.center(), why=why)

    def _begun(self, stage: Stage, granted: float) -> str:
        """Write the promotion into the log, and that it was approved where it was asked for; return the entry's id."""
        setting, pattern, evidence = self._setting, self._pattern, self._pattern.evidence
        before = {
            "weight_alpha": pattern.alpha,
            "weight_beta": pattern.beta,
            "pattern_stage": int(pattern.stage),
            "granted": granted,
            "days": evidence.count,
            "span_days": evidence.span_days,
        }
        answered = ["pending"] if self._approved is None else ["pending", "refused"]
        self._run(
            "approval_decide",
            memory=pattern.id,
            stage=int(stage),
            **{"from": answered},
            to="approved",
            by=setting.by,
            now=setting.now,
        )
        return record(
            self._transaction,
            space=setting.space,
            kind=ChangeKind.PROMOTED,
            by=setting.by,
            reason=f"evidence of {evidence.count} days over {evidence.span_days}",
            now=setting.now,
            memories=[Touched(id=pattern.id, role="promoted", before=before)],
            run=setting.run,
        )

    def _gone_on(self, granted: float) -> str | None:
        """Add what is granted to the entry of the promotion that this goes on with; return its id."""
        rows = self._run("pattern_go_on", id=self._pattern.id, granted=granted).rows
        return rows[0]["change"] if rows else None

    def _measure(self) -> _Whole:
        setting = self._setting
        row = self._run("pattern_measure", threshold=setting.tuning["identity.threshold"], top=TOP).rows[0]
        known = self._transaction.run("inspect/read_safety_cycle", space=setting.space).rows[0]
        cycle: Mapping[str, Any] = known["cycle"] or {}
        coherence = Coherence(
            epistemic=share(row["coherent"], row["memories"]),
            action=share(known["progressed"], known["goals"]),
            value=kept_share(cycle.get("top") or [], row["top"]),
        )
        return _Whole(coherence=coherence.overall, own=row["alpha"] - row["lent"], lent=row["lent"])

    def _note(self, **properties: Any) -> None:
        self._run("pattern_note", id=self._pattern.id, properties=properties)

    def _run(self, statement: str, **parameters: Any) -> Outcome:
        return self._transaction.run(f"believe/{statement}", space=self._setting.space, **parameters)
