"""Guidelines for compressing, learned from what came of compressed memories. They advise, and hold up nothing.

A memory may be told in a prompt by its one line. Where those that have a shorter line are of use less often than those
whose line is all of them, lines are too short. What is learned is a few lines for a person or a prompt, and one number,
kept in the graph as `:CompressionGuideline`, each version with the one before it behind it.

Source: compression guideline learning of the project's second seed: fail-open, with conservative steps.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from engram.errors import EngramError
from engram.graph import Graph, Outcome, Row
from engram.loop.compression import LONGEST_LINE

WINDOW = timedelta(days=30)
"""Outcomes that are looked at; records of recalls are kept as long."""
ENOUGH = 20
"""Verdicts of each sort without which nothing is concluded."""
MARGIN = 0.1
"""Difference of the shares of use that is worth a step."""
STEP, BOUNDS = 20, (80, 240)
"""Characters by which the longest line moves at a time, and between which it stays."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcomes:
    """Verdicts on memories that were recalled, by whether their line is shorter than they are."""

    line_judged: int = 0
    line_useful: int = 0
    whole_judged: int = 0
    whole_useful: int = 0
    actions: tuple[tuple[str, int], ...] = ()
    """What the gates did with what was heard, and how often."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Guidelines:
    """What is advised."""

    version: int = 0
    """0 where nothing has been learned."""
    lines: tuple[str, ...] = ()
    longest: int = LONGEST_LINE
    """Characters of the one line that stands for a memory."""
    changed: bool = False
    """Whether they were just learned."""
    problem: str = ""
    """Why there are none, where that is a failure."""


def advise(outcomes: Outcomes, longest: int = LONGEST_LINE) -> Guidelines:
    """Return what outcomes advise; one step at most from what held before.

    Args:
        outcomes: What came of it.
        longest: Characters of a line, as advised before.
    """
    if min(outcomes.line_judged, outcomes.whole_judged) < ENOUGH:
        return Guidelines(longest=longest)
    line = outcomes.line_useful / outcomes.line_judged
    whole = outcomes.whole_useful / outcomes.whole_judged
    step = STEP if line < whole - MARGIN else -STEP if line > whole + MARGIN else 0
    advised = min(BOUNDS[1], max(BOUNDS[0], longest + step))
    told = (
        f"Of {outcomes.line_judged} recalled memories with a shorter line {line:.0%} were of use, "
        f"of {outcomes.whole_judged} without one {whole:.0%}."
    )
    lines = [told, _advice(longest, advised)]
    total = sum(count for _, count in outcomes.actions)
    if total:
        shares = ", ".join(f"{action} {count / total:.0%}" for action, count in outcomes.actions)
        lines.append(f"What was heard became: {shares}.")
    return Guidelines(lines=tuple(lines), longest=advised)


def guidelines(graph: Graph, *, space: str) -> Guidelines:
    """Return what is advised in a space now; where that cannot be read, nothing is advised, and nothing fails."""
    try:
        rows = graph.read("inspect/list_guidelines", space=space, limit=1)
    except EngramError as error:
        return Guidelines(problem=error.message)
    return _guidelines(rows[0]["guideline"]) if rows else Guidelines()


def learn_guidelines(
    graph: Graph, *, space: str, now: datetime, write: Callable[..., Outcome] | None = None
) -> Guidelines:
    """Learn from the outcomes of the last 30 days; where that fails, what held before holds, and nothing fails.

    The same outcomes teach nothing twice: a version is followed by another once enough further verdicts are in.

    Args:
        graph: Where.
        space: Whose.
        now: When.
        write: Runs a writing statement; the graph's own if left out.
    """
    try:
        held = graph.read("inspect/list_guidelines", space=space, limit=1)
        row = graph.read("inspect/read_compression_outcomes", space=space, since=now - WINDOW)[0]
        before: Mapping[str, Any] = held[0]["guideline"] if held else {}
        outcomes = _outcomes(row)
        counts = _counts(outcomes)
        if before and not _news(counts, before):
            return _guidelines(before)
        learned = advise(outcomes, before.get("longest", LONGEST_LINE))
        if not learned.lines:
            return _guidelines(before) if before else Guidelines()
        done = (write or graph.write)(
            "consolidate/archive_store_guideline",
            space=space,
            version=before.get("version", 0) + 1,
            guideline={"lines": list(learned.lines), "longest": learned.longest} | counts,
            now=now,
        ).rows[0]
    except EngramError as error:
        return Guidelines(problem=error.message)
    return Guidelines(
        version=before.get("version", 0) + 1,
        lines=learned.lines,
        longest=learned.longest,
        changed=bool(done["changed"]),
    )


def _advice(longest: int, advised: int) -> str:
    if advised > longest:
        return f"Lines leave out what is needed: let them be up to {advised} characters."
    if advised < longest:
        return f"Lines do better than whole texts: up to {advised} characters are enough."
    return f"Lines of up to {advised} characters do."


def _outcomes(row: Row) -> Outcomes:
    return Outcomes(
        line_judged=row["line"]["judged"],
        line_useful=row["line"]["useful"],
        whole_judged=row["whole"]["judged"],
        whole_useful=row["whole"]["useful"],
        actions=tuple((each["action"], each["entries"]) for each in row["actions"]),
    )


def _counts(outcomes: Outcomes) -> dict[str, int]:
    return {
        name: getattr(outcomes, name)
        for name in ("line_judged", "line_useful", "whole_judged", "whole_useful")
    }


def _news(counts: Mapping[str, int], before: Mapping[str, Any]) -> bool:
    judged = ("line_judged", "whole_judged")
    return sum(abs(counts[name] - int(before[name])) for name in judged) >= ENOUGH


def _guidelines(stored: Mapping[str, Any]) -> Guidelines:
    return Guidelines(version=stored["version"], lines=tuple(stored["lines"]), longest=stored["longest"])
