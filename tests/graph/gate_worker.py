"""A process that confirms and flags memories beside others: `python -m tests.graph.gate_worker`, a line of JSON in."""

import json
import sys
from datetime import datetime
from typing import Any

from engram.graph import Graph, Transaction
from engram.loop.exit_gate import carry_out
from engram.loop.inputs import Entry
from engram.loop.matrix import Action, Decision
from engram.tuning import Tuning

ROUNDS = 25


def entry(number: int, at: datetime, *, text: str = "said again", source_tag: str = "external_user") -> Entry:
    """Return a line of the scratch buffer."""
    return Entry(
        id=f"e{number}",
        session="s",
        run="r",
        speaker="Ada",
        text=text,
        at=at,
        source_tag=source_tag,
        source="chat",
        turn=f"t{number}",
    )


def main(told: dict[str, Any]) -> None:
    """Confirm all of the memories and flag each of them against the first, again and again."""
    now = datetime.fromisoformat(told["at"])
    ids: list[str] = told["ids"]
    confirmed = [
        Decision(entry=entry(n, now), action=Action.REINFORCE, reason="", nearest=each, similarity=0.9)
        for n, each in enumerate(ids)
    ]
    flagged = Decision(
        entry=entry(99, now),
        action=Action.PERSIST_AND_FLAG,
        reason="a negation",
        contradicts=tuple(ids[1:]),
    )

    def work(transaction: Transaction) -> None:
        carry_out(
            transaction, [*confirmed, flagged], {"e99": ids[0]}, space=told["space"], now=now, tuning=Tuning()
        )

    with Graph(told["uri"], told["user"], told["password"], told["database"]) as graph:
        for _ in range(ROUNDS):
            graph.transact(work)


if __name__ == "__main__":
    main(json.loads(sys.stdin.readline()))
