"""The installed command: a person at a terminal, a program at a pipe, and what is in Neo4j afterwards."""

import json
import re
import shutil
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pexpect
import pytest

from engram.chat import FALLBACK
from tests.protocol.llm_server import Answer, ModelServer, Provider

pytestmark = pytest.mark.graph

ENGRAM = shutil.which("engram", path=str(Path(sys.executable).parent)) or "engram"
PROMPT = r">[^\n]*\x1b\[\?25h"
"""The prompt as it is drawn, up to where the cursor is shown: now the terminal listens."""
WAIT = 60
"""Seconds after which a terminal that does not answer fails the test."""


@contextmanager
def terminal(env: dict[str, str], *arguments: str) -> Iterator[Any]:
    """Run `engram chat` in a pseudo-terminal, up to its first prompt."""
    child = pexpect.spawn(
        ENGRAM,
        ["chat", *arguments],
        env=env | {"TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1"},
        encoding="utf-8",
        timeout=WAIT,
        dimensions=(40, 200),
    )
    try:
        child.expect(PROMPT)
        yield child
    finally:
        child.close(force=True)


def leave(child: Any) -> int:
    """Wait for the end and return the exit code."""
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus is not None
    return int(child.exitstatus)


def pipe(env: dict[str, str], text: str | bytes, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `engram chat` with lines on its standard input."""
    data = text if isinstance(text, bytes) else text.encode()
    done = subprocess.run(
        [ENGRAM, *arguments], input=data, env=env, capture_output=True, timeout=120, check=False
    )
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def stored(env: dict[str, str], session: str) -> list[tuple[str, str, str]]:
    """Return role, text and source of what a session holds, through the program itself."""
    program = (
        "import json, sys\n"
        "from engram.config import Settings\n"
        "from engram.memory import Engram\n"
        "with Engram.open(Settings.load()) as memory:\n"
        "    rows = memory.graph.read('inspect/list_turns', space=memory.space, session=sys.argv[1], limit=99)\n"
        "    found = [memory.get(row['memory']) for row in reversed(rows)]\n"
        "    print(json.dumps([(one.speaker, one.content, one.source) for one in found]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, session], env=env, capture_output=True, text=True, check=True
    )
    return [tuple(row) for row in json.loads(done.stdout)]


@contextmanager
def served(
    env: dict[str, str], provider: Provider, *answers: Answer
) -> Iterator[tuple[ModelServer, dict[str, str]]]:
    """Serve a model, and give the environment in which the command talks to it."""
    with ModelServer.running(provider, *answers) as server:
        name = provider.upper()
        yield (
            server,
            env
            | {
                "ENGRAM_LLM": provider,
                f"ENGRAM_{name}_BASE_URL": server.url,
                f"ENGRAM_{name}_MODEL": "a-model",
            },
        )


@pytest.mark.parametrize("provider", ["gemini", "anthropic"])
def test_a_person_talks_and_leaves(engram_env: dict[str, str], provider: Provider) -> None:
    """Replies stream to the terminal, commands work between them, and both sides are stored."""
    with (
        served(engram_env, provider, Answer(deltas=["Nice ", "city."]), Answer(deltas=["Lisbon."])) as (
            server,
            env,
        ),
        terminal(env, "--session", "walk") as child,
    ):
        child.sendline("I live in Lisbon")
        child.expect(r"Nice city\.")
        child.sendline("Where do I live?")
        child.expect(r"Lisbon\.")
        child.sendline("/exit")
        assert leave(child) == 0
        assert "--session walk" in child.before
    assert [text for _, text, _ in stored(env, "walk")] == [
        "I live in Lisbon",
        "Nice city.",
        "Where do I live?",
        "Lisbon.",
    ]
    assert server.requests[1].messages == [
        ("user", "I live in Lisbon"),
        ("assistant", "Nice city."),
        ("user", "Where do I live?"),
    ]
    history = Path(engram_env["ENGRAM_DATA_DIR"]) / "chat_history"
    assert stat.S_IMODE(history.stat().st_mode) == 0o600
    assert "I live in Lisbon" in history.read_text()


def test_without_a_key_it_quotes(engram_env: dict[str, str]) -> None:
    """With no model at all the chat works: one notice, then memories with dates; Ctrl-D leaves."""
    with terminal(engram_env, "--session", "one") as child:
        child.sendline("My dog Rex eats carrots")
        child.expect("There is no language model")
        child.expect("Noted")
        child.expect(PROMPT)
        child.sendeof()
        assert leave(child) == 0
    with terminal(engram_env) as child:
        child.sendline("What does my dog eat?")
        child.expect(r"\d{4}-\d\d-\d\d, user: “My dog Rex eats carrots”  \[[0-9a-f]{8}\]")
        child.sendline("/exit")
        assert leave(child) == 0


def test_the_commands(engram_env: dict[str, str]) -> None:
    """Help, search, why and forget answer at the prompt; an unknown command and id get a hint, not an end."""
    with terminal(engram_env) as child:
        child.sendline("My dog Rex eats carrots")
        child.expect("Noted")
        child.sendline("/help")
        child.expect("/forget ID")
        child.sendline("/memories dog")
        child.expect(r"\[([0-9a-f]{8})\] \d{4}-\d\d-\d\d user: My dog Rex eats carrots")
        identity = child.match.group(1)
        child.sendline(f"/why {identity}")
        child.expect(r"rests on .*My dog Rex eats carrots")
        child.sendline("/why 00000000")
        child.expect("There is no memory")
        child.sendline("/frobnicate")
        child.expect("There is no command /frobnicate")
        child.sendline(f"/forget {identity}")
        child.expect("Forgotten:")
        child.sendline("/memories dog")
        child.expect("Nothing was found")
        child.sendline("/exit")
        assert leave(child) == 0


def test_ctrl_c_stops_the_reply_and_not_the_chat(engram_env: dict[str, str]) -> None:
    """A reply that is stopped is kept as far as it was shown, and the next message is answered."""
    answers = [Answer(deltas=["One ", "two "], then="stall"), Answer(deltas=["Again."])]
    with (
        served(engram_env, "anthropic", *answers) as (_, env),
        terminal(env, "--session", "stop") as child,
    ):
        child.sendline("Count")
        child.expect("One two ")
        child.sendintr()
        child.expect(r"\(Stopped\.\)")
        child.sendline("Go on")
        child.expect(r"Again\.")
        child.sendline("/exit")
        assert leave(child) == 0
    assert stored(env, "stop") == [
        ("user", "Count", "chat"),
        ("assistant", "One two", "chat:interrupted"),
        ("user", "Go on", "chat"),
        ("assistant", "Again.", "chat"),
    ]


def test_ctrl_c_twice_at_the_prompt_leaves(engram_env: dict[str, str]) -> None:
    """Once is a hint; twice in a row is goodbye."""
    with terminal(engram_env) as child:
        child.sendintr()
        child.expect("Ctrl-C again")
        child.expect(PROMPT)
        child.sendintr()
        assert leave(child) == 0
        assert "Goodbye" in child.before
        assert "To go on" not in child.before


def test_goodbye_names_the_space_and_hello_a_new_session(engram_env: dict[str, str]) -> None:
    """What is printed to go on reaches the same conversation, and a name that is new is called new."""
    space = engram_env["ENGRAM_SPACE"]
    with terminal(engram_env | {"ENGRAM_SPACE": "elsewhere"}, "--space", space, "--session", "one") as child:
        assert "A new conversation, one." in child.before
        child.sendline("My dog Rex eats carrots")
        child.expect("Noted")
        child.sendline("/exit")
        assert leave(child) == 0
        assert f"engram chat --space {space} --session one" in child.before
    with terminal(engram_env, "--session", "one") as child:
        assert "A new conversation" not in child.before


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_the_end_of_the_terminal_at_the_prompt(engram_env: dict[str, str], number: signal.Signals) -> None:
    """A signal to end ends the program with the shell's code for it, and what was said is there."""
    with terminal(engram_env, "--session", "end") as child:
        child.sendline("My dog Rex eats carrots")
        child.expect("Noted")
        child.expect(PROMPT)
        child.kill(number)
        assert leave(child) == 128 + number
    assert stored(engram_env, "end") == [("user", "My dog Rex eats carrots", "chat")]


def test_the_end_of_the_terminal_during_a_reply(engram_env: dict[str, str]) -> None:
    """SIGTERM in the middle of a reply keeps what was shown."""
    with (
        served(engram_env, "gemini", Answer(deltas=["One ", "two "], then="stall")) as (_, env),
        terminal(env, "--session", "end") as child,
    ):
        child.sendline("Count")
        child.expect("One two ")
        child.kill(signal.SIGTERM)
        assert leave(child) == 128 + signal.SIGTERM
    assert stored(env, "end")[-1] == ("assistant", "One two", "chat:interrupted")


def test_a_pipe_is_answered_line_by_line(engram_env: dict[str, str]) -> None:
    """Replies are the only thing on standard output: no prompt, no colours; the exit code is 0."""
    with served(engram_env, "gemini", Answer(deltas=["First."]), Answer(deltas=["Second."])) as (_, env):
        done = pipe(env, "one\n\n  \ntwo", "chat", "--session", "piped")
    assert (done.returncode, done.stdout) == (0, "First.\nSecond.\n")
    assert done.stderr == "A new conversation, piped.\n"
    assert [text for _, text, _ in stored(env, "piped")] == ["one", "First.", "two", "Second."]


def test_a_failing_model_is_one_line_and_the_loop_goes_on(engram_env: dict[str, str]) -> None:
    """A refused key, garbage and a cut stream are a line each on standard error; every turn is stored."""
    answers = [
        Answer(status=401, message="bad key"),
        Answer(body="garbage"),
        Answer(deltas=["Half "], then="cut"),
        Answer(deltas=["Well."]),
    ]
    with served(engram_env, "anthropic", *answers) as (_, env):
        done = pipe(env, "one\ntwo\nthree\nfour\n", "chat", "--session", "rough")
    assert done.returncode == 0
    assert done.stdout.startswith("Noted.\n")
    assert done.stdout.endswith("\nHalf \nWell.\n")
    new, refused, *_ = lines = done.stderr.splitlines()
    assert new == "A new conversation, rough."
    assert "bad key" in refused
    assert [line for line in lines if line.startswith("No reply")] == [refused, lines[3], lines[5]]
    assert lines.count(FALLBACK) == 2
    assert [text for _, text, _ in stored(env, "rough")] == ["one", "two", "three", "Half", "four", "Well."]


def test_a_model_that_never_answers_is_an_error_of_the_program(engram_env: dict[str, str]) -> None:
    """A program that pipes learns from the exit code that no message got a reply."""
    with served(engram_env, "anthropic", Answer(status=401), Answer(status=401)) as (_, env):
        done = pipe(env, "my cat is called Mies\nwhat is my cat called?\n", "chat")
    assert done.returncode == 7
    assert "“my cat is called Mies”" in done.stdout
    assert "Traceback" not in done.stderr


def test_memories_leave_questions_out(engram_env: dict[str, str]) -> None:
    """/memories lists what was told, numbered from 1, whether the message or its own words are asked."""
    lines = "I bought a red bicycle\nWhich bicycle did I buy?\n/memories\n/memories which bicycle did I buy\n"
    lines += "/memories I bought a red bicycle\n"
    done = pipe(engram_env, lines, "--json", "chat", "--no-llm")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    lists = [event["memories"] for event in events if event["event"] == "memories"]
    assert [[(m["rank"], m["content"]) for m in one] for one in lists] == [
        [(1, "I bought a red bicycle")]
    ] * 3


def test_json_is_one_object_a_line(engram_env: dict[str, str]) -> None:
    """With --json every line of standard output is an object with its event, commands included."""
    with served(engram_env, "gemini", Answer(deltas=["Nice ", "city."])) as (_, env):
        done = pipe(env, "I live in Lisbon\n/memories Lisbon\n/nothing\n/why 00000000\n", "--json", "chat")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert [event["event"] for event in events] == [
        "session",
        "recalled",
        "stored",
        "delta",
        "delta",
        "replied",
        "stored",
        "memories",
        "notice",
        "error",
    ]
    assert events[0]["model"] == "a-model"
    assert events[5] == {
        "event": "replied",
        "text": "Nice city.",
        "usage": {"input_tokens": 11, "output_tokens": 7},
        "stop_reason": "end",
    }
    assert done.returncode == 0


def test_input_that_is_not_text(engram_env: dict[str, str]) -> None:
    """Bytes that are no UTF-8, NULs and query syntax neither end the chat nor show a traceback."""
    lines = (
        b'\xff\xfe caf\xe9\n\x00\n+-&|!(){}[]^"~*?:\\/\n' + b"word " * 10_000 + b"\nMy cat is called Tom\n"
    )
    done = pipe(engram_env, lines, "chat", "--no-llm", "--session", "odd")
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert ("user", "My cat is called Tom", "chat") in stored(engram_env, "odd")
    assert len(re.findall("This was not stored", done.stderr)) == 2


@pytest.mark.parametrize(
    ("more", "arguments", "code", "said"),
    [
        ({"ENGRAM_LLM": "anthropic"}, [], 7, "ENGRAM_ANTHROPIC_API_KEY"),
        ({"ENGRAM_GEMINI_BASE_URL": "localhost"}, [], 2, "ENGRAM_GEMINI_BASE_URL"),
        ({}, ["--system-prompt", " "], 2, "system prompt is empty"),
        ({}, ["--session", " "], 2, "session is empty"),
        ({}, ["--user", "\x1b"], 2, "speaker"),
    ],
)
def test_wrong_settings_are_told_before_the_first_line(
    engram_env: dict[str, str], more: dict[str, str], arguments: list[str], code: int, said: str
) -> None:
    """What cannot work is an error with its remedy at the start, not at the first message."""
    done = pipe(engram_env | more, "hello\n", "chat", *arguments)
    assert done.returncode == code
    assert said in done.stderr
    assert "Traceback" not in done.stderr
