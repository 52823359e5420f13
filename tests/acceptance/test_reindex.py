"""`engram reindex`, killed in the middle, on a database of its own."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from uuid import uuid4

import pytest

from engram.config import MINILM
from tests.acceptance.test_command import ENGRAM, data, run
from tests.graph.apart import ask, empty_database
from tests.unit.test_embedding_onnx import tiny_model

pytestmark = pytest.mark.graph

TURNS = 400


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Give the environment of a database in which a tiny model's vectors are, and nothing else is configured."""
    settings = empty_database(indexes=True)
    password = settings.neo4j_password
    assert password is not None
    config = tmp_path / "config.toml"
    config.write_text(f'embed_model = "{tiny_model(tmp_path / "tiny")}"\n')
    return dict(os.environ) | {
        "ENGRAM_NEO4J_URI": str(settings.neo4j_uri),
        "ENGRAM_NEO4J_USER": settings.neo4j_user,
        "ENGRAM_NEO4J_PASSWORD": password.get_secret_value(),
        "ENGRAM_SPACE": "harbour",
        "ENGRAM_DATA_DIR": str(tmp_path / "data"),
        "ENGRAM_CONFIG_FILE": str(config),
        "NO_COLOR": "1",
        "COLUMNS": "120",
    }


def test_killed_resumed_switched_confirmed(environment: dict[str, str], tmp_path: Path) -> None:
    """Killed with SIGKILL it goes on where it was; then the new model is in use, and the old one is refused.

    A restore meanwhile is refused without a word on going on, and settings that name the old model switch nothing back.
    """
    talk = tmp_path / "talk.jsonl"
    # No run's texts are in the cache of vectors already.
    lines = [
        {"speaker": "Maya", "text": f"The boat {n} came into the old harbour with {uuid4().hex}"}
        for n in range(TURNS)
    ]
    talk.write_text("\n".join(map(json.dumps, lines)))
    run(environment, "import", str(talk))
    file = str(tmp_path / "harbour.jsonl.gz")
    run(environment, "export", file)
    command = [ENGRAM, "reindex", "--embedder", "onnx", "--embed-model", MINILM]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while not ask("MATCH (m:Memory) WHERE m.embedding_b IS NOT NULL RETURN m LIMIT 1"):
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    cut_off = data(environment, "reindex", "--status")
    assert (cut_off["state"], cut_off["memories"]) == ("filling", TURNS)
    assert 0 < cut_off["made"] < TURNS
    assert data(environment, "recall", "the old harbour")
    refused = run(environment, "import", "--restore", file, "--space", "copy", "--new-ids", code=4).stderr
    assert "A reindex is under way" in refused
    assert "Stopped" not in refused
    goes_on = f"`engram reindex --embedder onnx --embed-model {MINILM}` goes on"
    assert goes_on in run(environment, "reindex", "--status").stdout.replace("\n", " ")
    assert "are being made" in run(environment, "reindex", code=2).stderr

    done = data(environment, "reindex", "--embedder", "onnx", "--embed-model", MINILM)
    assert (done["state"], done["dimensions"], done["made"]) == ("kept", 384, TURNS - cut_off["made"])
    assert done["settings"] == {"embed_model": MINILM}
    assert "engram config set" in run(environment, "recall", "harbour", code=4).stderr
    assert "engram config set embed_model" in run(environment, "reindex", code=2).stderr
    assert data(environment, "reindex", "--status")["embed_model"] == MINILM
    run(environment, "config", "set", "embed_model", MINILM)
    hits = data(environment, "recall", "the boat 17 in the harbour")
    assert hits[0]["similarity"] > 0.5

    run(environment, "reindex", "--back")
    assert "Kept" in run(environment, "reindex", "--status").stdout
    run(environment, "reindex", "--embed-model", MINILM)
    assert "The old vectors are gone" in run(environment, "reindex", "--confirm").stdout
    assert "nothing to confirm" in run(environment, "reindex", "--confirm", code=2).stderr
    assert data(environment, "recall", "the boat 17 in the harbour")[0]["similarity"] > 0.5
    assert data(environment, "schema", "status")["pending"] == []
