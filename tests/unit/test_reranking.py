"""The reranker: FlashRank's own code over a tiny cross-encoder, and a local server for its downloads."""

import io
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flashrank.Config import listwise_rankers, model_file_map
from hypothesis import given, settings
from hypothesis import strategies as st

from engram.config import child_environment
from engram.errors import ConfigurationError
from engram.reranking import (
    BUSY,
    CLOSED,
    CROSS_ENCODERS,
    DEFAULT_MODEL,
    LISTWISE_RANKERS,
    NOT_YET,
    PASSAGES_PER_RUN,
    PROBE_EVERY,
    RETRY_AFTER,
    Pace,
    Reranker,
    Reranking,
    blended,
    fetch,
    runs,
)
from tests.cross_encoder import FILE, WORDS, write_cross_encoder

LONG = 60.0
"""A budget in seconds, and a time to wait, that no test uses up."""
QUERY = "Maya moved to Berlin"
PASSAGES = [
    "tea",
    "Maya",
    "Maya moved to Berlin",
    "old coffee in Berlin, Maya",
    "moved to the old harbour",
    "",
]
SHARED = [0, 1, 4, 2, 2, 0]


class Clock:
    """The system's clock, moved on by hand."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def __call__(self) -> float:
        """Return seconds since 1970."""
        return time.time() + self.ahead


class ZipServer(ThreadingHTTPServer):
    """A host of model archives on this machine."""

    daemon_threads = True

    def __init__(self) -> None:
        self.archive: bytes | None = None
        self.asked: list[str] = []
        self.was_asked = threading.Event()
        self.may_answer = threading.Event()
        self.may_answer.set()
        super().__init__(("127.0.0.1", 0), _Zips)
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    @property
    def url(self) -> str:
        """The address of an archive, `{}` for the model's name."""
        return f"http://127.0.0.1:{self.server_port}/{{}}.zip"


class _Zips(BaseHTTPRequestHandler):
    server: ZipServer

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        self.server.was_asked.set()
        self.server.may_answer.wait(LONG)
        archive = self.server.archive
        self.send_response(404 if archive is None else 200)
        self.send_header("content-length", str(len(archive or b"")))
        self.end_headers()
        self.wfile.write(archive or b"")

    def log_message(self, *args: object) -> None:
        """Keep quiet."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ZipServer]:
    """Run a host that has no archive yet."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    host = ZipServer()
    yield host
    host.may_answer.set()
    host.shutdown()
    host.server_close()


@pytest.fixture
def clock() -> Clock:
    """Give a clock that a test moves on."""
    return Clock()


Opener = Callable[..., Reranker]


@pytest.fixture
def open_reranker(tmp_path: Path, clock: Clock) -> Iterator[Opener]:
    """Give a function that opens a reranker over `tmp_path / "cache"` and closes it in the end."""
    opened = []

    def opener(**more: Any) -> Reranker:
        opened.append(Reranker.open(DEFAULT_MODEL, tmp_path / "cache", clock=clock, **more))
        return opened[-1]

    yield opener
    for reranker in opened:
        reranker.close()


@pytest.fixture
def with_model(tmp_path: Path, open_reranker: Opener) -> Opener:
    """Give a function that writes the tiny model and returns a reranker that has loaded it."""

    def opener(**model: Any) -> Reranker:
        write_cross_encoder(tmp_path / "cache" / DEFAULT_MODEL, **model)
        reranker = open_reranker(offline=True)
        assert reranker.wait(LONG) is None
        return reranker

    return opener


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reranker]:
    """Give a reranker with the tiny model, for the tests that leave no trace in it."""
    cache = tmp_path_factory.mktemp("cache")
    write_cross_encoder(cache / DEFAULT_MODEL)
    reranker = Reranker.open(DEFAULT_MODEL, cache, offline=True)
    assert reranker.wait(LONG) is None
    yield reranker
    reranker.close()


def assert_scores(result: Reranking, expected: Any) -> None:
    """Require a pass that gave these scores."""
    assert result.reason is None
    assert result.scores is not None
    np.testing.assert_allclose(result.scores, expected, atol=1e-6)


def sigmoid(logits: Any) -> Any:
    """Return `1 / (1 + e^-x)`."""
    return 1 / (1 + np.exp(-np.asarray(logits, dtype=np.float64)))


def zipped(folder: Path) -> bytes:
    """Return an archive as FlashRank's: the model's folder with its files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for file in sorted(folder.iterdir()):
            archive.write(file, f"{folder.name}/{file.name}")
    return buffer.getvalue()


def archive_of_the_model(tmp_path: Path) -> bytes:
    """Return the tiny model's archive."""
    return zipped(write_cross_encoder(tmp_path / "host" / DEFAULT_MODEL))


def wait_for_the_pass(reranker: Reranker) -> None:
    """Wait until no pass is under way."""
    assert reranker._turn.acquire(timeout=LONG)
    reranker._turn.release()


# --- the scores


def test_scores_stand_in_the_passages_order(loaded: Reranker) -> None:
    """FlashRank sorts; the scores come back where their passages were, and say what the model says."""
    result = loaded.rerank(QUERY, PASSAGES, budget=LONG)
    assert_scores(result, sigmoid(SHARED))
    assert result.seconds > 0


@given(
    st.lists(st.lists(st.sampled_from(WORDS), max_size=12), max_size=23), st.randoms(use_true_random=False)
)
@settings(max_examples=40, deadline=None)
def test_a_score_does_not_depend_on_its_company(
    loaded: Reranker, passages: list[list[str]], random: Any
) -> None:
    """Whatever is scored with it and in whatever order, a passage gets its own score in [0, 1]."""
    random.shuffle(passages)
    result = loaded.rerank(QUERY, [" ".join(words) for words in passages], budget=LONG)
    shared = [sum(word in QUERY.lower().split() for word in words) for words in passages]
    assert_scores(result, sigmoid(shared))


def test_a_model_with_two_logits_gives_the_second_ones_share(with_model: Opener) -> None:
    """Two logits go through a softmax: with the first at 0, that is the second's sigmoid."""
    result = with_model(logits=2).rerank(QUERY, PASSAGES, budget=LONG)
    assert_scores(result, sigmoid(SHARED))


def test_logits_far_out_stay_in_range(with_model: Opener, capfd: pytest.CaptureFixture[str]) -> None:
    """A sigmoid that overflows is 0 or 1, without a warning."""
    result = with_model(scale=1e4, bias=-5e3).rerank(QUERY, PASSAGES, budget=LONG)
    assert_scores(result, np.minimum(SHARED, 1))
    assert capfd.readouterr() == ("", "")


def test_scores_that_are_not_numbers_are_left_out(with_model: Opener) -> None:
    """NaN never reaches the caller."""
    result = with_model(bias=float("nan")).rerank(QUERY, PASSAGES, budget=LONG)
    assert result.scores is None
    assert result.reason == "the reranker's scores are not numbers"


@pytest.mark.parametrize(
    ("query", "passage"),
    [
        ("word " * 10_000, "Maya"),
        (QUERY, "Maya " * 10_000),
        ("玛雅搬到了柏林吗", "玛雅搬到了柏林。" * 200),
        ("هل انتقلت مايا", "🧳👩🏽\u200d💻 \u202enilreB\u202c"),
        ("?", "\x00\x01"),
        ("", ""),
    ],
    ids=["long query", "long passage", "Chinese", "right to left", "controls", "nothing"],
)
def test_any_text_has_a_score(loaded: Reranker, query: str, passage: str) -> None:
    """Long texts are cut, and no script, sign or emptiness is refused."""
    result = loaded.rerank(query, [passage, "Maya"], budget=LONG)
    assert result.reason is None
    assert result.scores is not None
    assert ((result.scores >= 0) & (result.scores <= 1)).all()


def test_a_text_that_cannot_be_encoded_leaves_the_step_out(loaded: Reranker) -> None:
    """What the tokenizer refuses is a reason, not an exception, and the next pass is well."""
    result = loaded.rerank(QUERY, ["\ud800"], budget=LONG)
    assert result.scores is None
    assert result.reason is not None
    assert result.reason.startswith("the reranker failed: ")
    assert loaded.rerank(QUERY, ["Maya"], budget=LONG).reason is None


def test_no_passages_need_no_model(open_reranker: Opener) -> None:
    """Nothing to score gives shape (0,), and nothing is loaded for it."""
    reranker = open_reranker()
    result = reranker.rerank(QUERY, [], budget=LONG)
    assert result.reason is None
    assert result.scores is not None
    assert result.scores.shape == (0,)
    assert reranker._loader is None


@given(st.lists(st.text(max_size=20), max_size=50))
def test_runs_cover_every_passage_once(texts: list[str]) -> None:
    """Grouping by length loses and doubles nothing, and no run is too large."""
    groups = list(runs(texts))
    assert sorted(row for group in groups for row in group) == list(range(len(texts)))
    assert all(len(group) <= PASSAGES_PER_RUN for group in groups)


SCORE = st.floats(0, 1)


@given(st.lists(st.tuples(SCORE, SCORE), max_size=30))
def test_blended_is_six_parts_to_four(pairs: list[tuple[float, float]]) -> None:
    """The blend is 0.6 of the reranker's score and 0.4 of the other, so it lies between the two."""
    rerank, weighted = np.array(pairs, dtype=np.float64).reshape(-1, 2).T
    result = blended(rerank, weighted)
    assert result == pytest.approx([0.6 * one + 0.4 * other for one, other in pairs])
    assert (result >= np.minimum(rerank, weighted) - 1e-12).all()
    assert (result <= np.maximum(rerank, weighted) + 1e-12).all()


@given(st.lists(st.tuples(SCORE, SCORE), min_size=2, max_size=30))
def test_better_in_both_is_better_blended(pairs: list[tuple[float, float]]) -> None:
    """A passage that no score puts lower is not lower in the blend."""
    rerank, weighted = np.array(pairs).T
    result = blended(rerank, weighted)
    for one in range(len(pairs)):
        lower = (rerank <= rerank[one]) & (weighted <= weighted[one])
        assert (result[lower] <= result[one] + 1e-12).all()


# --- the time limit


@pytest.mark.parametrize("budget", [0.0, -1.0, float("nan")])
def test_without_time_nothing_is_started(loaded: Reranker, budget: float) -> None:
    """A budget of nothing leaves the step out."""
    result = loaded.rerank(QUERY, PASSAGES, budget=budget)
    assert result.scores is None
    assert result.reason == f"over {budget * 1000:.0f} ms"


def test_time_without_end_is_allowed(loaded: Reranker) -> None:
    """An infinite budget is only a very long one."""
    assert loaded.rerank(QUERY, PASSAGES, budget=float("inf")).reason is None


def test_a_slow_model_is_left_behind_and_learned_from(with_model: Opener) -> None:
    """Over its budget, a pass is left; until it ends all others are; then only one in so many is tried."""
    reranker = with_model(rounds=5000)
    assert reranker.rerank(QUERY, ["Maya"], budget=0.01).reason == "over 10 ms"
    assert reranker.rerank(QUERY, ["Maya"], budget=0.01).reason == BUSY
    wait_for_the_pass(reranker)
    results = [reranker.rerank(QUERY, ["Maya"], budget=0.01) for _ in range(PROBE_EVERY)]
    *skipped, probed = [str(result.reason) for result in results]
    assert all(result.scores is None for result in results)
    assert all(reason.startswith("over 10 ms: it would take about ") for reason in skipped)
    assert probed == "over 10 ms"
    wait_for_the_pass(reranker)
    assert_scores(reranker.rerank(QUERY, ["Maya"], budget=LONG), sigmoid([1]))


class Gate:
    """A ranker that counts its runs and holds each until the gate is opened."""

    def __init__(self, ranker: Any) -> None:
        self.ranker = ranker
        self.open = threading.Event()
        self.runs = 0

    def rerank(self, request: Any) -> Any:
        """Pass the request on, once the gate is open."""
        self.runs += 1
        assert self.open.wait(LONG)
        return self.ranker.rerank(request)


def test_an_abandoned_pass_ends_after_the_run_it_is_in(with_model: Opener) -> None:
    """No further run is started for a caller that has gone."""
    reranker = with_model()
    reranker._ranker = gate = Gate(reranker._ranker)
    assert reranker.rerank(QUERY, PASSAGES * 4, budget=0.05).reason == "over 50 ms"
    assert reranker.rerank(QUERY, PASSAGES, budget=LONG).reason == BUSY
    gate.open.set()
    wait_for_the_pass(reranker)
    assert gate.runs == 1
    assert reranker.rerank(QUERY, PASSAGES, budget=LONG).reason is None


def test_threads_take_turns(loaded: Reranker) -> None:
    """Passes within their time wait for each other, and each gets its own scores."""
    wrong: list[object] = []

    def work(words: int) -> None:
        passages = [" ".join(WORDS[: count + 1]) for count in range(words)]
        result = loaded.rerank(QUERY, passages, budget=LONG)
        expected = sigmoid([min(count + 1, 4) for count in range(words)])
        if result.scores is None or not np.allclose(result.scores, expected, atol=1e-6):
            wrong.append(result)

    threads = [threading.Thread(target=work, args=(words,)) for words in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_the_estimate_follows_the_machine() -> None:
    """Nothing is foreseen from nothing; equal runs foresee themselves; faster ones draw it down."""
    pace, query, texts = Pace(), "abcd", ["abcdef"] * PASSAGES_PER_RUN
    assert pace.expected(query, texts) == 0
    pace.learn(query, texts, 2.0)
    assert pace.expected(query, texts) == pytest.approx(2.0)
    assert pace.expected(query, texts * 5) == pytest.approx(10.0)
    for _ in range(30):
        pace.learn(query, texts, 0.1)
    assert pace.expected(query, texts) == pytest.approx(0.1, rel=0.01)


# --- the model


def test_the_table_of_models_is_flashranks() -> None:
    """Each of FlashRank's models is either offered or refused on purpose."""
    assert set(model_file_map) == CROSS_ENCODERS | LISTWISE_RANKERS
    assert set(listwise_rankers) == LISTWISE_RANKERS
    assert model_file_map[DEFAULT_MODEL] == FILE


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("ms-marco-MiniLM", r"no reranking model 'ms-marco-MiniLM'.*ms-marco-MiniLM-L-12-v2"),
        ("../elsewhere", r"no reranking model"),
        ("rank_zephyr_7b_v1_full", r"language model.*Use a cross-encoder"),
    ],
)
def test_a_model_that_cannot_be_used_is_refused_at_once(tmp_path: Path, model: str, said: str) -> None:
    """A name that FlashRank does not know, and a language model, are errors before anything is fetched."""
    with pytest.raises(ConfigurationError, match=said):
        Reranker.open(model, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_model_offline_is_a_reason(
    open_reranker: Opener, clock: Clock, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Nothing is raised or printed; it is looked for again after a while, not at every query."""
    reranker = open_reranker(offline=True)
    reason = reranker.wait(LONG)
    assert reason is not None
    assert str(tmp_path / "cache" / DEFAULT_MODEL) in reason
    assert f"unpack FlashRank's {DEFAULT_MODEL}.zip" in reason
    write_cross_encoder(tmp_path / "cache" / DEFAULT_MODEL)
    first = reranker._loader
    result = reranker.rerank(QUERY, PASSAGES, budget=LONG)
    assert (result.scores, result.reason) == (None, reason)
    assert reranker._loader is first
    clock.ahead += RETRY_AFTER
    assert reranker.wait(LONG) is None
    assert capfd.readouterr() == ("", "")


def test_a_recall_does_not_wait_for_the_download(
    open_reranker: Opener, server: ZipServer, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """While the archive is on its way the step is left out; then it is there, and nothing was printed."""
    server.archive = archive_of_the_model(tmp_path)
    server.may_answer.clear()
    reranker = open_reranker(url=server.url)
    for _ in range(3):
        result = reranker.rerank(QUERY, PASSAGES, budget=LONG)
        assert (result.scores, result.reason) == (None, NOT_YET)
    server.may_answer.set()
    assert reranker.wait(LONG) is None
    assert_scores(reranker.rerank(QUERY, PASSAGES, budget=LONG), sigmoid(SHARED))
    assert server.asked == [f"/{DEFAULT_MODEL}.zip"]
    assert {path.name for path in (tmp_path / "cache").iterdir()} <= {DEFAULT_MODEL, f".{DEFAULT_MODEL}.lock"}
    assert open_reranker(offline=True).wait(LONG) is None
    assert capfd.readouterr() == ("", "")


def test_a_host_that_cannot_be_reached_is_a_reason(
    open_reranker: Opener, server: ZipServer, capfd: pytest.CaptureFixture[str]
) -> None:
    """With nobody at the address the reason says what failed and what to do."""
    server.shutdown()
    server.server_close()
    reason = open_reranker(url=server.url).wait(LONG)
    assert reason is not None
    assert reason.startswith("the reranker could not be loaded: ConnectionError: ")
    assert "it is tried again after 5 minutes; without a network, unpack" in reason
    assert capfd.readouterr() == ("", "")


def cut(archive: bytes) -> bytes:
    """Return the first half."""
    return archive[: len(archive) // 2]


def without_its_tokenizer(archive: bytes) -> bytes:
    """Return the archive less one file that the model needs."""
    kept = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as old, zipfile.ZipFile(kept, "w") as new:
        for name in old.namelist():
            if not name.endswith("/tokenizer.json"):
                new.writestr(name, old.read(name))
    return kept.getvalue()


def nothing(archive: bytes) -> None:
    """Return no archive: the host answers 404."""


@pytest.mark.parametrize("damage", [cut, without_its_tokenizer, nothing])
def test_a_failed_download_poisons_nothing(
    open_reranker: Opener,
    server: ZipServer,
    clock: Clock,
    tmp_path: Path,
    damage: Callable[[bytes], bytes | None],
) -> None:
    """A bad archive leaves no folder; no process asks again for some minutes; a good one then heals it."""
    whole = archive_of_the_model(tmp_path)
    server.archive = damage(whole)
    reranker = open_reranker(url=server.url)
    reason = reranker.wait(LONG)
    assert reason is not None
    assert reason.startswith("the reranker could not be loaded: ")
    left = {path.name for path in (tmp_path / "cache").iterdir()}
    assert left - {f".{DEFAULT_MODEL}.lock"} == {f"{DEFAULT_MODEL}.failed"}
    server.archive = whole
    assert open_reranker(url=server.url).wait(LONG) == reason
    assert len(server.asked) == 1
    clock.ahead += RETRY_AFTER
    assert reranker.wait(LONG) is None
    assert len(server.asked) == 2


@pytest.mark.parametrize("file", [FILE, "tokenizer.json", "config.json", "special_tokens_map.json"])
def test_an_incomplete_folder_is_fetched_anew(
    open_reranker: Opener, server: ZipServer, tmp_path: Path, file: str
) -> None:
    """A folder that cannot be loaded is replaced where a network is, and a reason where none is."""
    server.archive = archive_of_the_model(tmp_path)
    folder = write_cross_encoder(tmp_path / "cache" / DEFAULT_MODEL)
    (folder / file).write_bytes((folder / file).read_bytes()[:10])
    reason = open_reranker(offline=True).wait(LONG)
    assert reason is not None
    assert reason.startswith("the reranker could not be loaded: ")
    assert server.asked == []
    assert open_reranker(url=server.url).wait(LONG) is None
    assert len(server.asked) == 1


def test_a_folder_that_cannot_be_written_is_a_reason(
    open_reranker: Opener, server: ZipServer, tmp_path: Path
) -> None:
    """Where the cache cannot be made, that is what the reason says."""
    (tmp_path / "cache").write_text("a file")
    reason = open_reranker(url=server.url).wait(LONG)
    assert reason is not None
    assert "FileExistsError" in reason or "NotADirectoryError" in reason
    assert server.asked == []


def test_processes_fetch_a_model_once(server: ZipServer, tmp_path: Path) -> None:
    """Of two that fetch at the same time one waits, and finds what the other brought."""
    server.archive = archive_of_the_model(tmp_path)
    program = "import sys; from engram.reranking import fetch; fetch(*sys.argv[1:])"
    (tmp_path / "cache").mkdir()
    arguments = [str(tmp_path / "cache" / DEFAULT_MODEL), server.url]
    children = [
        subprocess.Popen(
            [sys.executable, "-c", program, *arguments], env=child_environment(), stderr=subprocess.DEVNULL
        )
        for _ in range(2)
    ]
    assert [child.wait(LONG) for child in children] == [0, 0]
    assert server.asked == [f"/{DEFAULT_MODEL}.zip"]


def test_a_process_may_end_in_the_middle_of_a_pass(tmp_path: Path) -> None:
    """Loading leaves the root logger alone, and an abandoned pass neither holds up nor spoils the exit."""
    write_cross_encoder(tmp_path / DEFAULT_MODEL, rounds=5000)
    program = (
        "import logging, sys; from pathlib import Path; from engram.reranking import Reranker\n"
        f"reranker = Reranker.open({DEFAULT_MODEL!r}, Path(sys.argv[1]), offline=True)\n"
        f"print(reranker.wait({LONG}), reranker.rerank('Maya', ['Maya'] * 40, budget=0.01).reason)\n"
        "print(logging.root.handlers)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)],
        env=child_environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stdout.splitlines() == ["None over 10 ms", "[]"]
    assert ended.stderr == ""


def test_a_process_may_end_in_the_middle_of_a_download(server: ZipServer, tmp_path: Path) -> None:
    """A short command does not wait for the download that it started, and finds the model the next time."""
    server.archive = archive_of_the_model(tmp_path)
    server.may_answer.clear()
    program = (
        "import sys; from pathlib import Path; from engram.reranking import Reranker\n"
        f"reranker = Reranker.open({DEFAULT_MODEL!r}, Path(sys.argv[1]), url=sys.argv[2])\n"
        f"print(reranker.rerank('Maya', ['Maya'], budget={LONG}).reason)\n"
    )
    arguments = [sys.executable, "-c", program, str(tmp_path / "cache"), server.url]
    ended = subprocess.run(arguments, env=child_environment(), capture_output=True, text=True, check=True)
    assert (ended.stdout, ended.stderr) == (f"{NOT_YET}\n", "")
    assert not (tmp_path / "cache" / DEFAULT_MODEL).exists()
    assert server.was_asked.wait(LONG)
    server.may_answer.set()
    # The fetch that goes on holds the lock; this one waits for it and has nothing left to do.
    fetch(str(tmp_path / "cache" / DEFAULT_MODEL), server.url)
    assert server.asked == [f"/{DEFAULT_MODEL}.zip"]


def test_a_closed_reranker_says_so(with_model: Opener) -> None:
    """After `close` the step is left out, and nothing is loaded again."""
    reranker = with_model()
    reranker.close()
    result = reranker.rerank(QUERY, PASSAGES, budget=LONG)
    assert (result.scores, result.reason) == (None, CLOSED)
    assert reranker.wait(LONG) == CLOSED
