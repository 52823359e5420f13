"""What a collector, a scraper and a log get of a memory's life over a real server."""

import json
from collections.abc import Callable, Iterator
from pkgutil import resolve_name
from typing import Any

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from engram.errors import DatabaseError, NotFoundError
from engram.memory import Engram
from engram.observing import setup
from engram.testing import FixedClock, ScriptedModel
from tests.graph.talking import talk
from tests.protocol.collector import Collector, attributes

pytestmark = pytest.mark.graph

JOBS: dict[str, Any] = resolve_name("engram.jobs.scheduler:JOBS")
run_job: Callable[..., Any] = resolve_name("engram.jobs.job:run_job")

SAID = "My heron is called Quibble."
ASKED = "What is my heron called?"
ANSWERED = "Quibble, of course."


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    """Give a collector that the standard variable leads to."""
    with Collector() as listening:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", listening.endpoint)
        monkeypatch.setenv("OTEL_SERVICE_NAME", "noors-memory")
        yield listening
        setup.stop()


def live(memory: Engram, clock: FixedClock) -> None:
    """Remember, recall, talk, run a job, and fail at something."""
    memory.remember(SAID)
    assert memory.recall(ASKED)
    agent = talk(memory, clock, ScriptedModel(ANSWERED, name="claude-scripted"))
    assert list(agent.say(ASKED))
    agent.finish()
    run_job(JOBS["decay"], memory.graph, space=memory.space, clock=clock)
    with pytest.raises(NotFoundError):
        memory.get("0123456789")
    with pytest.raises(DatabaseError):
        memory.graph.read("write/set_status", **{"space": memory.space, "id": SAID, "from": [], "to": SAID})
    assert memory.flush()


def test_spans_nest_and_tell_no_text(memory: Engram, clock: FixedClock, collector: Collector) -> None:
    """Statements stand below what they are for, with the conventions' names; no span holds what was said."""
    settings = memory.settings.model_copy(update={"tracing": True})
    setup.begin_tracing(settings)
    live(memory, clock)
    setup.stop()
    spans = collector.spans
    by_id = {span.span_id: span for span in spans}

    def above(span: Span) -> list[str]:
        """Return the names of the spans that one stands in, the nearest first."""
        parent = by_id.get(span.parent_span_id)
        return [] if parent is None else [parent.name, *above(parent)]

    def named(name: str) -> list[Span]:
        return [span for span in spans if span.name == name]

    assert ["remember"] in [above(span)[1:] for span in named("write/remember_memories")]
    assert {"recall", "recall turn"} >= {" ".join(above(span)) for span in named("recall/find_candidates")}
    assert all(above(span)[-1] == "job decay" for span in named("consolidate/decay_memories"))
    found = attributes(named("recall/find_candidates")[0])
    assert found["db.system.name"] == "neo4j"
    assert found["db.namespace"] == memory.graph.database
    assert (found["db.operation.name"], found["engram.statement"]) == ("read", "recall/find_candidates")
    assert found["engram.space"] == memory.space

    (answer,) = [
        span for span in named("chat claude-scripted") if attributes(span)["engram.purpose"] == "reply"
    ]
    assert above(answer)[-1] == "turn"
    told = attributes(answer)
    assert (told["gen_ai.operation.name"], told["gen_ai.provider.name"]) == ("chat", "anthropic")
    assert (told["gen_ai.request.model"], told["engram.outcome"]) == ("claude-scripted", "ok")
    assert isinstance(told["gen_ai.usage.input_tokens"], int)

    (failed,) = named("write/set_status")
    assert failed.status.code == failed.status.STATUS_CODE_ERROR
    assert str(attributes(failed)["error.type"]).startswith("Neo.ClientError.")
    assert {attributes(span)["engram.changed"] for span in named("job decay")} == {0}
    sent = b"".join(collector.bodies)
    assert b"noors-memory" in sent
    for secret in ("heron", "Quibble", memory.settings.neo4j_password.get_secret_value()):  # type: ignore[union-attr]
        assert secret.encode() not in sent


def test_logs_tell_no_text(
    memory: Engram, clock: FixedClock, collector: Collector, capsys: pytest.CaptureFixture[str]
) -> None:
    """At its most talkative the log has every statement with its time, and nothing that was said; and no span is sent."""
    settings = memory.settings.model_copy(update={"log_level": "debug", "log_format": "json"})
    setup.observe(settings, serving=False)
    live(memory, clock)
    setup.stop()
    err = capsys.readouterr().err
    entries = [json.loads(line) for line in err.splitlines()]
    assert all({"time", "level", "logger", "message"} <= entry.keys() for entry in entries)
    statements = {entry["statement"] for entry in entries if "statement" in entry}
    assert {"write/remember_memories", "recall/find_candidates", "write/learn_from_recall"} <= statements
    messages = {entry["message"]: entry for entry in entries}
    assert {"remember", "recall", "turn", "job decay", "model claude-scripted"} <= messages.keys()
    assert messages["job decay"]["changed"] == 0
    assert messages["recall"]["space"] == memory.space
    for secret in ("heron", "Quibble", memory.settings.neo4j_password.get_secret_value()):  # type: ignore[union-attr]
        assert secret not in err
    assert not collector.bodies
