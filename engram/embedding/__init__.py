"""Text to unit vectors, by a local model or by Gemini, with a cache on disk.

- `protocol`: what every embedder keeps to; tasks and prefixes.
- `folder`: finds a model's folder and reads what is in it.
- `conversion`: weights to a graph of ONNX Runtime's fused operators, once.
- `encoder`: the default, `onnx`.
- `sentence`: `sentence-transformers`.
- `gemini`: `gemini`.
- `cache`: vectors that were computed before.
"""

from engram.config import Settings
from engram.embedding.cache import CachedEmbedder, VectorCache
from engram.embedding.protocol import MEMORY_TYPE_PREFIXES, Embedder, Task, Vectors, prefixed

__all__ = [
    "MEMORY_TYPE_PREFIXES",
    "CachedEmbedder",
    "Embedder",
    "Task",
    "VectorCache",
    "Vectors",
    "open_embedder",
    "prefixed",
]


def open_embedder(settings: Settings, *, download: bool = True) -> CachedEmbedder:
    """Return the embedder that the settings name, behind the cache in `settings.cache_dir`.

    The model's files are looked for now; the model is loaded when the first text is embedded. With
    `download=False` a hub is never asked, only what it left on disk before.

    Raises:
        EmbedderMissingError: The model's files, the package or the key are not there.
        EmbeddingError: The model is of a kind that this embedder cannot run.
        ConfigurationError: `embed_dimensions` does not fit the model.
    """
    return CachedEmbedder(_backend(settings, download=download), VectorCache(settings.cache_dir))


def _backend(settings: Settings, *, download: bool) -> Embedder:
    # Each of these pulls in a library of its own, so only the one that is used is imported.
    if settings.embedder == "gemini":
        from engram.embedding.gemini import GeminiEmbedder  # noqa: PLC0415

        return GeminiEmbedder.from_settings(settings)
    if settings.embedder == "sentence-transformers":
        from engram.embedding.sentence import SentenceTransformersEmbedder  # noqa: PLC0415

        return SentenceTransformersEmbedder.from_settings(settings, download=download)
    from engram.embedding.encoder import OnnxEmbedder  # noqa: PLC0415

    return OnnxEmbedder.from_settings(settings, download=download)
