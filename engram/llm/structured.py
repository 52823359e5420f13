"""Answers of a shape: a model is asked for one, and whatever it says becomes a value of a known type."""

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Generic, Literal, NoReturn, TypeVar

from pydantic import BaseModel, ValidationError

from engram.errors import EngramError, LanguageModelGarbledError
from engram.llm.base import ChatModel, Effort, Message, Stream
from engram.llm.failures import one_line

T = TypeVar("T", bound=BaseModel)

Unusable = Literal["prose", "wrong_shape", "cut_off", "empty", "too_long"]
"""Why an answer could not be used."""

LONGEST = 262_144
"""Bytes of UTF-8 that an answer may have; no more are read."""

_LARGEST = 2**63
"""Integers are below it in magnitude: the graph holds no larger ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed(Generic[T]):
    """The answer has the shape that was asked for."""

    value: T


@dataclass(frozen=True, slots=True, kw_only=True)
class Unparsed:
    """There is an answer, and it cannot be used; nothing of it may be applied."""

    kind: Unusable
    detail: str
    """In a few words, for people."""
    raw: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unanswered:
    """There is no answer."""

    error: EngramError


Outcome = Parsed[T] | Unparsed | Unanswered


def ask(
    model: ChatModel,
    system: str,
    text: str,
    shape: type[T],
    *,
    max_tokens: int,
    effort: Effort = "low",
) -> Outcome[T]:
    """Ask a model one question, without any history, and return its answer as a `shape`.

    The answer is one JSON object, alone or in a code fence. It may also stand among prose, where exactly one
    object of the right shape does. Within it there is no leniency: a number in quotes is no number, and
    neither a key that comes twice, NaN, nor an integer beyond 64 bits is read.

    `Stream.outcome` becomes `ok`, the kind of an unusable answer, or `unanswered`.

    Args:
        model: Who is asked.
        system: What it is told about its task.
        text: The question.
        shape: What the answer has to be.
        max_tokens: The longest answer, in tokens.
        effort: How much the model may think first.
    """
    try:
        stream = model.stream(
            system, [Message(role="user", text=text)], max_tokens=max_tokens, shape=shape, effort=effort
        )
    except EngramError as error:
        return Unanswered(error=error)
    with stream:
        outcome = _outcome(stream, shape)
        match outcome:
            case Parsed():
                stream.outcome = "ok"
            case Unparsed(kind=kind):
                stream.outcome = kind
            case Unanswered():
                stream.outcome = "unanswered"
    return outcome


def _outcome(stream: Stream, shape: type[T]) -> Outcome[T]:
    size = 0
    try:
        for delta in stream:
            size += len(delta.encode("utf-8", "replace"))
            if size > LONGEST:
                return Unparsed(kind="too_long", detail=f"over {LONGEST // 1024} KB", raw=stream.text)
    except LanguageModelGarbledError as error:
        if stream.text.strip() or stream.stop_reason == "length":
            return Unparsed(kind="cut_off", detail=one_line(error.message), raw=stream.text)
        if stream.stop_reason == "end":
            return Unparsed(kind="empty", detail="no word", raw=stream.text)
        return Unanswered(error=error)
    except EngramError as error:
        return Unanswered(error=error)
    return parse(stream.text, shape, complete=stream.stop_reason != "length")


def parse(text: str, shape: type[T], *, complete: bool = True) -> Parsed[T] | Unparsed:
    """Return the one object of a `shape` that an answer holds; see `ask` for what is let pass.

    Args:
        text: The whole answer.
        shape: What it has to be.
        complete: Whether the model ended it of itself.
    """
    found: list[T] = []
    faults: list[str] = []
    candidate = ""
    try:
        for candidate in _candidates(text):
            value = _validate(candidate, shape)
            if isinstance(value, str):
                faults.append(value)
            else:
                found.append(value)
    except (ValueError, RecursionError) as error:
        if not complete or _is_open(text):
            return Unparsed(kind="cut_off", detail="the JSON does not end", raw=text)
        return Unparsed(kind="wrong_shape", detail=f"no valid JSON: {one_line(str(error), 100)}", raw=text)
    # Where the end is missing, a second object may be missing too.
    if len(found) == 1 and (complete or _is_alone(candidate, text)):
        return Parsed(value=found[0])
    kind, detail = _why_not(text, len(found), faults, complete=complete)
    return Unparsed(kind=kind, detail=detail, raw=text)


def _why_not(text: str, found: int, faults: list[str], *, complete: bool) -> tuple[Unusable, str]:
    if not text.strip():
        return "empty", "no word"
    if not complete:
        return "cut_off", "it reached the longest answer"
    if found:
        return "wrong_shape", f"{found} objects of the shape"
    if faults:
        return "wrong_shape", faults[-1]
    return ("wrong_shape", "JSON, and no object") if _is_json(text) else ("prose", "no JSON object")


def _validate(candidate: str, shape: type[T]) -> T | str:
    """Return the candidate as a `shape`, or what is wrong with it."""
    try:
        return shape.model_validate_json(candidate, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        return one_line(f"{where}: {first['msg']}" if where else first["msg"], 150)
    # A shape's own validators may fail in their own ways.
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        return one_line(f"{type(error).__name__}: {error}", 150)


_START = re.compile(r'\{\s*["}]|\[\s*[\[{"\]]')
"""Where JSON begins among prose; a set like {x} or a footnote like [1] does not look like it."""

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)

_EMPTY_FENCE = re.compile(r"\s*(```\w*\s*```\s*)?")


def _candidates(text: str) -> Iterator[str]:
    """Yield the JSON texts in an answer, outermost only.

    Raises:
        ValueError: One of them is malformed or ambiguous; what stands inside it is no answer.
        RecursionError: One of them is nested too deeply.
    """
    end = 0
    while match := _START.search(text, end):
        start = match.start()
        if _is_unbalanced(text[end:start]):
            raise ValueError("it stands inside something that is not JSON")
        _, end = _DECODER.raw_decode(text, start)
        yield text[start:end]


def _is_open(text: str) -> bool:
    """Say whether the JSON in `text` lacks its end."""
    match = _START.search(text)
    rest = _STRING.sub("", text[match.start() :]) if match else ""
    return '"' in rest or _is_unbalanced(rest)


def _is_unbalanced(text: str) -> bool:
    return text.count("{") > text.count("}") or text.count("[") > text.count("]")


def _is_alone(candidate: str, text: str) -> bool:
    """Say whether nothing but a code fence stands around the JSON."""
    return _EMPTY_FENCE.fullmatch(text.replace(candidate, "", 1)) is not None


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    if len(read) < len(pairs):
        raise ValueError("a key comes twice")
    return read


def _bounded(digits: str) -> int:
    # The length first: Python refuses to read thousands of digits in words of its own.
    if len(digits) > 20 or abs(int(digits)) >= _LARGEST:
        raise ValueError("an integer beyond 64 bits")
    return int(digits)


def _finite(digits: str) -> float:
    if not math.isfinite(value := float(digits)):
        raise ValueError("a number beyond all bounds")
    return value


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_once_each, parse_int=_bounded, parse_float=_finite, parse_constant=_no_number
)
