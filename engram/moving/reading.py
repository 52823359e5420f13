"""Reading a file: every line is checked, and the whole of it before anything is written."""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import NoReturn

from engram.errors import EngramError, ImportFileError
from engram.moving.files import AGAIN, Source
from engram.moving.format import Counts, Header, KeySet, Link, Node
from engram.moving.parsing import Parser, Trailer, line_object, shown

_MARK = b"\xef\xbb\xbf \t"
"""Bytes that some programs put before the first line."""
_OTHER_FORM = (
    "Only what `engram export` wrote as jsonl can be restored; conversations are imported without --restore."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What a file was found to hold."""

    header: Header
    counts: Counts
    sha256: str


def check_file(source: Source, *, progress: Callable[[int], None] = lambda _: None) -> Checked:
    """Read a file to its end and return what it holds.

    Args:
        source: The file.
        progress: Told how many lines more were read.

    Raises:
        ImportFileError: It is cut off or altered, with what is missing; or a line is none of Engram's, with its number.
    """
    header = None
    counts = Counts()
    keys = KeySet()
    for each in _records(source, progress):
        if isinstance(each, Header):
            header = each
        elif isinstance(each, Node):
            counts.nodes[each.label] += 1
            keys.add(each.key)
        elif isinstance(each, Link):
            counts.relationships[each.type] += 1
            for end in (each.start, each.end):
                if end not in keys:
                    _refuse(source, each.line, f"the file holds no node {shown(end)}")
        else:
            # The nodes begin in the second line.
            if (double := keys.first_double()) is not None:
                _refuse(source, double + 2, "this node is in the file twice")
            _compare(source, counts, each)
            return Checked(header=_present(header), counts=counts, sha256=each.sha256)
    raise AssertionError  # the records end with the trailer


def read_file(source: Source, *, progress: Callable[[int], None] = lambda _: None) -> Iterator[Node | Link]:
    """Yield the nodes, then the relationships of a file that was checked."""
    return (each for each in _records(source, progress) if isinstance(each, Node | Link))


def read_nodes(source: Source) -> Iterator[Node]:
    """Yield the nodes of a file that was checked."""
    for each in read_file(source):
        if isinstance(each, Link):
            return
        yield each


def read_links(source: Source) -> Iterator[Link]:
    """Yield the relationships of a file that was checked."""
    return (each for each in read_file(source) if isinstance(each, Link))


def portions(records: Iterator[Node | Link], size: int) -> Iterator[list[Node] | list[Link]]:
    """Yield nodes, then relationships, some at a time and never both."""
    while portion := list(islice(records, size)):
        if nodes := [each for each in portion if isinstance(each, Node)]:
            yield nodes
        if links := [each for each in portion if isinstance(each, Link)]:
            yield links


def _records(source: Source, progress: Callable[[int], None]) -> Iterator[Header | Node | Link | Trailer]:
    """Yield what the lines stand for, the header first and the trailer last."""
    checksum = hashlib.sha256()
    parser = Parser()
    number = 0
    lines = source.lines()
    for number, data in lines:
        try:
            each = parser.parse(number, line_object(data), checksum.hexdigest())
        except EngramError as error:
            if number == 1 and not data.lstrip(_MARK).startswith(b"{"):
                raise ImportFileError(f"{source.name} is no export in JSONL.", remedy=_OTHER_FORM) from None
            _refuse(source, number, error.message)
        checksum.update(data)
        if isinstance(each, Trailer) and next(lines, None) is not None:
            _refuse(source, number + 1, "there are lines behind the end")
        yield each
        progress(1)
        if isinstance(each, Trailer):
            return
    told = f"it ends after line {number:,}" if number else "it is empty"
    raise ImportFileError(f"{source.name} is cut off: {told}, without the counts at its end.", remedy=AGAIN)


def _compare(source: Source, counts: Counts, trailer: Trailer) -> None:
    """Hold the counts and the checksum at the end against what was read."""
    differences = [
        f"{told[name]:,} {name} were written and {found[name]:,} are there"
        for told, found in ((trailer.nodes, counts.nodes), (trailer.relationships, counts.relationships))
        for name in sorted({*told, *found})
        if told[name] != found[name]
    ]
    if differences:
        more = f", and {len(differences) - 5} differences more" if len(differences) > 5 else ""
        raise ImportFileError(
            f"{source.name} is not whole: {'; '.join(differences[:5])}{more}.", remedy=AGAIN
        )
    if trailer.sha256 != trailer.actual:
        raise ImportFileError(
            f"{source.name} was altered: its lines have the SHA-256 {trailer.actual}, and {shown(trailer.sha256)} "
            "stands at its end.",
            remedy=AGAIN,
        )


def _present(header: Header | None) -> Header:
    if header is None:
        raise AssertionError  # the parser makes one of the first line
    return header


def _refuse(source: Source, line: int, reason: str) -> NoReturn:
    raise ImportFileError(f"{source.name}:{line}: {reason}.", remedy=AGAIN)
