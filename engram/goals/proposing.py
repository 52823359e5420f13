"""What sounds like a goal in what a person says, or like getting on with one: by its words alone, without a model.

English. A form stands at the beginning of a clause, so that "if I want to", "when I wanted to" and what others want are
none. Every repeat is bounded: a scan takes time in proportion to the text.
"""

import re

from engram.questions import is_question

_FEWEST_WORDS = 2
_LONGEST = 160
"""Characters of a clause that a goal is taken from."""

_FOLD = str.maketrans({"\u2019": "'", "\u2018": "'", "\u02bc": "'"})
_QUOTED = re.compile(r"“[^”]{0,400}”|\"[^\"\n]{0,400}\"|^>.*$", re.MULTILINE)
_SENTENCE = re.compile(r"(?<=[.!?;:])\s+|\n+")
_LEAD = (
    r"(?:(?:and|but|so|well|ok|okay|now|also|then|honestly|actually|this year|today|someday|one day),? ){0,3}"
)
_WHO = r"(?:i|we)"
_HOW = r"(?: (?:really|still|just|also|do|definitely|both|finally|always)){0,2}"
_MONTH = "january|february|march|april|may|june|july|august|september|october|november|december"
_TERM = (
    r"\b(?:by|before|until) (?:the end of|next|this|tomorrow|tonight|(?:mon|tues|wednes|thurs|fri|satur|sun)day|"
    rf"{_MONTH}|christmas|summer|autumn|winter|spring|\d)"
)
_WHAT = rf"(?P<what>[^\n]{{3,{_LONGEST}}})"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"{_LEAD}{_WHO}{_HOW} (?:want|intend|plan|aim|hope|would like|wish) to {_WHAT}",
        rf"{_LEAD}(?:i'd|we'd) (?:really |still )?(?:like|love) to {_WHAT}",
        rf"{_LEAD}(?:i'm|we're|i am|we are){_HOW} (?:trying|planning|aiming|hoping|determined|working hard) to {_WHAT}",
        (
            rf"{_LEAD}(?:my|our) (?:\w{{1,12}} )?(?:goal|aim|plan|objective|ambition|target|dream)"
            rf"(?: for [^,\n]{{1,30}}| this \w{{1,12}})? is (?:to |that )?{_WHAT}"
        ),
        rf"{_LEAD}{_WHO}{_HOW} (?:need|have|must|ought)(?: to)? (?=[^\n]{{3,{_LONGEST}}}{_TERM}){_WHAT}",
    )
)
_TAIL = re.compile(
    r",? (?:because|but|so that|since|and (?:i|we|then)|although|though|which)\b.*$", re.IGNORECASE
)
_PASSING = re.compile(
    r"(?:know|ask|say|see|hear|tell|thank|mention|add|understand|clarify|point|stress|talk|be (?:clear|honest|sure)|"
    r"apologi[sz]e|emphasi[sz]e|note|believe|think|go (?:home|to bed)|sleep|eat|cry|scream|die|disappear|stop (?:here|now))\b",
    re.IGNORECASE,
)
"""What one wants to do in the talk itself, or for the moment."""

_ADVANCED = re.compile(
    r"\b(?:finished|completed|solved|managed to|made (?:good |some |great |real )?progress|got (?:it|that|this) (?:done|"
    r"working|to work)|it works(?: now)?|figured (?:it |that |this )?out|passed|submitted|sent (?:it|off)|booked|"
    r"(?:is|are|it's) (?:done|ready|sorted|working)(?: now)?|breakthrough)\b",
    re.IGNORECASE,
)
_NOT = re.compile(
    r"\b(?:not|never|no|nothing|hardly|haven't|hasn't|didn't|isn't|aren't|don't|can't|until|unless|if|once|when)\b"
)
_NOTHING = re.compile(r"\s+(?:nothing|none|nobody|neither|no|not)\b", re.IGNORECASE)
"""Behind a word of progress, it denies it: "I booked nothing"."""


def goal_in(text: str) -> str | None:
    """Return what the first clause that sounds like a goal wants, in its own words; None where none does.

    What is asked, quoted, or only wanted for the talk itself ("I want to know …") is none.
    """
    for sentence in _SENTENCE.split(_QUOTED.sub(" ", text.translate(_FOLD))):
        if is_question(sentence):
            continue
        for form in _FORMS:
            if (found := form.match(sentence.strip())) and (what := _wanted(found["what"])):
                return what
    return None


def tells_progress(text: str) -> bool:
    """Say whether a person tells of having got on with something; a denial or a condition is no such word."""
    return any(
        not is_question(sentence)
        and _NOT.search(sentence[: found.start()].lower()) is None
        and _NOTHING.match(sentence, found.end()) is None
        for sentence in _SENTENCE.split(text.translate(_FOLD))
        for found in _ADVANCED.finditer(sentence)
    )


def _wanted(said: str) -> str | None:
    what = _TAIL.sub("", said).strip(" \t.,;:!…\"'")
    if _PASSING.match(what) or len(what.split()) < _FEWEST_WORDS:
        return None
    return what
