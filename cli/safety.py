"""`engram safety`: what the ceilings on reinforcement have stopped, or would have stopped."""

from collections.abc import Iterator

import click

from engram.memory import utc_now
from engram.safety import Cycle, Safety, State, Tally

from .state import State as Command

_SHORT = 8


@click.command()
@click.option(
    "--days", default=30.0, show_default=True, type=click.FloatRange(min=0), help="How far to look back."
)
@click.pass_obj
def safety(command: Command, days: float) -> None:
    """Show what the ceilings on reinforcement have stopped, or would have stopped were they enforced."""
    with command.open() as memory:
        record = Safety(memory.graph, space=memory.space, clock=utc_now)
        state, tallies = record.state(), record.tallies(days)
    if command.json:
        enforced = {each.name: each.enforced for each in state.ceilings}
        command.print_json(
            {
                "enforced": enforced,
                "broaden": state.broaden,
                "cycle": state.cycle,
                "days": days,
                "fired": tallies,
            }
        )
        return
    for line in (*_state_lines(state), *_tally_lines(tallies, days)):
        command.out(line)


def _state_lines(state: State) -> Iterator[str]:
    """Say what is enforced, and what the last cycle found."""
    for enforced, word in ((True, "enforced"), (False, "in shadow")):
        names = [each.name for each in state.ceilings if each.enforced is enforced]
        yield f"{word + ':':<11} {', '.join(names) or 'none'}"
    if state.cycle is None:
        yield "last cycle: none yet; `engram jobs run safety` runs one"
    else:
        yield from _cycle_lines(state.cycle)


def _cycle_lines(cycle: Cycle) -> Iterator[str]:
    yield f"last cycle: {cycle.at:%Y-%m-%d %H:%M:%S}Z, {cycle.memories:,} memories"
    yield f"entropy:    {_figure(cycle.entropy)}, one cycle earlier {_figure(cycle.entropy_before)}"
    axes = ", ".join(f"{name} {_figure(getattr(cycle, name))}" for name in ("epistemic", "action", "value"))
    yield (
        f"coherence:  {_figure(cycle.coherence)} ({axes}), one cycle earlier {_figure(cycle.coherence_before)}"
    )


def _tally_lines(tallies: tuple[Tally, ...], days: float) -> Iterator[str]:
    """Say what fired, with the newest cases."""
    if not tallies:
        yield f"Nothing fired in the last {days:g} days."
    for each in tallies:
        done = "stopped" if each.enforced else "would have been stopped"
        times = "time" if each.count == 1 else "times"
        yield f"{each.ceiling} (phase {each.phase.name}): {done} {each.count:,} {times} in {days:g} days"
        for event in each.newest:
            subject = event.subject[:_SHORT] if len(event.subject) == 32 else event.subject or "the space"
            yield f"  {event.at:%Y-%m-%d %H:%M:%S}Z  {subject}: {event.reason}"


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
