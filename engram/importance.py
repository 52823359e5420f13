"""How much a text has to tell, judged by its form alone.

A question tells less than its answer, "Thanks!" less than a sentence, and a number is something to know. The
proportions are a logistic ranking model's on the development conversations of LoCoMo, where this prior is
worth a point of recall@10; they know no word of any language.
"""

import math
import re

from engram.questions import MARKS

LONGEST = 5.0
"""ln(1 + words) beyond which more words tell nothing more: about 150."""
_LENGTH, _NUMBER, _STATEMENT = 1.0, 0.8, 1.6

_ENDS = f".!\u3002\uff01{MARKS}"
_ASKS = frozenset(MARKS)
# Chinese and Japanese put no space between words: a character counts as one.
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|\w+")
_SENTENCE = re.compile(rf"([^{_ENDS}]+)([{_ENDS}]*)")
_DIGIT = re.compile(r"\d")


def estimated_importance(text: str) -> float:
    """Return how much a text has to tell, 0 to 1; a plain sentence of 15 words has about 0.6."""
    words = len(_WORD.findall(text))
    if not words:
        return 0.0
    sentences = [end for body, end in _SENTENCE.findall(text) if _WORD.search(body)]
    asked = sum(not _ASKS.isdisjoint(end) for end in sentences) / len(sentences)
    total = (
        _LENGTH * min(math.log1p(words), LONGEST)
        + _NUMBER * bool(_DIGIT.search(text))
        + _STATEMENT * (1.0 - asked)
    )
    return total / (_LENGTH * LONGEST + _NUMBER + _STATEMENT)
