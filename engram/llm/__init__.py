"""Language models: one small protocol, one module per provider.

The provider packages are large, so nothing here imports them; a model loads its own at its first answer.
"""

import importlib.util
import time
from collections.abc import Callable
from dataclasses import dataclass
from random import random
from typing import Literal
from urllib.parse import urlsplit

from pydantic import SecretStr

from engram.config import Settings
from engram.errors import ConfigurationError, LanguageModelMissingError
from engram.llm.anthropic import AnthropicModel
from engram.llm.base import (
    ChatModel,
    Effort,
    Message,
    Piece,
    Role,
    StopReason,
    Stream,
    Tool,
    ToolCall,
    ToolResult,
    Usage,
)
from engram.llm.gemini import GeminiModel
from engram.llm.provider import Provider

__all__ = [
    "ChatModel",
    "Effort",
    "Message",
    "Models",
    "Piece",
    "Role",
    "StopReason",
    "Stream",
    "Tool",
    "ToolCall",
    "ToolResult",
    "Usage",
    "open_model",
    "open_models",
]

LOCAL_KEY = "no-key"
"""Sent to a server of one's own that asks for none: the provider packages insist on a key."""

ProviderName = Literal["gemini", "anthropic"]

_PACKAGES = {"gemini": "google.genai", "anthropic": "anthropic"}
_NAMES = {"gemini": ("gemini", "models/"), "anthropic": ("claude", "anthropic")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """The models of one agent; each may be missing."""

    system1: ChatModel | None = None
    """Talks."""
    system2: ChatModel | None = None
    """Thinks longer, and is asked when System 1 is not sure (v4 plan, 3.6)."""
    quiet: ChatModel | None = None
    """System 1's model once more, for questions that no person waits for; any thread may ask it."""

    def close(self) -> None:
        """Give back every model's connections."""
        for model in (self.system1, self.system2, self.quiet):
            if model is not None:
                model.close()


def open_models(
    settings: Settings,
    *,
    model: str | None = None,
    notify: Callable[[str], None] | None = None,
) -> Models:
    """Open the models that the settings name; without a System 1 there is no other either.

    Args:
        settings: Where keys, addresses, model names and limits come from.
        model: Another model's name for System 1; see `open_model`.
        notify: Told in one line when a busy or silent model is asked again, and when System 2's package is
            not there.

    Raises:
        LanguageModelMissingError: A provider was named but has no key, or its package is not installed.
        ConfigurationError: An address is not an http address.
    """
    system1 = open_model(settings, model=model, notify=notify)
    if system1 is None:
        return Models()
    return Models(
        system1=system1,
        system2=_open_system2(settings, notify),
        quiet=open_model(settings, model=model),
    )


def _open_system2(settings: Settings, notify: Callable[[str], None] | None) -> ChatModel | None:
    chosen = settings.system2
    if chosen == "auto":
        if _access(settings, "anthropic") == (None, None):
            return None
        try:
            _require_package("anthropic")
        except LanguageModelMissingError as error:
            if notify is not None:
                notify(str(error))
            return None
        chosen = "anthropic"
    if chosen == "none":
        return None
    return _open(settings, chosen, model=settings.system2_model, effort="high", notify=notify)


def open_model(
    settings: Settings,
    *,
    model: str | None = None,
    notify: Callable[[str], None] | None = None,
    sleep: Callable[[float], None] = time.sleep,
    jitter: Callable[[], float] = random,
) -> ChatModel | None:
    """Open the language model that the settings name, or None where there is none.

    `auto` takes the first of Gemini and Anthropic that has a key or an address of its own.

    Args:
        settings: Where keys, addresses, model names and limits come from.
        model: Another model's name; with `auto` it also tells which provider, where the name shows it.
        notify: Told in one line when a busy or silent model is asked again.
        sleep: Waits between tries.
        jitter: A number in [0, 1) that spreads the waits.

    Raises:
        LanguageModelMissingError: The provider was named but has no key, or its package is not installed.
        ConfigurationError: The address is not an http address.
    """
    chosen = _choose(settings, model)
    if chosen is None:
        return None
    return _open(settings, chosen, model=model, notify=notify, sleep=sleep, jitter=jitter)


def _open(
    settings: Settings,
    provider: ProviderName,
    *,
    model: str | None = None,
    effort: Effort = "low",
    notify: Callable[[str], None] | None = None,
    sleep: Callable[[float], None] = time.sleep,
    jitter: Callable[[], float] = random,
) -> Provider:
    key, address = _access(settings, provider)
    if key is None and address is None:
        variable = f"ENGRAM_{provider.upper()}_API_KEY"
        raise LanguageModelMissingError(
            f"The language model is set to {provider}, which has no key.",
            remedy=f"Set {variable}, or ENGRAM_{provider.upper()}_BASE_URL for a server of your own.",
        )
    if address is not None and (
        urlsplit(address).scheme not in {"http", "https"} or not urlsplit(address).netloc
    ):
        raise ConfigurationError(
            f"The address of the {provider} server is not usable: {address!r}.",
            remedy=f"Set ENGRAM_{provider.upper()}_BASE_URL to something like http://127.0.0.1:8080.",
        )
    _require_package(provider)
    built: type[Provider] = GeminiModel if provider == "gemini" else AnthropicModel
    return built(
        model=model or (settings.gemini_model if provider == "gemini" else settings.anthropic_model),
        key=LOCAL_KEY if key is None else key.get_secret_value(),
        base_url=address,
        timeout=settings.llm_timeout,
        retries=settings.llm_retries,
        effort=effort,
        sleep=sleep,
        jitter=jitter,
        notify=notify,
    )


def _choose(settings: Settings, model: str | None) -> ProviderName | None:
    if settings.llm == "none":
        return None
    if settings.llm != "auto":
        return settings.llm
    providers: tuple[ProviderName, ...] = ("gemini", "anthropic")
    ready = [name for name in providers if _access(settings, name) != (None, None)]
    # An address alone may be a server that asks for no key, but a key says who is meant.
    ready.sort(key=lambda name: _access(settings, name)[0] is None)
    named = [name for name in ready if model is not None and model.startswith(_NAMES[name])]
    return next(iter(named or ready), None)


def _access(settings: Settings, provider: ProviderName) -> tuple[SecretStr | None, str | None]:
    if provider == "gemini":
        return settings.gemini_api_key, settings.gemini_base_url
    return settings.anthropic_api_key, settings.anthropic_base_url


def _require_package(provider: ProviderName) -> None:
    package = _PACKAGES[provider]
    try:
        found = importlib.util.find_spec(package) is not None
    except ModuleNotFoundError:
        found = False  # the parent, `google`, is not there either
    if not found:
        raise LanguageModelMissingError(
            f"The package for {provider} is not installed.",
            remedy=f"pip install 'engram-neo4j[{provider}]'",
        )
