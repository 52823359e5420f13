"""The MCP server's parts that need no graph: addresses, tokens, lines, limits, failures."""

import asyncio
import os
import threading
from pkgutil import resolve_name
from typing import Any

import click
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from mcp_types import INVALID_REQUEST, PARSE_ERROR

from engram.doors.mcp_calls import failure_of
from engram.doors.mcp_http import Address, OneToken, chosen_token, listen, parse_address
from engram.doors.mcp_limits import MAX_ANSWER, MAX_ROWS, MAX_TEXT, ROW_COST, quoted, within
from engram.doors.mcp_refusals import ENDS, Line, refusal
from engram.doors.mcp_stdio import Lines
from engram.doors.mcp_tools import tools
from engram.errors import ConfigurationError, EngramError, InvalidInputError


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("127.0.0.1:8765", Address("127.0.0.1", 8765)),
        (":0", Address("127.0.0.1", 0)),
        ("8765", Address("127.0.0.1", 8765)),
        ("[::1]:80", Address("::1", 80)),
        ("memory.local:80", Address("memory.local", 80)),
    ],
)
def test_addresses(text: str, address: Address) -> None:
    """An address is a host and a port; a port alone is this machine's."""
    assert parse_address(text) == address


@pytest.mark.parametrize("text", ["", "localhost", "localhost:", "a:99999", "a:-1", "a:٣", "a: 1"])
def test_bad_addresses_are_refused(text: str) -> None:
    """What is no address is refused with an example of one."""
    with pytest.raises(InvalidInputError, match=r"127\.0\.0\.1:8765"):
        parse_address(text)


def test_a_taken_port_says_so() -> None:
    """Where something listens already, the error names the address."""
    with (
        listen(Address("127.0.0.1", 0)) as taken,
        pytest.raises(ConfigurationError, match=str(taken.getsockname()[1])),
    ):
        listen(Address("127.0.0.1", taken.getsockname()[1]))


def test_tokens_are_long_and_new() -> None:
    """A made token is another each time; one that is set is taken if it is long enough to be secret."""
    assert chosen_token(None) != chosen_token(None)
    assert len(chosen_token(None)) > 40
    assert chosen_token("x" * 16) == "x" * 16
    for weak in ("", "x" * 15, "x" * 16 + "\n", "ü" * 16):
        with pytest.raises(ConfigurationError):
            chosen_token(weak)


@pytest.mark.parametrize("given_token", ["", "secret", "secret-secret-secret ", "Secret-secret-secret", "ü"])
def test_only_the_token_is_the_token(given_token: str) -> None:
    """Nothing but the token itself is accepted."""
    known = OneToken("secret-secret-secret")
    assert asyncio.run(known.verify_token("secret-secret-secret")) is not None
    assert asyncio.run(known.verify_token(given_token)) is None


def read(data: bytes, *, longest: int) -> list[Line]:
    """Return the lines that come out of a pipe into which these bytes were written."""

    async def collect() -> list[Line]:
        return [line async for line in Lines(reading, longest=longest)]

    reading, writing = os.pipe()
    with os.fdopen(reading), os.fdopen(writing, "wb", buffering=0) as pipe:

        def write() -> None:
            pipe.write(data)
            pipe.close()

        # A pipe holds less than what is written here.
        writer = threading.Thread(target=write)
        writer.start()
        lines = asyncio.run(collect())
        writer.join()
    return lines


def test_lines_are_whole_and_bounded() -> None:
    """Each line comes whole; of one that is too long its ends do, and what follows it is not lost."""
    assert [line.text for line in read(b"one\n\xc3\xbc\xff\nno end", longest=100)] == ["one", "ü\ufffd"]
    assert read(b"<" + b"x" * 200_000 + b">\nnext\n" + b"y" * 101 + b"\nlast\n", longest=100) == [
        Line(size=200_002, ends=(b"<" + b"x" * (ENDS - 1), b"x" * (ENDS - 1) + b">")),
        Line(size=4, text="next"),
        Line(size=101, ends=(b"y" * 101, b"y" * 101)),
        Line(size=4, text="last"),
    ]


@pytest.mark.parametrize(
    ("text", "code", "request_id"),
    [
        ('{"jsonrpc": "2.0", "id": 1, "method": "ping"}', None, None),
        ('{"jsonrpc": "2.0", "method": "notifications/initialized"}', None, None),
        ("this is not json", PARSE_ERROR, None),
        ("[" * 100_000, PARSE_ERROR, None),
        ("[]", INVALID_REQUEST, None),
        ("null", INVALID_REQUEST, None),
        ('{"jsonrpc": "2.0"}', INVALID_REQUEST, None),
        ('{"jsonrpc": "2.0", "id": "a", "params": 4}', INVALID_REQUEST, "a"),
        ('{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": [1]}', INVALID_REQUEST, 7),
        ('{"jsonrpc": "2.0", "id": true, "method": 1}', INVALID_REQUEST, None),
        ('{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', INVALID_REQUEST, None),
    ],
    ids=lambda value: str(value)[:20],
)
def test_what_is_no_message_is_answered(text: str, code: int | None, request_id: int | str | None) -> None:
    """Whoever asked gets an error under the id of the request, and a message is none of our business."""
    answer = refusal(Line(size=len(text), text=text))
    assert (answer and answer.error.code, answer and answer.id) == (code, request_id)


@pytest.mark.parametrize(
    ("first", "last", "request_id"),
    [
        ('{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"a": "xx', 'xx"}}', 7),
        ('{"method":"tools/call","params":{"id":3,"a":"xx', 'xx"},"jsonrpc":"2.0","id":"s-1"}\r', "s-1"),
        ('{"method":"tools/call","params":{"id":3,"a":"xx', 'xx","id":5}}', None),
        ("xxxx", "xxxx", None),
    ],
)
def test_the_id_of_what_is_too_long(first: str, last: str, request_id: int | str | None) -> None:
    """The request's own id is found before or after what is long; one deeper inside is not taken for it."""
    answer = refusal(Line(size=2_000_000, ends=(first.encode(), last.encode())))
    assert answer is not None
    assert (answer.error.code, answer.id) == (INVALID_REQUEST, request_id)


@given(st.lists(st.integers(0, MAX_ANSWER), max_size=300), st.integers(1, MAX_ROWS))
def test_answers_keep_a_beginning_that_fits(sizes: list[int], most: int) -> None:
    """Rows are kept in order until one does not fit, never more than asked for, and the rest is counted."""
    kept, left_out = within(enumerate(sizes), most=most)
    assert kept == list(range(len(kept)))
    assert len(kept) + left_out == len(sizes)
    assert len(kept) <= most
    if len(kept) > 1:
        assert sum(sizes[: len(kept)]) + ROW_COST * len(kept) <= MAX_ANSWER
    assert bool(kept) == bool(sizes)


@given(st.text(max_size=2 * MAX_TEXT))
def test_quotations_are_cut_and_say_so(text: str) -> None:
    """A quoted text is whole, or a beginning with a mark."""
    quote = quoted(text)
    assert len(quote.text) <= MAX_TEXT
    assert (quote.text == text) is not quote.cut


def every(error: type[EngramError]) -> set[type[EngramError]]:
    """Return an error's class and all below it."""
    return {error}.union(*map(every, error.__subclasses__()))


def test_codes_are_one_to_an_error() -> None:
    """Every error has a code of its own, in snake case."""
    errors = {error for error in every(EngramError) if error.__module__ == "engram.errors"}
    codes = {failure_of(error()).code for error in errors}
    assert len(codes) == len(errors)
    assert {"not_found", "invalid_input", "database_unavailable"} <= codes


def test_no_tool_takes_a_space() -> None:
    """However the server is started, no tool has an argument that names whose memory it is."""
    for offered in (tools(), tools(read_only=True), tools(allow_erase=True)):
        for tool in offered.values():
            assert not {"space", "source", "source_tag"} & {*tool.takes.model_fields}
            assert tool.takes.model_config["extra"] == "forbid"


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--read-only", "--allow-erase"], "exclude"),
        (["--allow-host", "memory.example"], "--http"),
    ],
)
def test_options_that_contradict_are_refused(options: list[str], reason: str) -> None:
    """Reading and erasing exclude each other, and names belong to HTTP."""
    command: click.Command = resolve_name("engram.cli.mcp:mcp")
    done = CliRunner().invoke(command, options, obj=resolve_name("engram.cli.state:State")())
    assert done.exit_code == 2
    assert reason in done.output


def test_every_interface_needs_a_name() -> None:
    """Listening everywhere is refused unless the server is told by which names it is called."""
    http: Any = resolve_name("engram.cli.mcp:_http")
    state = resolve_name("engram.cli.state:State")()
    with pytest.raises(ConfigurationError):
        http(state.settings, "0.0.0.0:0", ())
    assert http(state.settings, "0.0.0.0:0", ("memory.example",)).hosts == ("memory.example",)
