"""A tiny cross-encoder in FlashRank's folder layout: its logit is the number of words that two texts share."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

FILE = "flashrank-MiniLM-L-12-v2_Q.onnx"
"""What FlashRank calls the file of its model `ms-marco-MiniLM-L-12-v2`."""
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WORDS = ["maya", "moved", "to", "berlin", "in", "may", "tea", "coffee", "old", "harbour"]
WIDTH = 256


def write_cross_encoder(
    folder: Path, *, scale: float = 1.0, bias: float = 0.0, logits: int = 1, rounds: int = 0
) -> Path:
    """Write a model whose logit is `scale · shared + bias`; unknown words are never shared.

    Args:
        folder: Where the model's files go.
        scale: Logit of each shared word; a word twice in a passage counts twice.
        bias: Logit without a shared word.
        logits: 1, or 2 for a model whose first logit is always 0.
        rounds: Products of two matrices of `WIDTH` rows that each run has to wait for.
    """
    folder.mkdir(parents=True)
    onnx.save(_graph(scale, bias, logits, rounds), str(folder / FILE))
    _write_tokenizer(folder)
    return folder


def _graph(scale: float, bias: float, logits: int, rounds: int) -> onnx.ModelProto:
    node, constants = helper.make_node, _constants(scale, bias, rounds)
    nodes = [
        # A word of the query is one of the first part, a word of the passage one of the second.
        node("Greater", ["input_ids", "last_special"], ["word"]),
        node("Cast", ["token_type_ids"], ["second"], to=TensorProto.BOOL),
        node("Not", ["second"], ["first"]),
        node("And", ["word", "first"], ["asked"]),
        node("And", ["word", "second"], ["told"]),
        node("Unsqueeze", ["input_ids", "axis_2"], ["rows"]),
        node("Unsqueeze", ["input_ids", "axis_1"], ["columns"]),
        node("Equal", ["rows", "columns"], ["same"]),
        node("Unsqueeze", ["asked", "axis_2"], ["asked_rows"]),
        node("Unsqueeze", ["told", "axis_1"], ["told_columns"]),
        node("And", ["asked_rows", "told_columns"], ["across"]),
        node("And", ["same", "across"], ["shared"]),
        node("Cast", ["shared"], ["ones"], to=TensorProto.FLOAT),
        node("ReduceSum", ["ones", "axis_2"], ["by_token"], keepdims=0),
        node("ReduceSum", ["by_token", "axis_1"], ["overlap"], keepdims=1),
        node("Mul", ["overlap", "scale"], ["scaled"]),
        node("Add", ["scaled", "bias"], ["logit"]),
        *_delay(),
        node("Add", ["logit", "nothing"], ["late"]),
    ]
    if logits == 2:
        nodes.append(node("Sub", ["late", "late"], ["zero"]))
    nodes.append(node("Concat", ["zero", "late"] if logits == 2 else ["late"], ["logits"], axis=1))
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["n", "length"])
        for name in ("input_ids", "attention_mask", "token_type_ids")
    ]
    output = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["n", logits])
    graph = helper.make_graph(nodes, "overlap", inputs, [output], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    return model


def _constants(scale: float, bias: float, rounds: int) -> list[onnx.TensorProto]:
    values: dict[str, Any] = {
        "last_special": np.array(len(SPECIAL) - 1, dtype=np.int64),
        "axis_1": np.array([1], dtype=np.int64),
        "axis_2": np.array([2], dtype=np.int64),
        "scale": np.array(scale, dtype=np.float32),
        "bias": np.array(bias, dtype=np.float32),
        "rounds": np.array(rounds, dtype=np.int64),
        "always": np.array(True),  # noqa: FBT003  (a tensor)
        "matrix": np.eye(WIDTH, dtype=np.float32),
    }
    return [numpy_helper.from_array(value, name) for name, value in values.items()]


def _delay() -> list[onnx.NodeProto]:
    """Return the nodes that compute `nothing`, 0, from the input in `rounds` products."""
    state = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, [WIDTH, WIDTH]) for name in ("m", "m_next")
    ]
    count = helper.make_tensor_value_info("round", TensorProto.INT64, [])
    flags = [helper.make_tensor_value_info(name, TensorProto.BOOL, []) for name in ("go", "go_on")]
    body = helper.make_graph(
        [
            helper.make_node("MatMul", ["m", "matrix"], ["m_next"]),
            helper.make_node("Identity", ["go"], ["go_on"]),
        ],
        "product",
        [count, flags[0], state[0]],
        [flags[1], state[1]],
    )
    return [
        # The mask of real tokens less itself: 0, but only known when the input is.
        helper.make_node("Sub", ["attention_mask", "attention_mask"], ["blank"]),
        helper.make_node("Cast", ["blank"], ["blank_float"], to=TensorProto.FLOAT),
        helper.make_node("ReduceMax", ["blank_float"], ["seed"], keepdims=0),
        helper.make_node("Mul", ["matrix", "seed"], ["start"]),
        helper.make_node("Loop", ["rounds", "always", "start"], ["end"], body=body),
        helper.make_node("ReduceMax", ["end"], ["nothing"], keepdims=0),
    ]


def _write_tokenizer(folder: Path) -> None:
    vocabulary = {token: number for number, token in enumerate([*SPECIAL, *WORDS])}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "vocab.txt").write_text("\n".join(vocabulary) + "\n", encoding="utf-8")
    for name, content in {
        "config.json": {"pad_token_id": 0},
        "tokenizer_config.json": {"model_max_length": 512, "pad_token": "[PAD]"},
        "special_tokens_map.json": {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]"},
    }.items():
        (folder / name).write_text(json.dumps(content), encoding="utf-8")
