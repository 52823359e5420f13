"""Places: where people live, come from and have been."""

from collections.abc import Iterator
from dataclasses import replace

from engram.beliefs.extraction.plain.claims import PLACE, Claim, named
from engram.beliefs.extraction.plain.predicates import Predicate
from engram.beliefs.extraction.plain.words import NAME, WHOLE, pattern, words

_IN = pattern(
    r"(?:together )?(?:with [\w' ]{1,30} )?in (?:(?:an?|the|my|our) (?:[\w-]+ ){1,4}in )?"
    rf"(?:(?:downtown|central|north|south|east|west) )?(?P<place>{PLACE}){WHOLE}"
)
_IN_LOWER = pattern(r"in (?P<place>(?-i:[a-z\xe0-\xff])[a-z\xe0-\xff-]{2,19})$")
_AT = pattern(rf"at (?P<place>(?:{NAME} \d+\w?|\d+\w? {NAME}))(?=$|,|\s+in\b)")
_NO_PLACE = words(
    "fear hope peace denial poverty luxury comfort sin harmony pain silence chaos exile isolation hell heaven paradise "
    "town there here constant general misery love squalor"
)
_TO = pattern(
    r"(?:(?:back|out|over|here|away|in|down|up|house|together|again) )*"
    rf"(?:from (?P<old>{PLACE}) )?to (?P<place>{PLACE}){WHOLE}(?: from (?P<left>{PLACE}){WHOLE})?"
)
_DIGITAL = words(
    "linux windows mac macos android ios github gitlab notion python rust java postgres mysql slack teams zoom discord "
    "signal whatsapp telegram firefox chrome safari gmail outlook spotify netflix obsidian vim emacs ubuntu debian fedora "
    "neo4j docker kubernetes aws azure typescript javascript"
)
"""What people move to as well, and do not live in."""
_FROM = pattern(rf"(?:originally )?from (?P<place>{PLACE})(?=$|[,;]| and| but)")
_BASED = pattern(rf"(?:based|settled) in (?P<place>{PLACE}){WHOLE}")
_UP_IN = pattern(rf"up in (?P<place>{PLACE}){WHOLE}")
_WENT = pattern(
    rf"(?:(?:on (?:a )?(?:holiday|vacation|trip)|back|over|up|down|all the way) )?to (?P<place>{PLACE}){WHOLE}"
)
_VISITED = pattern(rf"(?:to )?(?P<place>{PLACE}){WHOLE}")


def live(said: Predicate) -> Iterator[Claim]:
    """Live in a place, or at an address."""
    if found := _IN.match(said.rest):
        yield from named("home", found["place"], event=said.over)
    elif found := _AT.match(said.rest):
        yield from named("address", found["place"])
    elif (found := _IN_LOWER.match(said.rest)) and found["place"] not in _NO_PLACE:
        yield Claim(slot="home", value=found["place"], named=True)


def move(said: Predicate) -> Iterator[Claim]:
    """Have moved to a place, perhaps from another."""
    found = _TO.match(said.rest)
    if found is None or not said.happened or found["place"].casefold() in _DIGITAL:
        return
    yield from named("home", found["place"], changed=True, event=True)
    if old := found["old"] or found["left"]:
        yield from named("home", old, over=True, left=True)


def be_from(said: Predicate) -> Iterator[Claim]:
    """Be, or come, from a place; be based in one; have been to one."""
    if said.over:
        return
    if found := _FROM.match(said.rest):
        yield from named("origin", found["place"])
    elif found := _BASED.match(said.rest):
        yield from named("home", found["place"])
    elif said.verb == "be" and (found := _WENT.match(said.rest)):
        yield from _visited(found["place"])


def grow(said: Predicate) -> Iterator[Claim]:
    """Have grown up in a place."""
    if found := _UP_IN.match(said.rest):
        place = found["place"]
        yield from (replace(each, content=f"{{who}} grew up in {place}.") for each in named("grew_up", place))


def go(said: Predicate) -> Iterator[Claim]:
    """Have gone to a place."""
    if said.happened and (found := _WENT.match(said.rest)):
        yield from _visited(found["place"])


def visit(said: Predicate) -> Iterator[Claim]:
    """Have visited a place."""
    if said.happened and (found := _VISITED.match(said.rest)):
        yield from _visited(found["place"])


def _visited(place: str) -> Iterator[Claim]:
    for claim in named("visited", place, event=True):
        yield replace(claim, content=f"{{who}} visited {place}.")
