"""What models cost: dollars per million tokens, by the beginning of the model's name.

Sources, for text, without caching and batches:

* Anthropic: the models' own pages at platform.claude.com/docs/en/models, as of October 2026; for models before
  the fifth generation docs.anthropic.com/en/docs/about-claude/pricing.
* Gemini: ai.google.dev/gemini-api/docs/pricing, paid tier, as of 7 October 2026; thinking counts as output.

Prices change: the setting `prices` is laid over this table.
"""

import json
from collections.abc import Mapping
from datetime import UTC, date, datetime
from types import MappingProxyType
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

_MILLION = 1_000_000
Dollars = Annotated[float, Field(ge=0, allow_inf_nan=False)]
"""US dollars per million tokens."""


class Step(BaseModel):
    """Another price, for long prompts or from a day on."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: Dollars
    output: Dollars
    over: int = Field(0, ge=0)
    """For prompts of more tokens than this."""
    since: date = date.min
    """From this UTC day on."""


class Price(BaseModel):
    """What a model costs."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: Dollars
    output: Dollars
    steps: tuple[Step, ...] = ()
    """The last of them that applies holds."""

    def __str__(self) -> str:
        return f"{self.input:g} in, {self.output:g} out" + (", in steps" if self.steps else "")

    def cost(self, *, input_tokens: int, output_tokens: int, at: datetime) -> float:
        """Return what one call costs, in US dollars."""
        day = at.astimezone(UTC).date()
        rates: Price | Step = self
        for step in self.steps:
            if input_tokens > step.over and day >= step.since:
                rates = step
        return (rates.input * input_tokens + rates.output * output_tokens) / _MILLION


def _price(*rates: float, over: int = 0, since: date = date.min) -> Price:
    first, then = rates[:2], rates[2:]
    steps = (Step(input=then[0], output=then[1], over=over, since=since),) if then else ()
    return Price(input=first[0], output=first[1], steps=steps)


_LONG_GEMINI = 200_000
_LONG_HAIKU = 100_000
_PROMOTION_ENDS = date(2027, 1, 1)

DEFAULT_PRICES: Mapping[str, Price] = MappingProxyType(
    {
        "claude-fable-5": _price(10, 50),
        "claude-opus-5-5": _price(4, 20),
        "claude-opus-5": _price(5, 25),
        "claude-opus-4-8": _price(5, 25),
        "claude-opus-4-7": _price(5, 25),
        "claude-opus-4-6": _price(5, 25),
        "claude-opus-4-5": _price(5, 25),
        "claude-opus-4": _price(15, 75),
        "claude-sonnet-5": _price(2, 10),
        "claude-sonnet-4": _price(3, 15),
        "claude-haiku-5-5": _price(0.1, 0.5, 0.5, 2.5, over=_LONG_HAIKU),
        "claude-haiku-4-5": _price(1, 5),
        "gemini-3.8-flash": _price(0.75, 3.75, 1.5, 7.5, since=_PROMOTION_ENDS),
        "gemini-3.7-flash": _price(0.75, 3.75, 1.5, 7.5, since=_PROMOTION_ENDS),
        "gemini-3.5-flash-lite": _price(0.3, 2.5),
        "gemini-3.5-flash": _price(1.5, 9),
        "gemini-3.1-pro": _price(2, 12, 4, 18, over=_LONG_GEMINI),
        "gemini-3.1-flash-lite": _price(0.25, 1.5),
        "gemini-3-pro": _price(2, 12, 4, 18, over=_LONG_GEMINI),
        "gemini-3-flash": _price(0.5, 3),
        "gemini-2.5-pro": _price(1.25, 10, 2.5, 15, over=_LONG_GEMINI),
        "gemini-2.5-flash-lite": _price(0.1, 0.4),
        "gemini-2.5-flash": _price(0.3, 2.5),
    }
)
"""Prices by the beginning of a model's name."""


def price_of(model: str, prices: Mapping[str, Price]) -> Price | None:
    """Return what a model costs, or None where that is not known.

    Args:
        model: Its name; `models/` before it is ignored.
        prices: By the beginning of a name, laid over `DEFAULT_PRICES`; the longest that fits holds.
    """
    table = {**DEFAULT_PRICES, **prices}
    name = model.removeprefix("models/")
    fitting = [beginning for beginning in table if name.startswith(beginning)]
    return table[max(fitting, key=len)] if fitting else None


def _parsed(value: Any) -> Any:
    """Read a table from JSON, as the environment and `engram config set` give it."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError as error:
        raise ValueError('not JSON like {"my-model": {"input": 0.1, "output": 0.4}}') from error


PriceTable = Annotated[dict[str, Price], BeforeValidator(_parsed)]
"""Prices as a setting: a table, or its JSON."""
