"""Contradiction with three outcomes: the newer fact replaces the older, both stand in tension, or they are unrelated.

Nothing is replaced for being alike. It takes the same subject, or somebody or something that both mention; and it
takes the same voice: who said it before, or whom it is about. What disagreeing people say is a tension.

What is compared, in this order:
1. Slots: the same attribute of the same subject. Settled by values, times and what the words say of what was before.
2. Words: facts without a common slot that deny each other (`engram.loop.contradiction`).
3. A model, for pairs that the first two leave unsure (`engram.beliefs.conflicts.asking`). What it says goes through the
   same guard, and without a usable answer the plain verdict stands.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from engram.beliefs.changes import ChangeKind, Touched, record
from engram.beliefs.conflicts import asking
from engram.beliefs.conflicts.asking import Answer
from engram.beliefs.conflicts.outcomes import Disagreement, before, flag, retire
from engram.beliefs.conflicts.structure import at_other_times, by_slot, denies, related, same_voice
from engram.beliefs.conflicts.verdicts import (
    ConflictOutcome,
    Judged,
    Verdict,
    revised,
    supersede,
    tension,
    unrelated,
)
from engram.beliefs.facts import HeldFact, Revision
from engram.graph import Row, Transaction
from engram.llm.base import ChatModel
from engram.loop.contradiction import compare_wording
from engram.loop.words import content_words, is_negation, tokens

__all__ = ["ConflictOutcome", "Verdict", "guarded", "judge", "related", "settle"]

OPPOSED = 0.4
"""Cosine from which opposition in words is heard: another name moves a short sentence far."""
ALIKE = 0.7
"""Cosine from which a model is asked about facts whose words show no opposition."""


def judge(
    new: HeldFact, held: Sequence[HeldFact], *, revision: Revision, model: ChatModel | None = None
) -> list[Verdict]:
    """Return what becomes of a new fact and each of those that are held, in their order.

    Args:
        new: What was said now, whether or not it is a memory yet.
        held: What it is compared with; the subjects' keys are those of `engram.beliefs.names.resolution.canonical_keys`.
        revision: What the words of the new one say of what was so before.
        model: Asked once about all pairs that slots and words leave unsure; None: the plain verdicts stand.
    """
    plain = [_judge_plainly(new, each, revision) for each in held]
    verdicts = [each.verdict for each in plain]
    unsure = [place for place, each in enumerate(plain) if not each.sure]
    answers = asking.settle(model, new, [held[place] for place in unsure])
    for number, answer in answers.items():
        place = unsure[number]
        verdicts[place] = guarded(_answered(answer), new, held[place], revision=revision)
    return _over_before(verdicts, held)


def _over_before(verdicts: list[Verdict], held: Sequence[HeldFact]) -> list[Verdict]:
    """Return the verdicts with no tension between a new fact that one of them closes and what began after its end."""
    ends = [each.valid_from for each, verdict in zip(held, verdicts, strict=True) if verdict.newer_loses]
    return [
        unrelated("of another time", verdict.by)
        if ends and verdict.outcome is ConflictOutcome.TENSION and each.valid_from >= min(ends)
        else verdict
        for each, verdict in zip(held, verdicts, strict=True)
    ]


def settle(
    transaction: Transaction,
    *,
    space: str,
    new: str,
    verdicts: Sequence[tuple[str, Verdict]],
    now: datetime,
    run: str | None = None,
) -> tuple[str, ...]:
    """Write what became of a new memory and those that it was compared with, each outcome with a change in the log.

    What changed since the verdicts were found is looked at again: what is not active any more is not retired, what is
    immutable is put in tension instead, and a pair is in tension once.

    Args:
        transaction: In which all of them are locked.
        space: Whose.
        new: The new memory's id.
        verdicts: The ids of the others, each with what became of it.
        now: When.
        run: Id of the job's run that does it.

    Returns:
        The ids of the changes.
    """
    ids = sorted({new, *(each for each, _ in verdicts)})
    rows = transaction.run("write/lock_memories", space=space, ids=ids).rows
    memories: dict[str, Row] = {row["id"]: row["memory"] for row in rows}
    found = [(each, verdict) for each, verdict in verdicts if each != new and {new, each} <= memories.keys()]
    changes: list[str] = []
    disagreements: list[Disagreement] = []
    for each, verdict in sorted(found, key=lambda pair: _turn(memories[pair[0]], pair[1])):
        newer, older = (each, new) if verdict.newer_loses else (new, each)
        if verdict.outcome is ConflictOutcome.UNRELATED:
            continue
        if verdict.outcome is ConflictOutcome.TENSION or memories[older]["immutable"]:
            disagreements.append(_disagreement(new, each, verdict))
        elif change := _replace(transaction, memories, newer, older, verdict, space, now, run):
            changes.append(change)
    flagged = flag(transaction, disagreements, space=space, now=now, run=run)
    return (*changes, *flagged.values())


def _turn(held: Row, verdict: Verdict) -> tuple[bool, datetime]:
    """Return when a verdict has its turn: what closes the new one comes last, and of that what began first."""
    return verdict.newer_loses, held["valid_from"]


def guarded(verdict: Verdict, new: HeldFact, held: HeldFact, *, revision: Revision) -> Verdict:
    """Return a verdict as far as the structure of the two facts allows it.

    Unrelated facts stay unrelated. Nothing is superseded that is immutable, that another voice said, or that was said
    later: these are tensions.
    """
    if verdict.outcome is ConflictOutcome.UNRELATED:
        return verdict
    if not related(new, held):
        return unrelated("another subject", verdict.by)
    barrier = _barrier(verdict, new, held, revision)
    if verdict.outcome is ConflictOutcome.TENSION or barrier is None:
        return verdict
    return tension(barrier, verdict.by)


def _barrier(verdict: Verdict, new: HeldFact, held: HeldFact, revision: Revision) -> str | None:
    """Return what keeps one of two related facts from replacing the other, or None."""
    if not same_voice(new, held, revision):
        return "said by somebody else"
    if (new if verdict.newer_loses else held).immutable:
        return "what it would replace is immutable"
    if not verdict.newer_loses and new.event_at < held.event_at:
        return "told out of order"
    return None


def _answered(answer: Answer) -> Verdict:
    """Return what a model's answer means."""
    match answer:
        case "supersede":
            return supersede("a change over time", "model")
        case "correction":
            return supersede("corrected", "model", correction=True)
        case "tension":
            return tension("they cannot both hold", "model")
        case "unrelated":
            return unrelated("both can hold", "model")


def _judge_plainly(new: HeldFact, held: HeldFact, revision: Revision) -> Judged:
    if new.id == held.id or held.status == "archived":
        return Judged(unrelated("not held", "slots"))
    if not related(new, held):
        return Judged(unrelated("another subject", "slots"))
    if at_other_times(new, held) and not (revision == "correction" and denies(new, held)):
        return Judged(unrelated("of another time", "slots"))
    same_slot = None not in {new.subject, new.slot} and (new.subject, new.slot) == (held.subject, held.slot)
    plain = by_slot(new, held, revision) if same_slot else _by_words(new, held, revision)
    if held.status == "superseded" and not plain.verdict.newer_loses:
        return Judged(unrelated("replaced before", plain.verdict.by))
    return replace(plain, verdict=guarded(plain.verdict, new, held, revision=revision))


def _by_words(new: HeldFact, held: HeldFact, revision: Revision) -> Judged:
    """Judge two facts that no slot compares."""
    if _of_different_slots(new, held):
        return Judged(unrelated("other attributes", "slots"))
    wording = compare_wording(_said(new), _said(held))
    near = held.similarity is None or held.similarity >= OPPOSED
    if not (wording.found and wording.firm and near):
        alike = held.similarity is not None and held.similarity >= ALIKE
        turned = _is_negated(_said(new)) != _is_negated(_said(held))
        unsure = near and (wording.found is None or alike or turned)
        return Judged(unrelated("no opposition in words", "words"), sure=not unsure)
    if revision != "none" and new.event_at >= held.event_at and _says_all_of(new, held):
        return Judged(revised(revision, "words"))
    return Judged(tension("opposed in words", "words"), sure=False)


def _of_different_slots(new: HeldFact, held: HeldFact) -> bool:
    """Say whether two facts are about different attributes; `likes:tea` and `hates:tea` are about the same thing."""
    if new.slot is None or held.slot is None or new.slot == held.slot:
        return False
    (_, _, ours), (_, _, theirs) = new.slot.partition(":"), held.slot.partition(":")
    return not ours or ours != theirs


def _said(fact: HeldFact) -> str:
    # "not ... anymore" denies once.
    return fact.content.replace("anymore", "any more")


def _says_all_of(new: HeldFact, held: HeldFact) -> bool:
    """Say whether a new fact speaks of all that the held one does, so that denying one denies the whole other.

    Where neither is negated one word may be another: the value that was replaced, or the opposite.
    """
    ours, theirs = _said(new), _said(held)
    missing = content_words(theirs) - content_words(ours)
    return len(missing) <= (1 if _is_negated(ours) == _is_negated(theirs) else 0)


def _is_negated(text: str) -> bool:
    return bool(sum(map(is_negation, tokens(text))) % 2)


def _replace(
    transaction: Transaction,
    memories: dict[str, Row],
    newer: str,
    older: str,
    verdict: Verdict,
    space: str,
    now: datetime,
    run: str | None,
) -> str | None:
    held = before(memories[older])
    done = retire(
        transaction,
        space=space,
        newer=memories[newer],
        older=memories[older],
        reason=verdict.reason,
        by=verdict.by,
        now=now,
        correction=verdict.correction,
    )
    if not done:
        return None
    memories[older] = memories[older] | {"status": "superseded"}
    return record(
        transaction,
        space=space,
        kind=ChangeKind.SUPERSEDED,
        by=verdict.by,
        reason=verdict.reason,
        now=now,
        memories=[Touched(id=newer, role="new"), Touched(id=older, role="old", before=held)],
        run=run,
    )


def _disagreement(new: str, held: str, verdict: Verdict) -> Disagreement:
    reason = verdict.reason
    if verdict.outcome is ConflictOutcome.SUPERSEDE:
        reason = "what it would replace is immutable"
    return Disagreement(one=new, other=held, why=reason, by=verdict.by, reason=reason)
