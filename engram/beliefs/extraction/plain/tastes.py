"""Tastes: what people like and dislike, eat and drink, and what they must not."""

import re
from collections.abc import Iterator
from dataclasses import replace

from engram.beliefs.extraction.plain.claims import END, VAGUE, Claim, is_named, listed
from engram.beliefs.extraction.plain.predicates import Predicate
from engram.beliefs.extraction.plain.words import DIETS, INTOLERANCES, NUMBER, pattern, words
from engram.beliefs.extraction.slots import third_person
from engram.beliefs.facts import slot_key

_DISLIKING = frozenset({"hate", "dislike", "detest"})
_OBJECT_END = pattern(
    r"(?:,? (?:because|'?cause|since|but|though|although|when|whenever|as|so|which|especially|even|after|before|while|if"
    r"|more)\b|, (?:it|they|that|he|she|what|how|I|we|there)\b|, (?:too|please|you)\b|[;:(]| [-\u2013\u2014] ).*"
)
_NO_OBJECT = pattern(
    r"(?:to|the|an?|one|both|all|some|such|not|more|so|and|or|every|each|any|for|in|at|on|like|as|with|about|from|by|other"
    r"|another|many|being|seeing|hearing|having|getting|knowing|how|what|when|where|who|why|here|there|most|no)\b"
)
_POINTING = pattern(
    r"\b(?:it|its|that|this|these|those|them|they|him|her|hers|his|he|she|you|your|yours|my|mine|our|ours|their|theirs|me"
    r"|us|we|I|one|ones|everything|everyone|nothing|anything|something|someone|somebody|anyone|is|are|was|were|did|do|have"
    r"|not|lately|together|who|which|what|how|here|there|too|just|back|own|than)\b"
)
"""Words of what is liked only at the moment, or not understood without what was said before."""
_PREPOSITION = pattern(r"\b(?:in|on|at|with|for|from|to|of|into|about|by|around|through|over|as|like)\b")
_OCCASION = pattern(
    r" (?:in the (?:morning|afternoon|evening|summer|winter|spring|autumn)|at night|for (?:breakfast|lunch|dinner)"
    r"|on \w+days?)$"
)
_NO_LIKING = words(
    "people person guy thing things stuff idea ideas way lot part time times moment moments reminder"
)
_MOST_WORDS, _LONGEST, _SHORTEST = 6, 60, 3
"""Of what somebody likes: words, and characters; what is longer is rarely said of anything else again."""
_PART_WORDS, _LAST_WORDS = 2, 3
"""Words of the parts of a list, and of its last: "and" between longer ones may join other things."""
_FAN = pattern(
    r"(?:an? (?:really |very )?(?:big|huge|great|massive)? ?(?:fan|lover) of|(?:really )?fond of|really into) (?P<what>.+)"
)
_STAND = pattern(r"stand (?P<what>.+)")
_ALLERGIC = pattern(
    r"(?:\w+ )?allergic to (?P<what>[\w', -]{2,80}?)(?=$|[;.]|,? (?:because|so|but|which|and (?:I|we|my|it|that))\b)"
)
_INTOLERANT = pattern(rf"(?P<what>{INTOLERANCES})[- ]intolerant\b")
_HAS_ALLERGY = pattern(
    r"(?:an? )?(?:(?:severe|serious|mild|bad|strong) )?(?:(?P<what>[a-z]+) allergy|allergy to (?P<to>[\w ]{2,40}))(?=$|[,;])"
)
_ALLERGEN_WORDS = 4
_DIET = pattern(rf"(?:an? )?(?:strict |lifelong )?(?P<diet>{DIETS}){END}")
_WENT = pattern(rf"(?P<diet>{DIETS})\b")
_STOPPED = pattern(r"(?:up )?(?P<verb>smoking|eating|drinking)\s*(?P<what>[a-z]+(?: [a-z]+)?)?(?=$|[,;])")
_GAVE_UP = frozenset({"quit", "stop", "give"})
_SMOKING = pattern(r"smoking(?: again)?$")
_A_DAY = pattern(
    rf"(?:\d+|{NUMBER}|an?) (?:(?:cups?|glass(?:es)?|pints?|bottles?) of )?(?P<what>[a-z]+?)s? (?:a|per|each|every) day(?=$|[,;])"
)
_CONSUMED = pattern(r"(?:any )?(?P<what>[a-z]+(?: [a-z]+)?)(?=$|[,;])")


def like(said: Predicate) -> Iterator[Claim]:
    """Like or dislike something. Who does not hate something need not like it."""
    disliking = said.verb in _DISLIKING
    if said.negated and (disliking or (said.verb == "love" and not said.ended)):
        return
    for claim in likes(said.rest, dislikes=disliking or said.negated):
        yield replace(claim, over=said.over)


def be_fond(said: Predicate) -> Iterator[Claim]:
    """Be a fan of something, or not."""
    if not said.over and (found := _FAN.match(said.rest)):
        yield from likes(found["what"], dislikes=said.negated)


def can_not_stand(said: Predicate) -> Iterator[Claim]:
    """Not be able to stand something."""
    if said.negated and (found := _STAND.match(said.rest)):
        yield from likes(found["what"], dislikes=True)


def likes(rest: str, *, dislikes: bool) -> Iterator[Claim]:
    """Yield what a phrase says that somebody likes or dislikes, each thing by itself.

    Args:
        rest: What follows the verb.
        dislikes: Whether it is disliked.
    """
    value, verb = ("dislikes", "dislike") if dislikes else ("likes", "like")
    for thing in _liked(rest):
        said = thing.casefold().split()
        vague = said[-1] in _NO_LIKING or said[0] in VAGUE
        if not vague and len(thing) >= _SHORTEST and len(said) <= _MOST_WORDS:
            yield Claim(
                slot=f"likes:{slot_key(thing)}",
                value=value,
                content=f"{verb} {thing}",
                polar=True,
                about=thing if is_named(thing) else None,
            )


def _liked(rest: str) -> list[str]:
    """Return the things that are liked; none where the phrase may be about anything else."""
    phrase = _OBJECT_END.sub("", rest).strip(" ,.!")
    if not re.search(r"(?i)\b(?:and|or)\b", phrase):
        phrase = phrase.partition(",")[0]
    phrase = _OCCASION.sub("", phrase)
    if not phrase or len(phrase) > _LONGEST or _NO_OBJECT.match(phrase) or _POINTING.search(phrase):
        return []
    if _PREPOSITION.fullmatch(phrase.split()[-1]):
        return []
    things = listed(phrase)
    if len(things) > 1 and not all(map(_is_part, things, [_PART_WORDS] * (len(things) - 1) + [_LAST_WORDS])):
        return []
    return things


def _is_part(thing: str, most: int) -> bool:
    return len(thing.split()) <= most and not _PREPOSITION.search(thing)


def be_allergic(said: Predicate) -> Iterator[Claim]:
    """Be allergic to something, or not tolerate it."""
    if said.over:
        return
    if found := _ALLERGIC.match(said.rest):
        yield from (_allergy(each) for each in listed(found["what"]) if len(each.split()) <= _ALLERGEN_WORDS)
    elif found := _INTOLERANT.match(said.rest):
        what = found["what"].casefold()
        yield Claim(slot=f"allergy:{what}", value=what, content=f"be {what} intolerant")


def have_allergy(said: Predicate) -> Iterator[Claim]:
    """Have an allergy."""
    if found := _HAS_ALLERGY.match(said.rest):
        yield _allergy((found["what"] or found["to"]).casefold())


def _allergy(what: str) -> Claim:
    return Claim(slot=f"allergy:{slot_key(what)}", value=what)


def be_on_diet(said: Predicate) -> Iterator[Claim]:
    """Be, or have become, a vegetarian or the like."""
    found = _DIET.match(said.rest) if said.verb in {"be", "become"} else _WENT.match(said.rest)
    if found and (said.verb == "be" or said.happened):
        diet = found["diet"].casefold()
        yield Claim(slot="diet", value=diet, content=f"be {diet}", changed=said.happened, event=said.happened)


def consume(said: Predicate) -> Iterator[Claim]:
    """Not eat or drink something, do so again, or so many a day: that somebody eats is no news."""
    if found := _A_DAY.match(said.rest):
        yield replace(
            _consumed(said.verb, found["what"].casefold(), denied=said.negated),
            content=f"{said.verb} {found[0]}",
        )
        return
    found = _CONSUMED.match(said.rest)
    if found and (said.negated or said.new) and VAGUE.isdisjoint(found["what"].casefold().split()):
        yield _consumed(said.verb, found["what"].casefold(), denied=said.negated)


def smoke(said: Predicate) -> Iterator[Claim]:
    """Smoke, or not."""
    if said.rest.casefold() in {"", "cigarettes", "a lot"}:
        yield _smoking(denied=said.negated)


def start_smoking(said: Predicate) -> Iterator[Claim]:
    """Have started smoking."""
    if said.happened and _SMOKING.match(said.rest):
        yield replace(_smoking(denied=False), changed=True, event=True)


def stop_consuming(said: Predicate) -> Iterator[Claim]:
    """Have stopped smoking, or eating or drinking something."""
    found = _STOPPED.match(said.rest)
    if found is None or not said.happened or said.verb not in _GAVE_UP:
        return
    verb, what = found["verb"].casefold().removesuffix("ing"), (found["what"] or "").casefold()
    if verb == "smok":
        yield replace(_smoking(denied=True), changed=True, event=True)
    elif what and VAGUE.isdisjoint(what.split()):
        yield replace(_consumed(verb, what, denied=True), changed=True, event=True)


def _smoking(*, denied: bool) -> Claim:
    value = "does not smoke" if denied else "smokes"
    return Claim(slot="smoking", value=value, content="smoke", denied=denied, polar=True)


def _consumed(verb: str, what: str, *, denied: bool) -> Claim:
    return Claim(
        slot=f"{third_person(verb)}:{slot_key(what)}",
        value=f"does not {verb}" if denied else third_person(verb),
        content=f"{verb} {what}",
        denied=denied,
        polar=True,
    )
