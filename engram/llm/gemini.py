"""Gemini, and servers that speak its protocol, through the `google-genai` package."""

import json
import math
from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Any, ClassVar

from engram.errors import LanguageModelError, LanguageModelGarbledError, LanguageModelRefusedError
from engram.llm.base import Message, Piece, StopReason, ToolCall, Usage, Verbatim
from engram.llm.failures import message_in, one_line
from engram.llm.provider import Option, Provider, Request
from engram.llm.retries import read_retry_after

if TYPE_CHECKING:
    from google import genai
    from google.genai import types

WHOLE_ANSWER = "600"
"""Seconds that the server may take in all. The package would send our limit on silence in its place."""


_MALFORMED = frozenset({"MALFORMED_FUNCTION_CALL", "MALFORMED_RESPONSE", "UNEXPECTED_TOOL_CALL"})

UNSIGNED = b"skip_thought_signature_validator"
"""Stands for the signature of a call that another model made; without any, Gemini 3 refuses the call."""


class GeminiModel(Provider):
    """A Gemini model."""

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

    def _options(self, request: Request) -> frozenset[Option]:
        options: set[Option] = {"logprobs"}
        # Thinking counts against the answer's tokens and delays its first word. Models before the third
        # generation do not know the setting.
        if self._thinks:
            options.add("effort")
        if request.shape is not None:
            options.add("shape")
        return frozenset(options)

    @property
    def _thinks(self) -> bool:
        return self.name.removeprefix("models/").startswith("gemini-3")

    def _pieces(self, client: Any, request: Request) -> Iterator[Piece]:
        answer: Any = client.models.generate_content_stream(
            model=self.name,
            contents=[_said(message, sign=self._thinks) for message in request.messages],
            config=_config(request),
        )
        reader = _Reader()
        with closing(answer):
            for chunk in answer:
                yield from reader.read(chunk)

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


def _config(request: Request) -> "types.GenerateContentConfig":
    from google.genai import types  # noqa: PLC0415

    config = types.GenerateContentConfig(
        system_instruction=request.system, max_output_tokens=request.max_tokens
    )
    if "logprobs" in request.options:
        config.response_logprobs = True
    if "effort" in request.options:
        level = types.ThinkingLevel.HIGH if request.effort == "high" else types.ThinkingLevel.LOW
        config.thinking_config = types.ThinkingConfig(thinking_level=level)
    if "shape" in request.options and request.shape is not None:
        config.response_mime_type = "application/json"
        config.response_json_schema = request.shape.model_json_schema()
    if request.tools:
        declared = [
            types.FunctionDeclaration(
                name=tool.name,
                description=tool.description,
                parameters_json_schema=tool.parameters.model_json_schema(),
            )
            for tool in request.tools
        ]
        config.tools = [types.Tool(function_declarations=declared)]
    return config


def _said(message: Message, *, sign: bool) -> "types.Content":
    from google.genai import types  # noqa: PLC0415

    role = "model" if message.role == "assistant" else "user"
    if message.verbatim is not None and message.verbatim.provider == GeminiModel.brand:
        return types.Content(role=role, parts=[types.Part(**part) for part in message.verbatim.parts])
    parts = [
        types.Part(
            function_response=types.FunctionResponse(
                id=_sent_id(result.call), name=result.call.name, response={"result": result.text}
            )
        )
        for result in message.results
    ]
    if message.text or not (message.results or message.calls):
        parts.append(types.Part(text=message.text))
    parts += [
        types.Part(
            function_call=types.FunctionCall(id=_sent_id(call), name=call.name, args=call.arguments or {}),
            thought_signature=UNSIGNED if sign else None,
        )
        for call in message.calls
    ]
    return types.Content(role=role, parts=parts)


def _sent_id(call: ToolCall) -> str | None:
    """Return the id that the server gave the call, if it did."""
    return None if call.id.startswith("#") else call.id


class _Reader:
    """Turns the chunks of one answer into pieces."""

    def __init__(self) -> None:
        self._parts: list[dict[str, Any]] = []
        self._calls = 0
        self._logprobs: list[float] = []

    def read(self, chunk: "types.GenerateContentResponse") -> Iterator[Piece]:
        usage = _usage(chunk)
        refused = chunk.prompt_feedback.block_reason if chunk.prompt_feedback else None
        if refused is not None:
            yield Piece(usage=usage, stop="withheld", detail=str(refused.value))
            return
        candidate = chunk.candidates[0] if chunk.candidates else None
        for part in (candidate.content.parts if candidate and candidate.content else None) or []:
            yield from self._part(part)
        stop, detail = _stop(candidate)
        yield Piece(
            usage=usage,
            logprob=self._logprob(candidate),
            stop=stop,
            detail=detail,
            verbatim=self._verbatim() if stop is not None else None,
        )

    def _part(self, part: "types.Part") -> Iterator[Piece]:
        if part.thought:
            return
        self._keep(part)
        if part.text:
            yield Piece(text=part.text)
        if part.function_call is not None:
            self._calls += 1
            called = part.function_call
            yield Piece(
                call=ToolCall(
                    id=called.id or f"#{self._calls}",
                    name=called.name or "",
                    arguments=called.args or {},
                    raw=json.dumps(called.args or {}, ensure_ascii=False),
                )
            )

    def _keep(self, part: "types.Part") -> None:
        kept = part.model_dump(exclude_none=True)
        plain = kept.keys() == {"text"}
        if plain and self._parts and self._parts[-1].keys() == {"text"}:
            self._parts[-1]["text"] += kept["text"]
        elif kept != {"text": ""}:
            self._parts.append(kept)

    def _verbatim(self) -> Verbatim | None:
        """Return the answer as it wants to be seen again; None where its text says it all."""
        if all(part.keys() == {"text"} for part in self._parts):
            return None
        return Verbatim(provider=GeminiModel.brand, parts=tuple(self._parts))

    def _logprob(self, candidate: "types.Candidate | None") -> float | None:
        """Return the mean natural log probability of the tokens so far, from the tokens' own where told."""
        if candidate is None:
            return None
        told = candidate.logprobs_result
        chosen = (token.log_probability for token in (told.chosen_candidates if told else None) or [])
        self._logprobs += [value for value in chosen if value is not None and math.isfinite(value)]
        tokens = self._logprobs
        mean = math.fsum(tokens) / len(tokens) if tokens else candidate.avg_logprobs
        return mean if mean is not None and math.isfinite(mean) and mean <= 0 else None


def _usage(chunk: "types.GenerateContentResponse") -> Usage | None:
    counted = chunk.usage_metadata
    if counted is None:
        return None
    output = (counted.candidates_token_count or 0) + (counted.thoughts_token_count or 0)
    return Usage(input_tokens=counted.prompt_token_count, output_tokens=output)


def _stop(candidate: "types.Candidate | None") -> tuple[StopReason | None, str]:
    reason = candidate.finish_reason if candidate else None
    if reason is None or reason.value in {"FINISH_REASON_UNSPECIFIED", "CONTINUATION"}:
        return None, ""
    if reason.value == "STOP":
        return "end", ""
    if reason.value in _MALFORMED:
        raise LanguageModelGarbledError(
            f"Gemini's answer was not understandable ({reason.value}).", remedy="Try again."
        )
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
