"""Tools of the answering model: what it asks for is done within bounds, and answered with data.

A model's wish is untrusted: its name may be none, its arguments anything. Each is answered, at worst with the words of an
error, because a provider refuses a conversation in which a call is left open.
"""

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pydantic import ValidationError

from engram.errors import EngramError
from engram.llm.base import Message, Tool, ToolCall, ToolResult
from engram.loop.fencing import section
from engram.text import inert

if TYPE_CHECKING:
    from engram.mind.part import AgentTool

_LOG = logging.getLogger(__name__)
ROUNDS = 3
"""Answers of one reply that may ask for tools; the next one has to do without."""
CALLS = 6
"""Calls of one reply that are carried out."""
LONGEST = 8_000
"""Characters of a result."""
USED_UP = f"Not done: {CALLS} calls are all that one reply may make. Answer with what there is."
NOT_THE_PERSON_S = "Not done: this acts outside, and what is answered here is no message of the person's. Ask the person first."


class Toolbox:
    """The tools of one reply, and how many calls are left."""

    def __init__(self, tools: Sequence["AgentTool"], *, persons: bool) -> None:
        """Offer tools.

        Args:
            tools: What there is.
            persons: Whether what is answered was said by the person, by its source tag. A tool that acts outside is not
                used at the wish of anything else (v4 plan, section 12, principle 3).
        """
        self._tools: Mapping[str, AgentTool] = {each.tool.name: each for each in tools}
        self._persons = persons
        self._left = CALLS

    @property
    def offered(self) -> tuple[Tool, ...]:
        """What a model is told of them."""
        return tuple(each.tool for each in self._tools.values())

    def answer(self, call: ToolCall) -> ToolResult:
        """Carry a call out, if it may be, and return what the model is told."""
        return ToolResult(call=call, text=self._told(call))

    def _told(self, call: ToolCall) -> str:
        found = self._tools.get(call.name)
        if found is None:
            known = ", ".join(sorted(self._tools)) or "none"
            return f"There is no tool {inert(call.name, 60)!r}. Tools: {known}."
        if found.external and not self._persons:
            return NOT_THE_PERSON_S
        if self._left <= 0:
            return USED_UP
        self._left -= 1
        return _used(found, call)


def _used(found: "AgentTool", call: ToolCall) -> str:
    """Carry a call out, and return what came of it, whatever that is."""
    try:
        return _result(found.use(found.parameters.model_validate(call.arguments)))
    except ValidationError as error:
        return f"The arguments are not usable: {_problems(error)}."
    except EngramError as error:
        return f"It did not work: {inert(str(error), LONGEST)}"
    except Exception as error:  # noqa: BLE001  (a fault in a tool must not end the talk)
        _LOG.debug("the tool %s failed", found.tool.name, exc_info=True)
        return f"It did not work: {type(error).__name__}."


def in_words(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Return a conversation without calls and results: what was asked for and given back stands in its words.

    Providers refuse calls and results in a request that offers no tools, and another provider's besides.
    """
    return tuple(_in_words(each) if each.calls or each.results else each for each in messages)


def _in_words(message: Message) -> Message:
    if message.calls:
        names = ", ".join(inert(call.name, 60) for call in message.calls)
        return Message(role="assistant", text=f"{message.text}\n\n(I use {names}.)".strip())
    given = "\n\n".join(f"{inert(each.call.name, 60)} gave:\n{each.text}" for each in message.results)
    return Message(role="user", text=f"{given}\n\n{message.text}".strip())


def _result(text: str) -> str:
    """Return what a tool gave as data: fenced, each line inert, and not endless."""
    told = text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
    return section("result", told.splitlines()) or "Done; there is nothing to tell."


def _problems(error: ValidationError) -> str:
    """Say what is wrong with arguments, without repeating them."""
    return "; ".join(
        f"{'.'.join(map(str, each['loc'])) or 'arguments'}: {each['msg']}"
        for each in error.errors(include_input=False, include_url=False, include_context=False)
    )
