"""A BERT's weights as a graph of ONNX Runtime's fused operators, made once and kept.

The weights lie beside the graph in a file of their own, which ONNX Runtime maps into memory: 50 MB less
for MiniLM than one file, and processes share it.
"""

import json
import logging
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engram.embedding.folder import WEIGHTS, Description, weights_digest
from engram.errors import EmbeddingError

VERSION = 1
"""Part of the kept folder's name: raise it when the graph changes."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Converted:
    """A graph that is ready to be loaded."""

    graph: Path
    digest: str
    """SHA-256 of the weights it was made from."""


def converted(folder: Path, description: Description, models: Path, label: str) -> Converted:
    """Return the kept graph of the model in `folder`, or make it (about a second for MiniLM).

    It is in place whole or not at all, and two processes may make it at once: it is written under another
    name, then renamed.

    Args:
        folder: The model's folder.
        description: What `read_description` says of it.
        models: Where converted models are kept.
        label: The model's name, so that a person sees what is kept.

    Raises:
        EmbeddingError: The weights are damaged, or `models` cannot be written.
    """
    target = models / f"{label.replace('/', '--')}-{_key(folder)}"
    if (kept := _kept(target)) is not None:
        return kept
    weights = _read_weights(folder / WEIGHTS)
    try:
        models.mkdir(parents=True, exist_ok=True)
        partial = Path(tempfile.mkdtemp(prefix=".partial-", dir=models))
        try:
            _write(partial, folder, weights, description)
            _put_in_place(partial, target)
        finally:
            shutil.rmtree(partial, ignore_errors=True)
        _sweep(models, folder, target)
    except OSError as error:
        raise EmbeddingError(
            f"The converted model cannot be kept in {models}: {error.strerror or error}.",
            remedy="Set ENGRAM_CACHE_DIR to a folder that can be written and has room for the model.",
        ) from error
    if (kept := _kept(target)) is None:
        raise EmbeddingError(
            f"The converted model vanished from {target}.", remedy="Is something deleting the cache?"
        )
    return kept


def discard(made: Converted) -> None:
    """Delete a graph that could not be loaded, so that the next try makes it anew."""
    shutil.rmtree(made.graph.parent, ignore_errors=True)


def _key(folder: Path) -> str:
    """Return what changes when the model in the folder does, without reading all of its weights."""
    stat = (folder / WEIGHTS).stat()
    facts = [
        VERSION,
        str(folder),
        stat.st_size,
        stat.st_mtime_ns,
        (folder / "config.json").read_text("utf-8"),
    ]
    return sha256(json.dumps(facts).encode()).hexdigest()[:16]


def _kept(target: Path) -> Converted | None:
    try:
        manifest = json.loads((target / "manifest.json").read_text("utf-8"))
        return Converted(graph=target / "model.onnx", digest=str(manifest["sha256"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _put_in_place(partial: Path, target: Path) -> None:
    try:
        partial.rename(target)
    except OSError:
        if _kept(target) is not None:
            _log.debug("another process made %s first", target)
            return
        # What stands there is not a whole model, so nobody is using it.
        shutil.rmtree(target, ignore_errors=True)
        partial.rename(target)


def _sweep(models: Path, folder: Path, target: Path) -> None:
    """Delete earlier graphs of the same folder, and what conversions that were killed left behind."""
    for other in models.iterdir():
        if other.name.startswith(".partial-"):
            # An hour: no conversion that is still going on takes that long.
            stale = time.time() - other.stat().st_mtime > 3600
        else:
            try:
                manifest = json.loads((other / "manifest.json").read_text("utf-8"))
                stale = other != target and manifest["source"] == str(folder)
            except (OSError, ValueError, KeyError, TypeError):
                stale = False
        if stale:
            shutil.rmtree(other, ignore_errors=True)


def _write(partial: Path, folder: Path, weights: dict[str, NDArray[Any]], description: Description) -> None:
    import onnx  # noqa: PLC0415  (needed once per model)

    model = _graph(weights, description)
    onnx.save(
        model, partial / "model.onnx", save_as_external_data=True, location="weights.bin", size_threshold=1024
    )
    manifest = {"source": str(folder), "sha256": weights_digest(folder / WEIGHTS)}
    (partial / "manifest.json").write_text(json.dumps(manifest, indent=1), "utf-8")
    # After a power cut the renamed folder must not hold empty files.
    for path in partial.iterdir():
        with path.open("rb") as file:
            os.fsync(file.fileno())


def _read_weights(path: Path) -> dict[str, NDArray[Any]]:
    from safetensors import SafetensorError, safe_open  # noqa: PLC0415  (needed once per model)

    try:
        with safe_open(path, "numpy") as file:
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  (not a dict)
    except (SafetensorError, OSError, TypeError, ValueError) as error:
        raise EmbeddingError(
            f"The weights in {path} cannot be read: {error}.", remedy="Fetch the model again."
        ) from error
    # Models saved inside a task head say `bert.`; those that came from TensorFlow say gamma and beta.
    return {
        name.removeprefix("bert.")
        .replace("LayerNorm.gamma", "LayerNorm.weight")
        .replace("LayerNorm.beta", "LayerNorm.bias"): tensor
        for name, tensor in tensors.items()
    }


def _graph(weights: dict[str, NDArray[Any]], description: Description) -> Any:
    """Return the ONNX model: token ids and mask in, token vectors (batch, length, hidden) out."""
    from onnx import TensorProto, helper, numpy_helper  # noqa: PLC0415  (needed once per model)

    nodes: list[Any] = []
    constants: list[Any] = []

    def constant(name: str, array: NDArray[Any]) -> str:
        # Contiguous and float32: half-precision weights are widened, transposed ones laid out afresh.
        constants.append(numpy_helper.from_array(np.ascontiguousarray(array, dtype=np.float32), name))
        return name

    def weight(name: str, *shape: int) -> str:
        return constant(name, _tensor(weights, name, shape))

    def turned(name: str, *shape: int) -> str:
        """Torch keeps (out, in); MatMul wants (in, out)."""
        return constant(name, _tensor(weights, name, shape).T)

    def node(operator: str, inputs: list[str], domain: str = "com.microsoft", **attributes: Any) -> str:
        output = f"{operator}_{len(nodes)}"
        # The embedding operator must name a second output, a mask that nothing here reads.
        outputs = [output, "mask_index"] if operator == "EmbedLayerNormalization" else [output]
        nodes.append(helper.make_node(operator, inputs, outputs, domain=domain, **attributes))
        return output

    hidden = description.hidden
    wide = len(_tensor(weights, "encoder.layer.0.intermediate.dense.bias", ())) if description.layers else 0
    state = _embedding_node(node, weight, hidden, description.epsilon)
    for layer in range(description.layers):
        prefix = f"encoder.layer.{layer}."
        parts = [f"{prefix}attention.self.{part}" for part in ("query", "key", "value")]
        attended = node(
            "Attention",
            [
                state,
                constant(
                    f"{prefix}attention.weight",
                    np.concatenate([_tensor(weights, f"{p}.weight", (hidden, hidden)).T for p in parts], 1),
                ),
                constant(
                    f"{prefix}attention.bias",
                    np.concatenate([_tensor(weights, f"{p}.bias", (hidden,)) for p in parts]),
                ),
                "attention_mask",
            ],
            num_heads=description.heads,
        )
        projected = node(
            "MatMul", [attended, turned(f"{prefix}attention.output.dense.weight", hidden, hidden)], domain=""
        )
        state = node(
            "SkipLayerNormalization",
            [
                projected,
                state,
                weight(f"{prefix}attention.output.LayerNorm.weight", hidden),
                weight(f"{prefix}attention.output.LayerNorm.bias", hidden),
                weight(f"{prefix}attention.output.dense.bias", hidden),
            ],
            epsilon=description.epsilon,
        )
        widened = node(
            "MatMul", [state, turned(f"{prefix}intermediate.dense.weight", wide, hidden)], domain=""
        )
        # BiasGelu is the exact (erf) form that BERT was trained with; FastGelu would be the tanh one.
        active = node("BiasGelu", [widened, weight(f"{prefix}intermediate.dense.bias", wide)])
        narrowed = node("MatMul", [active, turned(f"{prefix}output.dense.weight", hidden, wide)], domain="")
        state = node(
            "SkipLayerNormalization",
            [
                narrowed,
                state,
                weight(f"{prefix}output.LayerNorm.weight", hidden),
                weight(f"{prefix}output.LayerNorm.bias", hidden),
                weight(f"{prefix}output.dense.bias", hidden),
            ],
            epsilon=description.epsilon,
        )
    shape = ["batch", "length"]
    graph = helper.make_graph(
        nodes,
        "bert",
        [
            helper.make_tensor_value_info(name, TensorProto.INT32, shape)
            for name in ("input_ids", "segment_ids", "attention_mask")
        ],
        [helper.make_tensor_value_info(state, TensorProto.FLOAT, [*shape, hidden])],
        constants,
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    # An old IR version, so that every ONNX Runtime from 1.20 on reads what a newer onnx package wrote.
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def _embedding_node(node: Callable[..., str], weight: Callable[..., str], hidden: int, epsilon: float) -> str:
    return node(
        "EmbedLayerNormalization",
        [
            "input_ids",
            "segment_ids",
            weight("embeddings.word_embeddings.weight", -1, hidden),
            weight("embeddings.position_embeddings.weight", -1, hidden),
            weight("embeddings.token_type_embeddings.weight", -1, hidden),
            weight("embeddings.LayerNorm.weight", hidden),
            weight("embeddings.LayerNorm.bias", hidden),
        ],
        epsilon=epsilon,
    )


def _tensor(weights: dict[str, NDArray[Any]], name: str, shape: tuple[int, ...]) -> NDArray[Any]:
    """Return a tensor after holding it to `shape`: -1 fits any length, no shape any tensor."""
    tensor = weights.get(name)
    if tensor is None:
        raise EmbeddingError(f"The model's weights lack {name}.", remedy="Fetch the model again.")
    fits = len(tensor.shape) == len(shape) and all(
        want in (-1, have) for want, have in zip(shape, tensor.shape, strict=True)
    )
    if shape and not fits:
        raise EmbeddingError(
            f"The model's weights and its config.json disagree: {name} is {tensor.shape}.",
            remedy="Fetch the model again.",
        )
    return tensor
