"""Extracting: facts are drawn from what was said while the conversation goes on, and nobody waits for it."""

import logging
import threading
from collections.abc import Callable

from engram.beliefs.extraction.batches import Batch

CLOSING_SECONDS = 2.0
"""How long the end of a conversation waits for what is being drawn; what is not done by then is due again."""
_LOG = logging.getLogger(__name__)

Learn = Callable[[int], Batch | None]
"""Draws facts from a batch of turns if at least so many are due; None where they are not."""


class Extracting:
    """Draws facts for one conversation, in a thread of its own: a model may take its time, and the gatekeeper goes on.

    What carries a high signal is read at once, with all that is due by then. All else waits until a batch is full: facts
    are cheapest by the batch, and meanwhile the turns themselves can be recalled. The job `extract` takes the rest.
    """

    def __init__(self, learn: Learn, *, batch: Callable[[], int]) -> None:
        """Begin with no thread.

        Args:
            learn: Draws facts.
            batch: How many turns are a full batch.
        """
        self._learn = learn
        self._batch = batch
        self._condition = threading.Condition()
        self._thread: threading.Thread | None = None
        self._asked = self._urgent = self._busy = self._closed = False
        self.trouble: Exception | None = None
        """Why the last attempt failed; the turns are due again."""

    def ask(self, *, urgent: bool = False) -> None:
        """Have facts drawn soon, if a batch is full.

        Args:
            urgent: Whatever is due is a batch.
        """
        with self._condition:
            if self._closed:
                return
            self._asked, self._urgent = True, self._urgent or urgent
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="engram-extract", daemon=True)
                self._thread.start()
            self._condition.notify_all()

    def wait(self, timeout: float = 60.0) -> bool:
        """Wait until what was asked for is done; return whether that came to pass in time."""
        with self._condition:
            return self._condition.wait_for(lambda: not (self._asked or self._busy), timeout)

    def close(self) -> None:
        """Begin nothing new, and wait a little for what is under way."""
        with self._condition:
            self._closed, self._asked = True, False
            self._condition.notify_all()
            thread, self._thread = self._thread, None
        if thread is not None:
            thread.join(CLOSING_SECONDS)

    def _work(self) -> None:
        while (least := self._next()) is not None:
            try:
                self._draw(least)
                self.trouble = None
            except Exception as error:  # noqa: BLE001  (no conversation may break for its facts)
                _LOG.info("facts could not be drawn; the job does it later", exc_info=True)
                self.trouble = error
            finally:
                with self._condition:
                    self._busy = False
                    self._condition.notify_all()

    def _draw(self, least: int) -> None:
        while not self._closed:
            batch = self._learn(least)
            if batch is None or batch.waiting:
                return
            least = self._batch()

    def _next(self) -> int | None:
        """Wait until it is asked for; return how many turns are a batch, or None at the end."""
        with self._condition:
            self._condition.wait_for(lambda: self._asked or self._closed)
            if self._closed:
                return None
            urgent, self._asked, self._urgent, self._busy = self._urgent, False, False, True
        return 1 if urgent else self._batch()
