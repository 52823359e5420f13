"""The models: the embedder, the reranker, the language model."""

from collections.abc import Iterator

from engram.config import Settings
from engram.doctor.finding import Finding
from engram.embedding import open_embedder
from engram.llm import open_model
from engram.reranking import RERANKERS, Reranker


def check_reranker(settings: Settings) -> Iterator[Finding]:
    """Look whether the reranker is there, where one is named."""
    if settings.reranker:
        Reranker.open(settings.reranker, settings.cache_dir)
        there = (settings.cache_dir / RERANKERS / settings.reranker).is_dir()
        yield Finding(
            name="reranker",
            state="ok" if there else "note",
            detail=settings.reranker + ("" if there else ", not here yet; the first recall fetches it"),
        )


def check_embedder_works(settings: Settings) -> Iterator[Finding]:
    """Embed a sentence."""
    embedder = open_embedder(settings)
    try:
        vectors = embedder.embed(["Does the embedder work?"])
    finally:
        embedder.close()
    yield Finding(
        name="embedder",
        state="ok",
        detail=f"{settings.embedder}: {embedder.name}, {vectors.shape[1]} dimensions",
    )


def check_language_model(settings: Settings) -> Iterator[Finding]:
    """Look whether a language model is configured; it is not asked."""
    model = open_model(settings)
    if model is None:
        yield Finding(
            name="language model",
            state="note",
            detail="none; chat answers by quoting what it remembers",
            remedy="Set ENGRAM_GEMINI_API_KEY or ENGRAM_ANTHROPIC_API_KEY.",
        )
    else:
        yield Finding(name="language model", state="ok", detail=f"{model.name} (the key was not tried)")
