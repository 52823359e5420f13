"""Spans: where in a text a quote stands, however case, spaces, quotation marks and dashes of the two differ."""

import unicodedata

_ALIKE = str.maketrans(
    {
        "\u2018": "'",
        "\u2019": "'",
        "\u02bc": "'",
        "\u201c": '"',
        "\u201d": '"',
        "\u2039": "<",
        "\u203a": ">",
        "\u2010": "-",
        "\u2011": "-",
        "\u2012": "-",
        "\u2013": "-",
        "\u2014": "-",
    }
)
"""Characters that are written for one another; angle brackets are shown to models by their lookalikes."""
_FEWEST = 3
"""Letters and digits of the shortest quote that proves anything, unless the whole text has fewer."""


def find_span(text: str, quote: str) -> str | None:
    """Return the first span of `text` that says the same characters as `quote`, as it stands there.

    Compared are letters, digits and signs without case, compatibility forms and accents' composition; runs of white space
    count as one space. A span neither begins nor ends within a word.

    Args:
        text: What was said.
        quote: What is said to stand in it.

    Returns:
        The span, or None where it does not stand there or is too short to prove anything.
    """
    folded, places = _folded(text)
    wanted = _folded(quote)[0].strip()
    if _letters(wanted) < min(_FEWEST, max(1, _letters(folded))):
        return None
    start = folded.find(wanted)
    while start >= 0:
        end = start + len(wanted)
        if not (_splits(folded, start) or _splits(folded, end)):
            return text[places[start] : places[end - 1] + 1].strip()
        start = folded.find(wanted, start + 1)
    return None


def _folded(text: str) -> tuple[str, list[int]]:
    """Return a text for comparing, and for each character of it the place of the one that it comes from."""
    folded: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        if character.isspace():
            if folded and folded[-1] != " ":
                folded.append(" ")
                places.append(place)
            continue
        for each in unicodedata.normalize("NFKD", character.translate(_ALIKE)).casefold():
            if unicodedata.category(each) != "Cc":
                folded.append(each)
                places.append(place)
    return "".join(folded), places


def _splits(folded: str, place: int) -> bool:
    """Say whether a place lies within a word; scripts without case put no spaces between words."""
    around = folded[max(0, place - 1) : place + 1]
    return len(around) == 2 and all(each.islower() or each.isdigit() for each in around)


def _letters(folded: str) -> int:
    return sum(each.isalnum() for each in folded)
