"""Answers of a shape: a model is asked for one, and whatever it says becomes a value of a known type."""

from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from pydantic import BaseModel

from engram.errors import EngramError
from engram.llm.base import ChatModel

T = TypeVar("T", bound=BaseModel)

Unusable = Literal["prose", "wrong_shape", "cut_off", "empty", "too_long"]
"""Why an answer could not be used."""


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


def ask(model: ChatModel, system: str, text: str, shape: type[T], *, max_tokens: int) -> Outcome[T]:
    """Ask a model one question, without any history, and return its answer as a `shape`.

    Args:
        model: Who is asked.
        system: What it is told about its task.
        text: The question.
        shape: What the answer has to be.
        max_tokens: The longest answer, in tokens.
    """
    raise NotImplementedError(model, system, text, shape, max_tokens)
