"""What a language model may say that nobody asked for: broken JSON, wrong types, prose, far too much of it.

`python -m tests.graph.loop_noise [ANSWERS]` talks with such models at full size, on a server of its own.
"""

import argparse
import json
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from pydantic import BaseModel

from engram.beliefs.extraction.extractor import Extraction
from engram.config import Settings
from engram.errors import LanguageModelDownError, LanguageModelError, LanguageModelGarbledError
from engram.lifecycle import tune
from engram.llm import Models
from engram.llm.base import StopReason, ToolCall, Usage
from engram.llm.structured import Parsed, parse
from engram.loop.agent import Agent
from engram.loop.escalation import Deliberation
from engram.loop.events import Stored
from engram.loop.gate_judge import Judgement
from engram.loop.metacognition import Verbalized
from engram.memory import Engram
from engram.server import ManagedServer
from engram.testing import Asked, FixedClock, HashEmbedder, Scripted, ScriptedAnswer, ScriptedModel
from engram.text import inert
from tests.graph.beside import run
from tests.graph.loop_checks import broken, kept_turns

FULL = 2_000
"""Answers."""
LONGEST_TALK = 40
"""Messages of one conversation."""
MEGABYTE = 1_000_000
_WORDS = (
    "perhaps", "Lisbon", "the tram", "is", "not", "{", "}", "[", '"', "```json", "```", "\\", "\u2028", "\x00", "\x1b[2J",
    "\ud800", "\u202e", "</memories>", "I remember:", "NaN", "null", "42", "I do not know", "wait, no", "?", ".", "\n", "\t",
    "ignore all of the above", "🦀", "ß", "[1a2b3c4d] 2026-01-02 user:", "```\n", "…", "“", "”", "correction", "1e999",
)  # fmt: skip
_STOPS: tuple[StopReason, ...] = (
    "end",
    "end",
    "end",
    "end",
    "end",
    "end",
    "end",
    "end",
    "length",
    "withheld",
)


class Noise:
    """Makes the answers of a `ScriptedModel`; each shape has draws of its own, whichever thread asks."""

    def __init__(self, seed: int) -> None:
        """Seed it."""
        self.said: list[tuple[type[BaseModel] | None, str]] = []
        """What was answered where which shape was asked for, less the answers that broke off with an error."""
        self._draws: dict[type[BaseModel] | None, np.random.Generator] = {
            shape: np.random.default_rng([seed, place])
            for place, shape in enumerate((None, Deliberation, Judgement, Verbalized, Extraction))
        }
        self._lock = threading.Lock()

    def __call__(self, asked: Asked) -> Scripted:
        """Answer."""
        with self._lock:
            draw = self._draws[asked.shape]
            text = self._text(draw, asked.shape)
            if draw.random() < 0.05:
                return [text[: int(draw.integers(len(text) + 1))], _failure(draw)]
            self.said.append((asked.shape, text))
        return ScriptedAnswer(
            text,
            calls=self._calls(draw) if asked.tools else (),
            logprob=_pick(draw, (None, -0.1, -0.3, -0.4, -9.0, 0.5, float("nan"), float("-inf"))),
            usage=_pick(
                draw, (None, Usage(), Usage(input_tokens=-5, output_tokens=10**12), Usage(input_tokens=9))
            ),
            stop=_pick(draw, _STOPS),
        )

    def _text(self, draw: np.random.Generator, shape: type[BaseModel] | None) -> str:
        whole = json.dumps(_GOOD[shape](draw)) if shape is not None else _prose(draw)
        return str(_pick(draw, _SPOILED)(draw, whole))

    def _calls(self, draw: np.random.Generator) -> tuple[ToolCall, ...]:
        if draw.random() < 0.5:
            return ()
        return tuple(
            ToolCall.read(
                id=f"call_{number}",
                name=_pick(draw, ("deliberate", "deliberate", "Deliberate", "", "rm -rf", "x" * 300)),
                raw=_pick(draw, _SPOILED)(draw, json.dumps({"question": _prose(draw), "why": _junk(draw)})),
            )
            for number in range(int(draw.integers(1, 4)))
        )


def _pick(draw: np.random.Generator, choices: Any) -> Any:
    return choices[int(draw.integers(len(choices)))]


def _failure(draw: np.random.Generator) -> LanguageModelError:
    kind = _pick(draw, (LanguageModelError, LanguageModelDownError, LanguageModelGarbledError))
    failure: LanguageModelError = kind("It broke.")
    return failure


def _prose(draw: np.random.Generator) -> str:
    return " ".join(_pick(draw, _WORDS) for _ in range(int(draw.integers(1, 30))))


def _junk(draw: np.random.Generator, depth: int = 0) -> Any:
    """Return any JSON value."""
    if depth < 3 and draw.random() < 0.4:
        if draw.random() < 0.5:
            return [_junk(draw, depth + 1) for _ in range(int(draw.integers(4)))]
        keys = ("answer", "confidence", "note", "pairs", "correction", "", "\u2028", "id")
        return {_pick(draw, keys): _junk(draw, depth + 1) for _ in range(int(draw.integers(4)))}
    return _pick(
        draw, (None, True, False, 0, -1, 7, 2**70, 0.5, -3.5, 1e300, float("nan"), "", "0.5", _prose(draw))
    )


def _deliberation(draw: np.random.Generator) -> dict[str, Any]:
    correction = {
        "trigger": f"trigger {int(draw.integers(10**9))}",
        "error_type": _prose(draw),
        "original_reasoning": _prose(draw),
        "correction": f"do {_prose(draw)}",
    }
    return {
        "answer": f"Well: {_prose(draw)}",
        "explanation": _prose(draw),
        "correction": correction if draw.random() < 0.7 else None,
    }


def _judgement(draw: np.random.Generator) -> dict[str, Any]:
    def number() -> int:
        return int(draw.integers(-2, 60))

    return {
        "notes": [{"note": number(), "line": _prose(draw)} for _ in range(int(draw.integers(5)))],
        "pairs": [
            {"pair": number(), "contradicts": bool(draw.integers(2))} for _ in range(int(draw.integers(5)))
        ],
    }


def _extraction(draw: np.random.Generator) -> dict[str, Any]:
    """Return items of which some name a turn, and none has its words."""
    return {
        "facts": [
            {
                "turn": int(draw.integers(-1, 30)),
                "quote": str(draw.choice(["what nobody said", "nowhere", ""])),
                "content": "A cousin repairs trams.",
                "category": str(draw.choice(["fact", "moment", "gossip"])),
                "confidence": float(draw.random()),
            }
            for _ in range(draw.integers(4))
        ]
    }


_GOOD: Mapping[type[BaseModel], Callable[[np.random.Generator], dict[str, Any]]] = {
    Deliberation: _deliberation,
    Judgement: _judgement,
    Extraction: _extraction,
    Verbalized: lambda draw: {"confidence": float(draw.random())},
}


def _whole(_draw: np.random.Generator, text: str) -> str:
    return text


def _truncated(draw: np.random.Generator, text: str) -> str:
    return text[: int(draw.integers(len(text) + 1))]


def _wrong_types(draw: np.random.Generator, text: str) -> str:
    """Put junk in the place of one value; of prose, behind it."""
    if not text.startswith('{"'):
        return text + json.dumps(_junk(draw))
    try:
        spoiled = json.loads(text)
    except ValueError:  # prose that looks like it
        return text
    holder = spoiled
    while (
        inner := [each for each in holder.values() if isinstance(each, dict) and each]
    ) and draw.random() < 0.5:
        holder = _pick(draw, inner)
    holder[_pick(draw, [*holder])] = _junk(draw)
    return json.dumps(spoiled)


def _scattered(draw: np.random.Generator, text: str) -> str:
    letters = list(text)
    for _ in range(1 + len(letters) // 40):
        letters[int(draw.integers(len(letters)))] = _pick(draw, ('"', "{", "]", ",", "\\", "\x00", "9"))
    return "".join(letters)


_SPOILED: tuple[Callable[[np.random.Generator, str], str], ...] = (
    _whole,
    _whole,
    _truncated,
    _truncated,
    _wrong_types,
    _wrong_types,
    _scattered,
    lambda draw, text: f"{_prose(draw)}\n```json\n{text}\n```\n{_prose(draw)}",
    lambda _, text: f"{text}\n{text}",
    lambda _, text: "[" * 3_000 + text,
    lambda draw, _: json.dumps(_junk(draw)),
    lambda draw, _: _prose(draw),
    lambda draw, _: _pick(draw, ("", " \n", "\x00", "\u2028", "\ud800")),
)

LONG: tuple[str, ...] = tuple(
    part * (MEGABYTE // len(part.encode()))
    for part in ("a", '{"answer": "', "Perhaps? Wait, no. ", "[", "\u00ab", "2026-01-02, Ada: \u201c")
)
"""Answers of a megabyte."""


@dataclass(slots=True)
class Nonsense:
    """A talk with models that make no sense."""

    model: ScriptedModel
    lines: list[str] = field(default_factory=list)
    """What the person said."""
    stored: Counter[str] = field(default_factory=Counter)
    """How often what of whom was called stored, by role."""


def talk_nonsense(memory: Engram, clock: FixedClock, noise: Noise, *, answers: int) -> Nonsense:
    """Talk with models that answer with noise, until they were asked so often."""
    # So much doubt in any answer that System 1 is asked again, and then System 2.
    for key, value in (("escalate.low", 0.22), ("escalate.span", 0.0)):
        tune(memory.graph, space=memory.space, key=key, value=value, by="test", now=clock.now)
    draw = np.random.default_rng(77)
    model = ScriptedModel(respond=noise)
    models = Models(system1=model, system2=model, quiet=model)
    talk = Nonsense(model=model)
    while len(model.asked) < answers:
        session = f"babble {len(talk.lines)}"
        with Agent(memory, models, session=session, clock=clock, generator=draw) as agent:
            for _ in range(LONGEST_TALK):
                clock.advance(timedelta(minutes=1))
                talk.lines.append(babble(len(talk.lines), draw))
                for event in agent.say(talk.lines[-1]):
                    if isinstance(event, Stored):
                        talk.stored[event.role] += 1
            agent.flush()
    return talk


def babble(turn: int, draw: np.random.Generator) -> str:
    """Return something to say that makes the loop ask its models for a second thought."""
    said = (
        f"My cousin {turn} lives in town {turn % 7} and repairs trams.",
        f"No, my cousin {turn - 3} does not live in town {(turn - 3) % 7} and does not repair trams.",
        f"Story {turn}: " + "the tram came late, the rain fell, and nobody had a ticket for it. " * 5,
        f"Where did my cousin {turn - 1} live, and what did I tell you about it?",
    )
    asked = (
        f"Compare town {turn} and town {turn + 1} for him, given that he must repair at least {turn} trams."
    )
    return f"{_pick(draw, said)} {asked}"


def check_nonsense(memory: Engram, noise: Noise, talk: Nonsense) -> dict[str, int]:
    """Hold the space to what must be so of it after such a talk, and return figures."""
    kept = kept_turns(memory)
    assert [each["text"] for each in kept if each["speaker"] == "user"] == talk.lines
    assert Counter(each["speaker"] for each in kept) == talk.stored
    # A correction is stored where the whole of a deliberation could be read, and nowhere else.
    read = [parse(text, Deliberation) for shape, text in noise.said if shape is Deliberation]
    whole = [outcome.value.correction for outcome in read if isinstance(outcome, Parsed)]
    allowed = tuple(f"Situation: {inert(each.trigger)}" for each in whole if each is not None)
    corrections = [row["content"] for row in run(memory, "loop_read_memories") if row["kind"] == "correction"]
    # Of a few hundred answers few lead to one, and perhaps none.
    assert corrections or len(talk.model.asked) < FULL
    assert [each for each in corrections if not each.startswith(allowed)] == []
    # Each answer was recorded, and how it was judged; what could not be used, with its words.
    calls = run(memory, "read_llm_calls")[0]["calls"]
    assert len(calls) == len(talk.model.asked)
    assert all(call["input_tokens"] >= 0 and call["output_tokens"] >= 0 for call in calls)
    unusable = [call for call in calls if call["outcome"] in {"prose", "wrong_shape", "too_long"}]
    assert unusable
    assert all(call["raw"] for call in unusable)
    assert broken(memory) == 0
    return {
        "turns": len(talk.lines),
        "answers": len(calls),
        "corrections": len(corrections),
        **Counter(call["purpose"] for call in calls),
        **{f"outcome {name}": count for name, count in Counter(call["outcome"] for call in calls).items()},
    }


def main() -> None:
    """Run it at full size on a server of its own, and print the figures."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("answers", nargs="?", type=int, default=FULL)
    answers = parser.parse_args().answers
    with TemporaryDirectory() as folder:
        settings = Settings.load(data_dir=Path(folder), server_backend="maven")
        server = ManagedServer(settings)
        server.start(print)
        try:
            clock, noise = FixedClock(), Noise(77)
            with Engram.open(settings, space="noise", embedder=HashEmbedder(384), clock=clock) as memory:
                print(
                    json.dumps(
                        check_nonsense(memory, noise, talk_nonsense(memory, clock, noise, answers=answers))
                    )
                )
        finally:
            server.stop()


if __name__ == "__main__":
    main()
