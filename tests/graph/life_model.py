"""A model for the scripted life: it draws what a careful reader would, judges pairs by what the year holds, and counts."""

import json
import re
import threading
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import combinations
from typing import Any, get_origin

from pydantic import BaseModel

from engram.entities import entity_key
from engram.llm.base import Effort, Message, Piece, Stream, Tool, Usage
from tests.graph.life import FULFILLED, ONE, TENSIONS, THREADS, Drawn, Line, State, script

_SPOKEN = re.compile(r"(?P<number>\d+)\. \d{4}-\d\d-\d\d \d\d:\d\d (?P<speaker>\w+): (?P<text>.+)")
_HELD = re.compile(r"(?:(?P<number>\d+)\. )?\d{4}-\d\d-\d\d \w+: (?P<text>.+)")
_PAIR = re.compile(r"(?P<number>\d+)\. A: (?P<one>[^;|]+?)(?:;.*)? \| B: (?P<other>[^;|]+?)(?:;.*)?")
_CHARACTERS = 4
"""Of a token, about."""


@dataclass(slots=True)
class Tally:
    """What questions of one kind came to."""

    calls: int = 0
    tokens: int = 0
    """Of questions and answers, at four characters each."""


class LifeModel:
    """Answers whatever consolidation asks about the scripted life, and counts what it is really asked."""

    name = "life"

    def __init__(self) -> None:
        self.drawing, self.judging, self.other = Tally(), Tally(), Tally()
        self._lock = threading.Lock()

    @property
    def calls(self) -> int:
        """How many questions there were."""
        return self.drawing.calls + self.judging.calls + self.other.calls

    def stream(
        self,
        system: str,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        tools: Sequence[Tool] = (),
        shape: type[BaseModel] | None = None,
        effort: Effort = "low",
    ) -> Stream:
        """Return the answer; nothing is asked before it is read."""
        return Stream(self._pieces(system, messages[-1].text, shape))

    def close(self) -> None:
        """Do nothing."""

    def _pieces(self, system: str, text: str, shape: type[BaseModel] | None) -> Generator[Piece]:
        assert shape is not None
        tally, answer = self._answer(text, shape)
        said = json.dumps(answer, ensure_ascii=False)
        told = (len(system) + len(text)) // _CHARACTERS
        with self._lock:
            tally.calls += 1
            tally.tokens += told + len(said) // _CHARACTERS
        usage = Usage(input_tokens=told, output_tokens=len(said) // _CHARACTERS)
        yield Piece(text=said, usage=usage, stop="end")

    def _answer(self, text: str, shape: type[BaseModel]) -> tuple[Tally, dict[str, Any]]:
        if "<turns>" in text:
            return self.drawing, {"facts": list(_extracted(text))}
        if "<held>" in text:
            return self.judging, {"pairs": list(_judged(text))}
        if "<pairs>" in text:
            return self.other, {"pairs": list(_named(text))}
        return self.other, _nothing(shape)


def _nothing(shape: type[BaseModel]) -> dict[str, Any]:
    """Return the emptiest answer of a shape: no items, no words, nothing true, the first of what there is to choose from."""
    empty = {name: _empty(field.annotation) for name, field in shape.model_fields.items()}
    return shape.model_validate(empty).model_dump(mode="json")


def _empty(annotation: Any) -> Any:
    kind = get_origin(annotation) or annotation
    if isinstance(kind, type) and issubclass(kind, Enum):
        return next(iter(kind)).value
    return kind() if kind in {list, tuple, dict, str, int, float, bool} else None


def _section(text: str, name: str) -> Iterator[str]:
    for inside in re.findall(rf"^<{name}>\n(.*?)\n</{name}>$", text, re.DOTALL | re.MULTILINE):
        yield from inside.splitlines()


def _extracted(text: str) -> Iterator[dict[str, Any]]:
    """Yield what is to be drawn from the numbered turns of a question."""
    lines = {(line.speaker, line.text): line for line in script()}
    for row in _section(text, "turns"):
        found = _SPOKEN.fullmatch(row)
        assert found, row
        line = lines.get((found["speaker"], found["text"]))
        for drawn in line.drawn if line else ():
            yield _item(int(found["number"]), line, drawn)


def _item(number: int, line: Line | None, drawn: Drawn) -> dict[str, Any]:
    assert line is not None
    return {
        "turn": number,
        "quote": line.text,
        "content": drawn.content,
        "category": drawn.category,
        "subject": drawn.subject,
        "slot": drawn.slot,
        "value": drawn.value,
        "single": drawn.single,
        "negated": drawn.negated,
        "revision": drawn.revision,
        "confidence": drawn.confidence,
        "valid_from": drawn.since and drawn.since.date().isoformat(),
        "valid_to": drawn.until and drawn.until.date().isoformat(),
        "entities": list(drawn.about),
    }


def _judged(text: str) -> Iterator[dict[str, Any]]:
    """Yield what becomes of each of the numbered facts of a question."""
    (new,) = (_HELD.fullmatch(row) for row in _section(text, "new"))
    assert new, text
    for row in _section(text, "held"):
        held = _HELD.fullmatch(row)
        assert held, row
        yield {"pair": int(held["number"]), "outcome": outcome(new["text"], held["text"])}


def _named(text: str) -> Iterator[dict[str, Any]]:
    """Yield whether the names of each of the numbered pairs of a question are one person's."""
    for row in _section(text, "pairs"):
        found = _PAIR.fullmatch(row)
        assert found, row
        keys = {entity_key(name) for each in found.group("one", "other") for name in each.split(", also ")}
        yield {"pair": int(found["number"]), "same": keys <= ONE}


def outcome(new: str, held: str) -> str:
    """Return what a careful reader makes of a new fact and one that is held, by their sentences."""
    if any(_says(new, other) and _says(held, one) for one, other in FULFILLED):
        return "supersede"
    for pair in TENSIONS:
        if any(_says(new, one) and _says(held, other) for one, other in (pair, pair[::-1])):
            return "tension"
    for thread in THREADS:
        for one, other in combinations(thread.states, 2):
            if _says(new, other) and _says(held, one):
                corrects = any(drawn.revision == "correction" for drawn in _drawn(other))
                return "correction" if corrects else "supersede"
    return "unrelated"


def _says(content: str, state: State) -> bool:
    return any(drawn.content == content for drawn in _drawn(state))


def _drawn(state: State) -> Iterator[Drawn]:
    for line in script():
        if line.name in state.names:
            yield from (drawn for drawn in line.drawn if re.search(state.says, drawn.content))
