"""Language models: one small protocol, one module per provider.

The provider packages are large, so nothing here imports them; a model loads its own at its first answer.
"""

import importlib.util
import time
from collections.abc import Callable
from random import random
from urllib.parse import urlsplit

from pydantic import SecretStr

from engram.config import Settings
from engram.errors import ConfigurationError, LanguageModelMissingError
from engram.llm.anthropic import AnthropicModel
from engram.llm.base import ChatModel, Message, Piece, Provider, Role, StopReason, Stream, Usage
from engram.llm.gemini import GeminiModel

__all__ = [
    "ChatModel",
    "Message",
    "Piece",
    "Role",
    "StopReason",
    "Stream",
    "Usage",
    "open_model",
]

LOCAL_KEY = "no-key"
"""Sent to a server of one's own that asks for none: the provider packages insist on a key."""

_PACKAGES = {"gemini": "google.genai", "anthropic": "anthropic"}
_NAMES = {"gemini": ("gemini", "models/"), "anthropic": ("claude", "anthropic")}


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
    key, address = _access(settings, chosen)
    if key is None and address is None:
        variable = f"ENGRAM_{chosen.upper()}_API_KEY"
        raise LanguageModelMissingError(
            f"The language model is set to {chosen}, which has no key.",
            remedy=f"Set {variable}, or ENGRAM_{chosen.upper()}_BASE_URL for a server of your own.",
        )
    if address is not None and (
        urlsplit(address).scheme not in {"http", "https"} or not urlsplit(address).netloc
    ):
        raise ConfigurationError(
            f"The address of the {chosen} server is not usable: {address!r}.",
            remedy=f"Set ENGRAM_{chosen.upper()}_BASE_URL to something like http://127.0.0.1:8080.",
        )
    _require_package(chosen)
    built: type[Provider] = GeminiModel if chosen == "gemini" else AnthropicModel
    return built(
        model=model or (settings.gemini_model if chosen == "gemini" else settings.anthropic_model),
        key=LOCAL_KEY if key is None else key.get_secret_value(),
        base_url=address,
        timeout=settings.llm_timeout,
        retries=settings.llm_retries,
        sleep=sleep,
        jitter=jitter,
        notify=notify,
    )


def _choose(settings: Settings, model: str | None) -> str | None:
    if settings.llm == "none":
        return None
    if settings.llm != "auto":
        return settings.llm
    ready = [name for name in ("gemini", "anthropic") if _access(settings, name) != (None, None)]
    named = [name for name in ready if model is not None and model.startswith(_NAMES[name])]
    return next(iter(named or ready), None)


def _access(settings: Settings, provider: str) -> tuple[SecretStr | None, str | None]:
    if provider == "gemini":
        return settings.gemini_api_key, settings.gemini_base_url
    return settings.anthropic_api_key, settings.anthropic_base_url


def _require_package(provider: str) -> None:
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
