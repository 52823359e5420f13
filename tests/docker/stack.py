"""One compose project of its own: brought up, asked, looked at, and taken away with its volumes."""

import json
import os
import socket
import subprocess
import time
from pathlib import Path
from typing import Any
from uuid import uuid4

from engram.config import Settings

ROOT = Path(__file__).resolve().parents[2]
IMAGES = (
    os.environ.get("ENGRAM_TEST_NEO4J_IMAGE", "engram-test/neo4j"),
    os.environ.get("ENGRAM_TEST_PYTHON_IMAGE", "engram-test/python"),
)
MEGABYTE = 1 << 20


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def docker(*arguments: str, **more: Any) -> str:
    """Run a docker command and return what it wrote."""
    done = subprocess.run(["docker", *arguments], capture_output=True, text=True, check=False, **more)
    assert done.returncode == 0, f"docker {' '.join(arguments)}\n{done.stdout}\n{done.stderr}"
    return str(done.stdout)


class Stack:
    """docker-compose.yml under a name and on ports of its own."""

    def __init__(self, folder: Path) -> None:
        self.name = f"engram-test-{uuid4().hex[:8]}"
        self.password = uuid4().hex
        self.bolt = free_port()
        self.uri = f"bolt://127.0.0.1:{self.bolt}"
        self.settings = Settings.load(
            neo4j_uri=self.uri, neo4j_password=self.password, data_dir=folder / "data", batch_size=500
        )
        self.variables = os.environ | {
            "NEO4J_PASSWORD": self.password,
            "ENGRAM_NEO4J_IMAGE": IMAGES[0],
            "ENGRAM_PYTHON_IMAGE": IMAGES[1],
            "ENGRAM_JOBS_IMAGE": f"{self.name}-jobs",
            "ENGRAM_BOLT_PORT": str(self.bolt),
            "ENGRAM_HTTP_PORT": str(free_port()),
        }
        self.client = os.environ | {
            "ENGRAM_NEO4J_URI": self.uri,
            "ENGRAM_NEO4J_PASSWORD": self.password,
            "ENGRAM_DATA_DIR": str(folder / "data"),
        }

    def compose(self, *arguments: str, **more: Any) -> str:
        """Run a compose command on the project."""
        return docker(
            "compose", "-p", self.name, "--profile", "jobs", *arguments, cwd=ROOT, env=self.variables, **more
        )

    def up(self, *arguments: str) -> float:
        """Bring the database up and return the seconds until it was healthy."""
        began = time.monotonic()
        self.compose("up", "-d", "--wait", *(arguments or ("neo4j",)))
        return time.monotonic() - began

    def engram(self, *arguments: str) -> str:
        """Run the installed command on the host against the container."""
        done = subprocess.run(
            ["engram", *arguments], capture_output=True, text=True, check=False, env=self.client, cwd=ROOT
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def container(self) -> dict[str, Any]:
        """Return what Docker knows of the database's container."""
        found: dict[str, Any] = json.loads(
            docker("inspect", self.compose("ps", "-a", "-q", "neo4j").strip())
        )[0]
        return found

    def resident(self) -> float:
        """Return the megabytes that the server's Java has resident."""
        # The launcher, a small Java, is its parent; the larger one is the server.
        sizes = self.compose(
            "exec",
            "-T",
            "neo4j",
            "sh",
            "-c",
            "cat /proc/[0-9]*/status | sed -n 's/^VmRSS:[^0-9]*\\([0-9]*\\) kB/\\1/p'",
        )
        return max(map(int, sizes.split())) * 1024 / MEGABYTE

    def away(self) -> None:
        """Remove the containers, the volumes and the image of the jobs."""
        self.compose("down", "--volumes", "--rmi", "local", "--timeout", "20")
