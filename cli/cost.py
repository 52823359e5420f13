"""`engram cost`."""

from typing import TYPE_CHECKING

import click

from .state import State

if TYPE_CHECKING:
    from engram.costs.records import Grouping


@click.command()
@click.option(
    "--by",
    type=click.Choice(["day", "purpose", "model"]),
    default="day",
    show_default=True,
    help="What a line is for.",
)
@click.option(
    "--days",
    type=click.IntRange(1, 36_500),
    default=30,
    show_default=True,
    help="How many UTC days, today included.",
)
@click.pass_obj
def cost(state: State, by: "Grouping", days: int) -> None:
    """Show what the language models cost: calls, retries, tokens, dollars.

    Calls older than `sweep.keep_days` are kept as monthly sums; they count in the total of all time alone.
    """
    from engram.costs import Ledger, cost_table  # noqa: PLC0415  (loads the driver)
    from engram.costs.report import dollars  # noqa: PLC0415

    settings = state.settings
    with state.open() as memory:
        ledger = Ledger(
            memory.graph,
            space=memory.space,
            clock=memory.now,
            prices=settings.prices,
            daily_budget=settings.daily_budget,
            daily_calls=settings.daily_calls,
        )
        lines = ledger.summary(by, days)
        spent = ledger.spent()
        ledger.close()
    if state.json:
        state.print_json({"lines": lines, "spent": spent})
        return
    for line in cost_table(lines):
        state.out(line)
    if not lines:
        state.say("No language model has been asked in that time.")
    limit = "" if spent.budget is None else f" of {dollars(spent.budget)}"
    state.out(f"Today (UTC): {dollars(spent.today)}{limit}. Of all time: {dollars(spent.lifetime)}.")
