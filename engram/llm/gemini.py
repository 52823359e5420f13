"""Gemini, and servers that speak its protocol, through the `google-genai` package."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any, ClassVar

from engram.errors import LanguageModelError, LanguageModelRefusedError
from engram.llm.base import (
    Message,
    Piece,
    Provider,
    StopReason,
    Usage,
    message_in,
    one_line,
    read_retry_after,
)

if TYPE_CHECKING:
    from google import genai
    from google.genai import types

WHOLE_ANSWER = "600"
"""Seconds that the server may take in all. The package would send our limit on silence in its place."""


class GeminiModel(Provider):
    """A Gemini model; one client, made at the first answer."""

    brand: ClassVar[str] = "Gemini"

    def _connect(self) -> "genai.Client":
        from google import genai  # noqa: PLC0415  (0.7 s, and an extra)
        from google.genai import types  # noqa: PLC0415

        # No retry options: the package then asks once, and `Provider` does the retrying.
        options = types.HttpOptions(
            base_url=self.base_url,
            timeout=max(1, round(self.timeout * 1000)),
            headers={"X-Server-Timeout": WHOLE_ANSWER},
        )
        return genai.Client(vertexai=False, api_key=self._key, http_options=options)

    def _pieces(self, system: str, messages: Sequence[Message], max_tokens: int) -> Iterator[Piece]:
        from google.genai import types  # noqa: PLC0415

        client = self._open()
        # Thinking counts against the answer's tokens and delays its first word; talk needs little of it.
        little = self.name.removeprefix("models/").startswith("gemini-3")
        thinking = types.ThinkingConfig(thinking_level=types.ThinkingLevel.LOW) if little else None
        answer: Any = client.models.generate_content_stream(
            model=self.name,
            contents=[
                types.Content(
                    role="model" if message.role == "assistant" else "user",
                    parts=[types.Part(text=message.text)],
                )
                for message in messages
            ],
            config=types.GenerateContentConfig(
                system_instruction=system, max_output_tokens=max_tokens, thinking_config=thinking
            ),
        )
        with closing(answer):
            for chunk in answer:
                yield from _read(chunk)

    def _status_error(self, error: Exception) -> LanguageModelError | None:
        from google.genai import errors  # noqa: PLC0415

        if not isinstance(error, errors.APIError):
            return None
        said = message_in(error.details)
        # A wrong key comes back as a bad request; only the detail tells.
        if error.code == 400 and "API_KEY_INVALID" in str(error.details):
            return LanguageModelRefusedError(
                f"Gemini refused the key: {one_line(said)}", remedy="Check the key with its provider."
            )
        headers = getattr(error.response, "headers", None) or {}
        wait = read_retry_after(headers.get("retry-after"))
        code = error.code if isinstance(error.code, int) else 500
        return self._from_status(code, said, _retry_delay(error.details) if wait is None else wait)


def _read(chunk: "types.GenerateContentResponse") -> Iterator[Piece]:
    counted = chunk.usage_metadata
    usage = None
    if counted is not None:
        output = (counted.candidates_token_count or 0) + (counted.thoughts_token_count or 0)
        usage = Usage(input_tokens=counted.prompt_token_count, output_tokens=output)
    refused = chunk.prompt_feedback.block_reason if chunk.prompt_feedback else None
    if refused is not None:
        yield Piece(usage=usage, stop="withheld", detail=str(refused.value))
        return
    candidate = chunk.candidates[0] if chunk.candidates else None
    parts = candidate.content.parts if candidate and candidate.content else None
    text = "".join(part.text for part in parts or [] if part.text and not part.thought)
    stop, detail = _stop(candidate)
    yield Piece(text=text, usage=usage, stop=stop, detail=detail)


def _stop(candidate: "types.Candidate | None") -> tuple[StopReason | None, str]:
    reason = candidate.finish_reason if candidate else None
    if reason is None or reason.value in {"FINISH_REASON_UNSPECIFIED", "CONTINUATION"}:
        return None, ""
    if reason.value == "STOP":
        return "end", ""
    return ("length" if reason.value == "MAX_TOKENS" else "withheld"), str(reason.value)


def _retry_delay(details: Any) -> float | None:
    """Return the seconds in Google's `RetryInfo`, which stands in the body where the header is missing."""
    inner = details.get("error", details) if isinstance(details, dict) else {}
    listed = inner.get("details") if isinstance(inner, dict) else None
    for item in listed if isinstance(listed, list) else []:
        delay = item.get("retryDelay") if isinstance(item, dict) else None
        if isinstance(delay, str) and delay.endswith("s"):
            return read_retry_after(delay[:-1])
    return None
