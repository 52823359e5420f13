"""The line below the prompt: where the loop stands."""

from rich.cells import cell_len, set_cell_size

from engram.costs.report import dollars
from engram.loop.events import Status
from engram.mind.pressure import Level, level
from engram.text import single_line

_SEPARATOR = " · "
_PRESSURE: dict[Level, str] = {"none": "", "noted": "scratch filling", "due": "consolidate"}


def status_line(status: Status, *, width: int) -> str:
    """Return as much as fits of where the loop stands, the most important first.

    Args:
        status: Where it stands.
        width: Columns.
    """
    parts = [part for part in (_scratch(status), _waiting(status), _tiers(status), *_model(status)) if part]
    line = ""
    for part in parts:
        longer = f"{line}{_SEPARATOR}{part}" if line else part
        if cell_len(longer) > width:
            break
        line = longer
    return line or (set_cell_size(parts[0], width) if parts else "")


def _scratch(status: Status) -> str:
    return _PRESSURE[level(status.pressure)]


def _waiting(status: Status) -> str:
    return f"{status.waiting} waiting" if status.waiting else ""


def _tiers(status: Status) -> str:
    return ", ".join(f"{tier} {count:,}" for tier, count in status.tiers.items())


def _model(status: Status) -> list[str]:
    if status.model is None:
        return ["no language model"]
    budget = f" of {dollars(status.budget)}" if status.budget is not None else ""
    return [
        f"{dollars(status.cost_today)}{budget} today",
        f"{status.tokens:,} of {status.window:,} tokens",
        single_line(status.model),
    ]
