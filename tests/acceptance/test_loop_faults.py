"""The installed command, killed in the middle of a conversation: what it called stored is there, and it goes on."""

import json
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from engram.graph import Graph
from tests.acceptance.test_chat import ENGRAM, served
from tests.conftest import Address
from tests.protocol.llm_server import Answer

pytestmark = pytest.mark.graph

Heard = list[dict[str, Any]]


class Program:
    """`engram chat --json` at a pipe."""

    def __init__(self, env: dict[str, str], session: str) -> None:
        """Start it."""
        self.heard: Heard = []
        self.process = subprocess.Popen(
            [ENGRAM, "--json", "chat", "--session", session],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=env,
            text=True,
        )

    @classmethod
    @contextmanager
    def running(cls, env: dict[str, str], session: str) -> Iterator["Program"]:
        """Run it until the block ends, and kill it then, if nobody has."""
        program = cls(env, session)
        try:
            yield program
        finally:
            program.kill()

    def say(self, text: str) -> None:
        """Send a line."""
        assert self.process.stdin is not None
        print(text, file=self.process.stdin, flush=True)

    def until(self, event: str, times: int = 1) -> dict[str, Any]:
        """Listen until so many such events have come since now, and return the last of them."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.heard.append(json.loads(line))
            times -= self.heard[-1]["event"] == event
            if not times:
                return self.heard[-1]
        raise AssertionError(self.heard)

    def kill(self) -> None:
        """End it with SIGKILL, as the system does when memory runs out."""
        self.process.kill()
        self.process.communicate()

    def leave(self) -> int:
        """End the input, and return the exit code."""
        self.process.communicate(timeout=60)
        return self.process.returncode
