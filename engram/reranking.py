"""Reranking: a cross-encoder reads the query with each of the best passages, within a time limit.

The model runs in FlashRank. A recall never waits for it to be fetched or loaded, and never longer for a pass
than its budget: where the model is not there, or this machine is too slow for it, the step is left out and
the reason is given.

Fetching runs in a child process through FlashRank's own constructor, which shows a progress bar, sets up the
root logger and asks without a time limit; the child keeps all of that away from the caller's process. It
outlives a short command, so that one recall is enough to have the model later.

Threads that are in ONNX Runtime are no daemons: Python would end them in C++ code, which aborts the process.
The exit waits for the run, or the load, that is under way, and for nothing else.
"""

import logging
import queue
import shutil
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from engram.config import child_environment
from engram.errors import ConfigurationError, EngramError

Scores = NDArray[np.float64]

DEFAULT_MODEL = "ms-marco-MiniLM-L-12-v2"
RERANKERS = "rerankers"
"""The folder of the cache that holds the models."""
CROSS_ENCODERS = frozenset(
    {
        "ms-marco-TinyBERT-L-2-v2",
        DEFAULT_MODEL,
        "ms-marco-MultiBERT-L-12",
        "rank-T5-flan",
        "ce-esci-MiniLM-L12-v2",
        "miniReranker_arabic_v1",
    }
)
"""FlashRank's models that score a pair by itself. FlashRank turns one logit into its sigmoid and two into the
softmax's second, so the scores of all of them lie in [0, 1]."""
LISTWISE_RANKERS = frozenset({"rank_zephyr_7b_v1_full"})
"""Language models that write an order and no scores, in seconds and gigabytes: refused."""

RERANK_SHARE = 0.6
WEIGHTED_SHARE = 0.4

MAX_TOKENS = 256
"""Query and passage together; longer pairs are cut by the tokenizer."""
MAX_QUERY = 256
"""Characters of the query that are read."""
MAX_PASSAGE = 512
"""Characters of a passage that are read."""
PASSAGES_PER_RUN = 4
"""A run cannot be interrupted, so this is how far a pass may go over its deadline."""
THREADS = 2
"""Of one run: the models are small, and the database works on the same machine."""
PROBE_EVERY = 20
"""One in so many passes that seem hopeless is tried all the same: a busy machine becomes idle."""
LEARNING_RATE = 0.3
"""Weight of the newest run in the estimate of the machine's speed."""
RETRY_AFTER = 300.0
"""Seconds from a failed load to the next try."""
MAX_BUDGET = 3600.0
"""Seconds; no more than the system's timers take."""
FETCH_LIMIT = 900
"""Seconds after which a download is given up."""
POLL = 0.05
"""Seconds between two looks at a download."""

NOT_YET = "the reranker's model is not there yet"
BUSY = "the reranker is busy with an earlier one"
CLOSED = "the reranker is closed"

_UNFINISHED = "its download was started and has not finished"
_FETCH = """
import signal, sys
from engram.reranking import fetch
signal.alarm(int(sys.argv[1]))
fetch(*sys.argv[2:])
"""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reranking:
    """What a pass gave."""

    scores: Scores | None
    """Relevance of each passage in the order they came in, in [0, 1], shape (n,); None where left out."""
    reason: str | None
    """Why the step was left out."""
    seconds: float
    """What it cost the caller."""


def blended(rerank: Scores, weighted: Scores) -> Scores:
    """Return `0.6 · rerank + 0.4 · weighted`, both of shape (n,) and on the same scale."""
    return RERANK_SHARE * rerank + WEIGHTED_SHARE * weighted


class Reranker:
    """Scores passages against a query with a FlashRank cross-encoder.

    May be used from several threads; one pass runs at a time.
    """

    def __init__(
        self,
        folder: Path,
        *,
        offline: bool = False,
        url: str | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Take the model's folder as `open` describes it; nothing is read yet."""
        self._folder = folder
        self._offline = offline
        self._url = url
        self._clock = clock
        self._state = threading.Lock()
        self._loader: threading.Thread | None = None
        self._ranker: Any = None
        self._trouble: str | None = None
        self._failed_at: float | None = None
        self._closed = False
        self._turn = threading.Lock()
        self._overran = False
        self._pace = Pace()

    @classmethod
    def open(
        cls,
        model: str,
        cache_dir: Path,
        *,
        offline: bool = False,
        url: str | None = None,
        clock: Callable[[], float] = time.time,
    ) -> Self:
        """Return a reranker; its model is fetched and loaded beside the caller, at the first use.

        Args:
            model: One of `CROSS_ENCODERS`.
            cache_dir: Holds the model's folder, `cache_dir / model`.
            offline: Never fetch; use only what is there.
            url: Address of the models' zip files, `{}` for the name; None for FlashRank's own.
            clock: Seconds since 1970; decides when a failed load is tried again.

        Raises:
            ConfigurationError: There is no such cross-encoder.
        """
        if model in LISTWISE_RANKERS:
            raise ConfigurationError(
                f"{model} is a language model that orders passages without scoring them.",
                remedy=f"Use a cross-encoder: {', '.join(sorted(CROSS_ENCODERS))}.",
            )
        if model not in CROSS_ENCODERS:
            raise ConfigurationError(
                f"There is no reranking model {model!r}.",
                remedy=f"FlashRank has {', '.join(sorted(CROSS_ENCODERS))}.",
            )
        return cls(cache_dir / model, offline=offline, url=url, clock=clock)

    def prepare(self) -> None:
        """Start to load the model in the background, unless it is loaded or has just failed."""
        with self._state:
            loading = self._loader is not None and self._loader.is_alive()
            if self._ranker is not None or self._closed or loading or self._recent(self._failed_at):
                return
            self._loader = threading.Thread(target=self._load, name="engram-reranker-load")
            self._loader.start()

    def wait(self, timeout: float) -> str | None:
        """Wait up to `timeout` seconds for the model; return None once it is loaded, else why it is not."""
        self.prepare()
        if self._loader is not None:
            self._loader.join(timeout)
        return self._absence()

    def rerank(self, query: str, passages: Sequence[str], *, budget: float) -> Reranking:
        """Return the relevance of each passage to the query, or why there is none.

        Long texts are cut to `MAX_QUERY` and `MAX_PASSAGE` characters.

        Args:
            query: What is asked.
            passages: The candidates' texts.
            budget: Seconds that the caller is ready to wait.
        """
        started = time.perf_counter()
        scores, reason = None, None
        try:
            scores = self._scores(query, passages, budget)
        except (_LeftOut, RuntimeError) as why:  # RuntimeError: the system has no thread to give
            reason = str(why)
        return Reranking(scores=scores, reason=reason, seconds=time.perf_counter() - started)

    def close(self) -> None:
        """Let go of the model; a run that is under way is given a second to end."""
        with self._state:
            self._closed = True
        if self._turn.acquire(timeout=1.0):
            self._turn.release()
        self._ranker = None

    def _scores(self, query: str, passages: Sequence[str], budget: float) -> Scores:
        if not passages:
            return np.zeros(0)
        self.prepare()
        ranker = self._ranker
        if ranker is None or self._closed:
            raise _LeftOut(self._absence() or NOT_YET)
        over = f"over {budget * 1000:.0f} ms"
        if not budget > 0:
            raise _LeftOut(over)
        texts = [passage[:MAX_PASSAGE] for passage in passages]
        planned = _Pass(ranker, query[:MAX_QUERY], texts, time.perf_counter() + min(budget, MAX_BUDGET), over)
        expected = self._pace.expected(planned.query, texts)
        if expected > budget and not self._pace.probes():
            raise _LeftOut(f"{over}: it would take about {expected * 1000:.0f} ms on this machine")
        return self._within(planned)

    def _within(self, planned: "_Pass") -> Scores:
        """Run a pass on a thread of its own and return its scores, or leave it there at its deadline."""
        # One that has overrun may take long to end; one within its time is worth waiting for.
        if not self._turn.acquire(timeout=0 if self._overran else planned.left()):
            raise _LeftOut(BUSY)
        self._overran = False
        answer: queue.SimpleQueue[Scores | _LeftOut] = queue.SimpleQueue()
        worker = threading.Thread(target=self._run, args=(planned, answer), name="engram-reranker-pass")
        try:
            worker.start()
        except RuntimeError:
            self._turn.release()
            raise
        try:
            result = answer.get(timeout=planned.left())
        except queue.Empty:
            self._overran = True
            raise _LeftOut(planned.over) from None
        if isinstance(result, _LeftOut):
            raise result
        return result

    def _run(self, planned: "_Pass", answer: "queue.SimpleQueue[Scores | _LeftOut]") -> None:
        try:
            answer.put(planned.scores(self._pace))
        except _LeftOut as left_out:
            answer.put(left_out)
        except Exception as error:  # noqa: BLE001  (tokenizers' and ONNX Runtime's errors share no base class)
            answer.put(_LeftOut(f"the reranker failed: {_cause(error)}"))
        finally:
            self._turn.release()

    def _absence(self) -> str | None:
        """Return why there is no model, None where it is loaded."""
        if self._closed:
            return CLOSED
        return None if self._ranker is not None else self._trouble or NOT_YET

    def _load(self) -> None:
        try:
            self._ranker = self._loaded()
        except Exception as error:  # noqa: BLE001  (whatever it is, recall goes on without the reranker)
            self._failed_at = self._clock()
            self._trouble = f"the reranker could not be loaded: {_cause(error)}; {self._remedy()}"

    def _loaded(self) -> Any:
        if self._offline and not self._folder.is_dir():
            raise EngramError(f"there is no folder {self._folder}")
        try:
            return opened(self._folder)
        except Exception:  # no folder, or a damaged one: a fetch replaces it
            if self._offline:
                raise
        self._fetch()
        return opened(self._folder)

    def _fetch(self) -> None:
        note = _note(self._folder)
        if not (note.exists() and self._recent(note.stat().st_mtime)):
            note.parent.mkdir(parents=True, exist_ok=True)
            note.write_text(_UNFINISHED, encoding="utf-8")
            url = [] if self._url is None else [self._url]
            child = subprocess.Popen(
                [sys.executable, "-P", "-c", _FETCH, str(FETCH_LIMIT), str(self._folder), *url],
                env=child_environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            while child.poll() is None:
                if self._closed or not threading.main_thread().is_alive():
                    raise EngramError(_UNFINISHED)  # nobody waits any longer; the child goes on
                time.sleep(POLL)
        if note.exists():
            raise EngramError(note.read_text(encoding="utf-8"))

    def _recent(self, then: float | None) -> bool:
        return then is not None and 0 <= self._clock() - then < RETRY_AFTER

    def _remedy(self) -> str:
        if self._offline:
            return f"unpack FlashRank's {self._folder.name}.zip into {self._folder.parent}"
        return (
            f"it is tried again after {RETRY_AFTER / 60:.0f} minutes; without a network, unpack FlashRank's "
            f"{self._folder.name}.zip into {self._folder.parent}"
        )


class _LeftOut(Exception):  # noqa: N818  (not an error: an outcome)
    """The step is left out; the message is the reason."""


@dataclass(frozen=True, slots=True)
class _Pass:
    """One query with its passages, to be scored before a deadline."""

    ranker: Any
    query: str
    texts: list[str]
    deadline: float
    """By `time.perf_counter`."""
    over: str
    """The reason where it is not met."""

    def left(self) -> float:
        """Return the seconds to the deadline."""
        return max(0.0, self.deadline - time.perf_counter())

    def scores(self, pace: "Pace") -> Scores:
        """Return the scores, shape (n,); a deadline that has passed is noticed between two runs."""
        scores = np.full(len(self.texts), np.nan)
        for rows in runs(self.texts):
            if not self.left():
                raise _LeftOut(self.over)
            run = [self.texts[row] for row in rows]
            began = time.perf_counter()
            scores[rows] = relevance(self.ranker, self.query, run)
            pace.learn(self.query, run, time.perf_counter() - began)
        if not np.isfinite(scores).all():
            raise _LeftOut("the reranker's scores are not numbers")
        return scores


class Pace:
    """A running estimate of this machine's speed, in seconds per character.

    A run is padded to its longest passage, so its size is its number of passages times the characters of the
    query and of that passage: near enough to tokens, and known without the tokenizer.
    """

    def __init__(self) -> None:
        self._seconds_per_character = 0.0
        self._hopeless = 0

    def expected(self, query: str, texts: Sequence[str]) -> float:
        """Return the seconds that a pass over `texts` would take; 0 as long as nothing is known."""
        sizes = (_size(query, [texts[row] for row in rows]) for rows in runs(texts))
        return self._seconds_per_character * sum(sizes)

    def learn(self, query: str, run: Sequence[str], seconds: float) -> None:
        """Take in what one run took."""
        newest = seconds / _size(query, run)
        if self._seconds_per_character:
            newest = LEARNING_RATE * newest + (1 - LEARNING_RATE) * self._seconds_per_character
        self._seconds_per_character = newest

    def probes(self) -> bool:
        """Count a pass that seems hopeless; return whether it is the one in `PROBE_EVERY` to try."""
        self._hopeless += 1
        return self._hopeless % PROBE_EVERY == 0


def runs(texts: Sequence[str]) -> Iterator[list[int]]:
    """Yield the texts' positions, `PASSAGES_PER_RUN` of similar length at a time, so that little is padded."""
    order = sorted(range(len(texts)), key=lambda row: len(texts[row]))
    for first in range(0, len(order), PASSAGES_PER_RUN):
        yield order[first : first + PASSAGES_PER_RUN]


def relevance(ranker: Any, query: str, texts: Sequence[str]) -> Scores:
    """Return FlashRank's score of each text, shape (n,), in the order they came in."""
    from flashrank import RerankRequest  # noqa: PLC0415  (with the model)

    request = RerankRequest(query, [{"row": row, "text": text} for row, text in enumerate(texts)])
    scores = np.full(len(texts), np.nan)
    with np.errstate(all="ignore"):  # a sigmoid far out overflows on its way to 0; NaN is looked for later
        for passage in ranker.rerank(request):  # best first
            scores[passage["row"]] = passage["score"]
    return scores


def opened(folder: Path) -> Any:
    """Return FlashRank's ranker of the model in `folder`, after a first run.

    It is put together from the parts of FlashRank's constructor, which would also fetch what is not there,
    set up the root logger of the process and take a thread per core.

    Raises:
        Exception: A file is missing or damaged; FlashRank, tokenizers and ONNX Runtime raise what they like.
    """
    import onnxruntime  # noqa: PLC0415  (a third of a second to import, and only where there is a model)
    from flashrank import Ranker  # noqa: PLC0415
    from flashrank.Config import model_file_map  # noqa: PLC0415

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = THREADS
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # idle threads sleep
    options.log_severity_level = 4  # failures come as exceptions; nothing of its own on stderr
    ranker = Ranker.__new__(Ranker)
    ranker.logger = logging.getLogger("flashrank")
    ranker.model_dir = folder
    ranker.llm_model = None
    ranker.session = onnxruntime.InferenceSession(
        str(folder / model_file_map[folder.name]), options, providers=["CPUExecutionProvider"]
    )
    ranker.tokenizer = ranker._get_tokenizer(MAX_TOKENS)  # noqa: SLF001
    relevance(ranker, "warm", ["up"])
    return ranker


def fetch(folder: str, url: str | None = None) -> None:
    """Have FlashRank download the model to `folder`, whole or not at all; for a process of its own.

    FlashRank downloads and loads it in a folder beside, and only what it could load is moved into place. A
    file `<model>.failed` beside holds the reason where it could not, and is gone where it could.

    Args:
        folder: Where the model shall be; its last part is the model's name.
        url: Address of the models' zip files, `{}` for the name; None for FlashRank's own.
    """
    from filelock import FileLock  # noqa: PLC0415  (only here)

    target = Path(folder)
    partial = target.parent / f".partial-{target.name}"
    with FileLock(target.parent / f".{target.name}.lock"):
        try:
            if not _opens(target):
                shutil.rmtree(partial, ignore_errors=True)
                _download(target.name, partial, url)
                shutil.rmtree(target, ignore_errors=True)
                (partial / target.name).rename(target)
        except Exception as error:  # noqa: BLE001  (the HTTP library's, zipfile's and ONNX Runtime's)
            _note(target).write_text(_cause(error), encoding="utf-8")
        else:
            _note(target).unlink(missing_ok=True)
        finally:
            shutil.rmtree(partial, ignore_errors=True)


def _download(model: str, cache_dir: Path, url: str | None) -> None:
    from flashrank import Ranker  # noqa: PLC0415

    if url is not None:
        # The package's attribute `Ranker` is the class, which hides the module that reads the address.
        sys.modules[Ranker.__module__].model_url = url  # type: ignore[attr-defined]
    relevance(Ranker(model_name=model, cache_dir=str(cache_dir)), "warm", ["up"])


def _opens(folder: Path) -> bool:
    try:
        opened(folder)
    except Exception:  # noqa: BLE001  (missing or damaged, in whatever way)
        return False
    return True


def _note(folder: Path) -> Path:
    return folder.parent / f"{folder.name}.failed"


def _size(query: str, run: Sequence[str]) -> int:
    """Return the characters of a run, padding included; at least 1."""
    return max(1, len(run) * (len(query) + max(map(len, run))))


def _cause(error: Exception) -> str:
    line = str(error).partition("\n")[0].strip()
    if isinstance(error, EngramError):
        return line
    return f"{type(error).__name__}: {textwrap.shorten(line, 120)}" if line else type(error).__name__
