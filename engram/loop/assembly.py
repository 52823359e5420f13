"""Assembly: what the model is told besides the conversation (v4 plan, 3.2).

Two tracks. What bears on the present focus competes for a budget. What the agent is comes whole or not at all, from
a budget of its own. Only what is immutable always comes.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engram import prompts
from engram.candidates import Floats
from engram.embedding.protocol import unit_rows
from engram.loop.fencing import Count, memory_line, section, shortened
from engram.loop.identity import THRESHOLD, Identity, draw
from engram.loop.tokens import count_tokens
from engram.loop.window import Said
from engram.records import Hit, Memory
from engram.scoring.weight import samples
from engram.text import inert, normal, printable, short

Vector = NDArray[np.float32]
"""Of length 1, shape (d,)."""

SHIFTED = 0.7
FLUSHED, CARRIED = 0.05, 0.3
"""Context inertia (v4 plan, 3.2): above this shift the old focus is all but gone, else so much of it carries over."""
GOALS, GOAL_TOKENS = 10, 40
"""Goals that are told, and how much of each."""
COMPRESSED_TOKENS = 40
"""Of a memory in its shorter form."""
CORRECTION_TOKENS = 100
_ABSENT = "\0"
"""Stands for an empty parameter; no other parameter can hold it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Tokens of each part of a prompt (v4 plan, 3.2)."""

    immutable: int = 100
    """Expected; what is immutable is told whatever it takes."""
    identity: int = 1_500
    """Expected; what is drawn decides."""
    identity_most: int = 3_000
    """What would go beyond is absent, whole, like what was not drawn."""
    reflections: int = 300
    """Not in the seed's table: three corrections of a hundred tokens."""
    situational: int = 2_000
    state: int = 200
    rules: int = 450
    """The prompt's own words."""
    answer: int = 4_000
    least_conversation: int = 1_000

    def conversation(self, context: int, *, system: int | None = None) -> int:
        """Return the tokens that are left for the conversation.

        Args:
            context: Tokens that a prompt may have, the answer included.
            system: Tokens of the system text; None: what is to be expected.
        """
        if system is None:
            parts = self.immutable, self.identity, self.reflections, self.situational, self.state, self.rules
            system = sum(parts)
        return max(self.least_conversation, context - system - self.answer)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """Who talks with whom, when, and how the agent stands."""

    persona: str
    user: str
    now: datetime
    restart: str = ""
    """How long it was away, in a line."""
    cost: str = ""
    """What it costs, in a line."""
    state: str = ""
    """The cognitive state report."""
    goals: tuple[str, ...] = ()
    """What the agent is after."""
    sections: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Lines of further sections by name: `gut`, what is felt; `working`, what was carried over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A memory in the prompt."""

    memory: Memory
    form: Literal["full", "compressed"]
    line: str
    """As the model is told it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembled:
    """What the model is told, and what of the memory is in it."""

    system: str
    immutable: tuple[Memory, ...]
    identity: tuple[Memory, ...]
    situational: tuple[Placed, ...]
    reflections: tuple[Memory, ...]
    tokens: dict[str, int]
    """Estimates by section (`state`, `immutable`, `identity`, `errors`, `memories`, `disagreements`) and of the whole
    (`system`). `immutable_over` stands there only where immutable memories take more than their hundred: they crowd
    out the conversation, and somebody should look."""
    attention: Vector | None
    """With what carried over; the next cycle's `previous`."""


@dataclass(frozen=True, slots=True)
class _Window:
    """What the conversation at hand says already."""

    ids: frozenset[str]
    texts: frozenset[str]

    def holds(self, memory: Memory) -> bool:
        return memory.id in self.ids or normal(memory.content) in self.texts


def assemble(
    scene: Scene,
    identity: Identity,
    hits: Sequence[Hit],
    *,
    generator: np.random.Generator,
    said: Sequence[Said] = (),
    reflections: Sequence[Memory] = (),
    tensions: Iterable[tuple[str, str]] = (),
    attention: Vector | None = None,
    previous: Vector | None = None,
    vectors: Mapping[str, Vector] = MappingProxyType({}),
    budget: Budget | None = None,
    threshold: float = THRESHOLD,
    count: Count = count_tokens,
) -> Assembled:
    """Return the system text for the next answer.

    No memory is told twice: not in two sections, and not where the conversation at hand says it already, except for
    what is immutable.

    Args:
        scene: Who talks with whom, and when.
        identity: As last read.
        hits: What was recalled for the present focus, best first.
        generator: Draws which memories come to mind.
        said: The conversation as far as the model is told it.
        reflections: Corrections of similar situations, nearest first.
        tensions: Pairs of ids of memories that disagree.
        attention: Vector of what is attended to.
        previous: `Assembled.attention` of the cycle before.
        vectors: Of the hits' memories, by id, as far as they are known; without, inertia moves no memory.
        budget: Tokens of each part.
        threshold: A draw above this tells a memory of the identity.
        count: Estimates the tokens of a text.
    """
    budget = budget or Budget()
    blended = None if attention is None else blend_attention(attention, previous)
    window = _window(said)
    always = identity.immutable
    drawn = [memory for memory in draw(identity, generator, threshold) if not window.holds(memory)]
    who = [each.memory for each in _fitting(map(_full, drawn), budget.identity_most, count)]
    elsewhere = {memory.id for memory in (*always, *who)}
    corrections = [_corrected(memory, count) for memory in reflections if memory.id not in elsewhere]
    errors = _fitting(corrections, budget.reflections, count)
    elsewhere |= {each.memory.id for each in errors}
    placed = place(
        _unsaid(hits, window, elsewhere),
        generator=generator,
        budget=budget.situational,
        moved=_moved(attention, blended, vectors),
        count=count,
    )
    lines = {
        "state": scene.state.splitlines(),
        "gut": [*scene.sections.get("gut", ())],
        "working": [*scene.sections.get("working", ())],
        "goals": [shortened(goal, GOAL_TOKENS, count) for goal in scene.goals[:GOALS]],
        "immutable": [memory_line(memory) for memory in always],
        "identity": [memory_line(memory) for memory in who],
        "errors": [each.line for each in errors],
        "memories": [each.line for each in placed],
        "disagreements": _disagreements(tensions, elsewhere | {each.memory.id for each in placed}),
    }
    system = _system(scene, lines)
    tokens = {name: sum(map(count, told)) for name, told in lines.items()} | {"system": count(system)}
    if tokens["immutable"] > budget.immutable:
        tokens["immutable_over"] = tokens["immutable"] - budget.immutable
    return Assembled(
        system=system,
        immutable=always,
        identity=tuple(who),
        situational=placed,
        reflections=tuple(each.memory for each in errors),
        tokens=tokens,
        attention=blended,
    )


def place(
    hits: Sequence[Hit],
    *,
    generator: np.random.Generator,
    budget: int,
    moved: Mapping[str, float] = MappingProxyType({}),
    count: Count = count_tokens,
) -> tuple[Placed, ...]:
    """Return the memories that win a place for the present focus, in order of `observed weight · relevance`.

    The most relevant comes first whatever its draw: a new memory's weight, Beta(1, 4), swings from 0.01 to 0.6, and
    an answer must not be lost to chance. Where all fit in full, all come in full. Else the upper half of what would
    fit does, and the others come in their shorter form, until nothing fits.

    Args:
        hits: What competes.
        generator: Observes the weights, one draw a hit.
        budget: Tokens of all lines together; from 100 there is room for at least one.
        moved: By a memory's id, what it is nearer to the blended attention than to the current one.
        count: Estimates the tokens of a text.
    """
    if not hits:
        return ()
    relevance = relevances(hits, moved)
    alpha = np.array([hit.memory.weight_alpha for hit in hits])
    beta = np.array([hit.memory.weight_beta for hit in hits])
    scores = samples(alpha, beta, generator) * relevance
    scores[np.argmax(relevance)] = np.inf
    order = np.argsort(-scores, kind="stable")
    return _filled([hits[i].memory for i in order], budget, count)


def relevances(hits: Sequence[Hit], moved: Mapping[str, float]) -> Floats:
    """Return how much each hit bears on the attention, 0 to 1, shape (n,).

    That is its recall score as a share of the best one's. It was scored against what is attended to now, so what it
    is nearer to the attention that carries over is added.
    """
    scores = np.array([hit.score for hit in hits], dtype=np.float64)
    best = scores.max(initial=0.0)
    scaled = np.maximum(scores, 0.0) / best if best > 0 else np.ones_like(scores)
    scaled += [moved.get(hit.memory.id, 0.0) for hit in hits]
    clipped: Floats = np.clip(scaled, 0.0, 1.0)
    return clipped


def inertia(current: Vector, previous: Vector) -> float:
    """Return how much of the previous attention carries over: 0.05 after a big shift, else 0.3 (v4 plan, 3.2)."""
    return FLUSHED if 1.0 - float(current @ previous) > SHIFTED else CARRIED


def blend_attention(current: Vector, previous: Vector | None) -> Vector:
    """Return the current attention with what carries over of the previous one, of length 1, shape (d,)."""
    if previous is None:
        return current
    carried = inertia(current, previous)
    # The shares differ, so two unit vectors cannot cancel each other out.
    blended: Vector = unit_rows([(1.0 - carried) * current + carried * previous])[0]
    return blended


def _moved(current: Vector | None, blended: Vector | None, vectors: Mapping[str, Vector]) -> dict[str, float]:
    """Return by how much each vector is nearer to the blended attention than to the current one."""
    if current is None or blended is None:
        return {}
    return {name: float(vector @ (blended - current)) for name, vector in vectors.items()}


def _window(said: Sequence[Said]) -> _Window:
    return _Window(
        ids=frozenset(one.memory for one in said if one.memory is not None),
        texts=frozenset(normal(one.text) for one in said),
    )


def _unsaid(hits: Sequence[Hit], window: _Window, told: Collection[str]) -> list[Hit]:
    """Return the hits that are told nowhere yet, each once."""
    first = {hit.memory.id: hit for hit in reversed(hits)}
    return [
        hit
        for hit in hits
        if first[hit.memory.id] is hit and hit.memory.id not in told and not window.holds(hit.memory)
    ]


def _fitting(lines: Iterable[Placed], room: int, count: Count) -> list[Placed]:
    """Return the lines that fit, in order; what does not fit is left out whole."""
    kept = []
    for each in lines:
        cost = count(each.line)
        if cost <= room:
            kept.append(each)
            room -= cost
    return kept


def _filled(memories: Sequence[Memory], room: int, count: Count) -> tuple[Placed, ...]:
    full = [_full(memory) for memory in memories]
    fitting = _fitting(full, room, count)
    if len(fitting) == len(full):
        return tuple(full)
    upper = {each.memory.id for each in fitting[: (len(fitting) + 1) // 2]}
    placed: list[Placed] = []
    for each in full:
        shorter = _compressed(each, count)
        forms = (each, shorter) if each.memory.id in upper else (shorter,)
        if fits := next((form for form in forms if count(form.line) <= room), None):
            placed.append(fits)
            room -= count(fits.line)
    return tuple(placed)


def _full(memory: Memory) -> Placed:
    return Placed(memory=memory, form="full", line=memory_line(memory))


def _compressed(full: Placed, count: Count) -> Placed:
    """Return a memory as its summary, else as its beginning, but whole where that takes no more."""
    memory = full.memory
    text = shortened(memory.compressed or memory.content, COMPRESSED_TOKENS, count)
    line = memory_line(memory, text)
    if count(full.line) <= count(line):
        return full
    return Placed(memory=memory, form="compressed", line=line)


def _corrected(memory: Memory, count: Count) -> Placed:
    full = _full(memory)
    line = memory_line(memory, shortened(memory.content, CORRECTION_TOKENS, count))
    return full if line == full.line else Placed(memory=memory, form="compressed", line=line)


def _disagreements(tensions: Iterable[tuple[str, str]], told: Collection[str]) -> list[str]:
    pairs = {tuple(sorted(pair)) for pair in tensions if all(each in told for each in pair)}
    return [f"[{short(one)}] and [{short(other)}] disagree" for one, other in sorted(pairs)]


def _system(scene: Scene, lines: Mapping[str, Sequence[str]]) -> str:
    values = {
        "persona": printable(scene.persona).strip(),
        "user": inert(scene.user),
        "now": f"{scene.now:%A, %Y-%m-%d %H:%M %Z}".strip(),
        "restart": inert(scene.restart, 500),
        "cost": inert(scene.cost, 500),
        **{name: section(name, told) for name, told in lines.items()},
    }
    text = prompts.fill("system", **{name: value or _ABSENT for name, value in values.items()})
    return "\n\n".join(part for part in text.split("\n\n") if _ABSENT not in part)
