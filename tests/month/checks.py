"""What must hold of a month, whoever lived it."""

import math
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from itertools import pairwise

from engram.energy import CREATION_ENERGY
from engram.graph import Row
from engram.mind.state.budget import budget
from engram.mind.state.lines import KEPT_KEY, cited, parsed
from engram.mind.state.pointers import FOUND_AMONG, parse
from engram.mind.state.sections import Section, lines_of, sections
from engram.mind.wandering import entropy
from engram.scoring.weight import WEIGHT_CAP
from engram.tuning import Tuning
from tests.month.simulation import Month, Sample

MOST_ENERGY = 30.0
"""A bound that a memory used on every day of the month would not reach: 1 a use, fading."""
MOST_EDGE = 60.0
ENFORCED = Tuning().whole("safety.enforced_phase")
"""Phase up to which ceilings stop something, where nobody has changed it."""
RATE = Tuning()["safety.rate"]
WINDOW = 20
"""Thoughts whose topics are looked at together."""
LEAST_ENTROPY = 0.4
ENOUGH = 15
"""Memories of a space from which there is something else to think of."""
LEAST_FOUND = 0.95
"""Share of what has left the working memory that its pointers bring back."""


def goals_as_computed(month: Month) -> Iterator[str]:
    """Yield what is wrong with the goals: their priority is the product of what is known of each (DMN algorithms, 1)."""
    for sample in month.samples:
        goals = sample.row["goals"]
        active = {goal["text"] for goal in goals if goal["state"] == "active"}
        about = {goal["text"]: {*goal["about"]} for goal in goals}
        for goal in goals:
            if goal["state"] not in {"active", "incubating", "blocked"} or goal["ranked_at"] is None:
                continue
            text, now = goal["text"], goal["ranked_at"]
            connected = sum(1 for other in active if other != text and about[other] & about[text])
            recency = math.exp(-_days(goal["active_at"], now) / 7.0)
            mention = 1.0
            if goal["mentioned_at"] is not None:
                mention += 2.0 * math.exp(-24.0 * _days(goal["mentioned_at"], now) / 24.0)
            ease = 0.0 if goal["state"] == "blocked" else goal["tractability"]
            wanted = recency * mention * ease * (1.0 + 0.1 * connected)
            if not math.isclose(goal["priority"], wanted, rel_tol=1e-6, abs_tol=1e-9):
                yield f"day {sample.day}: {text} has {goal['priority']:.6f}, not {wanted:.6f}"


def mentions_noticed(month: Month) -> Iterator[str]:
    """Yield goals whose last mention was not noticed."""
    for goal in month.samples[-1].row["goals"]:
        said = month.mentions.get(goal["text"])
        # Something else that was said later may have been about it too.
        if (
            said is not None
            and goal["state"] == "active"
            and not (goal["mentioned_at"] and goal["mentioned_at"] >= said)
        ):
            yield f"{goal['text']}: spoken of at {said}, noted at {goal['mentioned_at']}"


def working_memory_within_budget(month: Month) -> Iterator[str]:
    """Yield versions of the working memory that are longer than their budget."""
    most = budget(month.memory.settings.context_tokens)
    for version in month.samples[-1].row["versions"]:
        if version["state"] == "taken" and len(version["text"]) > most:
            yield f"version {version['version']} has {len(version['text']):,} characters, more than {most:,}"


def found_again(month: Month) -> tuple[int, int]:
    """Return how many memories that have left the working memory its pointers bring back, and how many have left.

    One has left where a version that was taken told it and the version in force tells it no more, neither as a line nor in a
    person's own text. Those that are not believed any more, were archived or erased, need no pointer. Each pointer is
    searched for as a person would, and brings back what is among the first five.
    """
    versions = [each for each in month.samples[-1].row["versions"] if each["state"] == "taken"]
    if not versions:
        return 0, 0
    *earlier, force = map(_told, versions)
    active = {
        cite["memory"] for version in versions for cite in version["cites"] if cite["status"] == "active"
    }
    left = (set().union(*earlier) & active) - force
    back = {
        hit.memory.id
        for line in lines_of(sections(versions[-1]["text"]).get(Section.POINTERS, ""))
        if (pointer := parse(line)) is not None
        for hit in month.memory.recall(pointer.query, FOUND_AMONG, read_only=True)
    }
    return len(left & back), len(left)


def _told(version: Row) -> set[str]:
    """Return the ids of the memories that a version tells, those aside that it only points to."""
    by_key: dict[str, list[str]] = {}
    for cite in version["cites"]:
        by_key.setdefault(cite["key"], []).append(cite["memory"])
    lines = parsed(version["text"], by_key)
    lines.pop(Section.POINTERS, None)
    return cited(lines) | {*by_key.get(KEPT_KEY, ())}


def most_energy_of(day: int) -> float:
    """Return the energy that a memory can have at most on a day, with a conversation on each: what the caps let through.

    However much is said, a session adds so many uses and a day so many reinforcements. What fades is left out.
    """
    tuning = Tuning()
    daily = (
        tuning["boost.session_cap"] * tuning["boost.access"]
        + tuning["boost.reinforcement_cap"] * tuning["boost.reinforcement"]
    )
    return CREATION_ENERGY + (day + 1) * daily


def most_edge_of(joint: int) -> float:
    """Return the weight that so many joint uses can give an association: each adds `half / (half + weight)` at most.

    So the weight `w` stays below the solution of `dw/dn = half / (half + w)`, and less than one step above it; what fades is
    left out.
    """
    half = Tuning()["coactivate.half"]
    return math.sqrt(half * half + 2.0 * half * joint) - half + 1.0


def nothing_runs_away(
    month: Month,
    most_energy: Callable[[int], float] = lambda _: MOST_ENERGY,
    most_edge: Callable[[int], float] = lambda _: MOST_EDGE,
) -> Iterator[str]:
    """Yield weights, energies, edges and costs beyond their bounds.

    Args:
        month: What was lived.
        most_energy: Gives the bound of energies for the number of a day, from 0.
        most_edge: Gives that of associations.
    """
    tuning = Tuning()
    most_calls, most_tokens = tuning.whole("idle.daily_calls"), tuning.whole("idle.daily_tokens")
    for sample in month.samples:
        row = sample.row
        if (row["energy"] or 0.0) > most_energy(sample.day):
            yield f"day {sample.day}: an energy of {row['energy']:.1f}"
        if (row["weight"] or 0.0) > 0.95 + 1e-9:
            yield f"day {sample.day}: a weight of {row['weight']:.3f}"
        if (row["edge"] or 0.0) > most_edge(sample.day):
            yield f"day {sample.day}: an edge of {row['edge']:.1f}"
        idle = [
            each for each in row["calls"] if each["purpose"] == "idle" and _same_day(each["at"], sample.at)
        ]
        if len(idle) > most_calls or sum(each["tokens"] for each in idle) > most_tokens:
            yield f"day {sample.day}: {len(idle)} calls while idle, {sum(each['tokens'] for each in idle):,} tokens"


def safety_as_planned(month: Month) -> Iterator[str]:
    """Yield what the record of ceilings leaves out or should not say (docs/safety.md).

    The cap of weights is enforced: it has fired if and only if a weight stands at it. How fast weights move is only watched:
    each that rose over a tenth from one day's cycle to the next has left an event, and nothing was stopped.
    """
    events = month.samples[-1].row["events"]
    capped = max(each.row["weight"] or 0.0 for each in month.samples) >= WEIGHT_CAP - 1e-3
    fired = {each["ceiling"] for each in events}
    if capped != ("weight_cap" in fired):
        yield f"a weight {'stood' if capped else 'never stood'} at the cap, and what fired is {sorted(fired)}"
    for each in events:
        if each["enforced"] != (each["phase"] <= ENFORCED):
            yield f"{each['ceiling']} of phase {each['phase']} says that it is enforced: {each['enforced']}"
    for before, after in pairwise(month.samples):
        noticed = {
            each["subject"]
            for each in events
            if each["ceiling"] == "rate_limit" and _same_day(each["at"], after.at)
        }
        was = {each["id"]: each["weight"] for each in before.row["weights"]}
        for each in after.row["weights"]:
            rise = each["weight"] / was.get(each["id"], each["weight"]) - 1.0
            if rise > RATE + 1e-6 and each["id"] not in noticed:
                yield f"day {after.day}: the weight of {each['id'][:8]} rose by {rise:.0%}, and nothing says so"


def surfaced_entropy(sample: Sample) -> float | None:
    """Return the entropy of the topics of the last thoughts, 0 to 1; None where there are too few."""
    topics = [each["topic"] for each in sample.row["thoughts"][-WINDOW:] if each["topic"]]
    return entropy(topics) if len(topics) >= WINDOW else None


def circles(month: Month) -> Iterator[str]:
    """Yield days on which what came to mind went in circles."""
    for sample in month.samples:
        found = surfaced_entropy(sample)
        if sample.row["memories"] >= ENOUGH and found is not None and found < LEAST_ENTROPY:
            yield f"day {sample.day}: entropy {found:.2f}"


def readiness_never_lost(month: Month) -> Iterator[str]:
    """Yield achievements that were reached and then were not."""
    before: set[int] = set()
    for sample in month.samples:
        now = {*sample.reached}
        if lost := before - now:
            yield f"day {sample.day}: {sorted(lost)} are gone"
        before = now


def first_reached(month: Month) -> dict[int, int]:
    """Return the day at which each achievement was there first."""
    first: dict[int, int] = {}
    for sample in month.samples:
        for number in sample.reached:
            first.setdefault(number, sample.day)
    return first


def _days(then: datetime, now: datetime) -> float:
    return max(0.0, (now - then) / timedelta(days=1))


def _same_day(one: datetime, other: datetime) -> bool:
    return one.astimezone(other.tzinfo).date() == other.date()
