"""`engram mcp` as clients run it: a process over stdin and stdout, and a server over HTTP."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, TextContent

pytestmark = pytest.mark.graph

ENGRAM = str(Path(sys.executable).with_name("engram"))


@pytest.fixture(scope="module")
def environment(
    neo4j_address: Any, _schema: None, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, str]:
    """Give the environment that points the command at the run's Neo4j and a clean space."""
    folder = tmp_path_factory.mktemp("mcp")
    return dict(os.environ) | {
        "ENGRAM_NEO4J_URI": neo4j_address.uri,
        "ENGRAM_NEO4J_USER": neo4j_address.user,
        "ENGRAM_NEO4J_PASSWORD": neo4j_address.password,
        "ENGRAM_NEO4J_DATABASE": neo4j_address.database,
        "ENGRAM_SPACE": f"test-{uuid4().hex[:12]}",
        "ENGRAM_DATA_DIR": str(folder / "data"),
        "ENGRAM_CONFIG_FILE": str(folder / "config.toml"),
    }


@dataclass(frozen=True)
class Served:
    """A server over HTTP."""

    process: "subprocess.Popen[str]"
    url: str
    token: str


@pytest.fixture(scope="module")
def served(environment: dict[str, str]) -> Iterator[Served]:
    """Give a server over HTTP that chose its port and its token; it must end with 0 on SIGTERM."""
    process = subprocess.Popen(
        [ENGRAM, "mcp", "--http", "127.0.0.1:0"],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stderr is not None
        address, token = process.stderr.readline(), process.stderr.readline()
        url = re.search(r"http://\S+/mcp", address)
        assert url, address
        yield Served(process, url[0], token.split()[-1])
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=20)
        assert (process.returncode, out) == (0, ""), err
    finally:
        process.kill()
        process.wait()


@asynccontextmanager
async def over_http(served: Served) -> AsyncIterator[Client]:
    """Connect to a server over HTTP."""
    headers = {"Authorization": f"Bearer {served.token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        Client(streamable_http_client(served.url, http_client=http)) as client,
    ):
        yield client


def over_stdio(environment: dict[str, str], *options: str) -> Client:
    """Start a server as a desktop client does."""
    return Client(StdioServerParameters(command=ENGRAM, args=["mcp", *options], env=environment))


async def call(client: Client, tool: str, **given: Any) -> Any:
    """Call a tool that succeeds; return its structured answer."""
    result = await client.call_tool(tool, given)
    assert not result.is_error, result
    return result.structured_content


def text_of(result: CallToolResult) -> str:
    """Return a result's text."""
    assert isinstance(result.content[0], TextContent)
    return result.content[0].text


async def converse(client: Client) -> None:
    """Use a tool, a resource and a prompt of each kind."""
    name = f"Ines {uuid4().hex[:6]}"
    stored = await call(client, "remember", content=f"{name} is allergic to peanuts", speaker=name)
    result = await client.call_tool("recall", {"query": f"What may {name} not eat?", "k": 1})
    assert result.structured_content["memories"][0]["id"] == stored["id"]
    assert f"[{stored['id'][:8]}]" in text_of(result)
    assert {tool.name for tool in (await client.list_tools()).tools} >= {"remember", "recall", "why"}
    assert len((await client.list_resource_templates()).resource_templates) == 3
    assert (await client.read_resource(f"engram://why/{stored['id']}")).contents
    assert {prompt.name for prompt in (await client.list_prompts()).prompts} >= {"recall_context"}
    assert (await client.get_prompt("recall_context", {"question": f"What may {name} eat?"})).messages
    missing = await client.call_tool("why", {"id": "0123456789"})
    assert (missing.is_error, missing.structured_content["code"]) == (True, "not_found")


def test_a_client_over_stdio(environment: dict[str, str]) -> None:
    """The SDK's client starts the command, uses all of it, and leaves."""

    async def work() -> None:
        async with over_stdio(environment) as client:
            await converse(client)

    asyncio.run(work())


def test_options_hold_for_the_whole_run(environment: dict[str, str]) -> None:
    """`--space` and `--read-only` are fixed at the start: nothing of another space, and no writing tool."""

    async def work() -> None:
        async with over_stdio(environment, "--read-only", "--space", f"test-{uuid4().hex[:12]}") as client:
            names = {tool.name for tool in (await client.list_tools()).tools}
            assert names == {"recall", "memory_search", "why", "tensions", "stats"}
            assert (await call(client, "stats"))["memories"] == 0

    asyncio.run(work())


def test_two_clients_at_once_over_http(served: Served) -> None:
    """Clients that share a server get their own answers, and both use all of it."""

    async def work() -> None:
        async with over_http(served) as one, over_http(served) as other:
            await asyncio.gather(converse(one), converse(other), converse(one), converse(other))

    asyncio.run(work())


HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "0"},
    },
}


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({}, 200),
        ({"Authorization": ""}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": "Bearer ünï"}, 401),
        ({"Host": "evil.example"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "http://localhost.evil.example"}, 403),
        ({"Content-Type": "text/plain"}, 400),
    ],
)
def test_who_may_speak_over_http(served: Served, change: dict[str, str], status: int) -> None:
    """Without the token, under another name or from a web page, a request is refused before it is read."""
    headers = {
        "Authorization": f"Bearer {served.token}",
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
    } | change
    encoded = [(name.encode(), value.encode()) for name, value in headers.items()]
    answer = httpx2.post(served.url, json=HELLO, headers=encoded, timeout=30)
    assert answer.status_code == status
    assert served.token not in answer.text


def test_a_message_over_http_is_bounded(served: Served) -> None:
    """More than a megabyte is refused."""
    headers = {"Authorization": f"Bearer {served.token}", "Content-Type": "application/json"}
    answer = httpx2.post(served.url, content=b"[" + b" " * 1_100_000, headers=headers, timeout=30)
    assert answer.status_code == 413


def by_hand(environment: dict[str, str]) -> "subprocess.Popen[bytes]":
    """Start a server over stdio and say hello."""
    process = subprocess.Popen(
        [ENGRAM, "mcp"],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(HELLO).encode() + b"\n")
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["result"]["serverInfo"]["name"] == "engram"
    return process


@pytest.mark.parametrize(
    "leave",
    [lambda process: process.stdin.close(), lambda process: process.terminate()],
    ids=["eof", "sigterm"],
)
def test_only_protocol_on_stdout_and_a_clean_end(
    environment: dict[str, str], leave: Callable[["subprocess.Popen[bytes]"], None]
) -> None:
    """Rubbish and overlong lines do not end it and are answered; a closed stdin or SIGTERM ends it with 0."""
    process = by_hand(environment)
    try:
        assert process.stdin is not None
        assert process.stdout is not None
        ping = json.dumps({"jsonrpc": "2.0", "id": 2, "method": "ping"}).encode()
        ready = json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}).encode()
        long = json.dumps({"jsonrpc": "2.0", "id": 3, "method": "ping", "params": {"a": " " * 1_200_000}})
        for line in (ready, b"rubbish", b"\xff\xfe", b"", b"[]", long.encode(), ping):
            process.stdin.write(line + b"\n")
        process.stdin.flush()
        answers = [json.loads(process.stdout.readline()) for _ in range(5)]
        errors = [(answer["id"], answer["error"]["code"]) for answer in answers if "error" in answer]
        assert errors == [(None, -32700), (None, -32700), (None, -32600), (3, -32600)]
        assert answers[-1]["id"] == 2
        leave(process)
        rest = process.stdout.read()
        assert process.wait(20) == 0, process.stderr.read() if process.stderr else ""
        assert rest == b""
        assert process.stderr is not None
        told = process.stderr.read()
        assert told.count(b"Refused") == len(errors)
        assert b"Traceback" not in told
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe:
                pipe.close()


def test_a_token_that_can_be_guessed_is_refused(environment: dict[str, str]) -> None:
    """A short token of one's own ends the command before it listens, and is not repeated."""
    done = subprocess.run(
        [ENGRAM, "mcp", "--http", "127.0.0.1:0"],
        env=environment | {"ENGRAM_MCP_TOKEN": "hunter2"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "16" in done.stderr
    assert "hunter2" not in done.stderr
