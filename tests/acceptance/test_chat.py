"""The installed command: a person at a terminal, a program at a pipe, and what is in Neo4j afterwards."""

import json
import shutil
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from engram.graph import Graph
from engram.loop.quoting import FALLBACK
from tests.conftest import Address
from tests.protocol.cable import Cable
from tests.protocol.llm_server import Answer, ModelServer, Provider
from tests.terminal import Terminal

pytestmark = pytest.mark.graph

ENGRAM = shutil.which("engram", path=str(Path(sys.executable).parent)) or "engram"
SURE = Answer(deltas=['{"confidence": 0.95}'])
"""What the isolated question how likely an answer is right gets: no second thought."""

Said = Callable[[str], list[tuple[str, str, str]]]


@pytest.fixture
def said(neo4j_address: Address, space: str) -> Said:
    """Give what a session holds, as speaker, text and source."""
    statement = Path(__file__).with_name("read_turns.cypher").read_text(encoding="utf-8")

    def read(session: str) -> list[tuple[str, str, str]]:
        address = neo4j_address
        with Graph(address.uri, address.user, address.password, address.database) as graph:
            rows = graph._run("READ", statement, {"space": space, "session": session})
        return [(row["speaker"], row["text"], row["source"]) for row in rows]

    return read


def terminal(env: dict[str, str], *arguments: str, **size: int) -> AbstractContextManager[Terminal]:
    """Run `engram chat` in a pseudo-terminal."""
    return Terminal.running(ENGRAM, ["chat", *arguments], env, **size)


def leave(chat: Terminal) -> None:
    """Say goodbye, and hold the program to a clean end."""
    chat.enter("/exit")
    assert chat.end() == 0
    assert "Goodbye" in chat.text


def pipe(env: dict[str, str], text: str | bytes, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command with lines on its standard input."""
    data = text if isinstance(text, bytes) else text.encode()
    done = subprocess.run(
        [ENGRAM, *arguments], input=data, env=env, capture_output=True, timeout=120, check=False
    )
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def events(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    """Return the objects that a program got."""
    return [json.loads(line) for line in done.stdout.splitlines()]


@contextmanager
def served(
    env: dict[str, str], provider: Provider, *answers: Answer
) -> Iterator[tuple[ModelServer, dict[str, str]]]:
    """Serve a model, and give the environment in which the command talks to it and to no other."""
    with ModelServer.running(provider, *answers) as server:
        server.shaped = SURE
        name = provider.upper()
        yield (
            server,
            env
            | {
                "ENGRAM_LLM": provider,
                "ENGRAM_SYSTEM2": "none",
                f"ENGRAM_{name}_BASE_URL": server.url,
                f"ENGRAM_{name}_MODEL": "a-model",
            },
        )


def conversation(server: ModelServer) -> list[list[tuple[str, str]]]:
    """Return the messages of each request for a reply."""
    return [request.messages for request in server.requests if request.shape is None]


@pytest.mark.parametrize("provider", ["gemini", "anthropic"])
def test_a_person_talks_and_leaves(engram_env: dict[str, str], said: Said, provider: Provider) -> None:
    """Replies stream to the terminal, and both sides are stored."""
    answers = Answer(deltas=["Nice ", "city."]), Answer(deltas=["Lisbon."])
    with (
        served(engram_env, provider, *answers) as (server, env),
        terminal(env, "--session", "walk") as chat,
    ):
        chat.enter("I live in Lisbon")
        chat.shows(r"^Nice city\.$")
        chat.enter("Where do I live?")
        chat.shows(r"^Lisbon\.$")
        leave(chat)
        assert "--session walk" in chat.text
    assert [text for _, text, _ in said("walk")] == [
        "I live in Lisbon",
        "Nice city.",
        "Where do I live?",
        "Lisbon.",
    ]
    assert conversation(server)[1] == [
        ("user", "I live in Lisbon"),
        ("assistant", "Nice city."),
        ("user", "Where do I live?"),
    ]
    history = Path(engram_env["ENGRAM_DATA_DIR"]) / "chat_history"
    assert stat.S_IMODE(history.stat().st_mode) == 0o600
    assert "I live in Lisbon" in history.read_text()


def test_markdown_is_rendered_as_it_arrives(engram_env: dict[str, str], said: Said) -> None:
    """Finished blocks are rendered, the open one streams as it is, and keys that are pressed meanwhile wait."""
    code = "```python\nreturn hills\n```\n"
    answers = (
        Answer(
            deltas=["# Lisbon\n\n", "Some **hills**.\n\n", "- trams\n- **ti", f"les**\n\n{code}"], pause=True
        ),
        Answer(deltas=["Again."]),
    )
    with (
        served(engram_env, "gemini", *answers) as (server, env),
        terminal({k: v for k, v in env.items() if k != "NO_COLOR"}, "--session", "md", columns=50) as chat,
    ):
        chat.enter("Tell me about Lisbon")
        chat.shows(r"^- trams\n- \*\*ti$")
        chat.keys("And now?\r")
        rows = chat.emulator.scrollback
        assert rows[rows.index("Lisbon") :] == ["Lisbon", "", "Some hills.", "", "- trams", "- **ti"]
        assert chat.emulator.is_bold("hills")
        server.proceed.set()
        chat.shows(r"^return hills$")
        chat.shows(r"^> And now\?\n(.*\n)?Again\.$")
        leave(chat)
        rows = chat.emulator.scrollback
        start = rows.index("Lisbon")
        assert rows[start + 4 : start + 10] == [
            " • trams",
            " • tiles",
            "",
            "python " + "─" * 43,
            "return hills",
            "─" * 50,
        ]
        assert chat.text.count("And now?") == 1
    assert [text for speaker, text, _ in said("md") if speaker == "user"] == [
        "Tell me about Lisbon",
        "And now?",
    ]


def test_a_reply_longer_than_the_screen(engram_env: dict[str, str]) -> None:
    """Each line of it stands there once, in order, however much has scrolled off meanwhile."""
    lines = [f"line_{number} = {number}" for number in range(40)]
    reply = ["```\n", *(f"{line}\n" for line in lines), "```\n"]
    with (
        served(engram_env, "anthropic", Answer(deltas=reply)) as (_, env),
        terminal(env, columns=30, lines=12) as chat,
    ):
        chat.enter("Count")
        chat.shows(r"^line_39 = 39\n─+$")
        leave(chat)
        assert [row for row in chat.emulator.scrollback if row.startswith("line_")] == lines


def test_typing(engram_env: dict[str, str], said: Said) -> None:
    """Alt-Enter, Ctrl-J and a backslash add a line, what is pasted stays together, Tab completes, Up goes back."""
    with terminal(engram_env, "--session", "typing") as chat:
        chat.enter("one\x1b\rtwo\x0athree\\\rfour")
        chat.shows(r"^> one\n  two\n  three\n  four\nNoted\.$|^There is no language model")
        chat.prompt()
        chat.paste("Dear Ada,\rthe roses bloom.\r")
        chat.shows(r"^> Dear Ada,\n  the roses bloom\.$")
        chat.keys("\r")
        chat.prompt()
        chat.keys("/sess")
        chat.shows(r"/sessions +the conversations of this space")
        chat.keys("\t")
        chat.shows(r"^> /sessions$")
        chat.keys("\r")
        chat.shows(r"2 turns: typing \(this one\)  “one two three four”")
        chat.prompt()
        chat.keys("\x1b[A\x1b[A\x1b[A\x1b[A\x1b[A")
        chat.shows(r"^> one\n  two\n  three\n  four\n+working")
        chat.keys("\x15\x7f" * 4)
        leave(chat)
    assert [text for _, text, _ in said("typing")] == ["one\ntwo\nthree\nfour", "Dear Ada,\nthe roses bloom."]


def test_the_status_line(engram_env: dict[str, str]) -> None:
    """Below the prompt stands where the loop is: tiers, today's cost of the budget, the last prompt, the model."""
    priced = {"ENGRAM_PRICES": '{"a-model": {"input": 1000, "output": 1000}}', "ENGRAM_DAILY_BUDGET": "5"}
    with (
        served(engram_env, "gemini", Answer(deltas=["Nice."])) as (_, env),
        terminal(env | priced) as chat,
    ):
        chat.enter("My dog Rex eats carrots")
        chat.shows(r"^>\n+.*\$0\.0\d of \$5\.00 today · \d[\d,]* of 16,000 tokens · a-model$")
        leave(chat)
        assert "today" not in chat.emulator.rows[-1]


def test_a_used_up_budget_is_a_question(engram_env: dict[str, str]) -> None:
    """At a terminal a person says whether to go on today, once; a pipe is a no, and gets memories."""
    dear = {"ENGRAM_PRICES": '{"a-model": {"input": 1000000, "output": 0}}', "ENGRAM_DAILY_BUDGET": "0.01"}
    with served(engram_env, "gemini", Answer(deltas=["Nice."])) as (server, env):
        with terminal(env | dear) as chat:
            chat.enter("My dog Rex eats carrots")
            chat.shows(r"^Nice\.$")
            chat.enter("What does Rex eat?")
            chat.shows(r"\[y/N\]")
            chat.keys("n\r")
            chat.shows(r"“My dog Rex eats carrots”")
            assert len(conversation(server)) == 1
            chat.enter("And what else does Rex eat?")
            chat.shows(r"And what else(.*\n)*.*“My dog Rex eats carrots”")
            assert chat.text.count("[y/N]") == 1
            leave(chat)
        with terminal(env | dear) as chat:
            chat.enter("What does Rex eat?")
            chat.shows(r"\[y/N\]")
            chat.keys("y\r")
            chat.shows(r"^Nice\.$")
            leave(chat)
        asked = len(conversation(server))
        done = pipe(env | dear, "What does Rex eat?\n", "chat")
        assert "“My dog Rex eats carrots”" in done.stdout
        assert len(conversation(server)) == asked


def test_without_a_key_it_quotes(engram_env: dict[str, str]) -> None:
    """With no model at all the chat works: one notice, then memories with dates; Ctrl-D leaves."""
    with terminal(engram_env, "--session", "one") as chat:
        chat.enter("My dog Rex eats carrots")
        chat.shows("There is no language model")
        chat.shows(r"^Noted\.$")
        chat.prompt()
        chat.keys("\x04")
        assert chat.end() == 0
    with terminal(engram_env) as chat:
        chat.enter("What does my dog eat?")
        chat.shows(r"\d{4}-\d\d-\d\d, user: “My dog Rex eats carrots”  \[[0-9a-f]{8}\]")
        leave(chat)


def test_the_commands(engram_env: dict[str, str]) -> None:
    """Each command answers at the prompt; an unknown one and an unknown id get a hint, not an end."""
    with terminal(engram_env, lines=100) as chat:
        chat.enter("My dog Rex eats carrots")
        chat.shows(r"^Noted\.$")
        chat.enter("/help")
        chat.shows("/forget ID")
        chat.enter("/memories dog")
        identity = chat.shows(r"\[([0-9a-f]{8})\] \d{4}-\d\d-\d\d user: My dog Rex eats carrots")[1]
        chat.enter(f"/why {identity}")
        chat.shows("rests on .*My dog Rex eats carrots")
        chat.enter("/why 00000000")
        chat.shows("There is no memory")
        chat.enter("/why")
        chat.shows("^/why ID: what a memory rests on$")
        chat.enter("/memoires")
        chat.shows(r"There is no command /memoires\. Did you mean /memories")
        chat.enter("/note My passport ends in 7")
        chat.shows(r"^Noted: \[[0-9a-f]{8}\] My passport ends in 7$")
        chat.enter("/goals add Learn to sail")
        goal = chat.shows(r"^\[([0-9a-f]{8})\]  0\.50  active      Learn to sail$")[1]
        chat.enter(f"/goals done {goal}")
        chat.shows("There is no goal")
        chat.enter("/goals frobnicate")
        chat.shows(r"^/goals \[add TEXT \| done\|drop")
        chat.enter("/cost")
        chat.shows("No language model was asked")
        chat.enter("/safety")
        chat.shows("No ceiling fired")
        chat.enter("/state")
        chat.shows("^Waiting for attention: 0")
        chat.enter(f"/forget {identity}")
        chat.shows("^Forgotten:")
        chat.enter("/memories dog")
        chat.shows("Nothing was found|passport")
        leave(chat)
        assert chat.text.count("user: My dog Rex eats carrots") == 1


def test_the_sessions_can_be_gone_back_to(engram_env: dict[str, str]) -> None:
    """/sessions lists the conversations of the space, newest first, by the names that --session takes."""
    for session, text in (("older", "My dog Rex eats carrots"), ("newer", "I live in Lisbon")):
        assert pipe(engram_env, f"{text}\n", "chat", "--no-llm", "--session", session).returncode == 0
    done = pipe(engram_env, "/sessions\n", "--json", "chat", "--no-llm")
    (listed,) = [event["sessions"] for event in events(done) if event["event"] == "sessions"]
    assert [(each["id"], each["turns"], each["first"]) for each in listed] == [
        ("newer", 1, "I live in Lisbon"),
        ("older", 1, "My dog Rex eats carrots"),
    ]


def test_ctrl_c_stops_the_reply_and_not_the_chat(engram_env: dict[str, str], said: Said) -> None:
    """A reply that is stopped is kept as far as it was shown, and the next message is answered."""
    answers = [Answer(deltas=["One ", "two "], then="stall"), Answer(deltas=["Again."])]
    with (
        served(engram_env, "anthropic", *answers) as (_, env),
        terminal(env, "--session", "stop") as chat,
    ):
        chat.enter("Count")
        chat.shows("^One two$")
        chat.keys("\x03")
        chat.shows(r"^One two\n\(Stopped\.\)$")
        chat.enter("Go on")
        chat.shows(r"^Again\.$")
        leave(chat)
    assert said("stop") == [
        ("user", "Count", "chat"),
        ("assistant", "One two", "chat:interrupted"),
        ("user", "Go on", "chat"),
        ("assistant", "Again.", "chat"),
    ]


def test_ctrl_c_twice_at_the_prompt_leaves(engram_env: dict[str, str]) -> None:
    """Once is a hint; twice in a row is goodbye."""
    with terminal(engram_env) as chat:
        chat.prompt()
        chat.keys("\x03")
        chat.shows("Ctrl-C again")
        chat.prompt()
        chat.keys("\x03")
        assert chat.end() == 0
        assert "Goodbye" in chat.text
        assert "To go on" not in chat.text


def test_goodbye_names_the_space_and_hello_a_new_session(engram_env: dict[str, str]) -> None:
    """What is printed to go on reaches the same conversation, and a name that is new is called new."""
    space = engram_env["ENGRAM_SPACE"]
    with terminal(engram_env | {"ENGRAM_SPACE": "elsewhere"}, "--space", space, "--session", "one") as chat:
        chat.shows(r"A new conversation, one\.")
        chat.enter("My dog Rex eats carrots")
        leave(chat)
        assert f"engram chat --space {space} --session one" in chat.text
    with terminal(engram_env, "--session", "one") as chat:
        chat.prompt()
        assert "A new conversation" not in chat.text


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_the_end_of_the_terminal_at_the_prompt(
    engram_env: dict[str, str], said: Said, number: signal.Signals
) -> None:
    """A signal to end ends the program with the shell's code for it, and what was said is there."""
    with terminal(engram_env, "--session", "end") as chat:
        chat.enter("My dog Rex eats carrots")
        chat.shows(r"^Noted\.$")
        chat.prompt()
        chat.child.kill(number)
        assert chat.end() == 128 + number
    assert said("end") == [("user", "My dog Rex eats carrots", "chat")]


def test_the_end_of_the_terminal_during_a_reply(engram_env: dict[str, str], said: Said) -> None:
    """SIGTERM in the middle of a reply keeps what was shown."""
    with (
        served(engram_env, "gemini", Answer(deltas=["One ", "two "], then="stall")) as (_, env),
        terminal(env, "--session", "end") as chat,
    ):
        chat.enter("Count")
        chat.shows("^One two$")
        chat.child.kill(signal.SIGTERM)
        assert chat.end() == 128 + signal.SIGTERM
    assert said("end")[-1] == ("assistant", "One two", "chat:interrupted")


def test_a_lost_database_is_told_once_and_caught_up_with(engram_env: dict[str, str], said: Said) -> None:
    """What is said while the database is away is kept on this machine and written by the next conversation."""
    with Cable(engram_env["ENGRAM_NEO4J_URI"]) as cable:
        env = engram_env | {"ENGRAM_NEO4J_URI": cable.uri}
        with terminal(env, "--no-llm", "--session", "away") as chat:
            chat.prompt()
            cable.cut()
            chat.enter("My dog Rex eats carrots")
            chat.shows("^The database is away. What is said is kept on this machine")
            leave(chat)
            chat.shows("1 message is kept on this machine")
    assert pipe(engram_env, "", "chat", "--no-llm").returncode == 0
    assert said("away") == [("user", "My dog Rex eats carrots", "chat")]


def test_a_second_opinion_replaces_the_first(engram_env: dict[str, str], said: Said) -> None:
    """What was not sure enough is announced, the new words follow, and only they are stored."""
    with served(engram_env, "gemini", Answer(deltas=["Hm, perhaps Porto?"]), Answer(deltas=["Lisbon."])) as (
        server,
        env,
    ):
        server.shaped = Answer(deltas=['{"confidence": 0.0}'])
        done = pipe(env, "Where was my aunt born?\n", "chat", "--session", "doubt")
    assert done.stdout == "Hm, perhaps Porto?\nLisbon.\n"
    assert "(On second thought: not sure enough" in done.stderr
    assert [text for _, text, _ in said("doubt")] == ["Where was my aunt born?", "Lisbon."]


def test_a_pipe_is_answered_line_by_line(engram_env: dict[str, str], said: Said) -> None:
    """Replies are the only thing on standard output: no prompt, no colours, no rendering; the exit code is 0."""
    with served(engram_env, "gemini", Answer(deltas=["**First**."]), Answer(deltas=["Second."])) as (_, env):
        done = pipe(env, "one\n\n  \ntwo", "chat", "--session", "piped")
    assert (done.returncode, done.stdout) == (0, "**First**.\nSecond.\n")
    assert done.stderr == "A new conversation, piped.\n"
    assert [text for _, text, _ in said("piped")] == ["one", "**First**.", "two", "Second."]


def test_a_failing_model_is_one_line_and_the_loop_goes_on(engram_env: dict[str, str], said: Said) -> None:
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
    assert [text for _, text, _ in said("rough")] == ["one", "two", "three", "Half", "four", "Well."]


def test_a_model_that_never_answers_is_an_error_of_the_program(engram_env: dict[str, str]) -> None:
    """A program that pipes learns from the exit code that no message got a reply."""
    with served(engram_env, "anthropic", Answer(status=401)) as (_, env):
        done = pipe(env, "my cat is called Mies\nwhat is my cat called?\n", "chat")
    assert done.returncode == 7
    assert "Traceback" not in done.stderr


def test_memories_leave_questions_out(engram_env: dict[str, str]) -> None:
    """/memories lists what was told, numbered from 1, whether the message or its own words are asked."""
    lines = "I bought a red bicycle\nWhich bicycle did I buy?\n/memories\n/memories which bicycle did I buy\n"
    lines += "/memories I bought a red bicycle\n"
    done = pipe(engram_env, lines, "--json", "chat", "--no-llm")
    lists = [event["memories"] for event in events(done) if event["event"] == "memories"]
    assert [[(m["rank"], m["content"]) for m in one] for one in lists] == [
        [(1, "I bought a red bicycle")]
    ] * 3


def test_json_is_one_object_a_line(engram_env: dict[str, str]) -> None:
    """With --json every line of standard output is an object with its event, commands included."""
    lines = "I live in Lisbon\n/memories Lisbon\n/nothing\n/why 00000000\n/cost\n/state\n/note x\n/goals\n/safety\n"
    with served(engram_env, "gemini", Answer(deltas=["Nice ", "city."])) as (_, env):
        done = pipe(env, lines, "--json", "chat")
    got = events(done)
    assert [event["event"] for event in got] == [
        "session",
        "stored",
        "recalled",
        "delta",
        "delta",
        "replied",
        "stored",
        "notice",
        "memories",
        "notice",
        "error",
        "cost",
        "state",
        "noted",
        "notice",
        "goals",
        "notice",
        "safety",
    ]
    assert got[0]["model"] == "a-model"
    assert got[5]["text"] == "Nice city."
    assert got[5]["usage"] == {"input_tokens": 11, "output_tokens": 7}
    assert got[11]["lines"][0]["purpose" if "purpose" in got[11]["lines"][0] else "key"]
    assert got[12]["status"]["model"] == "a-model"
    assert done.returncode == 0


def test_input_that_is_not_text(engram_env: dict[str, str], said: Said) -> None:
    """Bytes that are no UTF-8, NULs and query syntax neither end the chat nor show a traceback."""
    lines = (
        b'\xff\xfe caf\xe9\n\x00\n+-&|!(){}[]^"~*?:\\/\n' + b"word " * 10_000 + b"\nMy cat is called Tom\n"
    )
    done = pipe(engram_env, lines, "chat", "--no-llm", "--session", "odd")
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert ("user", "My cat is called Tom", "chat") in said("odd")
    assert "There is nothing to say." in done.stderr
    assert done.stderr.count("recall will not find them") == 1
    assert len(next(text for _, text, _ in said("odd") if text.startswith("word"))) == 49_999


@pytest.mark.parametrize(
    ("more", "arguments", "code", "told"),
    [
        ({"ENGRAM_LLM": "anthropic"}, [], 7, "ENGRAM_ANTHROPIC_API_KEY"),
        ({}, ["--model", "nosuchmodel"], 7, "ENGRAM_GEMINI_API_KEY or ENGRAM_ANTHROPIC_API_KEY"),
        ({"ENGRAM_LLM": "none"}, ["--model", "nosuchmodel"], 7, "ENGRAM_LLM"),
        ({}, ["--model", "nosuchmodel", "--no-llm"], 2, "exclude each other"),
        ({"ENGRAM_GEMINI_BASE_URL": "localhost"}, [], 2, "ENGRAM_GEMINI_BASE_URL"),
        ({}, ["--system-prompt", " "], 2, "system prompt is empty"),
        ({}, ["--session", " "], 2, "session is empty"),
        ({}, ["--user", "\x1b"], 2, "speaker"),
    ],
)
def test_wrong_settings_are_told_before_the_first_line(
    engram_env: dict[str, str], more: dict[str, str], arguments: list[str], code: int, told: str
) -> None:
    """What cannot work is an error with its remedy at the start, not at the first message."""
    done = pipe(engram_env | more, "hello\n", "chat", *arguments)
    assert done.returncode == code
    assert told in done.stderr
    assert "Traceback" not in done.stderr
