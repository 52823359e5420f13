"""Property values as JSON that keeps them to the bit.

Texts, booleans, whole numbers, finite floats and lists of one of them are what they are in JSON: a float always has a point
or an exponent, a whole number never. Times and durations are objects with one name, their type in Cypher, and their text,
or a list of texts. So are floats that are not finite, which JSON has no form for. Vectors are their bytes in base 64.
"""

import base64
import calendar
import math
import re
import zoneinfo
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

import numpy as np

from engram.errors import InvalidInputError

Scalar = str | bool | int | float
Json = Scalar | list[Scalar] | dict[str, "str | list[str]"]
"""A property as it stands in a file."""

SMALLEST, LARGEST = -(2**63), 2**63 - 1
"""What a whole number in the graph can be."""
LONGEST_VECTOR = 8_192
"""Components, at most."""
_NATURAL = {"STRING", "BOOLEAN", "INTEGER", "FLOAT", "NOTHING"}

_ON = r"(?P<year>[+-]?\d{4,9})-(?P<month>\d\d)-(?P<day>\d\d)"
_AT = r"(?P<hour>\d\d):(?P<minute>[0-5]\d)(?::[0-5]\d(?:\.\d{1,9})?)?"
_OFFSET = r"(?:Z|[+-](?P<off>\d\d):[0-5]\d(?::[0-5]\d)?)"
_ZONE = r"(?:\[(?P<zone>[A-Za-z][\w+/-]{0,60})\])?"
_PART = r"-?\d{1,15}"
_FORMS = {
    "DATE": re.compile(_ON),
    "LOCAL TIME": re.compile(_AT),
    "ZONED TIME": re.compile(_AT + _OFFSET),
    "LOCAL DATETIME": re.compile(f"{_ON}T{_AT}"),
    "ZONED DATETIME": re.compile(f"{_ON}T{_AT}{_OFFSET}{_ZONE}"),
    "DURATION": re.compile(
        rf"P(?=.)(?:{_PART}Y)?(?:{_PART}M)?(?:{_PART}W)?(?:{_PART}D)?"
        rf"(?:T(?=.)(?:{_PART}H)?(?:{_PART}M)?(?:{_PART}(?:\.\d{{1,9}})?S)?)?"
    ),
}
"""The texts that the server writes and reads again."""


@dataclass(frozen=True, slots=True)
class Temporal:
    """Times or durations, as the texts that the server made of them."""

    type: str
    """In Cypher, e.g. `ZONED DATETIME`."""
    texts: tuple[str, ...]
    list: bool
    """Whether it is a list; else there is one text."""


Value = Scalar | list[Scalar] | Temporal
"""A property on its way into the graph."""


@dataclass(frozen=True, slots=True)
class Vector:
    """An embedding or a mean of embeddings."""

    components: list[float]
    single: bool
    """Whether 32 bits hold each of them."""


def to_json(type_: str, value: object) -> Json:
    """Return a property as JSON.

    Args:
        type_: What `valueType` says of it.
        value: What the server sent: texts for times and durations.

    Raises:
        InvalidInputError: It is of a type that Engram never writes, such as a point.
    """
    inner = type_.replace(" NOT NULL", "").removeprefix("LIST<").removesuffix(">")
    if inner in _FORMS:
        return {inner: cast("str | list[str]", value)}  # texts, made in the statement
    if inner == "FLOAT":
        return floats_to_json(value)
    if inner in _NATURAL:
        return value  # type: ignore[return-value]
    raise InvalidInputError(f"a value of type {inner} cannot be exported")


def floats_to_json(value: object) -> Json:
    """Return a float, or a list of floats, as JSON."""
    several = value if isinstance(value, list) else [value]
    if all(map(math.isfinite, several)):
        return value  # type: ignore[return-value]
    return {"FLOAT": list(map(repr, several)) if isinstance(value, list) else repr(value)}


def from_json(value: object) -> Value:
    """Return the property that JSON stands for.

    Raises:
        InvalidInputError: It is none.
    """
    if isinstance(value, dict):
        return _typed(value)
    if isinstance(value, list):
        if len({type(each) for each in value}) > 1:
            raise InvalidInputError("a list holds values of several types")
        return [_scalar(each) for each in value]
    return _scalar(value)


def _scalar(value: object) -> Scalar:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        if not SMALLEST <= value <= LARGEST:
            raise InvalidInputError("a whole number has more than 64 bits")
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    raise InvalidInputError(f"{_shown(value)} is no value of a property")


def _text(value: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InvalidInputError("a text holds an unpaired surrogate") from None
    return value


def _typed(value: dict[str, object]) -> Value:
    if len(value) != 1:
        raise InvalidInputError("a typed value has one name, its type")
    ((type_, content),) = value.items()
    several = content if isinstance(content, list) else [content]
    texts = [text for text in several if isinstance(text, str)]
    if len(texts) != len(several):
        raise InvalidInputError(f"a {_shown(type_)} is written as text")
    if type_ == "FLOAT":
        numbers = [_not_finite(text) for text in texts]
        return numbers if isinstance(content, list) else numbers[0]
    if type_ not in _FORMS:
        raise InvalidInputError(f"there is no type {_shown(type_)}")
    if not texts or not all(_exists(type_, text) for text in texts):
        raise InvalidInputError(f"{_shown(content)} is no {type_}")
    return Temporal(type_, tuple(texts), list=isinstance(content, list))


def _not_finite(text: str) -> Scalar:
    try:
        return float(text)
    except ValueError:
        raise InvalidInputError(f"{_shown(text)} is no FLOAT") from None


@lru_cache(maxsize=10_000)
def _exists(type_: str, text: str) -> bool:
    """Say whether there is such a time: the server must not find that out in the middle of a restore."""
    found = _FORMS[type_].fullmatch(text)
    if found is None or not text.isascii():
        return False
    part = found.groupdict()
    return (
        int(part.get("hour") or 0) < 24
        and int(part.get("off") or 0) <= 18
        and (part.get("year") is None or _is_day(int(part["year"]), int(part["month"]), int(part["day"])))
        and (part.get("zone") is None or _is_zone(part["zone"]))
    )


def _is_day(year: int, month: int, day: int) -> bool:
    # The calendar repeats every 400 years, and Python's begins at 1.
    return 1 <= month <= 12 and 1 <= day <= calendar.monthrange(2000 + year % 400, month)[1]


def _is_zone(name: str) -> bool:
    try:
        zoneinfo.ZoneInfo(name)
    except (ValueError, OSError, zoneinfo.ZoneInfoNotFoundError):
        return False
    return True


def vector_to_json(components: list[float]) -> dict[str, str]:
    """Return a vector as JSON: its bytes, of 32 bits a component where these hold it whole."""
    double = np.asarray(components, dtype="<f8")
    with np.errstate(over="ignore"):
        single = double.astype("<f4")
    if np.array_equal(single.astype("<f8"), double):
        return {"float32": base64.b64encode(single.tobytes()).decode()}
    return {"float64": base64.b64encode(double.tobytes()).decode()}


def vector_from_json(value: object) -> Vector | None:
    """Return the vector that JSON stands for; None for one that was left out.

    Raises:
        InvalidInputError: It is none.
    """
    if value is None:
        return None
    if not isinstance(value, dict) or len(value) != 1 or not {*value} <= {*_WIDTHS}:
        raise InvalidInputError("a vector is written as float32 or float64")
    ((form, text),) = value.items()
    kind, width = _WIDTHS[form]
    try:
        data = base64.b64decode(text, validate=True)
    except (ValueError, TypeError):
        raise InvalidInputError("a vector is not written in base 64") from None
    if not data or len(data) % width or len(data) > width * LONGEST_VECTOR:
        raise InvalidInputError(f"a vector has {len(data):,} bytes")
    components = np.frombuffer(data, dtype=kind)
    if not np.isfinite(components).all():
        raise InvalidInputError("a vector holds what is not a finite number")
    return Vector(components.astype(float).tolist(), single=form == "float32")


_WIDTHS: dict[object, tuple[str, int]] = {"float32": ("<f4", 4), "float64": ("<f8", 8)}


def map_texts(value: Value, change: Callable[[str], str]) -> Value:
    """Return a property with each text in it changed; times are none."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [change(each) if isinstance(each, str) else each for each in value]
    return value


def _shown(value: object) -> str:
    return ascii(value)[:60]
