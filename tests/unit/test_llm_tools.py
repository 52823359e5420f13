"""Tools, through both providers' real packages: declared, called, answered."""

import json
import threading

import pytest
from pydantic import BaseModel, Field

from engram.errors import LanguageModelGarbledError
from engram.llm import ChatModel, Message, Tool, ToolCall, ToolResult
from tests.protocol.llm_bench import bench
from tests.protocol.llm_server import Answer, Call, Provider

pytestmark = pytest.mark.parametrize("provider", ["gemini", "anthropic"])


class Lookup(BaseModel):
    """What to look up."""

    query: str = Field(description="In a few words.")
    limit: int = 5


LOOKUP = Tool(name="lookup", description="Look something up.", parameters=Lookup)
QUESTION = Message(role="user", text="Where does Ana live?")
CALL = Call(name="lookup", arguments={"query": "Ana — “casa” 🌞", "limit": 2})


def test_a_tool_is_declared_with_its_schema(provider: Provider) -> None:
    """Name and parameters reach the server as JSON Schema; without tools there is nothing of the kind."""
    with bench(provider) as b:
        list(b.ask(tools=[LOOKUP]))
        list(b.ask())
    with_tools, without = b.server.requests
    assert with_tools.tools["lookup"]["properties"]["query"]["type"] == "string"
    assert with_tools.tools["lookup"]["required"] == ["query"]
    assert "tools" not in without.body


def test_calls_are_read_after_the_text(provider: Provider) -> None:
    """Text streams as ever; the calls come with their arguments, whole and in order."""
    second = Call(name="lookup", arguments={"query": "x"}, id="call_2")
    with bench(provider, Answer(deltas=["Let me ", "look."], calls=[CALL, second])) as b:
        stream = b.ask(tools=[LOOKUP])
        assert list(stream) == ["Let me ", "look."]
    assert [call.arguments for call in stream.calls] == [CALL.arguments, {"query": "x"}]
    assert [call.id for call in stream.calls] == ["call_1", "call_2"]
    assert [json.loads(call.raw) for call in stream.calls] == [CALL.arguments, {"query": "x"}]
    assert stream.stop_reason == "end"


def test_an_answer_of_calls_alone_is_not_empty(provider: Provider) -> None:
    """A model that says nothing and asks for a tool has answered."""
    with bench(provider, Answer(deltas=[], calls=[CALL])) as b:
        stream = b.ask(tools=[LOOKUP])
        assert list(stream) == []
    assert [call.name for call in stream.calls] == ["lookup"]


def test_the_result_goes_back_with_the_signatures(provider: Provider) -> None:
    """The next request holds the call as its provider wrote it, signature included, and the result by its id."""
    signed = Answer(deltas=["I look."], calls=[CALL], signature="c2lnbmVk")
    with bench(provider, signed, Answer(deltas=["Lisbon."])) as b:
        first = b.ask(QUESTION, tools=[LOOKUP])
        list(first)
        result = Message(role="user", results=(ToolResult(call=first.calls[0], text="In Lisbon."),))
        assert list(b.ask(QUESTION, first.message, result, tools=[LOOKUP])) == ["Lisbon."]
    sent = json.dumps(b.server.requests[1].body)
    assert "In Lisbon." in sent
    assert sent.count("call_1") == 2
    assert sent.count("c2lnbmVk") == 1 if provider == "anthropic" else "thoughtSignature" in sent
    assert b.server.requests[1].messages[1] == ("assistant", "I look.")


def test_another_models_calls_can_be_told(provider: Provider) -> None:
    """A conversation that another provider's model began goes on without its signatures."""
    call = ToolCall.read(id="x1", name="lookup", raw='{"query": "Ana"}')
    said = Message(role="assistant", text="I look.", calls=(call,))
    result = Message(role="user", text="Quick!", results=(ToolResult(call=call, text="In Lisbon."),))
    with bench(provider, model="gemini-3-x") as b:
        list(b.ask(QUESTION, said, result, tools=[LOOKUP]))
    (request,) = b.server.requests
    assert request.messages[1:] == [("assistant", "I look."), ("user", "Quick!")]
    assert json.dumps(request.body).count("x1") == 2
    assert ("thoughtSignature" in json.dumps(request.body)) == (provider == "gemini")


def test_a_cut_call_is_no_call(provider: Provider) -> None:
    """A stream that ends in the middle of a call is cut off, and is not asked again behind it."""
    with bench(provider, Answer(deltas=[], calls=[CALL], end="none")) as b:
        _, error = b.fail()
    assert isinstance(error, LanguageModelGarbledError)
    assert "cut off" in str(error)
    assert len(b.server.requests) == 1


def test_a_call_that_failed_is_not_doubled(provider: Provider) -> None:
    """Once a call has come, a failure is final: a second answer would call twice."""
    with bench(provider, Answer(deltas=[], calls=[CALL], then="stall"), llm_timeout=0.2) as b:
        stream = b.ask(tools=[LOOKUP])
        with pytest.raises(Exception, match="said nothing"):
            list(stream)
    assert len(b.server.requests) == 1


def test_many_threads_may_ask_at_once(provider: Provider) -> None:
    """Answers that overlap do not disturb each other, even where one of them is given up."""
    with bench(provider, Answer(deltas=["a", "b"])) as b:
        texts: list[str] = []
        threads = [threading.Thread(target=_read, args=(b.model, texts, n)) for n in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(texts) == ["a", "a", "ab", "ab", "ab", "ab"]


def _read(model: ChatModel, texts: list[str], number: int) -> None:
    with model.stream("", [QUESTION], max_tokens=9) as stream:
        texts.append(next(stream) if number < 2 else "".join(stream))
