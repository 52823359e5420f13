"""Plain facts: what people say of themselves and of those they name, found by patterns and no model. English.

Precise rather than complete: a statement that no pattern is sure of gives nothing. What is asked, imagined, quoted, or
reported of somebody else's words gives nothing either; what is only supposed has a confidence below 0.4, which makes it
speculation. The slots are those of `engram.beliefs.extraction.slots`.

reading.py     turn after turn, from clauses to facts; times and corrections
clauses.py     who says what of whom
predicates.py  what a clause says of its subject
rules.py       what is looked for behind each verb: places.py, work.py, people.py, tastes.py, doing.py
things.py      "our rent is", "the lido is closed"
mine.py        "my name is", "my favourite colour", "my sister Anna"
free.py        promises, plans, decisions, rules of conduct and events, in their own words
words.py       the words that all of them know, and the form of a name
"""

from engram.beliefs.extraction.plain.reading import plain_facts

__all__ = ["plain_facts"]
