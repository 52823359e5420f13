"""`engram idle`: let the mind wander for some minutes, while nobody talks."""

import math
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict
from queue import Empty, SimpleQueue
from types import FrameType
from typing import TYPE_CHECKING

import click

from engram.text import inert

from .state import State

if TYPE_CHECKING:
    from engram.memory import Engram
    from engram.mind.idle import Cycle, IdleMind

_SHOWN = 400
"""Characters of a thought."""
_LOOK_AGAIN = 30.0
"""Seconds after which it is looked again whether somebody still talks."""


@click.command()
@click.option(
    "--minutes", type=click.FloatRange(0, 10_080), default=10.0, show_default=True, help="For how long."
)
@click.option("--cycles", type=click.IntRange(1, 1_000_000), help="Thoughts at most.")
@click.option("--seed", type=click.IntRange(0), help="Draw as another run with this number did.")
@click.option("--no-llm", is_flag=True, help="Think nothing through, even if there is a language model.")
@click.pass_obj
def idle(state: State, *, minutes: float, cycles: int | None, seed: int | None, no_llm: bool) -> None:
    """Let the mind wander: memories come to mind, and are thought through where they bear on a goal.

    It stays quiet while somebody talks, and waits. Each thought is a line: where it goes, why its memory was drawn, and what it
    is. Ctrl-C ends it after the thought in hand. `idle.pace_seconds` is the pause between two.
    """
    if math.isnan(minutes):
        raise click.BadParameter("nan is no number of minutes.", param_hint="'--minutes'")
    told: list[Cycle] = []
    with state.open() as memory, _ctrl_c() as stopped:
        began = time.monotonic()
        with _opened(state, memory, seed=seed, no_llm=no_llm) as mind:
            for done in _cycles(mind, memory, until=began + 60.0 * minutes, stopped=stopped):
                told.append(done)
                _say(state, done)
                if cycles is not None and sum(each.thought is not None for each in told) >= cycles:
                    break
        notes = mind.notes
    if state.json:
        state.print_json({"thoughts": [asdict(each) for each in told], "notes": notes})
        return
    for note in notes:
        state.say(note)


@contextmanager
def _opened(state: State, memory: "Engram", *, seed: int | None, no_llm: bool) -> "Iterator[IdleMind]":
    """Give a mind with the model that there is, its calls metered as nobody's to wait for."""
    import numpy as np  # noqa: PLC0415  (slow, and not for `--help`)

    from engram.identity import person  # noqa: PLC0415  (see above)
    from engram.llm import open_models  # noqa: PLC0415  (see above)
    from engram.loop.parts import open_ledger  # noqa: PLC0415  (see above)
    from engram.mind.idle import IdleMind  # noqa: PLC0415  (see above)
    from engram.mind.rations import PURPOSE  # noqa: PLC0415  (see above)

    settings = state.settings.model_copy(update={"llm": "none"}) if no_llm else state.settings
    ledger = open_ledger(memory.graph, settings, space=memory.space, clock=memory.now)
    with closing(open_models(settings, notify=state.say)) as models, closing(ledger):
        model = models.system1 and ledger.model(models.system1, purpose=PURPOSE, background=True)
        with IdleMind(memory, model, generator=np.random.default_rng(seed), worker=person()) as mind:
            yield mind


def _cycles(
    mind: "IdleMind", memory: "Engram", *, until: float, stopped: Callable[[float], bool]
) -> "Iterator[Cycle]":
    """Yield cycles until the time is over or the person ends it; what keeps it quiet is told once."""
    quiet: str | None = None
    first = True
    while first or not stopped(0.0):
        first = False
        done = mind.cycle()
        if done.thought is not None or done.why != quiet:
            yield done
        if done.empty:
            return
        quiet = done.why if done.thought is None else None
        pause = memory.tuned()["idle.pace_seconds"] if done.thought is not None else _LOOK_AGAIN
        left = until - time.monotonic()
        if left <= pause or stopped(pause):
            return


def _say(state: State, done: "Cycle") -> None:
    if state.json:
        return
    thought = done.thought
    if thought is None:
        state.say(done.why or "")
        if not done.empty:
            state.say(f"It looks again every {_LOOK_AGAIN:.0f} seconds; Ctrl-C ends it.")
        return
    state.out(f"{thought.channel:<8}  {thought.leaning:<9}  {inert(thought.text, _SHOWN)}")
    if done.reply:
        if done.answered is not None and done.answered.id != thought.id:
            state.out(f"{'':<21}(to what waited: {inert(done.answered.text, _SHOWN)})")
        state.out(f"{'':<21}{inert(done.reply, _SHOWN)}")
    elif done.why:
        state.say(done.why)


@contextmanager
def _ctrl_c() -> Iterator[Callable[[float], bool]]:
    """Give what waits some seconds and says whether Ctrl-C was pressed; pressed twice, it is raised."""
    # Unlike an Event, it may be put into by a handler that interrupts whoever waits for it.
    presses: SimpleQueue[int] = SimpleQueue()

    def press(number: int, frame: FrameType | None) -> None:
        del frame
        if not presses.empty():
            raise KeyboardInterrupt
        presses.put(number)

    def pressed(seconds: float) -> bool:
        try:
            presses.put(presses.get(timeout=seconds) if seconds else presses.get_nowait())
        except Empty:
            return False
        return True

    previous = signal.signal(signal.SIGINT, press)
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, previous)
