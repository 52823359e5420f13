"""The `sentence-transformers` embedder: any model that library runs, with torch."""

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import Any, Self

import numpy as np

from engram.config import MINILM, Settings
from engram.embedding.folder import (
    TASK_PROMPTS,
    WHEELS,
    FoundModel,
    canonical,
    check_dimensions,
    find_model,
    name_by_weights,
    weights_digest,
)
from engram.embedding.protocol import Task, Vectors, batches, checked_texts, unit_rows
from engram.errors import EmbedderMissingError, EmbeddingError

RUN = 32
"""Texts that torch works on at once."""


class SentenceTransformersEmbedder:
    """Embeds with the sentence-transformers package; loads the model when it is first needed."""

    def __init__(self, model: str, *, found: FoundModel | None = None, download: bool = True) -> None:
        """Make sure that the package is there.

        Args:
            model: Folder or hub id, as the package takes it.
            found: The folder, where it is known.
            download: Whether the package may ask the hub.

        Raises:
            EmbedderMissingError: The package is not installed.
        """
        if importlib.util.find_spec("sentence_transformers") is None:
            raise EmbedderMissingError(
                "The package sentence-transformers is not installed.",
                remedy="`pip install 'engram-neo4j[sentence-transformers]'`, or set ENGRAM_EMBEDDER=onnx.",
            )
        self._model_name = model
        self._found = found
        self._download = download
        self._loading = Lock()
        self._model: Any = None
        self._name = found.hub_id if found else model

    @classmethod
    def from_settings(cls, settings: Settings, *, download: bool = True) -> Self:
        """Return the embedder for `settings.embed_model`; see `open_embedder` for the errors."""
        model = settings.embed_model or MINILM
        found = None
        # Other hub ids are left to the package, which knows which files a model of any kind needs.
        if canonical(model) in WHEELS or Path(model).expanduser().is_dir():
            found = find_model(settings.embed_model, download=download)
        embedder = cls(str(found.path) if found else model, found=found, download=download)
        if settings.embed_dimensions is not None:
            check_dimensions(settings, model, embedder.dimensions)
        return embedder

    @property
    def name(self) -> str:
        """The hub id, as the onnx embedder calls the same model: their vectors agree."""
        if self._name is None and self._found is not None:
            self._name = name_by_weights(self._found.path, weights_digest(_weights(self._found.path)))
        return str(self._name)

    @property
    def dimensions(self) -> int:
        """The length of every vector; loads the model."""
        model = self._loaded()
        # Renamed in sentence-transformers 5; the old name warns there.
        ask = getattr(model, "get_embedding_dimension", None) or model.get_sentence_embedding_dimension
        return int(ask())

    @property
    def uses_prefixes(self) -> bool:
        """False, as for the onnx embedder."""
        return False

    @property
    def uses_tasks(self) -> bool:
        """Whether the model has prompts; loads the model."""
        return bool(self._prompts())

    def embed(self, texts: Sequence[str], task: Task = Task.DOCUMENT) -> Vectors:
        """Return one unit vector per text, shape (n, d).

        Raises:
            InvalidInputError: A text cannot be encoded.
            EmbeddingError: The model cannot be loaded, or gave no usable vector.
        """
        checked = checked_texts(texts)
        model = self._loaded()
        rows = [np.zeros((0, self.dimensions), dtype=np.float32)]
        for part in batches(checked):
            try:
                vectors = model.encode(
                    part,
                    prompt=self._prompts().get(task),
                    batch_size=RUN,
                    show_progress_bar=False,
                    convert_to_numpy=True,
                )
            except Exception as error:  # torch and the package raise what they like
                raise EmbeddingError(f"{self._model_name} failed: {error}.") from error
            rows.append(np.asarray(vectors, dtype=np.float32))
        return unit_rows(np.concatenate(rows))

    def close(self) -> None:
        """Let go of the model's memory."""
        self._model = None

    def _prompts(self) -> dict[Task, str]:
        prompts = getattr(self._loaded(), "prompts", None) or {}
        return {TASK_PROMPTS[name]: prompts[name] for name in TASK_PROMPTS if prompts.get(name)}

    def _loaded(self) -> Any:
        with self._loading:
            if self._model is None:
                # Seconds to import, so only when the model is needed.
                from sentence_transformers import SentenceTransformer  # noqa: PLC0415

                try:
                    self._model = SentenceTransformer(self._model_name, local_files_only=not self._download)
                except Exception as error:  # the hub's, the HTTP library's and torch's errors
                    raise EmbedderMissingError(
                        f"sentence-transformers cannot load {self._model_name}: {error}.",
                        remedy="Set ENGRAM_EMBED_MODEL to a model's folder or hub id.",
                    ) from error
            return self._model


def _weights(folder: Path) -> Path:
    """Return the file whose hash tells this model from another, whatever the format."""
    for pattern in (
        "*.safetensors",
        "pytorch_model*.bin",
        "*/*.safetensors",
        "*/pytorch_model*.bin",
        "*.json",
    ):
        if files := sorted(folder.glob(pattern)):
            return files[0]
    raise EmbedderMissingError(
        f"There is no model in {folder}.", remedy="Set ENGRAM_EMBED_MODEL to a model's folder or hub id."
    )
