"""What is told to whoever runs Engram: nothing unless asked, and never what was said."""

import json
import logging
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.request import urlopen

import pytest
from opentelemetry.sdk.trace.export import SpanExportResult

from engram.config import Settings, collector
from engram.errors import ConfigurationError, InvalidInputError
from engram.observing import setup
from engram.observing.exporter import Exporter
from engram.observing.logs import Lines
from engram.observing.metrics import MetricWatcher
from engram.observing.operation import (
    Operation,
    Passed,
    add_watcher,
    completed,
    operation,
    remove_watcher,
    watched,
)

SECRET = "hunter2hunter2"
WORDS = "Noor keeps a heron"


class Recorder:
    """Keeps every operation, and whether it began before it ended."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, str]] = []
        self.ended: list[Operation] = []

    def begin(self, operation: Operation) -> None:
        """Take it in."""
        self.seen.append(("begin", operation.title))

    def end(self, operation: Operation) -> None:
        """Take it in."""
        self.seen.append(("end", operation.title))
        self.ended.append(operation)


@pytest.fixture
def recorder() -> Iterator[Recorder]:
    """Give a watcher that is told of everything meanwhile."""
    watcher = Recorder()
    add_watcher(watcher)
    yield watcher
    remove_watcher(watcher)


@pytest.fixture
def stopped() -> Iterator[None]:
    """Turn off what the test turned on."""
    yield
    setup.stop()


def free_port() -> int:
    """Return a port that nobody uses."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
        return port


def test_nobody_watches_unless_asked() -> None:
    """Without a watcher all operations are one object that keeps nothing, and no telemetry is even loaded."""
    first = operation("statement", "inspect/read_clock", space="noor")
    assert first is operation("recall")
    program = (
        "import sys, engram.memory\n"
        "from engram.config import Settings\n"
        "from engram.observing.setup import observe\n"
        "observe(Settings.load(), serving=True)\n"
        "print([name for name in sys.modules if name.startswith(('opentelemetry', 'prometheus'))])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")


def test_an_operation_is_told_once_it_began_and_once_it_ended(recorder: Recorder) -> None:
    """What runs inside another begins later and ends earlier, and each knows what became of it."""
    with (
        operation("recall", space="noor") as outer,
        operation("statement", "inspect/read_clock", space=None) as inner,
    ):
        inner.again()
        outer.note(k=3)
    assert recorder.seen == [
        ("begin", "recall"),
        ("begin", "statement inspect/read_clock"),
        ("end", "statement inspect/read_clock"),
        ("end", "recall"),
    ]
    clock, recall = recorder.ended
    assert (clock.details, clock.repeats, clock.error) == ({}, 1, None)
    assert recall.details == {"space": "noor", "k": 3}
    assert recall.seconds >= clock.seconds > 0


def test_a_failure_is_told_by_its_type(recorder: Recorder) -> None:
    """Neither a message nor a text reaches a watcher, and what is no failure is not told as one."""
    for error in (InvalidInputError(WORDS), Passed(), GeneratorExit()):
        with pytest.raises(type(error)), operation("remember"):
            raise error
    assert [each.error for each in recorder.ended] == ["InvalidInputError", None, None]
    assert WORDS not in repr([each.details for each in recorder.ended])


def test_a_function_becomes_an_operation(recorder: Recorder) -> None:
    """A watched function returns what it did, and tells what its arguments and its result are made into."""

    @watched("job", lambda name, *, space: {"name": name, "space": space}, lambda count: {"changed": count})
    def run(name: str, *, space: str) -> int:
        return len(name + space)

    assert run("decay", space="noor") == 9
    completed("model", "some-model", seconds=2.5, error=None, input_tokens=10, session=None)
    job, model = recorder.ended
    assert (job.title, job.details) == ("job decay", {"space": "noor", "changed": 9})
    assert (model.seconds, model.details) == (2.5, {"input_tokens": 10})


@pytest.mark.usefixtures("stopped")
def test_log_lines_have_fields_and_no_text(capsys: pytest.CaptureFixture[str]) -> None:
    """Each line is one JSON object; an exception is a type and a place, and passwords are struck out."""
    settings = Settings.load(log_level="debug", log_format="json", neo4j_password=SECRET)
    setup.observe(settings, serving=False)
    with operation("statement", "inspect/read_clock", space="noor") as under_way:
        under_way.again()
    with pytest.raises(ValueError, match=WORDS), operation("recall"):
        raise ValueError(WORDS)
    try:
        Settings.load().prices[WORDS]
    except KeyError:
        logging.getLogger("engram.learning").warning("lost, with %s", SECRET, exc_info=True)
    logging.getLogger("neo4j").error("not ours: %s", WORDS)
    err = capsys.readouterr().err
    statement, recall, lost = [json.loads(line) for line in err.splitlines() if line.startswith("{")]
    assert (statement["level"], statement["message"]) == ("debug", "statement inspect/read_clock")
    assert (statement["statement"], statement["space"], statement["repeats"]) == (
        "inspect/read_clock",
        "noor",
        1,
    )
    assert statement["seconds"] >= 0
    assert (recall["level"], recall["error"]) == ("warning", "ValueError")
    assert (lost["logger"], lost["message"]) == ("engram.learning", "lost, with ***")
    assert (lost["error"], lost["where"].partition(":")[0]) == (
        "KeyError",
        "test_log_lines_have_fields_and_no_text",
    )
    ours = "".join(line for line in err.splitlines() if line.startswith("{"))
    assert WORDS not in ours
    assert SECRET not in err


def test_a_line_of_text_is_one_line() -> None:
    """Nobody can forge a second line with a break in a name."""
    record = logging.LogRecord("engram.x", logging.INFO, "", 0, "one\ntwo", None, None)
    record.engram_fields = {"space": "a\nb"}
    line = Lines("text").format(record)
    assert "\n" not in line
    assert line.endswith(r"info    engram.x one\ntwo space=a\nb")


def test_metrics_count_what_happened() -> None:
    """A scrape shows calls, errors, retries, tokens and the queue, on the loopback address."""
    watcher = MetricWatcher(lambda: 7)
    add_watcher(watcher)
    port = free_port()
    end = watcher.serve(port)
    try:
        with operation("statement", "inspect/read_clock") as under_way:
            under_way.again()
        with pytest.raises(InvalidInputError), operation("remember", space="noor"):
            raise InvalidInputError(WORDS)
        completed("model", "some-model", seconds=2.5, input_tokens=10, output_tokens=4, cost_usd=0.25)
        with urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
            text = answer.read().decode()
    finally:
        remove_watcher(watcher)
        end()
    for line in (
        'engram_statement_seconds_count{name="inspect/read_clock"} 1.0',
        'engram_retries_total{name="inspect/read_clock",operation="statement"} 1.0',
        'engram_errors_total{error="InvalidInputError",name="",operation="remember"} 1.0',
        'engram_model_tokens_total{direction="output",model="some-model"} 4.0',
        'engram_model_cost_dollars_total{model="some-model"} 0.25',
        "engram_lessons_waiting 7.0",
    ):
        assert line in text.splitlines()
    assert WORDS not in text
    assert "noor" not in text


@pytest.mark.usefixtures("stopped")
def test_a_taken_port_keeps_nobody_from_working(caplog: pytest.LogCaptureFixture) -> None:
    """Where two processes have the same metrics port, the second says so and goes on without."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        settings = Settings.load(metrics_port=taken.getsockname()[1])
        setup.observe(settings, serving=False)
        assert not caplog.records
        setup.observe(settings, serving=True)
    assert "cannot be used" in caplog.text


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tracing without its packages is refused with the command that installs them."""
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    monkeypatch.delitem(sys.modules, "engram.observing.spans", raising=False)
    with pytest.raises(ConfigurationError) as refused:
        setup.begin_tracing(Settings.load(tracing=True))
    assert "engram-neo4j[telemetry]" in (refused.value.remedy or "")


def test_a_collector_that_refuses_is_told_of_once(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An outage is one line, and what follows at once is not tried; once some were taken, the next is a line again."""
    now = {"seconds": 0, "status": 0}
    asked: list[int] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(now["seconds"])
            self.send_response(now["status"])
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
        exporter = Exporter(collector(), clock=lambda: now["seconds"])
        taken = []
        for seconds, status in ((0, 401), (1, 200), (10, 401), (20, 200), (30, 401)):
            now |= {"seconds": seconds, "status": status}
            taken.append(exporter.export([]) is SpanExportResult.SUCCESS)
        exporter.shutdown()
        server.shutdown()
    assert asked == [0, 10, 20, 30]
    assert taken == [False, False, False, True, False]
    assert len(caplog.messages) == 2
    assert "(OTEL_EXPORTER_OTLP_ENDPOINT) refuses them with 401." in caplog.messages[0]
