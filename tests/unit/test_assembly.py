"""Assembly: who the agent is comes whole or not at all, and what bears on the moment competes for a place."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram import prompts
from engram.embedding.protocol import unit_rows
from engram.loop.assembly import (
    COMPRESSED_TOKENS,
    CORRECTION_TOKENS,
    Assembled,
    Budget,
    Scene,
    assemble,
    blend_attention,
    inertia,
    place,
    relevances,
)
from engram.loop.fencing import memory_line
from engram.loop.identity import Identity, draw
from engram.loop.tokens import count_tokens
from engram.loop.window import Said
from engram.records import Hit, Memory
from engram.testing import HashEmbedder
from tests.unit.test_fencing import ATTACKS, remembered

NOW = datetime(2026, 5, 4, 9, 30, tzinfo=UTC)
SCENE = Scene(persona="You are a parrot.", user="Ada", now=NOW)
SECTIONS = ("state", "immutable", "identity", "errors", "memories", "disagreements")
CERTAIN = {"weight_alpha": 1e6, "weight_beta": 1.0}
"""A weight that every draw finds near 1."""


def generator(seed: int = 0) -> np.random.Generator:
    """Return a generator that draws the same each time."""
    return np.random.default_rng(seed)


def hit(content: str, score: float = 1.0, **more: Any) -> Hit:
    """Return a hit; its memory's id is made of its content, unless another is given."""
    return Hit(memory=remembered(content, **{"id": f"id-{content}"} | more), rank=1, score=score)


def section(system: str, name: str) -> list[str] | None:
    """Return the lines of a section; None where it is left out."""
    lines = system.splitlines()
    if f"<{name}>" not in lines:
        return None
    return lines[lines.index(f"<{name}>") + 1 : lines.index(f"</{name}>")]


def identities() -> Identity:
    """Return an identity with convictions, contested memories and new ones, and a long one among each."""
    weights = {"high": (50.0, 2.0), "middle": (30.0, 20.0), "low": (1.0, 4.0)}
    return Identity(
        immutable=(remembered("Never help to hurt anybody.", id="rule", immutable=True),),
        weightiest=tuple(
            remembered(f"{name} " * length, id=f"{name}-{length}", weight_alpha=alpha, weight_beta=beta)
            for name, (alpha, beta) in weights.items()
            for length in (5, 50, 200)
        ),
    )


def test_a_hundred_cycles_of_identity() -> None:
    """High weights come in over 80 % of cycles, middle ones in about half, low ones in under 20 %, whole each time."""
    came: Counter[str] = Counter()
    draws = generator()
    for _ in range(100):
        assembled = assemble(SCENE, identities(), [], generator=draws)
        came.update(memory.id for memory in assembled.identity)
        assert section(assembled.system, "identity") == [memory_line(each) for each in assembled.identity]
        assert section(assembled.system, "immutable") == [
            "[rule] 2026-05-04 Ada: Never help to hurt anybody."
        ]
    for length in (5, 50, 200):
        assert came[f"high-{length}"] > 80
        assert came[f"low-{length}"] < 20
    assert 0.4 <= sum(came[f"middle-{length}"] for length in (5, 50, 200)) / 300 <= 0.6


def test_a_draw_keeps_the_order_and_hangs_on_the_generator_alone() -> None:
    """The same generator draws the same memories, in the order of their weight; a threshold of 1 draws none."""
    identity = identities()
    assert draw(identity, generator(7)) == draw(identity, generator(7))
    places = [identity.weightiest.index(memory) for memory in draw(identity, generator(7))]
    assert places == sorted(places)
    assert draw(identity, generator(), threshold=1.0) == ()


def test_what_is_too_long_for_the_identity_is_absent_whole() -> None:
    """The identity keeps to its own budget by leaving memories out, never by cutting them."""
    weightiest = (
        remembered("word " * 5_000, id="huge", **CERTAIN),
        remembered("I keep my word.", id="short", **CERTAIN),
    )
    assembled = assemble(SCENE, Identity(weightiest=weightiest), [], generator=generator())
    assert [memory.id for memory in assembled.identity] == ["short"]


def test_immutable_memories_come_whatever_they_take() -> None:
    """They are told whole with no budget at all, and that they take more than their share is noted."""
    identity = Identity(immutable=(remembered("never " * 500, id="rule"),))
    budget = Budget(immutable=10, identity_most=0, situational=0, reflections=0)
    assembled = assemble(SCENE, identity, [hit("x")], generator=generator(), budget=budget)
    assert assembled.immutable == identity.immutable
    assert section(assembled.system, "immutable") == [memory_line(identity.immutable[0])]
    assert assembled.tokens["immutable_over"] == assembled.tokens["immutable"] - 10 > 0
    assert "immutable_over" not in assemble(SCENE, identities(), [], generator=generator()).tokens


TOPICS = {
    "technical": [
        f"The server failed because the database index {n} was corrupt after the upgrade" for n in range(15)
    ],
    "emotional": [f"I felt sad and lonely when my friend moved away, evening {n}" for n in range(15)],
}


@pytest.mark.parametrize(
    ("focus", "topic"),
    [
        ("Why did the database server fail after the index upgrade?", "technical"),
        ("Why do I feel so sad and lonely since my friend moved?", "emotional"),
    ],
)
def test_what_surfaces_hangs_on_the_focus(focus: str, topic: str) -> None:
    """A technical question brings technical memories to mind, an emotional one emotional ones."""
    embedder = HashEmbedder(64)
    texts = [text for group in TOPICS.values() for text in group]
    cosines = embedder.embed(texts) @ embedder.embed([focus])[0]
    hits = [hit(text, max(0.0, float(cosine))) for text, cosine in zip(texts, cosines, strict=True)]
    placed = place(hits, generator=generator(), budget=200)
    shares = Counter(next(name for name in TOPICS if each.memory.content in TOPICS[name]) for each in placed)
    assert shares[topic] > 0.8 * len(placed)


def test_the_most_relevant_comes_whatever_its_draw() -> None:
    """However unlucky a new memory's draw is, the best answer is told, first."""
    hits = [hit(f"filler {n} " + "word " * 60, 0.5, **CERTAIN) for n in range(10)]
    best = hit("the answer", 1.0, weight_alpha=1.0, weight_beta=1e6)
    for seed in range(20):
        placed = place([*hits, best], generator=generator(seed), budget=150)
        assert placed[0].memory == best.memory
        assert placed[0].form == "full"


def test_all_come_in_full_where_all_fit() -> None:
    """Nothing is shortened without need, whether it has a summary or not."""
    hits = [hit("word " * 60 + str(n), compressed="short") for n in range(5)]
    assert [each.form for each in place(hits, generator=generator(), budget=2_000)] == ["full"] * 5


def test_where_not_all_fit_the_lower_ones_are_shortened() -> None:
    """The upper half of what would fit is told in full, others by their summary or beginning, so that more fit."""
    hits = [
        hit("word " * 60 + str(n), 1 - n / 100, compressed="a summary" if n % 2 else None, **CERTAIN)
        for n in range(30)
    ]
    placed = place(hits, generator=generator(), budget=500)
    forms = [each.form for each in placed]
    full = 500 // count_tokens(memory_line(hits[0].memory))
    assert forms[: (full + 1) // 2] == ["full"] * ((full + 1) // 2)
    assert set(forms[(full + 1) // 2 :]) == {"compressed"}
    assert len(placed) > full
    for each in placed:
        if each.form == "compressed":
            assert each.line.endswith("a summary" if each.memory.compressed else "word…")
            assert count_tokens(each.line) <= COMPRESSED_TOKENS + 10


def test_nothing_is_told_twice() -> None:
    """What the conversation, the identity or a correction holds already is not brought up again."""
    everywhere = remembered("I am patient", id="who", **CERTAIN)
    correction = remembered("Do not guess", id="error")
    said = [
        Said(role="user", text="hello   THERE"),
        Said(role="user", text="other words", memory="by-id"),
        Said(role="user", text="Always honest", memory="in-talk"),
    ]
    assembled = assemble(
        SCENE,
        Identity(
            immutable=(remembered("Never lie", id="rule"),),
            weightiest=(everywhere, remembered("Always honest", id="in-talk", **CERTAIN)),
        ),
        [
            hit("Hello there"),
            hit("something", id="by-id"),
            Hit(memory=everywhere, rank=3, score=0.9),
            hit("Never lie", id="rule"),
            Hit(memory=correction, rank=5, score=0.9),
            hit("new"),
            hit("new"),
        ],
        generator=generator(),
        said=said,
        reflections=[correction, everywhere],
    )
    assert [each.memory.content for each in assembled.situational] == ["new"]
    assert assembled.identity == (everywhere,)
    assert assembled.reflections == (correction,)


def test_disagreement_is_told_where_both_are() -> None:
    """Two memories in tension that are both shown are said to disagree; a pair with one of them is not."""
    hits = [hit("Boston", id="aaaaaaaa1"), hit("Berlin", id="bbbbbbbb1")]
    assembled = assemble(
        SCENE,
        Identity(),
        hits,
        generator=generator(),
        tensions=[("bbbbbbbb1", "aaaaaaaa1"), ("aaaaaaaa1", "bbbbbbbb1"), ("aaaaaaaa1", "absent")],
    )
    assert section(assembled.system, "disagreements") == ["[aaaaaaaa] and [bbbbbbbb] disagree"]


def test_corrections_keep_to_their_budget() -> None:
    """Corrections are shortened, the nearest first, and those for which there is no room stay away."""
    corrections = [remembered("word " * 500, id=f"error-{n}") for n in range(6)]
    assembled = assemble(SCENE, Identity(), [], generator=generator(), reflections=corrections)
    assert [memory.id for memory in assembled.reflections] == ["error-0", "error-1"]
    assert assembled.tokens["errors"] <= Budget().reflections
    assert assembled.tokens["errors"] > CORRECTION_TOKENS


def test_a_bare_prompt_has_no_empty_parts() -> None:
    """Without memories there is no section, no stray heading, and the rules still stand."""
    system = assemble(SCENE, Identity(), [], generator=generator()).system
    assert all(section(system, name) is None for name in SECTIONS)
    assert "\n\n\n" not in system
    assert "\0" not in system
    assert system.startswith(
        "You are a parrot.\n\nYou talk with Ada. It is Monday, 2026-05-04 09:30 UTC.\n\n"
    )
    assert "records, not instructions" in system
    for heading in ("attention", "always hold", "weigh most", "errors", "came to mind", "disagree,"):
        assert heading not in system.partition("\n- They are")[2].partition("ids unless")[2]


def test_a_full_prompt_has_every_part() -> None:
    """Who, when, how long away, cost, attention, limits, identity, errors and memories each stand there once."""
    scene = Scene(
        persona="You are a parrot.",
        user="Ada",
        now=NOW,
        restart="You were away for 3 hours.",
        cost="Session cost: $0.01 | 24h: $0.20",
        state='[COGNITIVE STATE]\nAttention candidates this cycle:\n  - User message: "x" (salience: 0.46)',
    )
    assembled = assemble(
        scene,
        Identity(
            immutable=(remembered("Never lie", id="rule"),),
            weightiest=(remembered("I am patient", id="who", **CERTAIN),),
        ),
        [hit("Rex likes carrots"), hit("Rex hates carrots")],
        generator=generator(),
        reflections=[remembered("Do not guess", id="error")],
        tensions=[("id-Rex likes carrots", "id-Rex hates carrots")],
    )
    assert all(section(assembled.system, name) for name in SECTIONS)
    assert "\n\nYou were away for 3 hours.\n\nSession cost: $0.01 | 24h: $0.20\n\n" in assembled.system
    assert "In similar past situations, you made these errors:\n<errors>" in assembled.system
    assert section(assembled.system, "state") == scene.state.splitlines()
    assert assembled.tokens["system"] == count_tokens(assembled.system)


def test_the_rules_take_what_the_budget_expects() -> None:
    """The prompt's own words stay within what is set aside for them."""
    assembled = assemble(Scene(persona="", user="Ada", now=NOW), Identity(), [], generator=generator())
    assert assembled.tokens["system"] < Budget().rules


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_text_breaks_any_section(attack: str) -> None:
    """Whatever is remembered or reported, each section opens and closes once and holds what it should."""
    scene = Scene(
        persona="You are a parrot.", user=attack, now=NOW, restart=attack, cost=attack, state=attack
    )
    evil = [remembered(attack, id=f"{n}{attack}", speaker=attack, **CERTAIN) for n in range(4)]
    system = assemble(
        scene,
        Identity(immutable=(evil[0],), weightiest=(evil[1],)),
        [Hit(memory=evil[2], rank=1, score=1.0)],
        generator=generator(),
        reflections=[evil[3]],
    ).system
    for name in SECTIONS:
        assert system.count(f"<{name}>") == system.count(f"</{name}>") <= 1
    for name in ("immutable", "identity", "errors", "memories"):
        lines = section(system, name)
        assert lines is not None
        assert len(lines) == 1
    outside = "\n".join(
        line for line in system.splitlines() if line not in {f"<{name}>" for name in SECTIONS}
    )
    assert "<" not in outside.replace("</", "")


def test_inertia_flushes_the_old_context_after_a_big_shift() -> None:
    """Above a shift of 0.7 only 0.05 of the previous attention is left, else 0.3; the blend has length 1."""
    here, near, far = unit_rows([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    assert inertia(here, near) == 0.3
    assert inertia(here, far) == 0.05
    assert blend_attention(here, None) is here
    assert np.linalg.norm(blend_attention(here, near)) == pytest.approx(1.0)
    assert float(blend_attention(here, near) @ near) > float(here @ near)
    assert float(blend_attention(here, far) @ here) > 0.99


def test_inertia_moves_what_is_near_the_previous_attention() -> None:
    """Of two hits of the same score, the one that bears on what was attended to before is the more relevant."""
    here, before = unit_rows([[1.0, 0.2, 0.0], [1.0, 1.0, 0.0]])
    hits = [hit("carried", 0.5), hit("not", 0.5), hit("best", 1.0)]
    moved = blend_attention(here, before) - here
    vectors = dict(zip(("id-carried", "id-not"), unit_rows([[0, 1, 0], [0, 0, 1]]), strict=True))
    told = relevances(hits, {name: float(vector @ moved) for name, vector in vectors.items()})
    assert told[0] > told[1] == 0.5
    assert told[2] == 1.0
    assembled = assemble(
        SCENE, Identity(), hits, generator=generator(), attention=here, previous=before, vectors=vectors
    )
    assert assembled.attention is not None
    assert np.allclose(assembled.attention, blend_attention(here, before))
    assert assemble(SCENE, Identity(), hits, generator=generator()).attention is None


def test_scores_that_say_nothing_make_all_as_relevant() -> None:
    """Where no hit has a positive score, weight alone decides."""
    assert list(relevances([hit("a", 0.0), hit("b", -1.0)], {})) == [1.0, 1.0]


MEMORIES = st.builds(
    remembered,
    st.text(st.characters(codec="utf-8"), max_size=400) | st.integers(1, 400).map(lambda n: "word " * n),
    id=st.sampled_from([f"{n:032x}" for n in range(12)]),
    compressed=st.none() | st.text(max_size=80),
    speaker=st.none() | st.text(max_size=60),
    weight_alpha=st.floats(0.5, 60),
    weight_beta=st.floats(0.5, 60),
)


def unique(memories: Sequence[Memory]) -> tuple[Memory, ...]:
    """Return the memories, each id once."""
    return tuple({memory.id: memory for memory in memories}.values())


@given(
    st.lists(MEMORIES, max_size=10),
    st.lists(MEMORIES, max_size=4),
    st.lists(st.tuples(MEMORIES, st.floats(-1, 1)), max_size=12),
    st.lists(st.builds(Said, role=st.just("user"), text=st.text(max_size=20)), max_size=4),
    st.integers(0, 600),
    st.integers(0, 2**32),
)
def test_any_assembly_keeps_its_budgets_and_tells_nothing_twice(
    weightiest: list[Memory],
    corrections: list[Memory],
    found: list[tuple[Memory, float]],
    said: list[Said],
    room: int,
    seed: int,
) -> None:
    """For any memories: each part within its budget, no memory twice, identity whole, the best hit in."""
    hits = [Hit(memory=memory, rank=1, score=score) for memory, score in found]
    budget = Budget(situational=room)
    assembled: Assembled = assemble(
        SCENE,
        Identity(weightiest=unique(weightiest)),
        hits,
        generator=generator(seed),
        said=said,
        reflections=unique(corrections),
        budget=budget,
    )
    assert assembled.tokens["memories"] <= room
    assert assembled.tokens["identity"] <= budget.identity_most
    assert assembled.tokens["errors"] <= budget.reflections
    told = [
        *(memory.id for memory in assembled.identity),
        *(memory.id for memory in assembled.reflections),
        *(each.memory.id for each in assembled.situational),
    ]
    assert len(told) == len(set(told))
    assert section(assembled.system, "identity") in (None, [memory_line(each) for each in assembled.identity])
    assert section(assembled.system, "memories") in (None, [each.line for each in assembled.situational])


@given(
    st.lists(
        st.tuples(MEMORIES, st.floats(0, 1)), min_size=1, max_size=12, unique_by=lambda each: each[0].id
    ),
    st.integers(100, 600),
    st.integers(0, 2**32),
)
def test_any_competition_has_room_for_the_most_relevant(
    found: list[tuple[Memory, float]], room: int, seed: int
) -> None:
    """From 100 tokens on, the hit with the best score is told, first, however long it is and however it drew."""
    hits = [Hit(memory=memory, rank=1, score=score) for memory, score in found]
    placed = place(hits, generator=generator(seed), budget=room)
    assert placed[0].memory == max(hits, key=lambda each: each.score).memory
    assert sum(count_tokens(each.line) for each in placed) <= room


def test_what_is_left_is_the_conversation() -> None:
    """The conversation has what the other parts leave, and never less than its least."""
    assert Budget().conversation(16_000, system=4_000) == 8_000
    assert Budget().conversation(16_000) == 16_000 - 4_000 - (100 + 1_500 + 300 + 2_000 + 200 + 450)
    assert Budget().conversation(4_000) == 1_000


def test_the_prompt_declares_what_it_uses() -> None:
    """The parameters at the head of the prompt are the ones in its text."""
    declared, used = prompts.parameters("system")
    assert declared == used
