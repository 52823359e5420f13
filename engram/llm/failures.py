"""What went wrong, read from whatever an SDK raised and a server sent."""

import json
import re
from dataclasses import dataclass, field

from engram.errors import (
    EngramError,
    InvalidInputError,
    LanguageModelBusyError,
    LanguageModelDownError,
    LanguageModelError,
    LanguageModelGarbledError,
    LanguageModelMissingError,
    LanguageModelRefusedError,
    LanguageModelTooLongError,
)

_TOO_LONG = re.compile(
    r"prompt is too long|too many tokens|context (length|window)|exceeds? the maximum( allowed)? number of tokens",
    re.IGNORECASE,
)


SHORTEST_KEY = 6
"""Characters: what is shorter stands in for a key, and hides nothing worth hiding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """Who was asked, for messages."""

    brand: str
    model: str
    address: str | None
    """None for the provider's own."""
    timeout: float
    """Seconds of silence that are waited for."""
    key: str = field(default="", repr=False)
    """What must never be shown."""

    @property
    def where(self) -> str:
        """The address as the end of a phrase, without name and password; empty for the provider's own."""
        return f" at {re.sub(r'//[^/@]*@', '//', self.address)}" if self.address else ""

    def hiding(self, text: str) -> str:
        """Return `text` without the key: an HTTP package may quote the header that it cannot send."""
        return text.replace(self.key, "…") if len(self.key) >= SHORTEST_KEY else text


def status_error(server: Server, status: int, said: str, retry_after: float | None) -> LanguageModelError:
    """Turn an HTTP status and the provider's words into the error that Engram raises.

    Args:
        server: Who answered.
        status: From 400 to 599.
        said: The provider's own words, possibly none.
        retry_after: Seconds to wait, if the server said so.
    """
    error = _status_error(server, status, said, retry_after)
    error.status = status
    return error


def _status_error(server: Server, status: int, said: str, retry_after: float | None) -> LanguageModelError:
    brand, where = server.brand, server.where
    told = f": {server.hiding(one_line(said))}." if said.strip() else "."
    if status in {401, 403}:
        return LanguageModelRefusedError(
            f"{brand} refused the key ({status}){told}", remedy="Check the key with its provider."
        )
    if status == 404:
        return LanguageModelMissingError(
            f"{brand} has no model {server.model!r}{where}{told}",
            remedy=f"Set ENGRAM_{brand.upper()}_MODEL, or use --model.",
        )
    if status == 413 or (status == 400 and _TOO_LONG.search(said)):
        return LanguageModelTooLongError(
            f"The conversation is too long for {server.model} ({status}){told}",
            remedy="Set ENGRAM_CONTEXT_TOKENS lower, or begin a new session.",
        )
    if status in {429, 529}:
        wait = f" It asks to wait {retry_after:.0f} s." if retry_after is not None else ""
        return LanguageModelBusyError(
            f"{brand} is over its limit ({status}){told}{wait}", retry_after=retry_after
        )
    if status in {408, 409} or status >= 500:
        return LanguageModelDownError(f"{brand} failed ({status}){where}{told}", remedy="Try again.")
    return LanguageModelError(f"{brand} refused the request ({status}){told}")


def transport_error(server: Server, error: Exception, *, started: bool) -> EngramError | None:
    """Return what an SDK's error means that has no HTTP status; None where it is a fault of ours.

    Args:
        server: Who was asked.
        error: What the SDK raised.
        started: Whether a part of the answer had arrived.
    """
    if is_timeout(error):
        return LanguageModelDownError(
            f"{server.brand} said nothing for {server.timeout:g} seconds{server.where}.",
            remedy="Try again, or raise ENGRAM_LLM_TIMEOUT.",
        )
    if is_transport(error):
        if started:
            return LanguageModelGarbledError(f"{server.brand}'s answer was cut off.", remedy="Try again.")
        return LanguageModelDownError(
            f"{server.brand} cannot be reached{server.where}: {server.hiding(one_line(root_cause(error)))}.",
            remedy="Check the network and the address.",
        )
    if isinstance(error, UnicodeEncodeError):
        return InvalidInputError("The text holds characters that cannot be sent.")
    if is_nonsense(error):
        return LanguageModelGarbledError(
            f"{server.brand}'s answer was not understandable{server.where}.", remedy="Try again."
        )
    return None


def is_nonsense(error: BaseException) -> bool:
    """Say whether this is what the SDKs raise on an answer that is not in their protocol.

    JSON, UTF-8 and shape errors, nesting too deep to read, and the SDKs' own.
    """
    return isinstance(error, ValueError | TypeError | KeyError | AttributeError | RecursionError) or type(
        error
    ).__module__.startswith(("anthropic.", "google.genai."))


def is_timeout(error: BaseException) -> bool:
    """Say whether the other side was silent for too long."""
    names = {cls.__name__ for cls in type(error).__mro__}
    return isinstance(error, TimeoutError) or bool(names & {"TimeoutException", "APITimeoutError"})


def is_transport(error: BaseException) -> bool:
    """Say whether the connection failed, rather than what was said over it.

    By name, because the SDKs change between HTTP packages from one version to the next.
    """
    names = {cls.__name__ for cls in type(error).__mro__}
    package = type(error).__module__.partition(".")[0]
    return (
        isinstance(error, OSError)
        or "APIConnectionError" in names
        or package in {"httpx", "httpx2", "httpcore", "httpcore2"}
    )


def root_cause(error: BaseException) -> str:
    """Return the first cause's own words."""
    while error.__cause__ is not None:
        error = error.__cause__
    return str(error) or type(error).__name__


def one_line(text: str, longest: int = 300) -> str:
    """Return `text` as one printable line without its full stop, cut at `longest` characters."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split()).rstrip(".")
    return line if len(line) <= longest else line[: longest - 1] + "…"


def message_in(body: object) -> str:
    """Return the human-readable part of a provider's error body, whatever its shape; markup is none."""
    if isinstance(body, str):
        try:
            parsed = json.loads(body)
        except ValueError:
            return "" if re.search(r"<(!doctype|html|body)", body, re.IGNORECASE) else body
        return "" if isinstance(parsed, str) else message_in(parsed)
    if isinstance(body, list) and body:
        return message_in(body[0])
    if isinstance(body, dict):
        return message_in(body.get("error") or body.get("message"))
    return ""
