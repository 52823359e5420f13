"""Behavioural contradiction: what is valued, held against what was done.

Found, it is a tension like any other, and only an observation: no salience, no nagging (v4 plan, 4.2).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from engram import prompts
from engram.beliefs.conflicts.outcomes import Disagreement, flag
from engram.beliefs.conflicts.tensions import describe_tensions
from engram.beliefs.facts import Category
from engram.beliefs.truth import find_leaning, settle_leaning, settle_truth
from engram.graph import Row, Transaction
from engram.llm.base import ChatModel
from engram.llm.structured import Parsed, ask
from engram.loop.contradiction import WORDED, opposed_in_words
from engram.loop.fencing import section
from engram.memory import Engram
from engram.text import inert

VALUES = (Category.PRINCIPLE, Category.PREFERENCE, Category.DECISION)
NEAR = 0.3
"""Least cosine of a value and a deed that may be against it; with all-MiniLM-L6-v2 unrelated texts lie mostly under 0.2."""
SHOWN = 10
"""Deeds that one call of a model is about, the nearest."""
LONGEST_TEXT = 600
"""Characters of a text that a model is shown."""
_TOKENS = 512
_WHY = "what was done is against it"


class Judgement(BaseModel):
    """The shape of the answer."""

    contradicting: list[int]


def find_behavioural(
    memory: Engram, model: ChatModel | None, *, run: str | None = None, limit: int = 5
) -> int:
    """Hold the values that weigh most against what the same person did lately; return how many tensions were found.

    A value is looked at again once there are new deeds.

    Args:
        memory: Whose.
        model: Asked once for each value; None: only deeds whose words are opposed to the value's are found.
        run: Id of the job's run that looks.
        limit: How many values at most.
    """
    tuning = memory.tuning()
    values = memory.graph.read(
        "believe/behaviour_list_values",
        space=memory.space,
        categories=[each.value for each in VALUES],
        weight=tuning["behaviour.weight"],
        limit=limit,
    )
    return sum(
        _hold_against_deeds(memory, model, value, tuning.whole("behaviour.memories"), run) for value in values
    )


def _hold_against_deeds(
    memory: Engram, model: ChatModel | None, value: Row, recent: int, run: str | None
) -> int:
    now = memory.now()
    deeds = memory.graph.read(
        "believe/behaviour_list_deeds",
        space=memory.space,
        value=value["id"],
        speaker=value["speaker"],
        since=value["since"],
        limit=recent,
    )
    near = _nearest(value, deeds)
    found = _opposed(value, near) if model is None else _judged(model, value, [deed for deed, _ in near])
    if found is None:
        return 0  # the next run asks again
    by = "words" if model is None else "model"
    tuning = memory.tuning()

    def work(transaction: Transaction) -> list[str]:
        ids = sorted({value["id"], *(deed["id"] for deed in found)})
        leaning = find_leaning(transaction, space=memory.space, ids=ids)
        transaction.run("write/lock_memories", space=memory.space, ids=sorted([*ids, *leaning]))
        transaction.run("believe/behaviour_note", space=memory.space, id=value["id"], now=now)
        flagged = flag(
            transaction,
            [Disagreement(one=value["id"], other=deed["id"], why=_WHY, by=by, reason=_WHY) for deed in found],
            space=memory.space,
            now=now,
            run=run,
        )
        if flagged:
            settle_truth(transaction, space=memory.space, ids=ids, tuning=tuning)
            settle_leaning(transaction, space=memory.space, ids=leaning, tuning=tuning)
        return list(flagged.values())

    changes = memory.graph.transact(work)
    describe_tensions(memory, changes)
    return len(changes)


def _nearest(value: Row, deeds: Sequence[Row]) -> list[tuple[Row, float]]:
    """Return the deeds that are about the same, each with its cosine, the nearest first."""
    if not deeds:
        return []
    cosines = _unit([deed["embedding"] for deed in deeds]) @ _unit([value["embedding"]])[0]
    order = np.argsort(-cosines, kind="stable")[:SHOWN]
    return [(deeds[place], float(cosines[place])) for place in order if cosines[place] >= NEAR]


def _unit(rows: Sequence[Sequence[float]]) -> NDArray[np.float64]:
    vectors = np.asarray(rows, dtype=np.float64)
    unit: NDArray[np.float64] = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    return unit


def _opposed(value: Row, near: Sequence[tuple[Row, float]]) -> list[Row]:
    """Return the deeds that words alone oppose to a value."""
    return [
        deed
        for deed, cosine in near
        if cosine >= WORDED and opposed_in_words(deed["content"], value["content"]) is not None
    ]


def _judged(model: ChatModel, value: Row, deeds: Sequence[Row]) -> list[Row] | None:
    """Return the deeds that a model finds to be against a value; None where it gave no usable answer."""
    if not deeds:
        return []
    listed = [
        f"{number}. {inert(deed['content'], LONGEST_TEXT)}" for number, deed in enumerate(deeds, start=1)
    ]
    message = "\n\n".join(
        (section("value", [inert(value["content"], LONGEST_TEXT)]), section("behaviour", listed))
    )
    answer = ask(model, prompts.fill("behaviour"), message, Judgement, max_tokens=_TOKENS)
    if not isinstance(answer, Parsed):
        return None
    return [
        deeds[number - 1] for number in sorted(set(answer.value.contradicting)) if 1 <= number <= len(deeds)
    ]
