"""The gatekeeper: takes what waits in the scratch buffer through the exit gate, behind the conversation's back.

What it decides is carried out and noted in one transaction. So a crash anywhere leaves an entry either waiting or
decided, and two gatekeepers that meet at one entry decide it once.
"""

import atexit
import logging
import threading
import time
import weakref
from collections.abc import Callable, Container, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from engram.errors import DatabaseUnavailableError, EngramError, InvalidInputError
from engram.graph import Transaction
from engram.loop.carrying import resolved
from engram.loop.exit_gate import Action, Decision, ExitGate, Focus, carry_out
from engram.loop.inputs import Entry
from engram.loop.scratch import MOST, Overtaken, Scratch, Verdict
from engram.records import Turn
from engram.remembering import Addition

if TYPE_CHECKING:
    from engram.memory import Engram

BURST_SECONDS = 5.0
"""Between two embedding calls while messages are pruned in a burst (v4 plan, 2.9)."""
WAITING_SECONDS = 60.0
CLOSING_SECONDS = 5.0
"""A program that is told to end may be killed ten seconds later: what is not decided by then, the next run decides."""
_ATTEMPTS = 5
_HOPELESS = 3
"""Entries in a row that cannot be decided: it is not they, it is the database or the embedder."""
_LOG = logging.getLogger(__name__)
_PERSISTED = {Action.PERSIST, Action.PERSIST_AND_FLAG}


class Gatekeeper:
    """Decides for one run of the loop; the deciding is done by a thread of its own."""

    def __init__(
        self,
        memory: "Engram",
        scratch: Scratch,
        gate: ExitGate,
        *,
        run: str,
        focus: Callable[[Sequence[Entry]], Focus],
        alive: Callable[[], Sequence[str]],
        decided: Callable[[Sequence[Verdict]], None],
        patient: bool = True,
    ) -> None:
        """Prepare to decide.

        Args:
            memory: Where memories are made.
            scratch: Where entries wait.
            gate: Decides.
            run: The run's id.
            focus: What the entries are seen in the light of.
            alive: Ids of other runs that go on.
            decided: Told of what was decided, from the other thread.
            patient: Whether what the gate is not sure of waits for a second look.
        """
        self._memory = memory
        self._scratch = scratch
        self._gate = gate
        self._run = run
        self._focus = focus
        self._alive = alive
        self._decided = decided
        self._patient = patient
        self._condition = threading.Condition()
        self._thread: threading.Thread | None = None
        self._asked: float | None = None
        """When the thread may begin at the earliest; None: nobody asked."""
        self._busy = self._closed = False
        self._last = -BURST_SECONDS
        self.trouble: Exception | None = None
        """Why the last attempt failed; what waits goes on waiting."""

    def ask(self, *, burst: bool = False) -> None:
        """Have what waits decided soon.

        Args:
            burst: Messages are being pruned: many may ask so in a row, and wait for their turn together.
        """
        with self._condition:
            if self._closed:
                return
            begin = self._last + BURST_SECONDS if burst else 0.0
            self._asked = begin if self._asked is None else min(begin, self._asked)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="engram-gate", daemon=True)
                self._thread.start()
                _DECIDING.add(self)
            self._condition.notify_all()

    def wait(self, timeout: float = WAITING_SECONDS) -> bool:
        """Wait until what was asked for is done; return whether that came to pass in time."""
        with self._condition:
            if self._asked is not None:
                self._asked = 0.0
                self._condition.notify_all()
            return self._condition.wait_for(lambda: self._asked is None and not self._busy, timeout)

    def close(self) -> None:
        """Decide everything that waits, for good and without asking a model, and end the thread."""
        self.wait(CLOSING_SECONDS)
        with self._condition:
            self._closed = True
            self._condition.notify_all()
            thread, self._thread = self._thread, None
        if thread is not None:
            thread.join(1.0)
        while len(self.flush(last=True, alone=True)) >= MOST:
            pass  # a run that died, or a journal, may have left more than are decided at once

    def flush(self, *, last: bool, alone: bool = False) -> tuple[Verdict, ...]:
        """Take everything that waits through the exit gate now, and return what was decided.

        An error that nobody foresaw is logged and kept as `trouble`; it is not raised.

        Args:
            last: Nothing may go on waiting.
            alone: Ask no model.

        Raises:
            EngramError: It could not be decided or carried out; everything waits as before.
        """
        try:
            done = self._flush(last=last, alone=alone)
        except EngramError as error:
            self.trouble = error
            raise
        except Exception as error:  # noqa: BLE001  (neither thread may end for what one entry holds)
            _LOG.warning("the exit gate failed", exc_info=True)
            self.trouble = error
            return ()
        self.trouble = None
        return done

    def _flush(self, *, last: bool, alone: bool) -> tuple[Verdict, ...]:
        for _ in range(_ATTEMPTS):
            entries, memories = self._scratch.buffered(run=self._run, alive=self._alive())
            if not entries:
                return ()
            with suppress(Overtaken):
                try:
                    return self._decide(entries, memories, last=last, alone=alone)
                except (DatabaseUnavailableError, Overtaken):
                    raise
                except Exception:
                    if len(entries) == 1:
                        raise
                    _LOG.warning("the exit gate failed; one by one now", exc_info=True)
                return self._decide_singly(entries, memories, last=last)
        return ()

    def _decide_singly(
        self, entries: Sequence[Entry], memories: Mapping[str, str], *, last: bool
    ) -> tuple[Verdict, ...]:
        """Decide entries each by itself, asking no model: one of them spoils it for all, and must not for ever.

        What fails beside others that do not is dropped, and its raw turn stays; where database or embedder are to
        blame, it waits. Where none can be decided it is the fault of none, and all of them wait.

        Raises:
            Exception: Why none could be decided.
        """
        done: list[Verdict] = []
        failed: list[tuple[Entry, Exception]] = []
        for entry in entries:
            try:
                done += self._decide([entry], memories, last=last, alone=True)
            except (DatabaseUnavailableError, Overtaken):
                raise
            except Exception as error:
                failed.append((entry, error))
                if not done and isinstance(error, EngramError) and len(failed) == _HOPELESS:
                    raise
        if not done:
            raise failed[0][1]
        spoilt = [
            _spoilt(entry, error)
            for entry, error in failed
            if isinstance(error, InvalidInputError) or not isinstance(error, EngramError)
        ]
        if spoilt:
            self._write([], (), lambda transaction, _: self._note(transaction, spoilt))
            self._decided(spoilt)
        return (*done, *spoilt)

    def _decide(
        self, entries: Sequence[Entry], memories: Mapping[str, str], *, last: bool, alone: bool
    ) -> tuple[Verdict, ...]:
        new = [entry for entry in entries if entry.id not in memories]
        long = [entry for entry in new if self._is_long(entry)]
        waiting = [entry for entry in new if not self._is_long(entry)]
        decisions: list[Decision] = []
        if waiting:
            decisions = self._gate.decide(waiting, self._focus(waiting), last=last, alone=alone)
        tuning = self._memory.tuning()  # before the transaction, which would hold its locks meanwhile
        verdicts: list[Verdict] = []

        def work(transaction: Transaction, made: Mapping[str, str]) -> None:
            became = {each.entry.id: made[each.entry.turn] for each in decisions if each.entry.turn in made}
            settled = [resolved(each, became) for each in decisions]
            gone = carry_out(
                transaction,
                settled,
                became,
                space=self._memory.space,
                now=self._memory.now(),
                tuning=tuning,
            )
            # From the beginning: a deadlock runs it again.
            verdicts[:] = [_known(entry, memories[entry.id]) for entry in entries if entry.id in memories]
            verdicts.extend(_dropped(entry, "it is longer than a memory may be") for entry in long)
            verdicts.extend(_verdict(decision, made, gone) for decision in settled)
            self._note(transaction, verdicts)

        touched = {each.nearest for each in decisions if each.action is Action.REINFORCE and each.nearest}
        touched.update(other for each in decisions for other in each.contradicts)
        # What becomes a memory only now is nobody else's to lock.
        touched -= {entry.id for entry in waiting}
        self._write([each for each in decisions if each.action in _PERSISTED], tuple(sorted(touched)), work)
        done = tuple(verdicts)
        self._decided(done)
        return done

    def _is_long(self, entry: Entry) -> bool:
        return len(entry.text.encode()) > self._memory.settings.max_content_bytes

    def _write(
        self,
        kept: Sequence[Decision],
        touches: tuple[str, ...],
        work: Callable[[Transaction, Mapping[str, str]], None],
    ) -> None:
        self._memory.write_turns([_turn(each) for each in kept], Addition(touches=touches, work=work))

    def _note(self, transaction: Transaction, verdicts: Sequence[Verdict]) -> None:
        self._scratch.note(transaction, verdicts, now=self._memory.now())

    def _work(self) -> None:
        while self._next():
            try:
                with suppress(EngramError):  # kept as `trouble`
                    self.flush(last=not self._patient)
            finally:
                with self._condition:
                    self._busy = False
                    self._last = time.monotonic()
                    self._condition.notify_all()

    def _next(self) -> bool:
        """Wait for the next time to begin; return False at the end."""
        with self._condition:
            while not self._closed:
                if self._asked is None:
                    self._condition.wait()
                elif (early := self._asked - time.monotonic()) > 0:
                    self._condition.wait(early)
                else:
                    self._asked, self._busy = None, True
                    return True
            return False


def _turn(decision: Decision) -> Turn:
    entry = decision.entry
    return Turn(
        text=entry.text,
        speaker=entry.speaker,
        at=entry.at,
        session=entry.session,
        id=entry.turn,
        source=entry.source,
        source_tag=entry.source_tag,
        source_confidence=entry.source_confidence,
        compressed=decision.compressed,
        importance=decision.importance,
    )


def _known(entry: Entry, memory: str) -> Verdict:
    """Return the verdict on an entry that is a memory already: somebody imported the same conversation."""
    return Verdict(
        entry=entry,
        action=Action.PERSIST.value,
        reason="it was a memory already",
        relevance=1.0,
        novelty="confirming",
        similarity=1.0,
        buffered=False,
        memory=memory,
    )


def _spoilt(entry: Entry, error: Exception) -> Verdict:
    """Return the verdict on an entry that cannot be decided; what it holds is in its raw turn and in the log."""
    return _dropped(entry, f"it could not be decided ({type(error).__name__})")


def _dropped(entry: Entry, reason: str) -> Verdict:
    """Return the verdict on an entry of which only the raw turn stays."""
    return Verdict(
        entry=entry,
        action=Action.DROP.value,
        reason=reason,
        relevance=0.0,
        novelty="novel",
        similarity=0.0,
        buffered=False,
    )


def _verdict(decision: Decision, made: Mapping[str, str], gone: Container[str]) -> Verdict:
    """Return what is noted about an entry.

    Args:
        decision: What was decided.
        made: By the name of a turn, the memory that was made of it.
        gone: Memories that could not be confirmed: what says them again is compared anew with those that are there.
    """
    entry, action, reason = decision.entry, decision.action, decision.reason
    memory = made.get(entry.turn)
    if action is Action.REINFORCE:
        memory = decision.nearest
        if memory in gone:
            action, reason, memory = Action.BUFFER, f"{reason}, which is not there any more", None
    elif action in _PERSISTED and memory is None:
        action, reason = Action.DROP, "it was erased at a person's wish"
    return Verdict(
        entry=entry,
        action=action.value,
        reason=reason,
        relevance=decision.relevance,
        novelty=decision.novelty_level,
        similarity=decision.similarity,
        buffered=action is Action.BUFFER,
        emotional=decision.emotional,
        memory=memory,
    )


_DECIDING: "weakref.WeakSet[Gatekeeper]" = weakref.WeakSet()
"""Those that have a thread."""


def wait_all() -> None:
    """Wait until every gatekeeper of this process has done what it was asked for."""
    for keeper in list(_DECIDING):
        keeper.wait(CLOSING_SECONDS)


# A program that never ends its conversations still has decided what it could; the rest waits in the graph.
atexit.register(wait_all)
