"""The installed command, killed in the middle of a conversation: what it called stored is there, and it goes on."""

import json
import subprocess
import time
from collections.abc import Iterator
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


def entries(address: Address, space: str, session: str) -> list[dict[str, Any]]:
    """Return what a session holds, with the state of each line in the scratch buffer."""
    statement = Path(__file__).with_name("loop_read_entries.cypher").read_text(encoding="utf-8")
    with Graph(address.uri, address.user, address.password, address.database) as graph:
        return graph._run("READ", statement, {"space": space, "session": session})


def test_a_killed_program_goes_on_where_it_was(
    engram_env: dict[str, str], neo4j_address: Address, space: str
) -> None:
    """Killed in the middle of a reply and before one, it knows what is unanswered, and loses and doubles nothing."""
    answers = (
        Answer(deltas=["Nice city."]),
        Answer(deltas=["One, ", "two, "], then="stall"),
        Answer(deltas=["A fine cat."], pause=True),
        Answer(deltas=["Good to ", "see you."]),
    )
    with served(engram_env, "gemini", *answers) as (server, env):
        with Program.running(env, "killed") as program:
            program.say("I live in Lisbon")
            program.until("stored", 2)
            program.say("Count to three")
            program.until("delta")
            program.kill()
        with Program.running(env, "killed") as program:
            assert "Count to three" in program.until("session")["greeting"]
            program.say("My cat is called Mies")
            assert program.until("stored")["role"] == "user"
            while server.served < 3:  # it is asking, and has no word yet
                time.sleep(0.01)
            program.kill()
        with Program.running(env, "killed") as program:
            assert "“My cat is called Mies”, and 1 more" in program.until("session")["greeting"]
            program.say("Here I am again")
            assert program.until("stored", 2)["role"] == "assistant"
            assert program.leave() == 0
    kept = entries(neo4j_address, space, "killed")
    assert [each["text"] for each in kept] == [
        "I live in Lisbon",
        "Nice city.",
        "Count to three",
        "My cat is called Mies",
        "Here I am again",
        "Good to see you.",
    ]
    assert {len(each["states"]) for each in kept} == {1}
    assert "buffered" not in {state for each in kept for state in each["states"]}
