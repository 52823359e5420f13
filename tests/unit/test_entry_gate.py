"""The entry gate: a fast stochastic filter of all that comes in."""

import base64
import json
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.loop.entry_gate import EntryGate, is_mechanical
from engram.loop.signals import Signals
from engram.tuning import Tuning

NONE = Signals()
SENTENCE = "We walked along the river and talked about her new flat."
MECHANICAL = {
    "stack trace": 'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\n    main()\n'
    '  File "a.py", line 9, in main\n    return int(text)\nValueError: invalid literal for int()',
    "java trace": "Exception in thread main java.lang.IllegalStateException: no\n"
    + "\tat com.acme.Foo.bar(Foo.java:12)\n" * 5,
    "log": "2026-05-01 12:00:01,123 INFO started\n2026-05-01 12:00:02,001 WARN slow\n[ERROR] gone\n",
    "json": json.dumps({"name": "x", "values": [1, 2, 3]}, indent=2),
    "json in one line": json.dumps([{"id": n, "ok": True} for n in range(9)]),
    "half of a json": json.dumps({"name": "x", "values": list(range(40))}, indent=2)[:-20],
    "table": "| name | size |\n|------|-----:|\n| a | 12 |\n| b | 13 |",
    "tabs": "pid\tuser\tcpu\n1\troot\t0.1\n2\troot\t0.2",
    "csv": "a,b,c,d,e\n1,2,3,4,5\n6,7,8,9,10",
    "base64": base64.b64encode(bytes(range(200))).decode(),
    "shell": "$ ls -l\ntotal 8\n-rw-r--r-- 1 root root 12 May  1 12:00 a.txt\ndrwxr-xr-x 2 root root 4096 May 1 b",
    "diff": "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-  one\n+  two",
}
SPOKEN = [
    SENTENCE,
    "My dog is called Rex, he is 3, loves carrots, apples, and long walks; he hates cats.",
    "12:30 lunch with Ada, then the dentist.",
    "[By the way] I have moved.",
    "- bread\n- milk\n- eggs for Ada",
    'He said: "never again", and left.',
    "1. Get up. 2. Eat. 3. Sleep.",
    "Error? No, I am fine. It was the neighbour's alarm.",
    "我昨天搬到了北京, 很喜欢这里的生活。",
    (
        "I get this when I start it, and my deadline is today, so please help me find out why:\n"
        "ValueError: no such thing"
    ),
]


@pytest.mark.parametrize("text", MECHANICAL.values(), ids=MECHANICAL.keys())
def test_what_programs_print_is_mechanical(text: str) -> None:
    """Traces, logs, dumps, tables and a shell's output are seen, in a code fence too."""
    assert is_mechanical(text)
    assert is_mechanical(f"```\n{text}\n```")


@pytest.mark.parametrize("text", SPOKEN)
def test_what_people_say_is_not_mechanical(text: str) -> None:
    """Lists, quotations, times and an error in passing are speech."""
    assert not is_mechanical(text)


@given(st.text())
def test_any_text_is_judged(text: str) -> None:
    """Whatever comes in, there is a verdict; the empty text is not mechanical."""
    assert is_mechanical(text) in {True, False}
    assert not is_mechanical("")


@pytest.mark.parametrize(
    "text", ["|" * 100_000, "a," * 50_000, "[" * 100_000 + "]", "\t" * 100_000, "at a" * 30_000]
)
def test_hostile_texts_come_to_an_end(text: str) -> None:
    """Lines that begin like a table, a dump or a trace and never end are judged like any others."""
    assert is_mechanical(text) in {True, False}


def share_skipped(text: str, signals: Signals = NONE, times: int = 4_000) -> float:
    """Return how often a text is skipped."""
    gate = EntryGate(np.random.default_rng(7), Tuning)
    return sum(gate.lets_in(text, signals=signals).skip for _ in range(times)) / times


@pytest.mark.parametrize(
    ("text", "share"),
    [("Thanks!", 0.95), ("  ok  \n", 0.95), ("", 0.95), (MECHANICAL["log"], 0.9), (SENTENCE, 0.0)],
)
def test_how_often_what_is_skipped(text: str, share: float) -> None:
    """Under 10 characters 95 % are skipped, of mechanical output 90 %, of all else nothing."""
    assert share_skipped(text) == pytest.approx(share, abs=0.015)


def test_ten_characters_are_not_short() -> None:
    """The bound is 10; a wide character counts as two, as it says as much."""
    assert share_skipped("a" * 10) == 0.0 < share_skipped("a" * 9)
    assert share_skipped("我住在北京") == 0.0 < share_skipped("我住北京")


@pytest.mark.parametrize("text", ["I'm Al.", MECHANICAL["log"], SENTENCE])
def test_a_signal_always_lets_in(text: str) -> None:
    """Whatever else speaks against it, a signal keeps it, and the verdict says which."""
    assert share_skipped(text, Signals(("fact",))) == 0.0
    gate = EntryGate(np.random.default_rng(0), Tuning)
    assert "fact" in gate.lets_in(text, signals=Signals(("fact",))).why


def test_the_numbers_are_tunable() -> None:
    """With probability 0 nothing is skipped and with 1 everything of its sort."""
    for share in (0.0, 1.0):
        tuning = {"gate.skip_short": share, "gate.skip_mechanical": share}
        gate = EntryGate(np.random.default_rng(0), partial(Tuning, tuning))
        for text in ("ok", MECHANICAL["log"]):
            assert {gate.lets_in(text, signals=NONE).skip for _ in range(50)} == {bool(share)}
