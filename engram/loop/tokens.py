"""How many tokens a text is, well enough to keep a budget (v4 plan, 2.10).

Nobody's tokenizer is loaded: each provider has its own, and they differ by more than an estimate errs. Where the
provider has counted, its count is the truth, and later estimates are corrected by it (`TokenCounter`).
"""

import math
import re
from collections.abc import Iterable

from engram.llm.base import Message

TOKENS_PER_WORD = 1.3
"""v4 plan, 2.10; punctuation and endings are in it. On English prose it lies within 20 % of tokenizers."""
LONGEST_WORD = 12
CHARACTERS_PER_TOKEN = 2
"""What has no space in it for longer is no one word (a compound, a link, a key in hex): these many characters of
the rest are one token."""
MESSAGE_OVERHEAD = 4
"""Tokens that mark where a message begins and whose it is."""
LEARNING_SHARE = 0.3
"""How much of a new count's ratio goes into the running one: three calls, and two thirds of it are known."""
LOWEST_RATIO, HIGHEST_RATIO = 0.5, 3.0
"""A count that is further off than this says more about the provider's counting than about the text: it may leave
out what it had cached, or count tools. Text in Cyrillic or Arabic comes to about 2."""

# One token each: Thai, Lao, Burmese, Khmer, Hangul, Han, kana, full-width forms and pictures. Most of them are
# written without spaces.
_DENSE = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff"
    "\uf900-\ufaff\uff00-\uffef\U0001f000-\U0001faff\U00020000-\U0003ffff]"
)


def count_tokens(text: str) -> int:
    """Estimate the tokens of `text`: words times 1.3 (v4 plan, 2.10).

    A word is what stands between spaces. Of a word longer than 12 characters each further 2 are another token,
    and each character of a script that is written without spaces is one.
    """
    # A whole conversation is counted at every turn; nothing in ASCII is dense.
    spaced, dense = (text, 0) if text.isascii() else _DENSE.subn(" ", text)
    words = spaced.split()
    beyond = sum([len(word) - LONGEST_WORD for word in words if len(word) > LONGEST_WORD])
    return math.ceil(TOKENS_PER_WORD * len(words) + beyond / CHARACTERS_PER_TOKEN) + dense


def count_messages(messages: Iterable[Message]) -> int:
    """Estimate the tokens of a conversation, with 4 for each message's frame."""
    return sum(count_tokens(message.text) + MESSAGE_OVERHEAD for message in messages)


class TokenCounter:
    """Estimates tokens for one model, corrected by what its provider counted."""

    def __init__(self) -> None:
        self.ratio = 1.0
        """Tokens as counted per token as estimated by `count_tokens`; 0.5 to 3."""

    def count(self, text: str) -> int:
        """Estimate the tokens of `text`."""
        return math.ceil(self.ratio * count_tokens(text))

    def count_prompt(self, system: str, messages: Iterable[Message]) -> int:
        """Estimate the tokens of a whole prompt."""
        return math.ceil(self.ratio * (count_tokens(system) + count_messages(messages)))

    def learn(self, estimated: int, counted: int | None) -> None:
        """Take what the provider counted for a prompt.

        Args:
            estimated: What this counter gave for it.
            counted: The provider's count; None or 0 where it gave none, which teaches nothing.
        """
        if not counted or estimated <= 0:
            return
        seen = min(HIGHEST_RATIO, max(LOWEST_RATIO, self.ratio * counted / estimated))
        self.ratio += LEARNING_SHARE * (seen - self.ratio)
