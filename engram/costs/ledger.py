"""The ledger of one space: calls of language models, what they cost, and whether the day's budget allows more."""

import contextlib
import logging
import math
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as TooLongError
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from queue import Empty, SimpleQueue
from typing import Literal
from uuid import uuid4

from engram.costs.metering import Meter, MeteredModel
from engram.costs.records import Call, CostLine, Grouping, Spent
from engram.errors import BudgetError, EngramError
from engram.graph import Graph
from engram.llm.base import ChatModel
from engram.prices import Price, price_of

KEPT = 1_000
"""Most calls that wait to be written; beyond, the oldest are lost."""
BATCH = 100
"""Calls written in one transaction: each may hold 64 KB of an answer."""
BACKGROUND_SHARE = 0.8
"""Share of the day's budget at which nothing more is asked in the background."""
READ_SECONDS = 30.0
"""For how long what others spent is taken to be what it was."""
PAUSE_SECONDS = 10.0
"""After the database did not answer, how long it is left alone."""
FIRST_READ_SECONDS = 2.0
"""How long the first question waits to hear what was spent before."""
_DAY = timedelta(days=1)
_NEVER = -math.inf
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Others:
    """What the graph knew to be spent when it was last read, less this run's calls since then."""

    since: datetime
    """From here on this run's calls are left out."""
    midnight: datetime
    lifetime: float
    last_day: float
    today: float
    calls_today: int


class Ledger:
    """Records calls behind the caller's back, and answers from memory; safe to share between threads.

    What cannot be written is kept and written with the next call. Calls of other processes are known after at
    most `READ_SECONDS`.
    """

    def __init__(
        self,
        graph: Graph,
        *,
        space: str,
        clock: Callable[[], datetime],
        prices: Mapping[str, Price],
        daily_budget: float | None = None,
        daily_calls: int | None = None,
        monotonic: Callable[[], float] = time.perf_counter,
    ) -> None:
        """Begin with no thread; the first call or question starts it.

        Args:
            graph: Where calls are kept.
            space: Whose.
            clock: Gives the time.
            prices: What models cost, laid over `engram.prices.DEFAULT_PRICES`.
            daily_budget: US dollars for a UTC day; None: no limit.
            daily_calls: Calls for a UTC day, which bounds models without a price too; None: no limit.
            monotonic: Seconds from any moment on, for latencies.
        """
        self.run = uuid4().hex
        self.monotonic = monotonic
        self.daily_budget = daily_budget
        self.daily_calls = daily_calls
        self._graph = graph
        self._space = space
        self._clock = clock
        self._prices = dict(prices)
        # A garbage collector that ends an abandoned stream may put into it at any moment, under any lock.
        self._inbox: SimpleQueue[tuple[Call, bool]] = SimpleQueue()
        self._lock = threading.Lock()
        """Held while what follows is read or changed."""
        self._recent: deque[tuple[datetime, float]] = deque()
        self._run_cost = 0.0
        self._unwritten: dict[str, Call] = {}
        self._dropped = 0
        self._others: _Others | None = None
        self._approved: datetime | None = None
        self._read_at = self._failed_at = _NEVER
        self._talking = threading.Lock()
        """Held while the database is written to and read."""
        self._worker = ThreadPoolExecutor(1, "engram-ledger")
        self._task: Future[None] | None = None
        self._closed = False
        self._scheduled = False
        """Whether a task waits to begin; what comes in until then is its to write."""

    def model(
        self, model: ChatModel, *, purpose: str, session: str | None = None, background: bool = False
    ) -> ChatModel:
        """Return `model` metered: each of its calls is recorded once, however it ends.

        Args:
            model: Who is asked.
            purpose: What for, e.g. `reply`; summaries have a line for each.
            session: The conversation that it is for.
            background: Whether nobody waits for the answer: then reading one raises `BudgetError` where the
                budget does not allow it, before anything is sent.
        """
        meter = Meter(ledger=self, purpose=purpose, session=session, background=background)
        return MeteredModel(model, meter)

    def now(self) -> datetime:
        """Return the clock's time in UTC."""
        return self._clock().astimezone(UTC)

    def cost(self, model: str, *, input_tokens: int, output_tokens: int, at: datetime) -> float | None:
        """Return what a call costs in US dollars, or None where the model's price is not known."""
        price = price_of(model, self._prices)
        if price is None:
            return None
        return price.cost(input_tokens=input_tokens, output_tokens=output_tokens, at=at)

    def record(self, call: Call) -> None:
        """Take a call; it counts from now on, and is written with the next `keep_up`."""
        self._inbox.put((call, True))

    def revise(self, call: Call) -> None:
        """Take what has become known of a call since it was recorded: how its answer was judged."""
        self._inbox.put((call, False))
        self.keep_up()

    @property
    def unwritten(self) -> int:
        """How many calls wait to be written."""
        with self._lock:
            self._take_in()
            return len(self._unwritten)

    @property
    def dropped(self) -> int:
        """How many calls were lost because more than `KEPT` were waiting."""
        return self._dropped

    def spent(self) -> Spent:
        """Return what was spent, from memory; what others spent may be `READ_SECONDS` old."""
        self.keep_up(wait=self._read_at == _NEVER and self._failed_at == _NEVER)
        now = self.now()
        midnight = _midnight(now)
        with self._lock:
            self._take_in()
            others, recent, run = self._others, list(self._recent), self._run_cost
        own_today = [cost for at, cost in recent if at >= midnight]
        own = [cost for _, cost in recent]
        same_day = others is not None and others.midnight == midnight
        return Spent(
            run=run,
            today=math.fsum([*own_today, others.today if others and same_day else 0.0]),
            last_day=math.fsum(
                [others.last_day if others else 0.0, *(cost for at, cost in recent if at >= now - _DAY)]
            ),
            lifetime=math.fsum([*own, others.lifetime if others else 0.0]),
            calls_today=len(own_today) + (others.calls_today if others and same_day else 0),
            budget=self.daily_budget,
        )

    def allows(self, background: bool) -> Literal["yes", "no", "ask"]:  # noqa: FBT001  (the one thing it is about)
        """Say whether the day's budget allows a call.

        Args:
            background: Whether nobody waits for it: such calls end at 80 % of the budget, all others at 100 %,
                where the person is asked.
        """
        share = self._share()
        if background:
            return "yes" if share < BACKGROUND_SHARE else "no"
        if share < 1.0 or self._approved == _midnight(self.now()):
            return "yes"
        return "ask"

    def approve(self) -> None:
        """Take note that the person said to go on for the rest of the UTC day; the background stays quiet."""
        self._approved = _midnight(self.now())

    def check_budget(self) -> None:
        """Raise where the budget allows nothing in the background.

        Raises:
            BudgetError: At 80 % of it.
        """
        if self.allows(background=True) == "no":
            spent = self.spent()
            limits = [] if self.daily_budget is None else [f"${spent.today:.2f} of ${self.daily_budget:.2f}"]
            if self.daily_calls is not None:
                limits.append(f"{spent.calls_today:,} of {self.daily_calls:,} calls")
            raise BudgetError(
                f"The day's budget for work in the background is used up: {', '.join(limits)}.",
                remedy="It goes on tomorrow (UTC), or with ENGRAM_DAILY_BUDGET and ENGRAM_DAILY_CALLS set higher.",
            )

    def summary(
        self,
        by: Grouping,
        days: int = 30,
        *,
        since: datetime | None = None,
        session: str | None = None,
        scope: str | None = None,
    ) -> list[CostLine]:
        """Return what was spent, a line for each day, purpose or model; calls that were rolled up are not in it.

        Args:
            by: What a line is for. Days come newest first, all else by what it cost.
            days: UTC days, today included.
            since: The earliest call, in place of `days`.
            session: Of one conversation only.
            scope: What the lines say that they are about.

        Raises:
            DatabaseError: The database does not answer.
        """
        self.flush()
        began = since or _midnight(self.now()) - (days - 1) * _DAY
        rows = self._graph.read(
            "inspect/sum_costs_by", space=self._space, since=began, session=session, by=by
        )
        said = scope or ("today" if days == 1 else f"{days} days")
        lines = [CostLine(scope=said, **{**row, "unpriced": tuple(sorted(row["unpriced"]))}) for row in rows]
        if by == "day":
            return sorted(lines, key=lambda line: line.key, reverse=True)
        return sorted(lines, key=lambda line: (-line.cost_usd, line.key))

    def keep_up(self, *, wait: bool = False) -> None:
        """Have the thread write what waits and read what others spent, if it is time; return at once.

        Args:
            wait: Whether to wait until it is done, `FIRST_READ_SECONDS` at most.
        """
        with self._lock:
            self._take_in()
            now = self.monotonic()
            resting = now < self._failed_at + PAUSE_SECONDS
            due = bool(self._unwritten) or now >= self._read_at + READ_SECONDS
            late = self._closed and bool(self._unwritten)
            if due and not resting and not self._scheduled:
                # At the end of the program there is no thread any more; `flush` still writes.
                with contextlib.suppress(RuntimeError):
                    self._task = self._worker.submit(self._talk)
                    self._scheduled = True
            task = self._task
        if late:
            # A call in the background that ended after the conversation did: nobody else writes it any more.
            self._talk()
        if wait and task is not None:
            with contextlib.suppress(TooLongError, CancelledError):
                task.result(FIRST_READ_SECONDS)

    def flush(self) -> bool:
        """Write what waits and read what others spent; return whether nothing waits any more."""
        self._talk(read=True)
        return not self.unwritten

    def close(self) -> None:
        """Write what waits and end the thread; a call that ends later is written by whoever made it."""
        self.flush()
        self._closed = True
        self._worker.shutdown(cancel_futures=True)  # what they would write, `flush` has tried to

    def _talk(self, *, read: bool = False) -> None:
        """Write what waits, and read what others spent if it is time or `read`; failing is no error."""
        with self._talking:
            with self._lock:
                self._scheduled = False
            try:
                while batch := self._batch():
                    rows = [asdict(call) for call in batch]
                    self._graph.write("write/record_llm_calls", space=self._space, calls=rows)
                    self._forget(batch)
                if read or self.monotonic() >= self._read_at + READ_SECONDS:
                    self._read()
            except EngramError as error:
                _LOG.info("what models cost is written later: %s", error.message)
                self._failed_at = self.monotonic()
            except Exception:  # noqa: BLE001  (no reply may fail for its record)
                _LOG.warning("what models cost cannot be written", exc_info=True)
                self._failed_at = self.monotonic()
            else:
                self._failed_at = _NEVER

    def _read(self) -> None:
        now = self.now()
        since, midnight = now - _DAY, _midnight(now)
        row = self._graph.read(
            "inspect/sum_costs", space=self._space, run=self.run, since=since, midnight=midnight
        )[0]
        with self._lock:
            self._others = _Others(since=since, midnight=midnight, **row)
            self._recent = deque((at, cost) for at, cost in self._recent if at >= since)
        self._read_at = self.monotonic()

    def _batch(self) -> list[Call]:
        with self._lock:
            self._take_in()
            return list(islice(self._unwritten.values(), BATCH))

    def _forget(self, written: list[Call]) -> None:
        """Let go of calls that are written, unless more has become known of them meanwhile."""
        with self._lock:
            for call in written:
                if self._unwritten.get(call.id) is call:
                    del self._unwritten[call.id]

    def _take_in(self) -> None:
        """Count what has come in; the lock is held."""
        with contextlib.suppress(Empty):
            while True:
                call, new = self._inbox.get_nowait()
                if new:
                    self._recent.append((call.at, call.cost_usd or 0.0))
                    self._run_cost += call.cost_usd or 0.0
                self._unwritten[call.id] = call
        while len(self._unwritten) > KEPT:
            del self._unwritten[next(iter(self._unwritten))]
            self._dropped += 1

    def _share(self) -> float:
        """Return how much of the day's budget is used up, 1 for all of it."""
        spent = self.spent()
        used = ((spent.today, self.daily_budget), (spent.calls_today, self.daily_calls))
        shares = (amount / limit if limit else 1.0 for amount, limit in used if limit is not None)
        return max(shares, default=0.0)


def _midnight(time: datetime) -> datetime:
    """Return when the UTC day of a UTC time began."""
    return time.replace(hour=0, minute=0, second=0, microsecond=0)
