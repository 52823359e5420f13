"""A program that remembers and recalls until it is told to end: `python -m tests.soak.worker FILE`.

What the library has acknowledged is written to FILE, an id a line. While the database is away it tries again. SIGTERM
ends it; then it says as one line of JSON what it has done.
"""

import json
import signal
import sys
import threading
from collections import Counter
from itertools import count
from pathlib import Path
from secrets import token_hex
from typing import TextIO

from engram import Engram, Turn
from engram.errors import DatabaseUnavailableError, NotFoundError
from engram.records import Hits

PAUSE = 0.25
"""Seconds between two things that it does."""
AWAY = 1.0
"""Seconds after which it tries again."""
PEOPLE = ("Noor", "Felix", "Ines", "Tariq", "Mei")
PLACES = ("Utrecht", "Ghent", "Porto", "Lahore", "Tainan", "Oslo")


RUN = token_hex(4)
"""In every text, so that no vector of an earlier run is in the cache."""


def act(memory: Engram, number: int, acknowledged: TextIO) -> str:
    """Do one thing and return what it was."""
    who, where = PEOPLE[number % len(PEOPLE)], PLACES[number % len(PLACES)]
    match number % 5:
        case 0 | 1:
            ids = [memory.remember(f"{who} was in {where} for the {number}th time ({RUN})", speaker=who).id]
        case 2:
            said = (f"I moved to {where}, flat {number} ({RUN}).", f"Do you like {where}, {who}?")
            turns = [
                Turn(text=text, speaker=who, session=f"talk {number // 50}", id=f"{number} {text}")
                for text in said
            ]
            ids = list(memory.remember_turns(turns).memories)
        case _:
            hits = memory.recall(f"Where was {who} after {where}?", session=f"talk {number // 50}")
            return judge(hits)
    acknowledged.writelines(f"{each}\n" for each in ids)
    acknowledged.flush()
    return "remembered"


def judge(hits: Hits) -> str:
    """Say that the best hit was of use, and return what was done; a recall that is not recorded has no verdict."""
    if not hits:
        return "recalled nothing"
    try:
        hits[0].useful()
    except NotFoundError:
        return "recalled"
    return "recalled and judged"


def main() -> None:
    """Act until SIGTERM."""
    stopping = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stopping.set())
    done: Counter[str] = Counter()
    with Engram.open() as memory, Path(sys.argv[1]).open("w", encoding="utf-8") as acknowledged:
        for number in count():
            pause = PAUSE
            try:
                done[act(memory, number, acknowledged)] += 1
            except DatabaseUnavailableError:
                done["away"] += 1
                pause = AWAY
            if stopping.wait(pause):
                break
        memory.flush()
        done["lessons lost"] = memory.learning.dropped
    print(json.dumps(done), flush=True)


if __name__ == "__main__":
    main()
