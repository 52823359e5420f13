"""The rows at the end of the screen that are drawn again in place."""

import math
import os
from collections.abc import Sequence
from typing import IO

from rich.cells import cell_len

_FALLBACK = os.terminal_size((80, 24))


def terminal_size(stream: IO[str]) -> os.terminal_size:
    """Return the columns and lines of the terminal that `stream` is, whatever COLUMNS says."""
    try:
        size = os.get_terminal_size(stream.fileno())
    except (OSError, ValueError):
        return _FALLBACK
    return size if size.columns and size.lines else _FALLBACK


class Region:
    """A few rows that change in place: only what differs is written.

    Its methods return what to write, so that a change reaches the terminal in one piece. The cursor stands at
    the end of the last row in between. Rows must be shorter than the screen is wide and fewer than it is high.
    """

    def __init__(self) -> None:
        self._drawn: list[str] = []

    @property
    def empty(self) -> bool:
        """Whether nothing is drawn."""
        return not self._drawn

    def show(self, rows: Sequence[str], size: os.terminal_size) -> str:
        """Return what makes the region hold these rows."""
        same = 0
        while same < min(len(rows), len(self._drawn)) and rows[same] == self._drawn[same]:
            same += 1
        written = ""
        if same == len(self._drawn):
            written = "\n" if self._drawn and same < len(rows) else ""
            written += "\n".join(rows[same:])
        elif same == len(self._drawn) - 1 and same < len(rows) and rows[same].startswith(self._drawn[same]):
            written = "\n".join([rows[same][len(self._drawn[same]) :], *rows[same + 1 :]])
        elif same == len(rows) and rows:  # rows went away: the one before them ends the region
            written = self._back_to(same - 1, size) + rows[-1]
        else:
            written = self._back_to(same, size) + "\n".join(rows[same:])
        self._drawn = list(rows)
        return written

    def erase(self, size: os.terminal_size) -> str:
        """Return what takes the region off the screen and leaves the cursor where it began."""
        written = self._back_to(0, size) if self._drawn else ""
        self._drawn = []
        return written

    def _back_to(self, row: int, size: os.terminal_size) -> str:
        # A terminal that became narrower has wrapped the rows since they were drawn.
        heights = [max(1, math.ceil(cell_len(each) / size.columns)) for each in self._drawn[row:]]
        up = min(sum(heights), size.lines) - 1
        return "\r" + (f"\x1b[{up}A" if up else "") + "\x1b[J"
