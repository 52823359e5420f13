"""Words that are looked for: those of one memory, or the names of somebody or something."""

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from engram.entities import entity_key
from engram.remembering import SPECIFIC
from engram.validation import normalise

_ORDINARY = """
amber april art august autumn bill bob chance charity chuck cliff daisy dawn dean drew earl faith forest frank gene glen
grace grant guy hazel heather holly hope hunter iris ivy jack jade jasmine jean joy june lance lily mark mason may mercy
miles nick olive page pat patience peg penny pierce poppy ray reed rich rob robin rose ruby rusty sage sandy skip sky
stone sue summer ted tony trip violet wade ward will willow
"""
"""Names that are words too: these are looked for as they are written, so that no "will" goes with Will."""
_TELLING = 3
"""Letters from which a name is one without its signs: C++ is not C."""


@dataclass(frozen=True, slots=True)
class Words:
    """What is looked for."""

    needles: tuple[str, ...]
    """Lower case; a text that holds none of them holds no such words. None: there is nothing to look for."""
    are_in: Callable[[str], bool]
    """Says whether a text holds such words."""


def words_of(content: str) -> Words:
    """Return the words of what was said; short ones ("yes, please") are nobody's own and are not looked for."""
    if len(normalise(content)) < SPECIFIC:
        return Words((), lambda _: False)
    plain = [content, " ".join(content.split())]
    # What a model answered is kept as JSON.
    escaped = [
        json.dumps(text, ensure_ascii=ascii_only)[1:-1] for text in plain for ascii_only in (True, False)
    ]
    needles = tuple(dict.fromkeys(text.lower() for text in (*plain, *escaped)))
    return Words(needles, lambda text: any(needle in text.lower() for needle in needles))


def words_for(names: Iterable[str]) -> Words:
    """Return names as words: whole ones, in any case and with a possessive, as names are known by."""
    written = [name for name in dict.fromkeys(names) if entity_key(name)]
    as_written = [
        name for name in written if name.casefold() in _ORDINARY.split() or len(entity_key(name)) < _TELLING
    ]
    keys = {entity_key(name) for name in written} - {entity_key(name) for name in as_written}
    exact = [re.compile(rf"(?<!\w){re.escape(name)}(?!\w)") for name in as_written]

    def are_in(text: str) -> bool:
        folded = f" {entity_key(text)} "
        return any(f" {key} " in folded for key in keys) or any(each.search(text) for each in exact)

    # The longest word of each, with and without its accents, for the database to look for.
    longest = {max(form.lower().split(), key=len) for name in written for form in (name, entity_key(name))}
    return Words(tuple(sorted(longest)), are_in)
