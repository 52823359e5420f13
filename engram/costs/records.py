"""The values of the ledger: one call, what was spent, and a line of a summary."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Grouping = Literal["day", "purpose", "model"]
"""What a summary has a line for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of a language model, as the graph keeps it."""

    id: str
    run: str
    """Id of the ledger that saw it."""
    session: str | None
    purpose: str
    """What it was for, e.g. `reply`."""
    model: str
    background: bool
    at: datetime
    """When it was sent, UTC."""
    latency_ms: int
    """Until the answer was complete, failed or given up."""
    first_token_ms: int | None
    """Until the first word."""
    input_tokens: int
    output_tokens: int
    estimated: bool
    """Whether the provider did not count all of its tokens."""
    cost_usd: float | None
    """US dollars; None where the price is not known."""
    tries: int
    """Requests made for it, at least 1."""
    outcome: str
    """`ok`, `interrupted`, `failed`, `refused`, or why the answer could not be used, e.g. `prose`."""
    error: str | None
    raw: str | None
    """The answer's text where it could not be used, 64 KB at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What the models of a space cost so far, in US dollars; calls without a known price count nothing."""

    run: float
    """This run of this process."""
    today: float
    """The UTC day."""
    last_day: float
    """The last 24 hours."""
    lifetime: float
    calls_today: int
    budget: float | None
    """Dollars a day."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CostLine:
    """What a day, a purpose or a model cost."""

    scope: str
    """Of which calls, e.g. `today`."""
    key: str
    """The day as YYYY-MM-DD, the purpose, or the model."""
    calls: int
    retries: int
    """Requests beyond the first of each call."""
    failed: int
    """Calls without an answer that could be used; those that a person interrupted are none."""
    input_tokens: int
    output_tokens: int
    estimated: int
    """Calls whose tokens the provider did not all count."""
    cost_usd: float
    unpriced: tuple[str, ...]
    """Models among them whose price is not known; their calls count no dollars."""
