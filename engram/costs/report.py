"""What models cost, in words: the line of the prompt, and tables for a terminal."""

import math
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import groupby

from engram.costs.ledger import Ledger
from engram.costs.records import CostLine, Spent

_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)
_HEADS = ("calls", "retries", "failed", "tokens in", "tokens out", "cost")


def cost_line(spent: Spent) -> str:
    """Return what the agent is told of its own cost, e.g. `Session cost: $0.02 | 24h: $0.10` (v4 plan, 4.8)."""
    return f"Session cost: {dollars(spent.run)} | 24h: {dollars(spent.last_day)}"


def dollars(amount: float) -> str:
    """Return an amount of US dollars: to the cent, and where that says nothing to a hundredth of one."""
    if amount == 0 or amount >= 0.005:
        return f"${amount:,.2f}"
    return f"${amount:.4f}" if amount >= 0.00005 else "<$0.0001"


def cost_report(ledger: Ledger, session: str) -> list[CostLine]:
    """Return what each purpose cost, in this session and today.

    Raises:
        DatabaseError: The database does not answer.
    """
    in_session = ledger.summary("purpose", since=_BEGINNING, session=session, scope="this session")
    return [*in_session, *ledger.summary("purpose", days=1)]


def cost_table(lines: Sequence[CostLine]) -> Iterator[str]:
    """Lay lines out as tables for a terminal: one for each scope, with its sum, and what is not known of it."""
    for number, (scope, group) in enumerate(groupby(lines, key=lambda line: line.scope)):
        if number:
            yield ""
        yield from _table(scope, list(group))


def _table(scope: str, lines: Sequence[CostLine]) -> Iterator[str]:
    cells = [[scope, *_HEADS], *map(_cells, lines)]
    if len(lines) > 1:
        cells.append(_cells(_total(lines)))
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for first, *numbers in cells:
        aligned = (cell.rjust(width) for cell, width in zip(numbers, widths[1:], strict=True))
        yield "  ".join((first.ljust(widths[0]), *aligned))
    total = _total(lines)
    if total.estimated:
        yield f"  Calls whose tokens are estimated, because nobody counted them: {total.estimated:,}."
    if total.unpriced:
        yield f"  No price is known for {', '.join(total.unpriced)}; `engram config set prices` takes one."


def _cells(line: CostLine) -> list[str]:
    counts = (line.calls, line.retries, line.failed, line.input_tokens, line.output_tokens)
    return [line.key, *(f"{count:,}" for count in counts), _price(line)]


def _price(line: CostLine) -> str:
    if line.unpriced:
        return f"{dollars(line.cost_usd)} + ?" if line.cost_usd else "?"
    return dollars(line.cost_usd)


def _total(lines: Sequence[CostLine]) -> CostLine:
    return CostLine(
        scope=lines[0].scope,
        key="in all",
        calls=sum(line.calls for line in lines),
        retries=sum(line.retries for line in lines),
        failed=sum(line.failed for line in lines),
        input_tokens=sum(line.input_tokens for line in lines),
        output_tokens=sum(line.output_tokens for line in lines),
        estimated=sum(line.estimated for line in lines),
        cost_usd=math.fsum(line.cost_usd for line in lines),
        unpriced=tuple(sorted({model for line in lines for model in line.unpriced})),
    )
