"""The parts of one conversation, made as the settings and the models ask for."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np

from engram.beliefs.extraction.batches import learn_facts
from engram.config import Settings
from engram.costs import Ledger
from engram.errors import DatabaseError
from engram.graph import Graph
from engram.llm import Models
from engram.llm.base import ChatModel
from engram.loop.entry_gate import EntryGate
from engram.loop.exit_gate import ExitGate, Focus
from engram.loop.extracting import Extracting
from engram.loop.gatekeeper import Gatekeeper
from engram.loop.hearing import Hearing
from engram.loop.inputs import Entry
from engram.loop.journal import Journal
from engram.loop.responding import Responder
from engram.loop.restart import Restart
from engram.loop.scratch import Scratch, Verdict
from engram.memory import Engram
from engram.tuning import Tuning

if TYPE_CHECKING:
    from engram.mind.part import AgentTool


def tuned(memory: Engram) -> Tuning:
    """Return the space's numbers, and the defaults where they cannot be read: nothing waits for them."""
    try:
        return memory.tuned()
    except DatabaseError:
        return Tuning()


def open_ledger(graph: Graph, settings: Settings, *, space: str, clock: Callable[[], datetime]) -> Ledger:
    """Return the ledger of a space, with the prices and the budget of the settings."""
    return Ledger(
        graph,
        space=space,
        clock=clock,
        prices=settings.prices,
        daily_budget=settings.daily_budget,
        daily_calls=settings.daily_calls,
    )


def open_responder(
    memory: Engram,
    models: Models,
    ledger: Ledger | None,
    *,
    session: str,
    tools: Callable[[], Sequence["AgentTool"]] = tuple,
) -> Responder | None:
    """Return who answers, each call metered unless the ledger is None, with tools; None where there is no System 1."""
    if models.system1 is None:
        return None

    def metered(model: ChatModel, purpose: str) -> ChatModel:
        return model if ledger is None else ledger.model(model, purpose=purpose, session=session)

    return Responder(
        metered(models.system1, "reply"),
        models.system2 and metered(models.system2, "deliberate"),
        models.quiet and metered(models.quiet, "confidence"),
        max_tokens=memory.settings.llm_max_tokens,
        tools=tools,
    )


def open_hearing(
    memory: Engram,
    *,
    session: str,
    run: str,
    clock: Callable[[], datetime],
    generator: np.random.Generator,
) -> Hearing:
    """Return who hears for a run of the loop."""
    return Hearing(
        Scratch(memory.graph, space=memory.space),
        Journal(memory.settings, space=memory.space, database=memory.database_id),
        EntryGate(generator, lambda: tuned(memory)),
        session=session,
        run=run,
        clock=clock,
        limit=memory.settings.max_content_bytes,
    )


def open_gatekeeper(
    memory: Engram,
    models: Models,
    ledger: Ledger,
    scratch: Scratch,
    restart: Restart,
    *,
    session: str,
    run: str,
    generator: np.random.Generator,
    focus: Callable[[Sequence[Entry]], Focus],
    decided: Callable[[Sequence[Verdict]], None],
) -> Gatekeeper:
    """Return who decides for a run of the loop; see `Gatekeeper` for what it is told and tells."""
    quiet = models.quiet
    judge = quiet and ledger.model(quiet, purpose="gate", session=session, background=True)
    gate = ExitGate(
        memory.graph,
        lambda: memory.embedder,
        space=memory.space,
        tuned=lambda: tuned(memory),
        # Its own: it draws in another thread.
        generator=generator.spawn(1)[0],
        judge=judge,
    )
    return Gatekeeper(
        memory,
        scratch,
        gate,
        run=run,
        focus=focus,
        alive=restart.alive,
        decided=decided,
        # Without a model nothing but recall tells what was said a moment ago.
        patient=models.system1 is not None,
    )


def open_extracting(memory: Engram, models: Models, ledger: Ledger, *, session: str) -> Extracting:
    """Return who draws facts from what is said in a conversation."""
    quiet = models.quiet
    model = quiet and ledger.model(quiet, purpose="extract", session=session, background=True)
    return Extracting(
        lambda least: learn_facts(memory, model=model, session=session, least=least),
        batch=lambda: tuned(memory).whole("extract.batch_turns"),
    )
