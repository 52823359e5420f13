"""Pondering: which of the thoughts that an idle mind kept a dream weighs (v4 plan, 4.7, channels 2 and 3).

What memories came to together, and what they say of the agent, is not thought through when it comes to mind. It is kept
until the next dream, which takes such a thought as one more question.
"""

from datetime import datetime
from itertools import chain, zip_longest

from engram.mind.thoughts import Thought, Thoughts
from engram.mind.wandering import Channel

AT_ONCE = 2
"""Thoughts of each channel that one dream weighs: each may be a call, and what is new comes first."""
KEPT_BACK = 4
"""Calls that are left to what a dream does afterwards: merges, stories, lines and preambles."""
_CHANNELS = (Channel.INSIGHT, Channel.IDENTITY)


def thoughts_to_weigh(thoughts: Thoughts, *, since: datetime, calls: int | None) -> list[Thought]:
    """Return the thoughts that a dream weighs, the newest of each channel in turn.

    Args:
        thoughts: The space's.
        since: The earliest.
        calls: Of a model that the dream has left; one thought is weighed even so. None: nobody is asked.

    Raises:
        DatabaseError: They cannot be read.
    """
    of_each = [
        thoughts.list(since=since, limit=AT_ONCE, state="offered", channel=channel) for channel in _CHANNELS
    ]
    in_turn = [each for each in chain.from_iterable(zip_longest(*of_each)) if each is not None]
    return in_turn if calls is None else in_turn[: max(1, calls - KEPT_BACK)]
