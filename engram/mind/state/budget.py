"""How long a working memory may be, by the model's context window (seed: adaptive bootstrap sizing)."""

from collections.abc import Sequence

BUDGETS: Sequence[tuple[int, int]] = ((200_000, 8_000), (128_000, 6_000), (64_000, 4_000), (0, 3_200))
"""Tokens of a window from which so many characters are allowed, the widest first."""
CUT = "[Full working memory available via memory_search]"


def budget(window: int) -> int:
    """Return the characters that a working memory may have beside a context window of so many tokens."""
    return next(characters for tokens, characters in BUDGETS if window >= tokens)


def shown_within(text: str, window: int) -> str:
    """Return a working memory as a prompt has it: whole, or its first whole lines and a note."""
    most = budget(window)
    if len(text) <= most:
        return text
    head = text[: most - len(CUT) - 2]
    whole = head.rpartition("\n")[0] or head
    return f"{whole.rstrip()}\n\n{CUT}"
