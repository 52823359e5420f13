"""Asking a model within a dream: so many calls and no more, each alone, each answer read by its shape."""

import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

from pydantic import BaseModel

from engram import prompts
from engram.errors import BudgetError
from engram.llm.base import ChatModel, Effort, Message, Stream, Tool
from engram.llm.structured import Parsed, Unanswered, ask

T = TypeVar("T", bound=BaseModel)
TOKENS = 4_096
"""Of an answer; thinking counts."""


class Allowance:
    """So many calls of models, whoever makes them; safe to share."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.used = 0
        self._lock = threading.Lock()

    @property
    def left(self) -> int:
        """How many are left."""
        return self.most - self.used

    def take(self) -> bool:
        """Take one, if there is one left."""
        with self._lock:
            if self.used >= self.most:
                return False
            self.used += 1
            return True


class AllowedModel:
    """A model that stops answering once the allowance is used up."""

    def __init__(self, model: ChatModel, allowance: Allowance) -> None:
        self._model = model
        self._allowance = allowance

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    def stream(
        self,
        system: str,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        tools: Sequence[Tool] = (),
        shape: type[BaseModel] | None = None,
        effort: Effort = "low",
    ) -> Stream:
        """Ask for the next answer.

        Raises:
            BudgetError: The allowance is used up.
        """
        if not self._allowance.take():
            raise BudgetError(
                f"A dream may ask a model {self._allowance.most} times.",
                remedy="`engram config set dream.calls N` allows more.",
            )
        return self._model.stream(
            system, messages, max_tokens=max_tokens, tools=tools, shape=shape, effort=effort
        )

    def close(self) -> None:
        """Do nothing: the model is not its own."""


class Asker:
    """Asks the model of each purpose; says once for each how it went where it went wrong."""

    def __init__(self, model: Callable[[str], ChatModel | None], allowance: Allowance) -> None:
        """Ask nothing yet.

        Args:
            model: Gives the model for a purpose, or None.
            allowance: How often in all.
        """
        self._model = model
        self.allowance = allowance
        self.notes: list[str] = []
        """What could not be asked, and why."""

    def model(self, purpose: str) -> ChatModel | None:
        """Return the model for a purpose, within the allowance."""
        model = self._model(f"dream.{purpose}")
        return None if model is None else AllowedModel(model, self.allowance)

    def ask(self, purpose: str, text: str, shape: type[T], **parameters: str) -> T | None:
        """Ask the prompt of that name about a text; None where there is no model or no usable answer.

        Args:
            purpose: The prompt's name.
            text: The question, in fenced sections.
            shape: What the answer has to be.
            parameters: The prompt's.
        """
        model = self.model(purpose)
        if model is None:
            return None
        answer = ask(model, prompts.fill(purpose, **parameters), text, shape, max_tokens=TOKENS)
        if isinstance(answer, Parsed):
            return answer.value
        why = answer.error.message if isinstance(answer, Unanswered) else f"the answer was {answer.kind}"
        self.notes.append(f"{purpose}: plain, {why}")
        return None
