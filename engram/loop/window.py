"""The conversation window: how much of the talk itself a model is told, by how intense it is (v4 plan, 3.3).

What is pruned is returned, so that it passes the exit gate before it is let go.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from engram.errors import InvalidInputError
from engram.llm.base import Message, Role
from engram.loop.tokens import MESSAGE_OVERHEAD, count_tokens

INTENSE, RELAXED = 0.7, 0.3
"""Intensity above which the window is wide, and below which it is narrow (v4 plan, 3.3)."""
WIDE, NORMAL, NARROW = 0.9, 0.6, 0.35
"""Shares of the conversation's tokens. The seed gives about 90 % and 30 to 40 %; the middle stands between."""
UNKNOWN_INTENSITY = 0.5
PRUNED_TO = 0.8
"""Share of the limit that is left after pruning: otherwise every turn would prune one more, and a prompt whose
beginning changes each time cannot be cached by the provider."""
EXCHANGES_HALVING = 5
"""Exchanges after which having asked System 2 counts half: as many as make a flush."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One turn of the conversation at hand."""

    role: Role
    text: str
    memory: str | None = None
    """The id of its memory, where there is one."""
    entry: str | None = None
    """The id of its line in the scratch buffer, where known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """What stays in the window and what leaves it, each in the order in which it was said."""

    kept: tuple[Said, ...]
    pruned: tuple[Said, ...]


def recency(exchanges: int | None) -> float | None:
    """Return how recently System 2 was asked, halving every 5 exchanges.

    Args:
        exchanges: How many ago, 0 for this one; None: never, which is no signal rather than a low one.
    """
    return None if exchanges is None else float(0.5 ** (max(0, exchanges) / EXCHANGES_HALVING))


def intensity(
    *,
    gate: float | None = None,
    system2: float | None = None,
    goals: float | None = None,
    emotional: float | None = None,
) -> float:
    """Return the mean of the signals that there are, 0 to 1; 0.5 where there is none (v4 plan, 3.3).

    Args:
        gate: Average score of what the exit gate saw lately.
        system2: How recently System 2 was asked; see `recency`.
        goals: Relevance to active goals.
        emotional: Emotional charge.

    Raises:
        InvalidInputError: A signal is not within 0 and 1.
    """
    signals = [signal for signal in (gate, system2, goals, emotional) if signal is not None]
    if not all(0.0 <= signal <= 1.0 for signal in signals):
        raise InvalidInputError(f"Signals of intensity are 0 to 1, not {signals}.")
    return sum(signals) / len(signals) if signals else UNKNOWN_INTENSITY


def share(level: float) -> float:
    """Return the share of the conversation's tokens that an intensity is worth: 0.9, 0.6 or 0.35."""
    if level > INTENSE:
        return WIDE
    return NARROW if level < RELAXED else NORMAL


def fit(said: Sequence[Said], tokens: Callable[[str], int] = count_tokens, *, limit: int) -> Fit:
    """Return which turns stay within `limit` tokens.

    Turns go whole, the oldest first, and where any has to go, as many as leave 80 % of the limit. A reply whose
    message is gone goes too, since a conversation begins with the user's. The newest turn stays, however long.

    Args:
        said: The conversation, oldest first.
        tokens: Estimates the tokens of a text.
        limit: Tokens that the conversation may have; see `share`.
    """
    costs = [tokens(one.text) + MESSAGE_OVERHEAD for one in said]
    if not said or sum(costs) <= limit:
        return Fit(kept=tuple(said), pruned=())
    room = PRUNED_TO * limit
    newest_first = accumulate(reversed(costs))
    first = len(said) - max(1, sum(total <= room for total in newest_first))
    while first < len(said) - 1 and said[first].role == "assistant":
        first += 1
    return Fit(kept=tuple(said[first:]), pruned=tuple(said[:first]))


def messages(said: Sequence[Said]) -> list[Message]:
    """Return turns as messages that alternate and begin with the user's; blank ones are left out.

    Turns of one side in a row become one message: some servers refuse two.
    """
    told: list[Message] = []
    for one in said:
        if not one.text.strip() or (not told and one.role == "assistant"):
            continue
        if told and told[-1].role == one.role:
            told[-1] = Message(role=one.role, text=f"{told[-1].text}\n\n{one.text}")
        else:
            told.append(Message(role=one.role, text=one.text))
    return told
