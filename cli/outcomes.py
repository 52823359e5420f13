"""`engram outcomes`: what came of decisions, promotions, escalations and feelings."""

from collections.abc import Iterator

import click

from engram.mind.outcomes import WORDS, Outcome, OutcomeKind, Tally, count_outcomes, list_outcomes

from .memory import SHORT, shortened
from .state import State


@click.command()
@click.option(
    "--kind", type=click.Choice([each.value for each in OutcomeKind]), help="Only those of one kind."
)
@click.option("-n", "limit", default=20, show_default=True, type=click.IntRange(min=1), help="How many.")
@click.pass_obj
def outcomes(state: State, kind: str | None, limit: int) -> None:
    """Show what came of what was decided and felt, the newest first."""
    only = None if kind is None else OutcomeKind(kind)
    with state.open() as memory:
        tallies = count_outcomes(memory.graph, space=memory.space)
        found = list_outcomes(memory.graph, space=memory.space, kind=only, limit=limit)
    tallies = [each for each in tallies if only is None or each.kind == only]
    if state.json:
        state.print_json({"kinds": tallies, "outcomes": found})
        return
    for line in (*tally_lines(tallies), *(line for each in found for line in outcome_lines(each))):
        state.out(line)
    if any(each.memories for each in found):
        state.say("`engram why ID` shows what a memory rests on.")
    elif not found:
        state.say("No outcome is known yet. `engram jobs run gut` looks for them.")


def tally_lines(tallies: list[Tally]) -> Iterator[str]:
    """Yield how many outcomes of each kind are known and how good they were, a line each."""
    words = {kind.value: text for kind, text in WORDS.items()}
    for each in tallies:
        yield f"{words.get(each.kind, each.kind)}: {each.outcomes:,}, {each.good:.0%} good"


def outcome_lines(outcome: Outcome) -> Iterator[str]:
    """Yield an outcome, what led to it and the memories that it has to do with."""
    yield f"{outcome.at:%Y-%m-%d %H:%M}  {outcome.kind:<10}  {outcome.good:4.0%} good: {outcome.why}"
    if outcome.led is not None:
        yield f"     {outcome.led.at:%Y-%m-%d %H:%M}  {outcome.led.what}  {shortened(outcome.led.text)}"
    if outcome.memories:
        yield f"     memories: {' '.join(each[:SHORT] for each in outcome.memories)}"
