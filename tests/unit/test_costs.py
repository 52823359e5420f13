"""What models cost: prices, metering and budgets, before anything is written."""

import gc
import threading
from collections.abc import Generator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from engram.config import Settings
from engram.costs import Call, CostLine, Ledger, Spent, cost_line, cost_table
from engram.costs.ledger import KEPT
from engram.costs.metering import RAW_BYTES
from engram.errors import (
    BudgetError,
    ConfigurationError,
    LanguageModelDownError,
    LanguageModelGarbledError,
    LanguageModelRefusedError,
)
from engram.graph import Graph
from engram.llm.base import ChatModel, Message, Piece, Stream, Tool, ToolCall, Usage
from engram.llm.structured import Parsed, Unanswered, Unparsed, ask
from engram.prices import DEFAULT_PRICES, Price, price_of
from engram.testing import FixedClock, ScriptedAnswer, ScriptedModel

NOW = datetime(2026, 11, 2, 12, tzinfo=UTC)
DOLLAR = {"dear": Price(input=0, output=1_000_000)}
"""A model whose every word costs a dollar."""
ASKED = [Message(role="user", text="Where does Noor live?")]


class Place(BaseModel):
    """An answer of a shape, and what a tool takes."""

    name: str


@pytest.fixture
def away() -> Graph:
    """Give a database that is not there."""
    graph = Graph("bolt://127.0.0.1:1", "neo4j", "", "neo4j")
    graph.close()
    return graph


@pytest.fixture
def clock() -> FixedClock:
    """Give a clock that stands still."""
    return FixedClock(NOW)


@pytest.fixture
def ledger(away: Graph, clock: FixedClock) -> Ledger:
    """Give a ledger that cannot write."""
    return Ledger(away, space="s", clock=clock, prices=DOLLAR, monotonic=lambda: 0.0)


def call_of(ledger: Ledger) -> Call:
    """Return the one call that was recorded."""
    (call,) = ledger._batch()
    return call


def read(model: ChatModel) -> str:
    """Ask, and return the whole answer."""
    with model.stream("Be brief.", ASKED, max_tokens=100) as stream:
        return "".join(stream)


class Playing:
    """A model whose answer is these pieces."""

    name = "dear"

    def __init__(self, *pieces: Piece | BaseException) -> None:
        self._given = pieces

    def stream(self, system: str, messages: Sequence[Message], **_: Any) -> Stream:
        """Return the answer."""
        return Stream(self._play())

    def close(self) -> None:
        """Do nothing."""

    def _play(self) -> Generator[Piece]:
        for piece in self._given:
            if isinstance(piece, BaseException):
                raise piece
            yield piece


@pytest.mark.parametrize(
    ("model", "tokens", "at", "cost"),
    [
        ("claude-opus-5-5-20260901", 1_000_000, NOW, 4 + 20),
        ("claude-opus-5", 1_000_000, NOW, 5 + 25),
        ("claude-opus-4-1", 1_000_000, NOW, 15 + 75),
        ("claude-haiku-5-5", 100_000, NOW, (0.1 + 0.5) / 10),
        ("claude-haiku-5-5", 200_000, NOW, (0.5 + 2.5) / 5),
        ("models/gemini-3.5-flash-lite", 1_000_000, NOW, 0.3 + 2.5),
        ("gemini-3.8-flash", 1_000_000, NOW, 0.75 + 3.75),
        ("gemini-3.8-flash", 1_000_000, datetime(2027, 1, 1, tzinfo=UTC), 1.5 + 7.5),
    ],
)
def test_the_longest_beginning_of_a_name_has_the_price(
    model: str, tokens: int, at: datetime, cost: float
) -> None:
    """Dated and prefixed names find their model's price; long prompts and later days have their own."""
    price = price_of(model, {})
    assert price is not None
    assert price.cost(input_tokens=tokens, output_tokens=tokens, at=at) == pytest.approx(cost)


def test_an_unknown_price_is_none_and_a_given_one_wins() -> None:
    """What nobody named has no price, and the setting's price holds over the built-in one."""
    assert price_of("llama3:8b", {}) is None
    mine = Price(input=1, output=2)
    assert price_of("llama3:8b", {"llama3": mine}) is mine
    assert price_of("gemini-3.8-flash", {"gemini-3.8-flash": mine}) is mine


@given(
    st.sampled_from(sorted(DEFAULT_PRICES)),
    st.integers(0, 2_000_000),
    st.integers(0, 2_000_000),
    st.datetimes(datetime(2025, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001
)
def test_more_tokens_never_cost_less(model: str, told: int, said: int, at: datetime) -> None:
    """Costs are not negative and grow with tokens."""
    price = DEFAULT_PRICES[model]
    cost = price.cost(input_tokens=told, output_tokens=said, at=at)
    assert 0 <= cost <= price.cost(input_tokens=told + 1, output_tokens=said + 1, at=at)


def test_every_model_of_the_settings_has_a_price() -> None:
    """The models that are used by default have a built-in price."""
    settings = Settings.load()
    for name in (settings.gemini_model, settings.anthropic_model):
        assert price_of(name, settings.prices) is not None


def test_prices_come_from_json(monkeypatch: pytest.MonkeyPatch) -> None:
    """The variable holds JSON; what is none, or no price, is said by name."""
    monkeypatch.setenv("ENGRAM_PRICES", '{"llama3": {"input": 0.1, "output": 0.4}}')
    assert Settings.load().prices == {"llama3": Price(input=0.1, output=0.4)}
    for wrong in ("0.1", "{", '{"llama3": {"input": -1, "output": 1}}', '{"llama3": {"input": 1}}'):
        monkeypatch.setenv("ENGRAM_PRICES", wrong)
        with pytest.raises(ConfigurationError, match="prices"):
            Settings.load()


def test_a_call_is_recorded_with_all_that_is_known(away: Graph, clock: FixedClock) -> None:
    """Tokens, dollars, latency and purpose are the call's own; an answer of use is not kept, nor any prompt."""
    seconds = count()
    ledger = Ledger(away, space="s", clock=clock, prices=DOLLAR, monotonic=lambda: float(next(seconds)))
    model = ledger.model(ScriptedModel("In Ghent now.", name="dear"), purpose="reply", session="monday")
    assert read(model) == "In Ghent now."
    call = call_of(ledger)
    assert (call.purpose, call.session, call.model, call.background) == ("reply", "monday", "dear", False)
    assert (call.input_tokens, call.output_tokens, call.estimated, call.cost_usd) == (0, 3, False, 3.0)
    assert (call.at, call.tries, call.outcome, call.error, call.raw) == (NOW, 1, "ok", None, None)
    assert call.first_token_ms == 1_000
    assert call.latency_ms > call.first_token_ms
    assert "Noor" not in repr(call)


def test_everything_passes_through(ledger: Ledger) -> None:
    """Tools, shape and effort reach the model; calls, usage, log probability and reason reach the caller."""
    tool = Tool(name="find", description="Find a place.", parameters=Place)
    wish = ToolCall.read(id="1", name="find", raw='{"name": "Ghent"}')
    usage = Usage(input_tokens=5, output_tokens=7)
    inner = ScriptedModel(ScriptedAnswer("Wait.", calls=(wish,), logprob=-0.25, usage=usage))
    metered = ledger.model(inner, purpose="reply")
    with metered.stream("s", ASKED, max_tokens=9, tools=[tool], shape=Place, effort="high") as stream:
        assert list(stream) == ["Wait."]
    asked = inner.asked[0]
    assert (asked.tools, asked.shape, asked.effort, asked.max_tokens) == ((tool,), Place, "high", 9)
    assert (stream.text, stream.calls, stream.logprob) == ("Wait.", (wish,), -0.25)
    assert (stream.usage, stream.stop_reason, stream.tries) == (usage, "end", 1)
    assert stream.message == Message(role="assistant", text="Wait.", calls=(wish,))
    assert metered.name == "scripted"


def test_a_retried_call_counts_its_tries(ledger: Ledger) -> None:
    """One call is one record, with the requests that it took."""
    pieces = (Piece(tries=1), Piece(tries=2), Piece(tries=3), Piece(text="Ghent", stop="end"))
    read(ledger.model(Playing(*pieces), purpose="reply"))
    assert call_of(ledger).tries == 3


@pytest.mark.parametrize(
    ("answer", "outcome", "raw"),
    [
        ([LanguageModelDownError("away")], "failed", None),
        ([LanguageModelRefusedError("wrong key")], "refused", None),
        (ScriptedAnswer("", stop="withheld"), "refused", None),
        (["Half an ", LanguageModelGarbledError("cut off")], "cut_off", "Half an "),
        (ScriptedAnswer("", stop="length"), "cut_off", None),
        (ScriptedAnswer(""), "empty", None),
        (["Half an ", KeyboardInterrupt()], "interrupted", None),
    ],
)
def test_a_call_that_fails_is_recorded_with_why(
    ledger: Ledger, answer: Any, outcome: str, raw: str | None
) -> None:
    """However a call ends the caller sees the same error, and the record has its kind once."""
    model = ledger.model(ScriptedModel(answer), purpose="reply")
    with pytest.raises(BaseException) as caught:  # noqa: PT011  (each of its own)
        read(model)
    call = call_of(ledger)
    assert (call.outcome, call.raw) == (outcome, raw)
    assert (call.error is None) == isinstance(caught.value, KeyboardInterrupt)


@pytest.mark.parametrize("how", ["closed", "forgotten"])
def test_an_abandoned_stream_is_recorded_once(ledger: Ledger, how: str) -> None:
    """Given up after a word, closed twice or left to the garbage collector: one call, its tokens estimated."""
    stream = ledger.model(Playing(Piece(text="In "), Piece(text="Ghent")), purpose="reply").stream(
        "Be brief.", ASKED, max_tokens=9
    )
    assert next(stream) == "In "
    if how == "closed":
        stream.close()
        stream.close()
    del stream
    gc.collect()
    call = call_of(ledger)
    assert (call.outcome, call.estimated) == ("interrupted", True)
    assert call.input_tokens > 0
    assert call.output_tokens == 2


def test_a_stream_that_is_never_read_is_no_call(ledger: Ledger) -> None:
    """Nothing is sent before a stream is read, so nothing is recorded."""
    ledger.model(ScriptedModel("Ghent"), purpose="reply").stream("s", ASKED, max_tokens=9).close()
    assert ledger.unwritten == 0


def test_the_judgement_of_an_answer_reaches_its_record(ledger: Ledger) -> None:
    """An answer without its shape is recorded as such, with its text, though it was judged afterwards."""
    model = ledger.model(ScriptedModel("Ghent, I think.", '{"name": "Ghent"}'), purpose="extract")
    assert isinstance(ask(model, "s", "Where?", Place, max_tokens=9), Unparsed)
    assert isinstance(ask(model, "s", "Where?", Place, max_tokens=9), Parsed)
    assert isinstance(ask(model, "s", "Where?", Place, max_tokens=9), Unanswered)
    assert [(call.outcome, call.raw) for call in ledger._batch()] == [
        ("prose", "Ghent, I think."),
        ("ok", None),
        ("failed", None),
    ]


def test_what_is_kept_of_an_answer_is_bounded(ledger: Ledger) -> None:
    """At most 64 KB of an unusable answer are kept, cut between characters."""
    model = ledger.model(ScriptedModel(["é" * RAW_BYTES]), purpose="extract")
    ask(model, "s", "Where?", Place, max_tokens=9)
    assert call_of(ledger).raw == "é" * (RAW_BYTES // 2)


def test_no_count_of_a_provider_lowers_what_was_spent(ledger: Ledger) -> None:
    """A negative or absurd count is cut to what can be."""
    answer = ScriptedAnswer("Ghent", usage=Usage(input_tokens=-5, output_tokens=2**70))
    read(ledger.model(ScriptedModel(answer, name="dear"), purpose="reply"))
    call = call_of(ledger)
    assert (call.input_tokens, call.output_tokens) == (0, 10**9)


@given(st.lists(st.integers(0, 40), max_size=30), st.randoms(use_true_random=False))
def test_money_adds_up_whatever_the_order(words: list[int], order: Any) -> None:
    """The sum of the calls is what was spent, in any order and with any of them ended early."""
    graph = Graph("bolt://127.0.0.1:1", "neo4j", "", "neo4j")
    graph.close()
    ledger = Ledger(graph, space="s", clock=FixedClock(NOW), prices=DOLLAR, monotonic=lambda: 0.0)
    order.shuffle(words)
    answers = ["word " * count or LanguageModelDownError("away") for count in words]
    model = ledger.model(
        ScriptedModel(*([each] if isinstance(each, Exception) else each for each in answers), name="dear"),
        purpose="reply",
    )
    for _ in words:
        with model.stream("s", ASKED, max_tokens=9) as stream:
            try:
                list(stream)
            except LanguageModelDownError:
                continue
    spent = ledger.spent()
    assert spent.run == spent.today == spent.last_day == spent.lifetime == sum(words)
    assert spent.calls_today == len(words)
    ledger.close()


def test_threads_share_a_ledger(ledger: Ledger) -> None:
    """Calls of many threads at once are all counted."""
    inner = ScriptedModel(respond=lambda _: "one two", name="dear")
    model = ledger.model(inner, purpose="reply")
    threads = [threading.Thread(target=lambda: [read(model) for _ in range(40)]) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ledger.unwritten == 240
    assert ledger.spent().run == 480


def test_what_waits_is_bounded(ledger: Ledger) -> None:
    """Without a database the oldest calls go at last, and are counted; what they cost still counts."""
    model = ledger.model(ScriptedModel(respond=lambda _: "word", name="dear"), purpose="reply")
    for _ in range(KEPT + 7):
        read(model)
    assert (ledger.unwritten, ledger.dropped) == (KEPT, 7)
    assert ledger.spent().today == KEPT + 7


@pytest.mark.parametrize("limits", [{"daily_budget": 10.0}, {"daily_calls": 10}])
def test_the_states_of_a_budget(away: Graph, clock: FixedClock, limits: dict[str, Any]) -> None:
    """The background ends at 80 %, the foreground is asked about at 100 %, approval holds until midnight UTC."""
    ledger = Ledger(away, space="s", clock=clock, prices=DOLLAR, monotonic=lambda: 0.0, **limits)
    model = ledger.model(ScriptedModel(respond=lambda _: "word", name="dear"), purpose="reply")
    states = []
    for _ in range(11):
        states.append((ledger.allows(background=True), ledger.allows(background=False)))
        read(model)
    assert states == [("yes", "yes")] * 8 + [("no", "yes")] * 2 + [("no", "ask")]
    ledger.approve()
    assert (ledger.allows(background=True), ledger.allows(background=False)) == ("no", "yes")
    clock.now = datetime(2026, 11, 2, 23, 59, 59, tzinfo=UTC)
    assert ledger.allows(background=False) == "yes"
    clock.advance(timedelta(seconds=1))
    assert (ledger.allows(background=True), ledger.allows(background=False)) == ("yes", "yes")
    for _ in range(10):
        read(model)
    assert ledger.allows(background=False) == "ask"


def test_a_background_call_beyond_the_budget_is_never_made(away: Graph, clock: FixedClock) -> None:
    """It raises a typed error before anything is sent, and is no call; the foreground is left to its caller."""
    ledger = Ledger(
        away, space="s", clock=clock, prices=DOLLAR, daily_budget=0.0, daily_calls=0, monotonic=lambda: 0.0
    )
    inner = Playing(AssertionError("it was asked"))
    quiet = ledger.model(inner, purpose="dream", background=True)
    with pytest.raises(BudgetError, match="background"):
        read(quiet)
    answer = ask(quiet, "s", "Where?", Place, max_tokens=9)
    assert isinstance(answer, Unanswered)
    assert isinstance(answer.error, BudgetError)
    assert ledger.unwritten == 0
    assert read(ledger.model(ScriptedModel("Ghent"), purpose="reply")) == "Ghent"


def test_no_limit_allows_everything(ledger: Ledger) -> None:
    """Without a budget nothing is asked and nothing stops."""
    read(ledger.model(ScriptedModel("word " * 1_000, name="dear"), purpose="reply"))
    assert (ledger.allows(background=True), ledger.allows(background=False)) == ("yes", "yes")


@pytest.mark.parametrize(
    ("amount", "said"),
    [(0, "$0.00"), (0.02, "$0.02"), (1_234.5, "$1,234.50"), (0.0012, "$0.0012"), (1e-6, "<$0.0001")],
)
def test_the_line_of_the_prompt(amount: float, said: str) -> None:
    """It has what this run cost and the last day, to the cent where that says anything (v4 plan, 4.8)."""
    spent = Spent(run=amount, today=0, last_day=0.1, lifetime=9, calls_today=1, budget=None)
    assert cost_line(spent) == f"Session cost: {said} | 24h: $0.10"


def test_a_table_names_unknown_prices() -> None:
    """Each scope has its table with a sum; estimated tokens and unknown prices are said below it."""

    def line(key: str, cost: float, *unpriced: str, scope: str = "today") -> CostLine:
        return CostLine(
            scope=scope, key=key, calls=1_000, retries=2, failed=1, input_tokens=30, output_tokens=4,
            estimated=len(unpriced), cost_usd=cost, unpriced=unpriced,
        )  # fmt: skip

    table = list(
        cost_table([line("reply", 0.5, scope="this session"), line("reply", 1.5), line("gut", 0, "llama3")])
    )
    assert table == [
        "this session  calls  retries  failed  tokens in  tokens out   cost",
        "reply         1,000        2       1         30           4  $0.50",
        "",
        "today   calls  retries  failed  tokens in  tokens out       cost",
        "reply   1,000        2       1         30           4      $1.50",
        "gut     1,000        2       1         30           4          ?",
        "in all  2,000        4       2         60           8  $1.50 + ?",
        "  Calls whose tokens are estimated, because nobody counted them: 1.",
        "  No price is known for llama3; `engram config set prices` takes one.",
    ]
