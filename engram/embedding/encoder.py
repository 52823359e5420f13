"""The default embedder: a BERT-family sentence-transformers model in ONNX Runtime, without torch."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Lock
from typing import Any, Self

import numpy as np

from engram.config import Settings
from engram.embedding.conversion import Converted, converted, discard
from engram.embedding.folder import (
    FoundModel,
    check_dimensions,
    find_model,
    name_by_weights,
    read_description,
)
from engram.embedding.protocol import Task, Vectors, checked_texts, unit_rows
from engram.errors import EmbeddingError

TOKENS_PER_RUN = 1024
"""Most tokens, padding included, in one run: 4 texts of 256 tokens or 50 of 20. Larger runs are no faster
on a few cores and cost memory: a bare process with MiniLM takes 460 MB at 8,192 tokens, 165 MB at 1,024."""

TOKENIZED_AT_ONCE = 256

MOST_THREADS = 8
"""A caution for machines with many cores: not measured there, and the model is small."""


class OnnxEmbedder:
    """Embeds with a BERT-family model in ONNX Runtime; loads it when the first text comes.

    May be used from several threads.
    """

    def __init__(self, found: FoundModel, *, models: Path, threads: int = 0) -> None:
        """Read the model's description.

        Args:
            found: The model's folder.
            models: Folder where converted models are kept.
            threads: Threads of one run; 0 for as many as cores.

        Raises:
            EmbedderMissingError: A file of the model is not there.
            EmbeddingError: A file is damaged, or the model is not a BERT.
        """
        self._found = found
        self._models = models
        self._threads = threads or min(_cores(), MOST_THREADS)
        self._description = read_description(found.path)
        self._loading = Lock()
        self._made: Converted | None = None
        self._session: Any = None
        self._tokenizer: Any = None
        self._closed = False

    @classmethod
    def from_settings(cls, settings: Settings, *, download: bool = True) -> Self:
        """Return the embedder for `settings.embed_model`; see `open_embedder` for the errors."""
        found = find_model(settings.embed_model, download=download)
        embedder = cls(found, models=settings.cache_dir / "models", threads=settings.embed_threads)
        check_dimensions(settings, found.hub_id or found.path.name, embedder.dimensions)
        return embedder

    @property
    def name(self) -> str:
        """The hub id; for a folder that a person named, its name and what its weights hash to."""
        return self._found.hub_id or name_by_weights(self._found.path, self._converted().digest)

    @property
    def dimensions(self) -> int:
        """The length of every vector."""
        return self._description.hidden

    @property
    def uses_prefixes(self) -> bool:
        """False: models of this size may take a prefix for content."""
        return False

    @property
    def uses_tasks(self) -> bool:
        """Whether the model's folder has prompts."""
        return bool(self._description.prompts)

    def embed(self, texts: Sequence[str], task: Task = Task.DOCUMENT) -> Vectors:
        """Return one unit vector per text, shape (n, d); longer texts than the model takes are cut.

        Raises:
            InvalidInputError: A text cannot be encoded.
            EmbeddingError: The model cannot be loaded, or gave no usable vector.
        """
        checked = checked_texts(texts)
        pooled = np.zeros((len(checked), self.dimensions), dtype=np.float32)
        if not checked:
            return pooled
        self._load()
        prompt = self._description.prompts.get(task, "")
        for first in range(0, len(checked), TOKENIZED_AT_ONCE):
            part = [prompt + text for text in checked[first : first + TOKENIZED_AT_ONCE]]
            tokens = self._tokenize(part)
            for rows in _runs([len(ids) for ids in tokens]):
                pooled[[first + row for row in rows]] = self._run([tokens[row] for row in rows])
        return unit_rows(pooled)

    def close(self) -> None:
        """Let go of the model's memory."""
        with self._loading:
            self._session = self._tokenizer = None
            self._closed = True

    def _converted(self) -> Converted:
        if self._made is None:
            label = self._found.hub_id or self._found.path.name
            self._made = converted(self._found.path, self._description, self._models, label)
        return self._made

    def _load(self) -> None:
        with self._loading:
            if self._closed:
                raise EmbeddingError("The embedder is closed.", remedy="Open a new one.")
            if self._session is not None:
                return
            self._tokenizer = self._open_tokenizer()
            made = self._converted()
            try:
                self._session = self._open_session(made)
            except EmbeddingError:
                # The kept graph may have been damaged since it was made: make it anew, once.
                discard(made)
                self._made = None
                self._session = self._open_session(self._converted())

    def _open_tokenizer(self) -> Any:
        from tokenizers import Tokenizer  # noqa: PLC0415  (with the session: when the first text comes)

        path = self._found.path / "tokenizer.json"
        try:
            tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:  # tokenizers raises plain Exception
            raise EmbeddingError(
                f"{path} cannot be read: {error}.", remedy="Fetch the model again."
            ) from error
        # The file may ask for a fixed length; here each run is padded to its longest text.
        tokenizer.no_padding()
        tokenizer.enable_truncation(self._description.max_length)
        return tokenizer

    def _open_session(self, made: Converted) -> Any:
        import onnxruntime  # noqa: PLC0415  (with the tokenizer: when the first text comes)

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self._threads
        options.log_severity_level = 4  # failures come as exceptions; nothing of its own on stderr
        try:
            return onnxruntime.InferenceSession(made.graph, options, providers=["CPUExecutionProvider"])
        except Exception as error:  # ONNX Runtime's errors share no base class
            raise EmbeddingError(
                f"ONNX Runtime cannot load the model made from {self._found.path}: {error}.",
                remedy="Fetch the model again.",
            ) from error

    def _tokenize(self, texts: list[str]) -> list[list[int]]:
        if self._description.lowercase:
            texts = [text.lower() for text in texts]
        return [encoding.ids for encoding in self._tokenizer.encode_batch(texts)]

    def _run(self, tokens: list[list[int]]) -> Vectors:
        """Return the pooled vectors, shape (n, d), of texts of similar length."""
        shape = (len(tokens), max(map(len, tokens)))
        ids = np.full(shape, self._description.pad_id, dtype=np.int32)
        mask = np.zeros(shape, dtype=np.int32)
        for row, text in enumerate(tokens):
            ids[row, : len(text)] = text
            mask[row, : len(text)] = 1
        feed = {"input_ids": ids, "segment_ids": np.zeros_like(ids), "attention_mask": mask}
        try:
            states: Vectors = self._session.run(None, feed)[0]
        except Exception as error:  # ONNX Runtime's errors share no base class
            raise EmbeddingError(
                f"The model in {self._found.path} failed: {error}.", remedy="Fetch the model again."
            ) from error
        if self._description.pooling == "cls":
            return states[:, 0]
        # The sum over a text's tokens has the direction of their mean; the length is set to 1 later.
        summed: Vectors = np.matmul(mask[:, None, :].astype(np.float32), states)[:, 0]
        return summed


def _runs(lengths: list[int]) -> Iterator[list[int]]:
    """Yield positions in groups of similar length, so that little padding is computed."""
    group: list[int] = []
    for position in sorted(range(len(lengths)), key=lengths.__getitem__):
        # Sorted: this one is the longest so far, so the group would be padded to its length.
        if group and (len(group) + 1) * lengths[position] > TOKENS_PER_RUN:
            yield group
            group = []
        group.append(position)
    if group:
        yield group


def _cores() -> int:
    """Return how many cores this process may use."""
    # Where the system can say it: a container's or taskset's share, not the whole machine.
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
