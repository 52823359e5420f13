"""Claims: memories that one worker holds while it does something that leaves the transaction.

A job that does all its work in one statement needs none: it locks, looks again and writes. A model's call or another
long step must not hold locks, so it holds a claim instead:

    claim → the work, in no transaction → complete and write, in one transaction

A claim ends with its lease at the latest, so a worker that dies holds nothing for long; one that is slow renews it.
Leases run by the database's clock, never by a worker's. What is written in the end is only what the worker still
holds, of memories that nobody has changed meanwhile; the rest is given up and is somebody's next claim.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import uuid4

from engram.graph import Graph, Row, Transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """Memories that one worker holds until the claim is completed or released, or its lease is over."""

    id: str
    """Of the `:ConsolidationAttempt`."""
    space: str
    lease_seconds: int
    memories: tuple[Row, ...]
    """Their properties when they were claimed, without the vectors, ascending by id; never empty."""

    @property
    def ids(self) -> list[str]:
        """Ids of the memories, ascending."""
        return [memory["id"] for memory in self.memories]


def claim(
    graph: Graph,
    *,
    space: str,
    phase: str,
    ids: Sequence[str],
    due: str,
    worker: str,
    lease_seconds: int,
    rehearse: bool = False,
) -> Claim | None:
    """Claim those memories that are still eligible and that nobody else holds.

    Args:
        graph: Where.
        space: Whose.
        phase: What is to be done with them, e.g. `promote`.
        ids: Candidates.
        due: The property that makes a memory eligible by being there, e.g. `promote_due_at`.
        worker: Who claims.
        lease_seconds: How long the claim holds unless it is renewed.
        rehearse: Take the claim back at once; it shows what would have been claimed.

    Returns:
        The claim, or None where others had them all.
    """
    attempt = uuid4().hex
    run = graph.rehearse if rehearse else graph.write
    rows = run(
        "write/claim_memories",
        space=space,
        ids=sorted(ids),
        due=due,
        attempt=attempt,
        phase=phase,
        worker=worker,
        lease_seconds=lease_seconds,
    ).rows
    if not rows:
        return None
    memories = tuple(row["memory"] for row in rows)
    return Claim(id=attempt, space=space, lease_seconds=lease_seconds, memories=memories)


def renew(graph: Graph, claim: Claim) -> bool:
    """Let the lease begin anew; return False where it was over already, so that going on is of no use."""
    renewed: bool = graph.write(
        "write/renew_claim", space=claim.space, attempt=claim.id, lease_seconds=claim.lease_seconds
    ).rows[0]["renewed"]
    return renewed


def complete(transaction: Transaction, claim: Claim, done: Collection[str]) -> list[str]:
    """End the claim in the transaction that writes what came of it.

    Args:
        transaction: The one that writes; what is written comes after this.
        claim: What was claimed.
        done: Ids of those for which there is something to write.

    Returns:
        Ids of those that may be written to, ascending, and locked until the transaction ends: still held, and of
        the version that was claimed. All others are given up.
    """
    claims = [{"id": memory["id"], "version": memory["version"]} for memory in claim.memories]
    held: list[str] = transaction.run(
        "write/complete_claim", space=claim.space, attempt=claim.id, claims=claims, done=list(done)
    ).rows[0]["held"]
    return held


def release(graph: Graph, claim: Claim, *, outcome: str) -> int:
    """Give up what is left of a claim; others may have it at once.

    Args:
        graph: Where.
        claim: What was claimed.
        outcome: Why it is given up, for the record, e.g. `failed`.

    Returns:
        How many memories it still held.
    """
    released: int = graph.write(
        "write/release_claim", space=claim.space, attempt=claim.id, ids=claim.ids, outcome=outcome
    ).rows[0]["released"]
    return released
