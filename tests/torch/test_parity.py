"""Holds the onnx embedder to sentence-transformers itself, and writes the vectors that `make test` uses.

Needs torch; run by `make test-torch`. With `ENGRAM_TEST_WRITE_VECTORS=1` the fixture is written anew.
"""

import base64
import json
import os
import warnings
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engram.config import Settings
from engram.embedding import open_embedder
from engram.embedding.folder import WHEELS, find_model

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore")]

DATA = Path(__file__).parents[1] / "data"
FIXTURE = DATA / "minilm_vectors.json"

BY_HAND = [*json.loads((DATA / "odd_texts.json").read_text("utf-8")), "x" * 99, "x" * 101, "y" * 5000]

WHO = ["Maya", "My brother", "The new neighbour", "Dr. Okafor", "Our landlord", "Grandmother"]
DID = ["moved to", "stopped liking", "is learning about", "forgot the way to", "keeps photographs of"]
WHAT = ["Lisbon", "black coffee", "violin repair", "the old harbour", "Bayesian statistics", "tomato plants"]
WHEN = ["", " last spring", " on 14 March 2023", " after the operation", " every other Sunday"]


def varied_texts() -> list[str]:
    """Return 200 texts: odd ones by hand, sentences, paragraphs, and some of up to 3,000 words."""
    sentences = [f"{WHO[i % 6]} {DID[i % 5]} {WHAT[(i // 2) % 6]}{WHEN[(i // 3) % 5]}." for i in range(120)]
    long = [" ".join(sentences[i : i + 3 + i // 2]) for i in range(0, 100, 5)]
    words = " ".join(sentences).split()
    very_long = [" ".join((words * 5)[:count]) for count in (150, 180, 200, 250, 300, 500, 1000, 2000, 3000)]
    mixed = ["日本語 " * 200, "😀 " * 300, "code(); " * 150, "a " * 254, "a " * 255]
    texts = BY_HAND + long + very_long + mixed
    return texts + sentences[: 200 - len(texts)]


@pytest.fixture(scope="module")
def reference() -> Any:
    """Return the default model as sentence-transformers runs it."""
    package = pytest.importorskip("sentence_transformers", reason="make test-torch installs it")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return package.SentenceTransformer(str(find_model(None).path), device="cpu")


def test_two_hundred_varied_texts_agree_with_sentence_transformers(reference: Any, tmp_path: Path) -> None:
    """The onnx embedder's vectors have cosine 0.9999 or more with sentence-transformers' own."""
    texts = varied_texts()
    assert len(texts) == 200
    wanted = reference.encode(texts, normalize_embeddings=True, batch_size=16)
    embedder = open_embedder(Settings.load(cache_dir=tmp_path))
    cosines = np.sum(embedder.embed(texts) * wanted, axis=1)
    print(f"lowest cosine of 200: {cosines.min():.7f}")
    worst = int(cosines.argmin())
    assert cosines.min() >= 0.9999, f"text {worst}: {texts[worst][:60]!r}"


def test_the_sentence_transformers_embedder_shares_the_name_and_the_vectors(
    reference: Any, tmp_path: Path
) -> None:
    """Both embedders of one model have one name, so either may go on with the other's database."""
    texts = varied_texts()[:30]
    onnx = open_embedder(Settings.load(cache_dir=tmp_path / "a"))
    torch = open_embedder(Settings.load(cache_dir=tmp_path / "b", embedder="sentence-transformers"))
    assert (torch.name, torch.dimensions) == (onnx.name, onnx.dimensions)
    assert np.sum(onnx.embed(texts) * torch.embed(texts), axis=1).min() >= 0.9999
    assert torch.embed([]).shape == (0, 384)


def test_the_fixture_is_what_sentence_transformers_says(reference: Any) -> None:
    """The vectors that `make test` uses are those of the real library."""
    if os.environ.get("ENGRAM_TEST_WRITE_VECTORS"):
        texts = varied_texts()[:55:2] + varied_texts()[60:95:3]
        vectors = reference.encode(texts, normalize_embeddings=True).astype("<f2")
        FIXTURE.write_text(
            json.dumps(
                {
                    "model": next(iter(WHEELS)),
                    "made_with": {
                        name: version(name) for name in ("sentence-transformers", "transformers", "torch")
                    },
                    "dimensions": vectors.shape[1],
                    "texts": texts,
                    "float16_base64": base64.b64encode(vectors.tobytes()).decode(),
                },
                indent=1,
                ensure_ascii=True,
            )
            + "\n"
        )
    fixture = json.loads(FIXTURE.read_text())
    kept = np.frombuffer(base64.b64decode(fixture["float16_base64"]), dtype="<f2").astype(np.float32)
    wanted = reference.encode(fixture["texts"], normalize_embeddings=True)
    assert np.sum(kept.reshape(wanted.shape) * wanted, axis=1).min() >= 0.9999
