"""A model that talks to a scripted server through its provider's real package."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from engram.config import Settings
from engram.errors import EngramError
from engram.llm import ChatModel, Message, Stream, open_model
from tests.protocol.llm_server import Answer, ModelServer, Provider

CONVERSATION = [
    Message(role="user", text="I moved to Lisbon."),
    Message(role="assistant", text="How is it there?"),
    Message(role="user", text="Sunny — “muito” bem 🌞"),
]


@dataclass
class Bench:
    """A server, a model that talks to it, and what the model did between tries."""

    server: ModelServer
    model: ChatModel
    waits: list[float] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)

    def ask(self, *messages: Message, **options: Any) -> Stream:
        """Send the conversation, or another."""
        return self.model.stream("Be brief.", messages or CONVERSATION, max_tokens=99, **options)

    def fail(self) -> tuple[str, EngramError]:
        """Send the conversation, expect a failure, and return the text before it and the error."""
        stream = self.ask()
        with pytest.raises(EngramError) as caught:
            list(stream)
        return stream.text, caught.value


@contextmanager
def bench(
    provider: Provider,
    *answers: Answer,
    model: str = "a-model",
    key: str | None = None,
    refuses: Mapping[str, str] | None = None,
    **settings: object,
) -> Iterator[Bench]:
    """Start a server with a script and open a model on it."""
    waits: list[float] = []
    notices: list[str] = []
    with ModelServer.running(provider, *answers, refuses=refuses) as server:
        overrides = {
            "llm": provider,
            f"{provider}_base_url": server.url,
            f"{provider}_model": model,
            f"{provider}_api_key": key,
            "llm_timeout": 5.0,
        } | settings
        opened = open_model(
            Settings.load(**overrides), sleep=waits.append, jitter=lambda: 0.5, notify=notices.append
        )
        assert opened is not None
        try:
            yield Bench(server, opened, waits, notices)
        finally:
            opened.close()
