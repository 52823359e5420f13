"""Means: what jobs need beside the graph, an embedder and where there is one a model, opened when first needed."""

import threading
from collections.abc import Callable
from datetime import datetime
from typing import Self

from engram.costs import Ledger
from engram.llm import Models, open_models
from engram.llm.base import ChatModel
from engram.loop.parts import open_ledger
from engram.memory import Engram, utc_now


class Means:
    """Opens memories of the spaces that a job runs in, and meters the models that it asks; safe to share."""

    def __init__(
        self,
        memory: Engram,
        *,
        models: Callable[[], Models] | None = None,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        """Open nothing yet.

        Args:
            memory: Any space of the database.
            models: Opens the models; by the memory's settings if left out.
            clock: The time at which money is spent: the real one, whatever time the memory is at.
        """
        self._clock = clock
        self._memory = memory
        self._open = models or (lambda: open_models(memory.settings))
        self._lock = threading.Lock()
        self._models: Models | None = None
        self._ledgers: dict[str, Ledger] = {}
        self._opened: list[Engram] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def memory(self, space: str, now: datetime) -> Engram:
        """Return a space as a memory on the same connection, whose clock stands at `now`."""
        own = self._memory
        memory = Engram(own.graph, own.settings, space=space, embedder=own.embedder, clock=lambda: now)
        with self._lock:
            self._opened.append(memory)
        return memory

    def model(self, space: str, purpose: str) -> ChatModel | None:
        """Return the model for quiet questions, its calls recorded in a space as nobody's to wait for.

        Args:
            space: Whose ledger and budget they go to.
            purpose: What for.
        """
        with self._lock:
            if self._models is None:
                self._models = self._open()
            quiet = self._models.quiet
            if quiet is None:
                return None
            if space not in self._ledgers:
                self._ledgers[space] = open_ledger(
                    self._memory.graph, self._memory.settings, space=space, clock=self._clock
                )
            return self._ledgers[space].model(quiet, purpose=purpose, background=True)

    def close(self) -> None:
        """Write what is not written yet and give the models back; the memory stays open."""
        with self._lock:
            for memory in self._opened:
                memory.flush()
            self._opened.clear()
            for ledger in self._ledgers.values():
                ledger.close()
            self._ledgers.clear()
            if self._models is not None:
                self._models.close()
                self._models = None
