"""What was felt, on its way into the graph: it is written behind the conversation's back, many rows at once."""

import logging
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from engram.errors import EngramError
from engram.graph import Graph
from engram.loop.words import tokens

_AT_ONCE = 500
"""Feelings of one transaction at the end."""
EVERY = 5
"""Feelings that are written at once."""
_THANKS = frozenset({"thanks", "thank", "thx", "danke", "merci", "gracias"})
_OPENING = 4
"""First words of what is said, among which a thanks is meant for what was said before."""
_LOG = logging.getLogger(__name__)


def reaction(text: str, signals: tuple[str, ...]) -> str | None:
    """Return how what is said takes what was said before it: `corrected`, `thanked`, or None.

    Args:
        text: What is said.
        signals: What the signal scan found in it.
    """
    if "correction" in signals:
        return "corrected"
    return "thanked" if _THANKS & {*tokens(text)[:_OPENING]} else None


class FeltLog:
    """Keeps feelings until they are in the graph. It is used from one thread, and writes from another.

    What was felt at what a person said last waits until it is known what they say next. What could not be written is tried
    again with what comes. At the end all are gone through once more: only then it is known of each what was done.
    """

    def __init__(self, graph: Graph, *, space: str) -> None:
        self._graph = graph
        self._space = space
        self._rows: list[dict[str, Any]] = []
        self._kept: list[str] = []
        """Ids of those that are in the graph."""
        self._open: str | None = None
        """Id of that which what is said next belongs to."""
        self._lock = threading.Lock()
        self._worker = ThreadPoolExecutor(1, "engram-felt")
        self._under_way: Future[None] | None = None

    def __len__(self) -> int:
        """Return how many feelings are not in the graph yet."""
        with self._lock:
            return len(self._rows)

    def add(self, row: dict[str, Any], *, said: bool) -> None:
        """Keep a feeling; return at once.

        Args:
            row: As `mind/gut_log` takes it, without `reaction`.
            said: Whether it was felt at what a person said, and they may take what comes of it one way or another.
        """
        with self._lock:
            self._rows.append(row | {"reaction": None})
            self._open = row["id"] if said else self._open
            due = len(self._rows) > EVERY
        if due and (self._under_way is None or self._under_way.done()):
            with suppress(RuntimeError):  # closed: then `close` has written them
                self._under_way = self._worker.submit(self._try)

    def follow(self, how: str | None) -> None:
        """Note how a person took what came of what was felt at what they had said last, if anything was."""
        with self._lock:
            for row in self._rows:
                if row["id"] == self._open:
                    row["reaction"] = how
            self._open = None

    def close(self) -> None:
        """Write all that is left, and return when it is durable.

        Raises:
            EngramError: It is not; what is left is lost with the process.
        """
        self._worker.shutdown(wait=True)
        with self._lock:
            rows, before = list(self._rows), list(self._kept)
        try:
            self._write(rows)
            # Of what is written now, it is known already.
            for first in range(0, len(before), _AT_ONCE):
                ids = before[first : first + _AT_ONCE]
                self._graph.keep("mind/gut_settle", space=self._space, ids=ids)
        except EngramError as error:
            if left := len(self):
                _LOG.warning("%d feelings are not kept: %s", left, error.message)
            raise
        if left := len(self):
            # Its turn was erased, or waits in the journal of another run.
            _LOG.warning("%d feelings are not kept: what was said there is not in the graph", left)

    def _try(self) -> None:
        with self._lock:
            rows = [row for row in self._rows if row["id"] != self._open]
        try:
            self._write(rows)
        except EngramError as error:
            _LOG.info("%d feelings wait to be kept: %s", len(self), error.message)

    def _write(self, rows: list[dict[str, Any]]) -> None:
        if not rows:
            return
        ids = {row["id"] for row in self._graph.keep("mind/gut_log", space=self._space, rows=rows)}
        with self._lock:
            self._kept += sorted(ids)
            self._rows = [row for row in self._rows if row["id"] not in ids]
