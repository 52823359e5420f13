"""Answers of a shape: whatever a model says becomes a typed outcome, and only the right thing a value."""

import json
import random
import string
from collections import Counter
from collections.abc import Iterator
from datetime import date
from enum import StrEnum
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, field_validator

from engram.errors import LanguageModelDownError, LanguageModelError, LanguageModelGarbledError
from engram.llm.structured import LONGEST, Outcome, Parsed, Unanswered, Unparsed, ask, parse
from engram.testing import ScriptedAnswer, ScriptedModel
from tests.protocol.llm_bench import bench
from tests.protocol.llm_server import Answer, Provider


class Mood(StrEnum):
    """How it feels."""

    GOOD = "good"
    BAD = "bad"


class Fact(BaseModel):
    """One fact."""

    who: str
    sure: float = Field(ge=0, le=1)


class Verdict(BaseModel):
    """A judgement with a bit of everything."""

    model_config = ConfigDict(extra="forbid")

    mood: Mood
    count: int
    agreed: bool
    facts: tuple[Fact, ...] = ()
    on: date | None = None


RIGHT: dict[str, Any] = {
    "mood": "good",
    "count": 3,
    "agreed": True,
    "facts": [{"who": 'Ana "A." {Sá}\n', "sure": 1}, {"who": "[]", "sure": 0.25}],
    "on": "2026-05-17",
}
TEXT = json.dumps(RIGHT)
VALUE = Verdict.model_validate_json(TEXT)


def put(text: str) -> Outcome[Verdict]:
    """Let a model give this answer."""
    return ask(ScriptedModel([text]), "Judge.", "Is it so?", Verdict, max_tokens=99)


def kind(outcome: Outcome[Verdict]) -> str:
    """Return the outcome's name."""
    return outcome.kind if isinstance(outcome, Unparsed) else type(outcome).__name__


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        f"\ufeff \n{json.dumps(RIGHT, indent=2)}\n",
        f"```json\n{TEXT}\n```",
        f"```\n{TEXT}```\n",
        f"Here is my judgement: {TEXT}",
        f"Of the set {{x}} [1] I say:\n\n```json\n{TEXT}\n```\nAsk me for more.",
        f'Not {{"count": 1}} but {TEXT}',
    ],
)
def test_the_one_object_of_the_shape_is_found(text: str) -> None:
    """Bare, in a fence or among prose: the one object that fits is the answer."""
    assert put(text) == Parsed(value=VALUE)


def changed(**fields: Any) -> str:
    """Return the right answer with some fields replaced."""
    return json.dumps(RIGHT | fields)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "empty"),
        (" \n\t", "empty"),
        ("I think it is good.", "prose"),
        ("{'mood': 'good'}", "prose"),
        ("42", "wrong_shape"),
        ("null", "wrong_shape"),
        ('["good"]', "wrong_shape"),
        ("{}", "wrong_shape"),
        (f"[{TEXT}]", "wrong_shape"),
        (f'{{"verdict": {TEXT}}}', "wrong_shape"),
        (f"{{ /* mine */ {TEXT} }}", "wrong_shape"),
        (f"{TEXT} or rather {TEXT}", "wrong_shape"),
        (changed(count="3"), "wrong_shape"),
        (changed(count=3.0), "wrong_shape"),
        (changed(count=True), "wrong_shape"),
        (changed(agreed="yes"), "wrong_shape"),
        (changed(agreed=1), "wrong_shape"),
        (changed(mood="GOOD"), "wrong_shape"),
        (changed(on="17 May"), "wrong_shape"),
        (changed(facts=[{"who": "Ana", "sure": 2}]), "wrong_shape"),
        (changed(facts=[{"who": "Ana", "sure": float("nan")}]), "wrong_shape"),
        (changed(facts=[{"who": "Ana", "sure": float("inf")}]), "wrong_shape"),
        (changed(facts=[{"who": "\ud800", "sure": 1}]), "wrong_shape"),
        (changed(extra=1), "wrong_shape"),
        (changed(count=2**63), "wrong_shape"),
        (TEXT.replace("3", "9" * 10_000, 1), "wrong_shape"),
        (TEXT.replace("0.25", "1e999"), "wrong_shape"),
        (TEXT[:-1] + ', "count": 4}', "wrong_shape"),
        (TEXT.replace('"count"', "count"), "wrong_shape"),
        (TEXT[:-1], "cut_off"),
        (f"```json\n{TEXT[:40]}\n```", "cut_off"),
        (f"Well: {TEXT[:60]}", "cut_off"),
        (changed(facts="x" * 1_000_000), "too_long"),
        ("é" * (LONGEST // 2 + 1), "too_long"),
        ('{"mood": ' + "[" * 100_000, "cut_off"),
        ('{"mood": ' + "[" * 100_000 + "]" * 100_000 + "}", "wrong_shape"),
        ("{" * 200_000, "prose"),
        ('{"' * 100_000, "cut_off"),
    ],
)
def test_anything_else_is_told_by_its_kind(text: str, expected: str) -> None:
    """Wrong types are not mended, two answers are none, and what cannot be used says why in a few words."""
    outcome = put(text)
    assert kind(outcome) == expected
    assert isinstance(outcome, Unparsed)
    assert 0 < len(outcome.detail) < 200
    assert text.startswith(outcome.raw)


@given(st.integers(0, len(TEXT) - 1))
def test_a_prefix_of_an_answer_is_no_answer(length: int) -> None:
    """However far it got, an answer that lacks its end is cut off, or nothing to speak of."""
    assert kind(put(TEXT[:length])) == {0: "empty", 1: "prose"}.get(length, "cut_off")


@given(st.integers(1, len(TEXT)))
def test_at_the_token_limit_only_the_whole_counts(length: int) -> None:
    """An answer that reached its limit is used where nothing can be missing behind it."""
    answer = ScriptedAnswer(TEXT[:length], stop="length")
    outcome = ask(ScriptedModel(answer), "", "?", Verdict, max_tokens=9)
    assert kind(outcome) == ("Parsed" if length == len(TEXT) else "cut_off")
    assert kind(parse(f"Perhaps {TEXT} or else", Verdict, complete=False)) == "cut_off"
    assert parse(f"```\n{TEXT}\n```", Verdict, complete=False) == Parsed(value=VALUE)


@given(st.text() | st.text(alphabet='{}[]":,\\ 0e-tnu`\n'))
@settings(max_examples=300)
def test_no_text_raises(text: str) -> None:
    """Whatever characters a model sends, the outcome is a value."""
    assert isinstance(put(text), Unparsed)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(st.fixed_dictionaries({}, optional={name: json_values | st.just(RIGHT[name]) for name in RIGHT}))
def test_parsed_means_valid(answer: dict[str, Any]) -> None:
    """A value comes out exactly where JSON of the shape went in."""
    text = json.dumps(answer)
    try:
        valid = Verdict.model_validate_json(json.dumps(answer, allow_nan=False), strict=True)
    except ValueError:
        assert isinstance(put(text), Unparsed)
    else:
        assert put(text) == Parsed(value=valid) or abs(valid.count) >= 2**63


def answers(seed: int) -> Iterator[tuple[str, bool]]:
    """Yield what models say, and whether it is to be read: right, cut, mistyped, noise, doubled."""
    draw = random.Random(seed)
    noise = string.printable + '{}[]":,é🌞\ud800\x00'
    frames = ["%s", "```json\n%s\n```", "Sure! %s", "%s\nI hope that helps.", "\n\n%s  "]
    while True:
        right = json.dumps(
            {
                "mood": draw.choice(["good", "bad"]),
                "count": draw.randrange(-(2**63) + 1, 2**63),
                "agreed": draw.random() < 0.5,
                "facts": [
                    {
                        "who": "".join(draw.choices(noise, k=draw.randrange(20))).replace("\ud800", ""),
                        "sure": 0.5,
                    }
                    for _ in range(draw.randrange(4))
                ],
            },
            ensure_ascii=draw.random() < 0.5,
        )
        yield draw.choice(frames) % right, True
        yield draw.choice(frames) % right[: draw.randrange(len(right))], False
        yield (
            draw.choice(frames) % changed(**{draw.choice(list(RIGHT)): draw.choice([{}, "", -0.5, "x"])}),
            False,
        )
        yield "".join(draw.choices(noise, k=draw.randrange(200))), False
        yield draw.choice(frames) % (right[:-1] + "," + right[1:]), False


def test_two_thousand_answers() -> None:
    """Through two thousand answers nothing raises, and exactly the right ones are read."""
    script = answers(7)
    read = Counter[bool]()
    for _ in range(2_000):
        text, right = next(script)
        assert isinstance(put(text), Parsed) == right, text
        read[right] += 1
    assert read == {True: 400, False: 1_600}


class Fussy(BaseModel):
    """A shape whose own check fails in a way of its own."""

    name: str

    @field_validator("name")
    @classmethod
    def known(cls, name: str) -> str:
        """Look the name up."""
        return {"Ana": name}[name]


def test_a_shapes_own_failure_is_a_wrong_shape() -> None:
    """A validator that breaks does not break the caller."""
    assert parse('{"name": "Ana"}', Fussy) == Parsed(value=Fussy(name="Ana"))
    outcome = parse('{"name": "Bo"}', Fussy)
    assert isinstance(outcome, Unparsed)
    assert outcome.kind == "wrong_shape"


@pytest.mark.parametrize(
    ("answer", "expected", "noted"),
    [
        (TEXT, "Parsed", "ok"),
        ("No.", "prose", "prose"),
        (["x" * LONGEST, "y"], "too_long", "too_long"),
        ([TEXT, LanguageModelGarbledError("cut")], "cut_off", "cut_off"),
        ([LanguageModelGarbledError("nothing")], "Unanswered", "unanswered"),
        ([TEXT, LanguageModelDownError("silent")], "Unanswered", "unanswered"),
        (ScriptedAnswer("", stop="length"), "cut_off", "cut_off"),
        (ScriptedAnswer(""), "empty", "empty"),
        (ScriptedAnswer("Well", stop="withheld"), "Unanswered", "unanswered"),
    ],
)
def test_the_stream_knows_its_outcome(answer: Any, expected: str, noted: str) -> None:
    """The outcome is left on the stream, which is closed, and an answer that failed is not half used."""
    model = Watched(answer)
    assert kind(ask(model, "Judge.", "Is it so?", Verdict, max_tokens=99)) == expected
    (stream,) = model.streams
    assert stream.outcome == noted
    assert list(stream) == []


class Watched(ScriptedModel):
    """A scripted model that keeps the streams it gave out."""

    def stream(self, *args: Any, **options: Any) -> Any:
        """Return the next answer, and keep it."""
        self.streams = [*getattr(self, "streams", []), super().stream(*args, **options)]
        return self.streams[-1]


class Closed(ScriptedModel):
    """A model that will not even begin."""

    def stream(self, *args: Any, **options: Any) -> Any:
        """Refuse."""
        raise LanguageModelError("over budget")


def test_a_refusal_to_ask_is_no_answer() -> None:
    """An error before there is a stream is an outcome too."""
    assert isinstance(ask(Closed(), "", "?", Verdict, max_tokens=9), Unanswered)


def test_the_question_stands_alone() -> None:
    """A model is asked with its task and one message: no history, no tools, the shape and the effort told."""
    model = ScriptedModel(TEXT)
    ask(model, "Judge.", "Is it so?", Verdict, max_tokens=99, effort="high")
    (asked,) = model.asked
    assert (asked.system, asked.max_tokens, asked.effort) == ("Judge.", 99, "high")
    assert [message.text for message in asked.messages] == ["Is it so?"]
    assert (asked.shape, asked.tools) == (Verdict, ())


@pytest.mark.parametrize("provider", ["gemini", "anthropic"])
def test_the_same_through_the_real_packages(provider: Provider) -> None:
    """What the packages hand on is read as it was sent, for answers of every kind and for broken streams."""
    script = answers(8)
    cases = [
        (text, right) for text, right in (next(script) for _ in range(30)) if "\ud800" not in text and text
    ]
    served = [Answer(deltas=[text[:9], text[9:]] if len(text) > 9 else [text]) for text, _ in cases]
    broken = [
        Answer(deltas=[TEXT], then="cut"),
        Answer(deltas=[TEXT], then="garbage"),
        Answer(deltas=[TEXT], then="error"),
        Answer(deltas=["x" * 300_000]),
        Answer(status=401),
        Answer(status=413),
    ]
    with bench(provider, *served, *broken, llm_retries=0) as b:
        for text, right in cases:
            assert isinstance(ask(b.model, "", "?", Verdict, max_tokens=9), Parsed) == right, text
        kinds = [kind(ask(b.model, "", "?", Verdict, max_tokens=9)) for _ in broken]
    assert kinds == ["cut_off", "cut_off", "Unanswered", "too_long", "Unanswered", "Unanswered"]
