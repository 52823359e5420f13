"""The `gemini` embedder: Google's embedding models through the google-genai package."""

import math
import time
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np

from engram.config import Settings
from engram.embedding.protocol import BATCH, Task, Vectors, checked_texts, unit_rows
from engram.errors import EmbedderMissingError, EmbeddingError

MODEL = "gemini-embedding-001"
DIMENSIONS = 768

LONGEST_WAIT = 30.0
"""Seconds between tries at most; a server that asks for more gets an error with its wish in it."""

KEY_REMEDY = "Set ENGRAM_GEMINI_API_KEY to a valid key."


class GeminiEmbedder:
    """Embeds with Gemini; the vectors of a shortened length are scaled to length 1 here."""

    def __init__(
        self,
        *,
        api_key: str,
        model: str = MODEL,
        dimensions: int = DIMENSIONS,
        base_url: str | None = None,
        timeout: float = 60.0,
        retries: int = 2,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Prepare a client; nothing is sent yet.

        Args:
            api_key: The key.
            model: The embedding model.
            dimensions: Length of the vectors to ask for.
            base_url: Address of a Gemini-compatible server; None for Google's.
            timeout: Seconds to wait for an answer.
            retries: Further tries after a busy or failed answer.
            sleep: Waits so many seconds between tries.

        Raises:
            EmbedderMissingError: The package google-genai is not installed.
        """
        try:
            from google import genai  # noqa: PLC0415  (an extra, and slow to import)
            from google.genai import errors, types  # noqa: PLC0415
        except ImportError as error:
            raise EmbedderMissingError(
                "The package google-genai is not installed.", remedy="`pip install 'engram-neo4j[gemini]'`."
            ) from error
        self._types = types
        self._api_error = errors.APIError
        self._client = genai.Client(
            api_key=api_key,
            vertexai=False,
            http_options=types.HttpOptions(base_url=base_url, timeout=math.ceil(timeout * 1000)),
        )
        self._model = model
        self._dimensions = dimensions
        self._retries = retries
        self._sleep = sleep

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        """Return the embedder that the settings describe.

        Raises:
            EmbedderMissingError: The key or the package google-genai is missing.
        """
        key = settings.gemini_api_key
        if key is None and settings.gemini_base_url is None:
            raise EmbedderMissingError("The gemini embedder has no key.", remedy=KEY_REMEDY)
        return cls(
            # A server of one's own may want none, but the package insists on one.
            api_key=key.get_secret_value() if key else "none",
            model=settings.embed_model or MODEL,
            dimensions=settings.embed_dimensions or DIMENSIONS,
            base_url=settings.gemini_base_url,
            timeout=settings.llm_timeout,
            retries=settings.llm_retries,
        )

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model

    @property
    def dimensions(self) -> int:
        """The length of every vector."""
        return self._dimensions

    @property
    def uses_prefixes(self) -> bool:
        """True: the prefix tells the model what sort of memory it is."""
        return True

    @property
    def uses_tasks(self) -> bool:
        """True: a question and its answer are embedded differently."""
        return True

    def embed(self, texts: Sequence[str], task: Task = Task.DOCUMENT) -> Vectors:
        """Return one unit vector per text, shape (n, d); one request per 100 texts.

        Raises:
            InvalidInputError: A text cannot be encoded.
            EmbeddingError: The server refused, stayed busy, could not be reached or answered nonsense.
        """
        checked = checked_texts(texts)
        rows = np.zeros((len(checked), self._dimensions), dtype=np.float32)
        for first in range(0, len(checked), BATCH):
            part = checked[first : first + BATCH]
            rows[first : first + len(part)] = self._rows(self._ask(part, task), len(part))
        return unit_rows(rows)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _ask(self, texts: list[str], task: Task) -> Any:
        """Return the SDK's answer, after as many tries as are allowed."""
        # One Content each: newer models take a bare list of strings for the parts of one text.
        contents = [self._types.Content(parts=[self._types.Part(text=text)]) for text in texts]
        config = self._types.EmbedContentConfig(task_type=task.value, output_dimensionality=self._dimensions)
        for attempt in range(self._retries + 1):
            try:
                return self._client.models.embed_content(model=self._model, contents=contents, config=config)
            except self._api_error as error:
                # The code is read from the body where the SDK has no other, so it may be anything.
                if isinstance(error.code, int) and error.code != 429 and error.code < 500:
                    raise _refused(error) from error
                wished = _retry_after(error)
                failure = _failed(error, wished)
                cause: Exception = error
            except ValueError as error:  # not JSON, or JSON of another shape
                raise _garbled(f"it cannot be parsed ({type(error).__name__})") from error
            except Exception as error:  # noqa: BLE001  (httpx or httpx2, which share no base class)
                wished = None
                failure = EmbeddingError(
                    f"Gemini cannot be reached: {type(error).__name__} {error}.".replace(" .", "."),
                    remedy="Check the network and ENGRAM_GEMINI_BASE_URL.",
                )
                cause = error
            wait = 2.0**attempt if wished is None else wished
            if attempt == self._retries or wait > LONGEST_WAIT:
                raise failure from cause
            self._sleep(wait)
        raise AssertionError  # the loop returns or raises

    def _rows(self, answer: Any, count: int) -> Vectors:
        """Return the answer's vectors, shape (count, d), as they came."""
        embeddings = answer.embeddings or []
        if len(embeddings) != count:
            raise _garbled(f"{len(embeddings)} vectors came for {count} texts")
        for index, embedding in enumerate(embeddings):
            length = len(embedding.values or [])
            if length != self._dimensions:
                raise _garbled(f"vector {index} has length {length}, not {self._dimensions}")
        return np.array([embedding.values for embedding in embeddings], dtype=np.float32)


def _garbled(what: str) -> EmbeddingError:
    return EmbeddingError(
        f"Gemini's answer is not usable: {what}.",
        remedy="Check ENGRAM_EMBED_MODEL, ENGRAM_EMBED_DIMENSIONS and ENGRAM_GEMINI_BASE_URL.",
    )


def _refused(error: Any) -> EmbeddingError:
    said = _said(error)
    # Google answers 400 to a wrong key; only the detail tells.
    if error.code in (401, 403) or (error.code == 400 and "API_KEY_INVALID" in str(error.details)):
        return EmbeddingError(f"Gemini refused the key ({said}).", remedy=KEY_REMEDY)
    if error.code == 404:
        return EmbeddingError(f"Gemini has no such model ({said}).", remedy="Check ENGRAM_EMBED_MODEL.")
    return EmbeddingError(
        f"Gemini refused the request ({said}).", remedy="`engram doctor` tries the embedder."
    )


def _failed(error: Any, wished: float | None) -> EmbeddingError:
    if error.code == 429:
        when = "later" if wished is None else f"in {wished:.0f} seconds"
        return EmbeddingError(f"Gemini is over its limit ({_said(error)}).", remedy=f"Try again {when}.")
    return EmbeddingError(f"Gemini failed ({_said(error)}).", remedy="Try again later.")


def _said(error: Any) -> str:
    """Return the status and the first words of the server's message."""
    return f"{error.code}: {str(error.message or error.status or 'no message').strip()[:200]}"


def _retry_after(error: Any) -> float | None:
    """Return the seconds that the server asks to wait: from the header, else from Google's RetryInfo."""
    header = getattr(error.response, "headers", {}).get("retry-after")
    details = error.details if isinstance(error.details, dict) else {}
    inner = details.get("error")
    notes = inner.get("details") if isinstance(inner, dict) else None
    told = [note.get("retryDelay") for note in notes or [] if isinstance(note, dict)]
    for wish in (header, *told):
        try:
            seconds = float(str(wish).removesuffix("s"))
        except ValueError:
            continue  # absent, or an HTTP date
        if math.isfinite(seconds) and seconds >= 0:
            return seconds
    return None
