"""The jobs as a service: one log of JSON lines, and metrics to scrape."""

import json
import signal
import subprocess
from urllib.request import urlopen

import pytest

from engram.observing.metrics import LOOPBACK
from tests.acceptance.test_command import ENGRAM, run
from tests.unit.test_observing import free_port

pytestmark = pytest.mark.graph


def test_the_jobs_log_and_count_for_whoever_runs_them(engram_env: dict[str, str]) -> None:
    """Standard error is JSON from the first line to the last, and each run is a line and a figure."""
    port = free_port()
    environment = engram_env | {
        "ENGRAM_LOG_LEVEL": "info",
        "ENGRAM_LOG_FORMAT": "json",
        "ENGRAM_METRICS_PORT": str(port),
    }
    command = [ENGRAM, "jobs", "start", "--space", environment["ENGRAM_SPACE"]]
    entries = []
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            for line in process.stderr:
                entries.append(json.loads(line))
                if "job" in entries[-1]:
                    break
            with urlopen(f"http://{LOOPBACK}:{port}/metrics") as answer:
                text = answer.read().decode()
            process.send_signal(signal.SIGTERM)
            entries += [json.loads(line) for line in process.stderr]
        finally:
            process.kill()
    assert process.returncode == 0
    assert entries[0]["message"].startswith("Running decay, promote")
    assert entries[-1]["message"] == "Stopped."
    first = next(entry for entry in entries if "job" in entry)
    assert (first["space"], first["level"]) == (environment["ENGRAM_SPACE"], "info")
    assert first["seconds"] > 0
    assert f'engram_job_seconds_count{{name="{first["job"]}"}} 1.0' in text.splitlines()
    assert "process_resident_memory_bytes" in text


def test_spans_for_a_collector_that_is_away_are_one_line(engram_env: dict[str, str]) -> None:
    """The command works as ever, and says once where nobody took its spans, naming the variable."""
    endpoint = f"http://127.0.0.1:{free_port()}"
    done = run(engram_env | {"ENGRAM_TRACING": "true", "OTEL_EXPORTER_OTLP_ENDPOINT": endpoint}, "stats")
    where = f"the collector at {endpoint} (OTEL_EXPORTER_OTLP_ENDPOINT)"
    assert done.stderr.splitlines() == [f"Spans are lost: {where} does not answer."]
