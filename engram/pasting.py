"""Cypher as a person pastes it into Neo4j Browser: `:param` lines, then a statement."""

import re
from collections.abc import Mapping

_PUNCTUATION = re.compile(r"[^\w \-.](?<=[\x00-\x7f])")


def parameter_lines(values: Mapping[str, str]) -> list[str]:
    """Return the lines that set parameters in Neo4j Browser.

    Browser takes several at once only with a semicolon after each, and only `:param`, unlike `:params`, keeps whole
    numbers whole.

    Args:
        values: Cypher expressions by the parameters' names.
    """
    return [f":param {name} => {value};" for name, value in values.items()]


def literal(value: str | int) -> str:
    """Return a text or a whole number as a Cypher literal.

    Punctuation is written by its number, since Browser looks for semicolons and slashes before Cypher does; but for
    the two that end a literal, since Cypher 5, in which Browser evaluates parameters, reads numbers before literals.
    """
    return str(value) if isinstance(value, int) else "'" + _PUNCTUATION.sub(_escaped, value) + "'"


def _escaped(found: re.Match[str]) -> str:
    char = found[0]
    return f"\\{char}" if char in "'\\" else f"\\u{ord(char):04x}"
