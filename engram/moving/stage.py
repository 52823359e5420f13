"""How an export or a restore tells how far it is."""

from collections.abc import Callable

Advance = Callable[[int], None]
"""Takes how many more lines are done."""
Stage = Callable[[str, int | None], Advance]
"""Takes what is done next and how much of it there is, where that is known; gives what is told of each step."""


def no_stage(what: str, total: int | None) -> Advance:
    """Tell nobody."""
    del what, total
    return lambda _: None
