"""A hand-written MEMORY.md, cut into pieces that become memories (seed: seed crystal migration)."""

from collections.abc import Iterator

from engram.loop.tokens import count_tokens

TOKENS, OVERLAP = 400, 80
"""Tokens of a piece, and those that it shares with the one before."""
IMPORTANCE = 0.75


def pieces(text: str, *, tokens: int = TOKENS, overlap: int = OVERLAP) -> Iterator[str]:
    """Yield pieces of at most so many tokens, cut between lines where that is possible, else between words.

    A word that is longer by itself is cut between its characters.

    Each begins with the end of the one before, of at most `overlap` tokens. Together they hold every word of the text.
    """
    units = [*_units(text, tokens - overlap)]
    begin = 0
    while begin < len(units):
        end, size = begin, 0
        while end < len(units) and (end == begin or size + count_tokens(units[end]) <= tokens):
            size += count_tokens(units[end])
            end += 1
        yield "".join(units[begin:end]).strip()
        if end == len(units):
            return
        back, shared = end, 0
        while back > begin + 1 and shared + count_tokens(units[back - 1]) <= overlap:
            shared += count_tokens(units[back - 1])
            back -= 1
        begin = back


def _units(text: str, most: int) -> Iterator[str]:
    """Yield lines, and parts of those that are too long."""
    for line in text.splitlines(keepends=True):
        if not line.strip():
            continue
        part = ""
        for word in line.split(" "):
            if part and count_tokens(f"{part} {word}") > most:
                yield f"{part} "
                part = ""
            *full, rest = _cut(f"{part} {word}" if part else word, most)
            yield from full
            part = rest
        yield part


def _cut(word: str, most: int) -> list[str]:
    """Return a word in parts of at most so many tokens: what has no space in it may be of any length."""
    if count_tokens(word) <= most or len(word) == 1:
        return [word]
    middle = len(word) // 2
    return [*_cut(word[:middle], most), *_cut(word[middle:], most)]
