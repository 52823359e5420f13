"""The entry gate: a fast stochastic filter of all that comes in, before anything is embedded or asked.

What passes it waits in the scratch buffer for the exit gate; what does not keeps its raw turn and never becomes a
memory. Its rules are the v4 plan's (2.9): under 10 characters 95 % are skipped, of mechanical output 90 %.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from engram.loop.signals import Signals

SHORT = 10
"""Characters below which a text is short; a wide one, as in Chinese, counts as two."""
_LONGEST_JSON = 100_000
_MECHANICAL_SHARE = 0.6
"""Share of a text's characters in mechanical lines from which the whole text is mechanical."""

_MECHANICAL_LINE = re.compile(
    r"""
    \s*(?:
        Traceback\ \(most\ recent | File\ "[^"]{1,300}",\ line\ \d | at\ [\w.$<>/]{3,200}\(  # stack traces
      | (?:[A-Za-z_][\w.]{0,80})?(?:Error|Exception|Warning):\ | Caused\ by:\ | \^{2,}
      | \[?\d{4}-\d\d-\d\d[T\ ]\d\d:\d\d | \d\d:\d\d:\d\d[.,]\d | [A-Z][a-z]{2}\ {1,2}\d{1,2}\ \d\d:\d\d:\d\d\   # logs
      | \[?(?:DEBUG|INFO|WARN|WARNING|ERROR|FATAL|TRACE)\b[\]:|\ ]
      | [|\u2502\u2551\u250c\u2514\u251c+][^|\n]{0,500}[|\u2502\u2551\u2500+-] | [-=+|\u2500: ]{4,500}$  # tables
      | [^\t\n]{0,200}\t[^\t\n]{0,200}\t | (?:[^,;\n]{0,80}[,;]){4,400}[^,;\ \n]{0,80}$
      | [\[{\]}(),]{1,4},?$ | "[^"\n]{1,200}"\ ?: | -?[\d.]{1,30},$  # JSON
      | \$\ \S | >>>\ \S | PS\ [A-Z]:\\ | [\w.-]{1,60}@[\w.-]{1,60}:[^\n]{0,80}[$\#]  # shells
      | [-dlbcps][rwxsStT-]{9}[.+@\ ] | total\ \d{1,9}$
      | @@\ -\d | (?:\+\+\+|---)\ \S | diff\ --git | [+-]\ {2}  # diffs
      | (?:[0-9a-fA-F]{4,16}:?\s{1,3})(?:[0-9a-fA-F]{2,4}\s){4} | -----BEGIN\   # dumps
      | \S{60}
    )
    """,
    re.VERBOSE,
)
_TRACE_BEGIN = re.compile(
    r"\s*(?:Traceback \(most recent|File \"[^\"]{1,300}\", line \d|at [\w.$<>/]{3,200}\()"
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the entry gate says."""

    skip: bool
    why: str
    """In a few words, for people."""


class EntryGate:
    """Decides what waits for the exit gate."""

    def __init__(self, generator: np.random.Generator, tuned: Callable[[], Mapping[str, float]]) -> None:
        """Keep what it draws from.

        Args:
            generator: Draws whether one of those that are mostly skipped is let in.
            tuned: Gives the space's numbers: `gate.skip_short` and `gate.skip_mechanical` are probabilities.
        """
        self._generator = generator
        self._tuned = tuned

    def lets_in(self, text: str, *, signals: Signals) -> Verdict:
        """Say whether a text is skipped.

        Args:
            text: What was said.
            signals: What the scan found in it; any of them lets it in.
        """
        if signals.names:
            return Verdict(skip=False, why=f"signal: {', '.join(signals.names)}")
        if _width(text.strip()) < SHORT:
            return self._drawn("short", self._tuned()["gate.skip_short"])
        if is_mechanical(text):
            return self._drawn("mechanical output", self._tuned()["gate.skip_mechanical"])
        return Verdict(skip=False, why="something was said")

    def _drawn(self, why: str, probability: float) -> Verdict:
        skip = bool(self._generator.random() < probability)
        return Verdict(skip=skip, why=why if skip else f"{why}, let in by chance")


def is_mechanical(text: str) -> bool:
    """Say whether a text was made by a program: a stack trace, a log, a table, JSON, base64, a shell's output."""
    if _is_json(text):
        return True
    mechanical = total = 0
    in_trace = False
    for line in text.splitlines():
        length = len(line.strip())
        total += length
        in_trace = _TRACE_BEGIN.match(line) is not None or (in_trace and line.startswith((" ", "\t")))
        if in_trace or line.startswith("```") or _MECHANICAL_LINE.match(line):
            mechanical += length
    return total > 0 and mechanical >= _MECHANICAL_SHARE * total


def _is_json(text: str) -> bool:
    bare = text.strip().removeprefix("```json").strip("`\n ")
    if not (bare.startswith(("{", "[")) and bare.endswith(("}", "]")) and len(bare) <= _LONGEST_JSON):
        return False
    try:
        return bool(json.loads(bare))
    except (ValueError, RecursionError):
        return False


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(each) in {"W", "F"} else 1 for each in text[:SHORT])
