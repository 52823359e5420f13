"""Rations: what an idle mind may ask of language models in a day, reserved before anything is asked."""

import json
import math
from collections.abc import Callable, Generator, Sequence
from datetime import datetime

from pydantic import BaseModel

from engram.errors import BudgetError
from engram.graph import Graph
from engram.llm.base import ChatModel, Effort, Message, Piece, Stream, Tool
from engram.loop.tokens import count_messages, count_tokens
from engram.tuning import Tuning

_MARGIN = 1.25
"""By how much a provider may count more than the estimate."""
PURPOSE = "idle"
"""What the calls are recorded as."""


class Rations:
    """The day's calls and tokens of one space, which all processes share."""

    def __init__(
        self, graph: Graph, *, space: str, tuned: Callable[[], Tuning], clock: Callable[[], datetime]
    ) -> None:
        """Begin; the space has had a run of the loop, whose manifest keeps the count.

        Args:
            graph: Where the count is.
            space: Whose.
            tuned: Gives the space's numbers: `idle.daily_calls` and `idle.daily_tokens`.
            clock: Tells the UTC day.
        """
        self._graph = graph
        self._space = space
        self._tuned = tuned
        self._clock = clock

    def reserve(self, tokens: int) -> datetime:
        """Reserve one call, and return the beginning of the day that it counts for.

        Args:
            tokens: The most that it can take.

        Raises:
            BudgetError: The day does not allow it; nothing is reserved.
            DatabaseError: The count cannot be kept.
        """
        midnight = self._clock().replace(hour=0, minute=0, second=0, microsecond=0)
        tuned = self._tuned()
        calls, most = tuned.whole("idle.daily_calls"), tuned.whole("idle.daily_tokens")
        rows = self._graph.write(
            "mind/reserve_idle",
            space=self._space,
            purpose=PURPOSE,
            midnight=midnight,
            tokens=tokens,
            most_calls=calls,
            most_tokens=most,
        ).rows
        if not (rows and rows[0]["granted"]):
            raise BudgetError(
                f"The day's budget for idle thoughts is used up: {calls:,} calls, {most:,} tokens.",
                remedy="It goes on tomorrow (UTC), or with `engram config set idle.daily_tokens` set higher.",
            )
        return midnight

    def settle(self, midnight: datetime, unused: int) -> None:
        """Give back what a call did not take.

        Raises:
            DatabaseError: It stays reserved.
        """
        self._graph.write("mind/settle_idle", space=self._space, midnight=midnight, unused=unused)


class RationedModel:
    """A chat model that asks for a ration before each question."""

    def __init__(self, model: ChatModel, rations: Rations) -> None:
        self._model = model
        self._rations = rations

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
        """Ask for the next answer; reading it raises `BudgetError` where the day does not allow it."""

        def pieces() -> Generator[Piece]:
            most = _largest(system, messages, tools, shape) + max_tokens
            day = self._rations.reserve(most)
            answer = self._model.stream(
                system, messages, max_tokens=max_tokens, tools=tools, shape=shape, effort=effort
            )
            yield from _pieces(answer)
            # What ends otherwise has perhaps been paid for in full.
            usage = answer.usage
            if usage is not None and usage.input_tokens is not None and usage.output_tokens is not None:
                self._rations.settle(day, most - usage.input_tokens - usage.output_tokens)

        return Stream(pieces())

    def close(self) -> None:
        """Give back connections; the model can be used again."""
        self._model.close()


def _largest(
    system: str, messages: Sequence[Message], tools: Sequence[Tool], shape: type[BaseModel] | None
) -> int:
    """Return the most tokens that a request can take as input: all its texts, and what belongs to tools and shapes."""
    beside = [
        *(call.raw for message in messages for call in message.calls),
        *(result.text for message in messages for result in message.results),
        *(
            f"{tool.name} {tool.description} {json.dumps(tool.parameters.model_json_schema())}"
            for tool in tools
        ),
        *([] if shape is None else [json.dumps(shape.model_json_schema())]),
    ]
    estimated = count_tokens(system) + count_messages(messages) + sum(map(count_tokens, beside))
    return math.ceil(_MARGIN * estimated)


def _pieces(answer: Stream) -> Generator[Piece]:
    """Yield an answer as it arrives, and at its end what is known of it."""
    try:
        for text in answer:
            yield Piece(text=text)
    finally:
        answer.close()
    for call in answer.calls:
        yield Piece(call=call)
    yield Piece(
        usage=answer.usage,
        logprob=answer.logprob,
        stop=answer.stop_reason,
        verbatim=answer.verbatim,
        tries=answer.tries,
    )
