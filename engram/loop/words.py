"""Words as the gates compare them: tokens, what they are about, negations, and the facts that they name.

English first; the other languages that cost only a word are in the lists too.
"""

import re
import unicodedata
from difflib import SequenceMatcher
from functools import lru_cache

from engram.questions import only_asks

# Chinese and Japanese put no space between words: a character counts as one.
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|(?:(?![\u3040-\u30ff\u3400-\u9fff])[^\W_])+(?:'[^\W_]+)*")
_APOSTROPHES = str.maketrans({"\u2019": "'", "\u2018": "'", "\u02bc": "'"})
_SENTENCE_END = re.compile(r"(?<=[.!?\u2026])\s+|(?<=[\u3002\uff01\uff1f])|\n+")
_STEM_ENDING = re.compile(r"(?:'s|ing|ed|es|s|ly)$")

NEGATIONS = frozenset(
    """
    not no never none nobody nothing neither nor nowhere without cannot cant dont doesnt didnt isnt wasnt arent wont
    quit stopped against anymore nicht nie niemals kein keine keinen keiner ohne pas jamais aucun aucune sans nunca sin
    """.split()  # noqa: SIM905  (a paragraph of words reads better than a list of strings)
)
"""Words that turn a sentence around; what ends in `n't` does too."""

COMMON = frozenset(
    """
    a about after all also am an and any are as at be been being but by can could did do does for from had has have
    having he her here hers him his how i if in into is it it's i'm its just like me mine more most much my now of off
    oh ok okay on one only or our ours out over please quite really right said say says she should so some such sure
    tell than thank thanks that that's the their them then there these they this those to told too under until up us
    very was we well were what when where which while who whom whose why will with would yeah yep yes you you're your
    remember remembered mentioned know known knew think thought mean means meant already again actually indeed earlier
    before according understood noted recall recalled recorded got get user assistant engram i've you've we're i'd
    """.split()  # noqa: SIM905
)
"""Words that say nothing about what a sentence is about, those of reporting among them."""

DATE_WORDS = frozenset(
    """
    january february march april may june july august september october november december monday tuesday wednesday
    thursday friday saturday sunday today yesterday tomorrow tonight noon midnight weekend spring summer autumn winter
    montag dienstag mittwoch donnerstag freitag samstag sonntag heute gestern morgen lundi mardi mercredi jeudi
    vendredi samedi dimanche demain hier lunes martes jueves viernes domingo hoy ayer
    """.split()  # noqa: SIM905
)
NUMBER_WORDS = frozenset(
    """
    zero two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million once twice half
    """.split()  # noqa: SIM905
)


def spoken(text: str) -> list[str]:
    """Return the words of `text` as they are written, in order."""
    return _WORD.findall(unicodedata.normalize("NFKC", text).translate(_APOSTROPHES))


def tokens(text: str) -> list[str]:
    """Return the words of `text` for comparing, in order: one form per character, no case, no punctuation."""
    return _WORD.findall(unicodedata.normalize("NFKC", text).translate(_APOSTROPHES).casefold())


def sentences(text: str) -> list[str]:
    """Return the sentences of `text`, in order; a line break ends one too."""
    return [part for each in _SENTENCE_END.split(text) if (part := each.strip())]


def is_negation(token: str) -> bool:
    """Say whether a token turns its sentence around."""
    return token in NEGATIONS or token.endswith("n't")


@lru_cache(maxsize=4096)
def stem(token: str) -> str:
    """Return a token without its English ending, so that `eats` and `eating` meet."""
    bare = _STEM_ENDING.sub("", token) if len(token) > 3 else token
    return bare[:-1] if len(bare) > 4 and bare[-1] == "e" else bare


def content_words(text: str) -> frozenset[str]:
    """Return the stems of what `text` is about: neither common words nor negations."""
    return frozenset(stem(token) for token in tokens(text) if token not in COMMON and not is_negation(token))


def is_number(word: str) -> bool:
    """Say whether a word holds a digit or counts something."""
    return any(each.isdigit() for each in word) or word.casefold() in NUMBER_WORDS


def is_date(word: str) -> bool:
    """Say whether a word is a day's, a month's or a season's name; `may` is one only with a capital."""
    return word.casefold() in DATE_WORDS and word not in {"may", "march"}


def changes(held: str, said: str) -> list[tuple[int, list[str], list[str]]]:
    """Return where two sentences differ: the place in `held`, the words there, and those of `said` instead."""
    before, after = spoken(held), spoken(said)
    matcher = SequenceMatcher(
        None, [word.casefold() for word in before], [word.casefold() for word in after], autojunk=False
    )
    return [
        (start, before[start:end], after[start_after:end_after])
        for tag, start, end, start_after, end_after in matcher.get_opcodes()
        if tag != "equal"
    ]


def is_fact(word: str, *, first: bool = False) -> bool:
    """Say whether a word is a number, a date or a name; the first of a sentence has its capital anyway."""
    return is_number(word) or is_date(word) or (not first and _is_name(word))


def new_facts(said: str, held: str) -> tuple[str, ...]:
    """Return the numbers, dates and names that `said` has and `held` has not.

    A capital at the beginning of a sentence makes a name only where another one stood there in `held`.
    """
    known = {token.removesuffix("'s") for token in tokens(held)}
    openers = {words[0] for each in sentences(said) if (words := spoken(each))}
    found = [
        word
        for word in dict.fromkeys(spoken(said))
        if word.casefold().removesuffix("'s") not in known and is_fact(word, first=word in openers)
    ]
    for _, before, after in _compared(held, said):
        if before and after and after[0] in openers and _is_name(after[0]) and _is_name(before[0]):
            found.append(after[0])
    return tuple(dict.fromkeys(found))


SHORT_QUESTION = 8
"""Words up to which a question that names no number, date or name tells nothing about who asks."""


def tells_nothing(text: str) -> bool:
    """Say whether a text only asks, in few words and without a fact: nobody learns anything from it."""
    return only_asks(text) and len(tokens(text)) <= SHORT_QUESTION and not new_facts(text, "")


LONGEST_COMPARED = 2_000
"""Characters of each of two texts that are compared word by word, which takes quadratic time."""


def _compared(held: str, said: str) -> list[tuple[int, list[str], list[str]]]:
    return changes(held[:LONGEST_COMPARED], said[:LONGEST_COMPARED])


def _is_name(word: str) -> bool:
    return (
        len(word) > 1
        and word[0].isupper()
        and word.casefold() not in COMMON
        and not is_negation(word.casefold())
    )
