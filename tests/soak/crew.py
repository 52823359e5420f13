"""The processes of a soak: a chat, a program that remembers and recalls, the jobs; all of them the real ones."""

import json
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

BIN = Path(sys.executable).parent
ROOT = Path(__file__).parents[2]
ENDING = 180.0
"""Seconds after which a process that was told to end is an error."""


class Chat:
    """`engram chat` at a pipe, whose events are read as they come."""

    def __init__(self, environment: Mapping[str, str], log: Path) -> None:
        self.turns: list[str] = []
        """Names of the turns that it has said are durable."""
        self.heard = 0
        """How many of them were said to it."""
        self.events: Counter[str] = Counter()
        self.said_wrong: list[str] = []
        """What it has said of failures: while the database is away it has some."""
        with log.open("wb") as errors:
            self.process = subprocess.Popen(
                [str(BIN / "engram"), "chat", "--json", "--session", "soak"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=environment,
            )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def say(self, text: str) -> None:
        """Say something; the answer is not waited for. One that has ended hears nothing, and `end` tells of it."""
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):
            self.process.stdin.write(f"{text}\n".encode())
            self.process.stdin.flush()

    def end(self) -> int:
        """Hang up, and return the exit code once everything is said."""
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):
            self.process.stdin.close()
        code = self.process.wait(ENDING)
        self._reader.join(ENDING)
        return code

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            event: dict[str, Any] = json.loads(line)
            # An error that ends the command is no event of the conversation.
            name = event.get("event", "ended")
            self.events[name] += 1
            if name == "stored":
                self.turns.append(event["turn"])
                self.heard += event["role"] == "user"
            elif name in {"ended", "failed", "error"}:
                self.said_wrong.append(f"{name}: {event.get('doing', '')} {event.get('message')}")


class Worker:
    """The program that remembers and recalls."""

    def __init__(self, environment: Mapping[str, str], folder: Path) -> None:
        self._acknowledged = folder / "acknowledged"
        with (folder / "worker.log").open("wb") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tests.soak.worker", str(self._acknowledged)],
                stdout=subprocess.PIPE,
                stderr=errors,
                cwd=ROOT,
                env=environment,
            )

    def end(self) -> dict[str, int]:
        """Tell it to end, and return what it has done.

        Raises:
            RuntimeError: It did not end well; its log says why.
        """
        self.process.terminate()
        said, _ = self.process.communicate(timeout=ENDING)
        if self.process.returncode:
            raise RuntimeError(f"the worker ended with {self.process.returncode}: {said.decode()}")
        done: dict[str, int] = json.loads(said)
        return done

    @property
    def memories(self) -> list[str]:
        """Ids of the memories that were acknowledged so far."""
        return self._acknowledged.read_text(encoding="utf-8").split() if self._acknowledged.exists() else []


class Jobs:
    """`engram jobs start`."""

    def __init__(self, environment: Mapping[str, str], log: Path) -> None:
        with log.open("wb") as errors:
            self.process = subprocess.Popen(
                [str(BIN / "engram"), "jobs", "start", "--space", environment["ENGRAM_SPACE"]],
                stdout=subprocess.DEVNULL,
                stderr=errors,
                env=environment,
            )

    def end(self) -> int:
        """Tell it to end, and return the exit code."""
        self.process.terminate()
        return self.process.wait(ENDING)
