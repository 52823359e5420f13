"""Claims and the step that uses them, against a real Neo4j."""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import timedelta
from pkgutil import resolve_name
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engram import claims
from engram.claims import Claim
from engram.energy import DECAY_PER_HOUR
from engram.errors import InvalidInputError
from engram.graph import Row, Transaction
from engram.lifecycle import tune
from engram.memory import Engram
from tests.graph.beside import run

pytestmark = pytest.mark.graph

Claimed: Callable[..., Any] = resolve_name("engram.jobs.claimed:Claimed")
Job: Callable[..., Any] = resolve_name("engram.jobs.job:Job")
run_job: Callable[..., Any] = resolve_name("engram.jobs.job:run_job")
PROMOTE = resolve_name("engram.jobs.promote:JOB")


def lay_due(memory: Engram, count: int) -> list[str]:
    """Store memories that are due for promotion, and return their ids, ascending."""
    ids = sorted(memory.remember(f"thing {n}").id for n in range(count))
    memory.flush()
    run(memory, "make_due", at=memory.graph.now() - timedelta(minutes=1), rates=DECAY_PER_HOUR)
    return ids


def claim(
    memory: Engram, ids: Sequence[str], *, worker: str = "one", lease_seconds: int = 60
) -> Claim | None:
    """Claim memories whose promotion is due."""
    return claims.claim(
        memory.graph,
        space=memory.space,
        phase="promote",
        ids=ids,
        due="promote_due_at",
        worker=worker,
        lease_seconds=lease_seconds,
    )


def claimed(memory: Engram, ids: Sequence[str], **more: Any) -> Claim:
    """Claim memories that are known to be free."""
    made = claim(memory, ids, **more)
    assert made is not None
    return made


def complete(memory: Engram, made: Claim, done: Sequence[str] | None = None) -> list[str]:
    """Complete a claim in a transaction that writes nothing else."""
    return memory.graph.transact(
        lambda transaction: claims.complete(transaction, made, made.ids if done is None else done)
    )


def attempts(memory: Engram) -> list[Row]:
    """Return the attempts of the space, with the ids that each holds."""
    return [row["attempt"] | {"ids": row["ids"]} for row in run(memory, "read_attempts")]


# ----- Claiming


def test_a_claim_keeps_others_away(memory: Engram) -> None:
    """What one holds another does not get: he gets the rest, and where there is none, no attempt is kept."""
    ids = lay_due(memory, 5)
    first = claimed(memory, ids[:3])
    assert first.ids == ids[:3]
    assert [each["content"] for each in first.memories] == [memory.get(each).content for each in ids[:3]]
    second = claimed(memory, ids, worker="two")
    assert second.ids == ids[3:]
    assert claim(memory, ids, worker="three") is None
    kept = attempts(memory)
    assert [(each["worker"], each["ids"], each["claimed"]) for each in kept] == [
        ("one", ids[:3], 3),
        ("two", ids[3:], 2),
    ]
    assert all(each["lease_until"] - each["started_at"] == timedelta(seconds=60) for each in kept)
    assert all(each["phase"] == "promote" for each in kept)


def test_what_is_due_no_more_is_not_claimed(memory: Engram) -> None:
    """Eligibility is looked at again under the lock: what has been done since it was found is left out."""
    ids = lay_due(memory, 3)
    memory.graph.write(
        "consolidate/promote_memories",
        space=memory.space,
        ids=ids[:1],
        run="another",
        now=memory.graph.now(),
    )
    assert claimed(memory, ids).ids == ids[1:]


def test_a_claim_keeps_to_its_space(memory: Engram) -> None:
    """The ids of another space claim nothing, and nothing of that space changes."""
    ids = lay_due(memory, 2)
    before = run(memory, "read_space")
    assert (
        claims.claim(
            memory.graph,
            space=memory.space + "-b",
            phase="promote",
            ids=ids,
            due="promote_due_at",
            worker="one",
            lease_seconds=60,
        )
        is None
    )
    assert run(memory, "read_space") == before


def test_many_at_once_claim_each_memory_once(memory: Engram) -> None:
    """Workers that want the same memories in any order get each memory once, and none is left over."""
    ids = lay_due(memory, 24)

    def take(worker: int) -> list[str]:
        wanted = ids[worker:] + ids[:worker]
        found = (claim(memory, wanted[n : n + 6], worker=str(worker)) for n in range(0, 24, 6))
        return [each for made in found if made is not None for each in made.ids]

    with ThreadPoolExecutor(8) as pool:
        taken = [each for some in pool.map(take, range(8)) for each in some]
    assert sorted(taken) == ids


def test_a_lease_begins_when_the_locks_are_held(memory: Engram) -> None:
    """A claim that waits for somebody's lock has its whole lease after that."""
    ids = lay_due(memory, 2)

    def hold(transaction: Transaction) -> Any:
        transaction.run("write/lock_memories", space=memory.space, ids=ids)
        waiting = pool.submit(claimed, memory, ids)
        time.sleep(0.3)  # it waits by now; if not, the rule holds all the same
        return waiting, transaction.run("inspect/read_clock").rows[0]["now"]

    with ThreadPoolExecutor(1) as pool:
        waiting, released = memory.graph.transact(hold)
        waiting.result(30)
    assert attempts(memory)[0]["started_at"] >= released


def test_a_lapsed_claim_is_cleared_and_taken_over(memory: Engram) -> None:
    """Once a lease is over others may claim; the dead attempt ends as lapsed when its last memory is taken."""
    ids = lay_due(memory, 3)
    dead = claimed(memory, ids)
    run(memory, "end_lease", attempt=dead.id)
    assert claimed(memory, ids[:1], worker="two").ids == ids[:1]
    assert "outcome" not in attempts(memory)[0]
    assert claimed(memory, ids, worker="three").ids == ids[1:]
    assert [(each["worker"], each.get("outcome"), each["ids"]) for each in attempts(memory)] == [
        ("one", "lapsed", []),
        ("two", None, ids[:1]),
        ("three", None, ids[1:]),
    ]
    assert complete(memory, dead) == []
    assert [each["ids"] for each in attempts(memory)] == [[], ids[:1], ids[1:]]


# ----- Ending a claim


def test_only_what_is_unchanged_may_be_written(memory: Engram) -> None:
    """Of what is held, completing lets pass what has the version that was claimed and a result; all of it is free."""
    ids = lay_due(memory, 4)
    made = claimed(memory, ids)
    memory.forget(ids[0])
    assert complete(memory, made, ids[:3]) == ids[1:3]
    (ended,) = attempts(memory)
    assert (ended["outcome"], ended["completed"], ended["given_up"], ended["ids"]) == ("completed", 2, 2, [])
    assert ended["started_at"] <= ended["ended_at"]
    assert complete(memory, made) == []
    assert attempts(memory) == [ended]


def test_a_use_meanwhile_does_not_cost_a_claim(memory: Engram) -> None:
    """Being recalled changes no version, so work on a memory that is in use gets done."""
    ids = lay_due(memory, 3)
    made = claimed(memory, ids)
    assert memory.recall("thing", 3)
    memory.flush()
    assert complete(memory, made) == ids


def test_a_lease_that_is_over_lets_nothing_pass(memory: Engram) -> None:
    """Who is too slow writes nothing, even if nobody has taken over; what he held is free."""
    ids = lay_due(memory, 2)
    made = claimed(memory, ids)
    run(memory, "end_lease", attempt=made.id)
    assert complete(memory, made) == []
    assert [(each["outcome"], each["given_up"], each["ids"]) for each in attempts(memory)] == [
        ("lost", 2, [])
    ]
    assert claimed(memory, ids, worker="two").ids == ids


def test_a_write_that_fails_leaves_the_claim(memory: Engram) -> None:
    """Completing is part of the transaction that writes: where that is taken back, the claim still holds."""
    ids = lay_due(memory, 2)
    made = claimed(memory, ids)

    def write(transaction: Transaction) -> None:
        assert claims.complete(transaction, made, ids) == ids
        raise InvalidInputError("The answer makes no sense.")

    with pytest.raises(InvalidInputError):
        memory.graph.transact(write)
    assert claim(memory, ids, worker="two") is None
    assert complete(memory, made) == ids


def test_what_was_erased_is_given_up(memory: Engram) -> None:
    """A memory that is erased while it is claimed is simply gone; the others pass."""
    ids = lay_due(memory, 3)
    made = claimed(memory, ids)
    memory.forget(ids[1], erase=True)
    assert complete(memory, made) == [ids[0], ids[2]]


def test_released_memories_are_free_at_once(memory: Engram) -> None:
    """Releasing gives up what is left, once; the record says why."""
    ids = lay_due(memory, 3)
    made = claimed(memory, ids)
    assert claims.release(memory.graph, made, outcome="failed") == 3
    assert claims.release(memory.graph, made, outcome="again") == 0
    assert [(each["outcome"], each["given_up"], each["ids"]) for each in attempts(memory)] == [
        ("failed", 3, [])
    ]
    assert claimed(memory, ids, worker="two").ids == ids
    assert claims.release(memory.graph, made, outcome="again") == 0
    assert complete(memory, made) == []
    assert attempts(memory)[1]["ids"] == ids


def test_a_lease_is_renewed_only_in_time(memory: Engram) -> None:
    """A live lease begins anew; one that is over, or of a claim that has ended, does not."""
    ids = lay_due(memory, 2)
    made = claimed(memory, ids[:1], lease_seconds=60)
    before = attempts(memory)[0]["lease_until"]
    assert claims.renew(memory.graph, made)
    assert attempts(memory)[0]["lease_until"] > before
    run(memory, "end_lease", attempt=made.id)
    assert not claims.renew(memory.graph, made)
    ended = claimed(memory, ids[1:])
    complete(memory, ended)
    assert not claims.renew(memory.graph, ended)


# ----- Any order of events


@dataclass
class Model:
    """What must be so, by the rules in words: who holds what, and whose lease is over."""

    holder: dict[str, str] = field(default_factory=dict)
    over: set[str] = field(default_factory=set)
    changed: set[tuple[str, str]] = field(default_factory=set)
    """Attempts and memories that were changed while the attempt held them."""

    def free(self, ids: Sequence[str]) -> list[str]:
        """Return those that may be claimed."""
        return [each for each in ids if each not in self.holder or self.holder[each] in self.over]

    def passing(self, made: Claim) -> list[str]:
        """Return what completing lets pass."""
        held = [each for each in made.ids if self.holder.get(each) == made.id and made.id not in self.over]
        return [each for each in held if (made.id, each) not in self.changed]

    def end(self, made: Claim) -> None:
        """Forget what an attempt held."""
        self.holder = {each: holder for each, holder in self.holder.items() if holder != made.id}
        self.over.add(made.id)


EVENTS = st.lists(
    st.tuples(
        st.sampled_from(["claim", "lapse", "renew", "complete", "release", "change"]),
        st.integers(0, 2),
        st.sets(st.integers(0, 3), min_size=1),
    ),
    min_size=4,
    max_size=14,
)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(events=EVENTS)
def test_claims_agree_with_the_rules_in_any_order(
    memory: Engram, events: list[tuple[str, int, set[int]]]
) -> None:
    """Whatever three workers do in whatever order, no memory is held twice, and what passes is what the rules say."""
    run(memory, "clear_claims")
    ids = lay_due(memory, 4)  # the same four each time
    model, held = Model(), dict[int, Claim]()
    for event, worker, places in events:
        wanted = [ids[place] for place in sorted(places)]
        if event == "claim":
            free = model.free(wanted)
            made = claim(memory, wanted, worker=str(worker))
            assert ([] if made is None else made.ids) == free
            if made is not None:
                held[worker] = made
                model.holder.update(dict.fromkeys(free, made.id))
        elif event == "change":
            for each in wanted:
                memory.forget(each)
                memory.restore(each)
                model.changed.update((made.id, each) for made in held.values())
        elif worker in held:
            made = held[worker]
            if event == "lapse":
                run(memory, "end_lease", attempt=made.id)
                model.over.add(made.id)
            elif event == "renew":
                assert claims.renew(memory.graph, made) == (made.id not in model.over)
            elif event == "complete":
                assert complete(memory, made) == model.passing(made)
                model.end(made)
            else:
                claims.release(memory.graph, made, outcome="released")
                model.end(made)
    holders = [each for row in attempts(memory) for each in row["ids"]]
    assert len(holders) == len(set(holders))


# ----- The step


def promotion(work: Callable[[Any, Sequence[Row]], Any]) -> Any:
    """Return promotion as a job that claims."""
    step = Claimed(
        phase="promote",
        find="consolidate/find_due_promotions",
        due="promote_due_at",
        work=work,
        write="consolidate/promote_memories",
    )
    return Job(name="claimed", why="", steps=(step,))


def all_of_them(_: object, memories: Sequence[Row]) -> list[Row]:
    """Return a result for each memory."""
    return [{"id": memory["id"]} for memory in memories]


def set_number(memory: Engram, key: str, value: float) -> None:
    """Set a number of the space."""
    tune(memory.graph, space=memory.space, key=key, value=value, by="test", now=memory.graph.now())


def promoted(memory: Engram) -> Row:
    """Return what `check_promotions` counts."""
    return run(memory, "check_promotions")[0]


def test_the_step_does_what_one_statement_would(memory: Engram) -> None:
    """A claimed promotion leaves what promotion leaves; a second run changes nothing."""
    ids = lay_due(memory, 7)
    set_number(memory, "claim.batch_size", 3)
    done = run_job(promotion(all_of_them), memory.graph, space=memory.space)
    assert (done.changed, done.empty, done.notes) == (7, 0, ())
    found = promoted(memory)
    assert (found["due"], found["once"], found["astray"], found["claims"], found["unended"]) == (
        0,
        7,
        0,
        0,
        0,
    )
    assert {memory.get(each).tier for each in ids} == {"shortTerm", "longTerm"}
    assert {each["outcome"] for each in attempts(memory)} == {"completed"}
    assert run_job(promotion(all_of_them), memory.graph, space=memory.space).changed == 0
    assert run_job(PROMOTE, memory.graph, space=memory.space).changed == 0


def test_a_dry_run_claims_nothing(memory: Engram) -> None:
    """A dry run counts what a run would change, and leaves nothing but its record."""
    lay_due(memory, 5)
    before = [node for node in run(memory, "read_space")[0]["nodes"] if "JobRun" not in node["labels"]]
    dry = run_job(promotion(all_of_them), memory.graph, space=memory.space, dry_run=True)
    assert dry.changed == 5
    after = [node for node in run(memory, "read_space")[0]["nodes"] if "JobRun" not in node["labels"]]
    assert after == before
    assert run_job(promotion(all_of_them), memory.graph, space=memory.space).changed == 5


def test_empty_claims_are_counted(memory: Engram) -> None:
    """What others hold is passed by; how often that was is on the run and on its record."""
    ids = lay_due(memory, 4)
    set_number(memory, "claim.batch_size", 2)
    theirs = claimed(memory, ids, worker="another")
    done = run_job(promotion(all_of_them), memory.graph, space=memory.space)
    assert (done.changed, done.empty) in {(0, 2), (0, 3)}  # the walk may begin between two of a batch
    (recorded,) = [
        row
        for row in memory.graph.read("inspect/list_job_runs", space=None, job="claimed", limit=1_000)
        if row["id"] == done.id
    ]
    assert recorded["empty"] == done.empty
    claims.release(memory.graph, theirs, outcome="released")
    assert run_job(promotion(all_of_them), memory.graph, space=memory.space).changed == 4


def test_work_that_fails_gives_up_its_claim(memory: Engram) -> None:
    """An error in the work ends the run, and what was claimed is free at once."""
    ids = lay_due(memory, 3)

    def fail(_: object, memories: Sequence[Row]) -> list[Row]:
        assert [memory["id"] for memory in memories]
        raise InvalidInputError("The model answers prose.")

    with pytest.raises(InvalidInputError):
        run_job(promotion(fail), memory.graph, space=memory.space)
    assert {each["outcome"] for each in attempts(memory)} == {"failed"}
    assert claimed(memory, ids).ids == ids


def test_without_a_result_a_memory_stays_due(memory: Engram) -> None:
    """A memory for which the work has nothing is given up, counted, and done by a later run."""
    ids = lay_due(memory, 4)

    def some(_: object, memories: Sequence[Row]) -> list[Row]:
        return [{"id": each["id"]} for each in memories if each["id"] != ids[0]]

    done = run_job(promotion(some), memory.graph, space=memory.space)
    assert done.changed == 3
    assert done.notes == ("1 given up in phase promote: changed, lost, or without a result",)
    assert run_job(promotion(all_of_them), memory.graph, space=memory.space).changed == 1


def test_what_is_changed_meanwhile_is_given_up(memory: Engram) -> None:
    """What somebody changes during the work is left as he made it, and counted; the rest is written."""
    ids = lay_due(memory, 4)

    def interrupted(_: object, memories: Sequence[Row]) -> list[Row]:
        if ids[0] in {each["id"] for each in memories}:
            memory.forget(ids[0])
        return all_of_them(_, memories)

    done = run_job(promotion(interrupted), memory.graph, space=memory.space)
    assert done.changed == 3
    assert "1 given up" in done.notes[0]
    assert memory.get(ids[0]).tier == "working"


def test_results_that_come_one_by_one_renew_the_lease(memory: Engram) -> None:
    """Between results the lease begins anew, so that work may take longer than a lease."""
    lay_due(memory, 3)
    set_number(memory, "claim.lease_seconds", 6)
    leases = []

    def slow(_: object, memories: Sequence[Row]) -> Iterator[Row]:
        for each in memories:
            leases.append(attempts(memory)[-1]["lease_until"])
            time.sleep(2.1)
            yield {"id": each["id"]}

    done = run_job(promotion(slow), memory.graph, space=memory.space)
    assert done.changed == 3
    assert leases == sorted(set(leases))


def test_a_lost_claim_ends_the_work(memory: Engram) -> None:
    """Who learns that his lease is over works no further, and writes nothing."""
    lay_due(memory, 4)
    set_number(memory, "claim.lease_seconds", 1)
    made = []

    def too_slow(_: object, memories: Sequence[Row]) -> Iterator[Row]:
        for each in memories:
            made.append(each["id"])
            time.sleep(0.4)
            run(memory, "end_lease", attempt=None)
            yield {"id": each["id"]}

    done = run_job(promotion(too_slow), memory.graph, space=memory.space)
    assert done.changed == 0
    # One of each stretch of the walk; a stretch may have none.
    assert 1 <= len(made) <= 2
    assert "4 given up" in done.notes[0]
    assert promoted(memory)["claims"] == 0


def test_a_stopped_run_ends_between_batches(memory: Engram) -> None:
    """A run that is told to stop finishes the batch in hand, and leaves no claim behind."""
    lay_due(memory, 6)
    set_number(memory, "claim.batch_size", 1)
    seen: list[str] = []

    def note(_: object, memories: Sequence[Row]) -> list[Row]:
        seen.extend(each["id"] for each in memories)
        return all_of_them(_, memories)

    done = run_job(promotion(note), memory.graph, space=memory.space, stop=lambda: len(seen) >= 2)
    assert done.changed == len(seen) == 2
    assert promoted(memory)["claims"] == 0
