"""Responding: System 1 answers, corrects itself once, and asks System 2 where that is not enough.

Sources: v4 plan, 3.5 (loop before escalate) and 3.6 (System 2 is a tool of System 1, which stays in the driver's seat).
"""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from engram import prompts
from engram.errors import EngramError, LanguageModelGarbledError
from engram.llm.base import ChatModel, Message, StopReason, Stream, Tool, ToolCall, ToolResult, Usage
from engram.llm.structured import Parsed, Unanswered
from engram.loop.escalation import (
    DELIBERATE,
    Correction,
    Deliberation,
    Trigger,
    correction_request,
    deliberate,
    escalates,
    reason,
)
from engram.loop.events import Delta, Event, Notice, Revising
from engram.loop.fencing import whole
from engram.loop.metacognition import FOK, Confidence, assess
from engram.loop.tools import ROUNDS, Toolbox, in_words
from engram.text import inert, printable

if TYPE_CHECKING:
    from engram.mind.part import AgentTool

UNSURE = frozenset({Trigger.LOW_CONFIDENCE})
"""What speaks for System 2 once an answer is corrected and still doubtful."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """What is to be answered, and what the answer is judged by."""

    system: str
    messages: tuple[Message, ...]
    question: str
    context: str
    """The memories for System 2, one line each."""
    fok: FOK | None
    threshold: float
    """Composite confidence that an answer has to reach."""
    triggers: frozenset[Trigger]
    """What speaks for System 2 before anything is answered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """What came of it."""

    text: str
    usage: Usage | None = None
    stop_reason: StopReason | None = None
    confidence: Confidence | None = None
    escalated: bool = False
    correction: Correction | None = None
    failure: EngramError | None = None
    """Why there is no more of it."""


@dataclass(slots=True)
class _Pass:
    """One answer of System 1, as it arrives."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    logprob: float | None = None
    usage: Usage | None = None
    stop_reason: StopReason | None = None
    failure: EngramError | None = None


class Responder:
    """Answers for one run of the loop."""

    def __init__(
        self,
        system1: ChatModel,
        system2: ChatModel | None,
        quiet: ChatModel | None,
        *,
        max_tokens: int,
        tools: Callable[[], Sequence["AgentTool"]] = tuple,
    ) -> None:
        """Prepare to answer.

        Args:
            system1: Answers.
            system2: Is asked where that is not enough; None: nobody is.
            quiet: Is asked how sure an answer is, in isolation; None: nobody is.
            max_tokens: The longest answer, in tokens.
            tools: Gives what System 1 may use, beside asking System 2.
        """
        self._system1 = system1
        self._system2 = system2
        self._quiet = quiet
        self._max_tokens = max_tokens
        self._tools = tools
        self._toolbox = Toolbox((), persons=False)
        self.partial = ""
        """What there is of the answer, for whoever is interrupted."""
        self.counted: int | None = None
        """Tokens of the prompt as it was composed, by the provider; None where it counted none, or was told more."""

    def respond(self, asking: Asking, *, persons: bool = True) -> Generator[Event, None, Response]:
        """Yield the answer as it comes, with what replaces what; return what it came to.

        Args:
            asking: What is to be answered.
            persons: Whether the person said it: see `Toolbox`.
        """
        self.partial, self.counted = "", None
        self._toolbox = Toolbox(self._tools(), persons=persons)
        if escalates(asking.triggers) and self._system2 is not None:
            names = ", ".join(sorted(trigger.value for trigger in asking.triggers))
            yield Revising(by="system2", why=names)
            considered = yield from self._consider(asking, draft=None, why=names)
            if considered is not None:
                return (yield from self._say(asking, considered))
        first, asked, asking = yield from self._first(asking)
        if first.failure is None and _blank(first.text):
            first.failure = LanguageModelGarbledError(
                "The language model's answer was empty.", remedy="Try again."
            )
        if first.failure is not None and _blank(first.text) and asked is None:
            first = yield from self._stand_in(asking, first)
        if first.failure is not None:
            return _response(first, escalated=asked is not None)
        confidence = self._assess(asking, first)
        if confidence.enough or asked is not None:
            return replace(
                _response(first, escalated=asked is not None),
                confidence=confidence,
                correction=None if asked is None else asked.correction,
            )
        return (yield from self._revise(asking, first, confidence))

    def _first(self, asking: Asking) -> Generator[Event, None, tuple[_Pass, Deliberation | None, Asking]]:
        """Answer; System 1 may use tools meanwhile, and ask System 2 itself, once.

        Returns:
            The answer, what System 2 thought, and the asking with what the tools gave.
        """
        heard, stream = yield from self._ask(asking, self._offered)
        self.counted = None if heard.usage is None else heard.usage.input_tokens
        for tried in range(1, ROUNDS + 1):
            if heard.failure is not None or not heard.calls:
                break
            if self._deliberates(heard):
                heard, considered = yield from self._ask_system2(asking, heard, stream)
                return heard, considered, asking
            if not self._toolbox.offered:
                break
            results = tuple(self._toolbox.answer(call) for call in heard.calls)
            asking = replace(
                asking,
                messages=(*asking.messages, stream.message, Message(role="user", results=results)),
            )
            before = heard.text
            heard, stream = yield from self._ask(
                asking, self._offered if tried < ROUNDS else (), before=before
            )
            if before.strip() and _blank(heard.text.removeprefix(before)):
                # It had said all of it beside its call.
                heard.failure = None if _garbled(heard.failure) else heard.failure
        return heard, None, asking

    def _ask(
        self, asking: Asking, tools: Sequence[Tool], *, before: str = ""
    ) -> Generator[Event, None, tuple[_Pass, Stream]]:
        """Ask System 1 for the next answer, which goes on behind what it said `before`."""
        stream = self._system1.stream(
            asking.system,
            asking.messages if tools else in_words(asking.messages),
            max_tokens=self._max_tokens,
            tools=tools,
        )
        heard = yield from self._listen(stream, before=before)
        return heard, stream

    @property
    def _offered(self) -> tuple[Tool, ...]:
        """What System 1 may ask for."""
        return (*((DELIBERATE,) if self._system2 is not None else ()), *self._toolbox.offered)

    def _deliberates(self, heard: _Pass) -> bool:
        """Say whether System 1 asks for System 2."""
        return self._system2 is not None and any(call.name == DELIBERATE.name for call in heard.calls)

    def _ask_system2(
        self, asking: Asking, first: _Pass, stream: Stream
    ) -> Generator[Event, None, tuple[_Pass, Deliberation | None]]:
        """Let System 2 think as System 1 wishes, and System 1 answer with that; its other calls are answered too."""
        call = next(call for call in first.calls if call.name == DELIBERATE.name)
        given = call.arguments or {}
        why = inert(str(given.get("why") or "it asked to"))
        yield Revising(by="system2", why=why)
        # System 2 is told no history: only System 1 can say what the question is within it.
        question = str(given.get("question") or asking.question)
        considered = yield from self._consider(
            replace(asking, question=question), draft=first.text.strip() or None, why=why
        )
        told = "No answer came. Answer as well as you can." if considered is None else _opinion(considered)
        results = tuple(
            ToolResult(call=each, text=told) if each.name == DELIBERATE.name else self._toolbox.answer(each)
            for each in first.calls
        )
        messages = (*asking.messages, stream.message, Message(role="user", results=results))
        # Whatever else it asked for is answered: now it is to speak.
        second, _ = yield from self._ask(replace(asking, messages=messages), (DELIBERATE,))
        if considered is not None and _blank(second.text):
            second = yield from self._quote(considered)
        return second, considered

    def _stand_in(self, asking: Asking, failed: _Pass) -> Generator[Event, None, _Pass]:
        """Let System 2 talk where System 1 cannot: it is told the same."""
        if self._system2 is None or self._system2.name == self._system1.name or failed.failure is None:
            return failed
        yield Notice(text=f"{failed.failure.message.rstrip('.')}; {self._system2.name} answers instead.")
        second = yield from self._listen(
            self._system2.stream(asking.system, in_words(asking.messages), max_tokens=self._max_tokens)
        )
        return failed if _blank(second.text) else second

    def _revise(
        self, asking: Asking, first: _Pass, confidence: Confidence
    ) -> Generator[Event, None, Response]:
        """Let System 1 correct itself once, and ask System 2 where that does not help."""
        why = reason(UNSURE, confidence)
        yield Revising(by="self", why=why)
        messages = [
            *in_words(asking.messages),
            Message(role="assistant", text=first.text),
            Message(role="user", text=correction_request(first.text, why)),
        ]
        second = yield from self._listen(
            self._system1.stream(asking.system, messages, max_tokens=self._max_tokens)
        )
        if second.failure is not None or _blank(second.text):
            self.partial = first.text
            yield Notice(text="The second thought did not come through; the first one stands.")
            return replace(_response(first), confidence=confidence)
        confidence = self._assess(asking, second)
        if confidence.enough or not escalates(asking.triggers | UNSURE) or self._system2 is None:
            return replace(_response(second), confidence=confidence)
        why = reason(UNSURE, confidence)
        yield Revising(by="system2", why=why)
        considered = yield from self._consider(asking, draft=second.text, why=why)
        if considered is None:
            return replace(_response(second), confidence=confidence)
        return (yield from self._say(asking, considered))

    def _say(self, asking: Asking, considered: Deliberation) -> Generator[Event, None, Response]:
        """Let System 1 say what System 2 thought."""
        system = f"{asking.system}\n\n{_opinion(considered)}"
        said = yield from self._listen(
            self._system1.stream(system, in_words(asking.messages), max_tokens=self._max_tokens)
        )
        if _blank(said.text):
            said = yield from self._quote(considered)
        confidence = self._assess(asking, said) if said.failure is None else None
        return replace(
            _response(said, escalated=True), confidence=confidence, correction=considered.correction
        )

    def _quote(self, considered: Deliberation) -> Generator[Event, None, _Pass]:
        """Answer in System 2's own words: System 1 has none, and those are better."""
        self.partial = considered.answer
        yield Delta(text=considered.answer)
        return _Pass(text=considered.answer, stop_reason="end")

    def _consider(
        self, asking: Asking, *, draft: str | None, why: str
    ) -> Generator[Event, None, Deliberation | None]:
        """Ask System 2; None, and a notice, where it gives no usable answer."""
        if self._system2 is None:
            return None
        outcome = deliberate(
            self._system2,
            question=asking.question,
            draft=draft,
            context=asking.context,
            why=why,
            max_tokens=self._max_tokens,
        )
        if isinstance(outcome, Parsed):
            # Where there was no draft, nothing of it was wrong.
            return outcome.value if draft else outcome.value.model_copy(update={"correction": None})
        why = f" ({outcome.error.message.rstrip('.')})" if isinstance(outcome, Unanswered) else ""
        yield Notice(text=f"The slower model gave no usable answer{why}; this one goes on without it.")
        return None

    def _listen(self, stream: Stream, *, before: str = "") -> Generator[Event, None, _Pass]:
        """Yield one answer as it arrives; `partial` has what there is of it at any time, with what was said before."""
        heard = _Pass()
        joint = "\n\n" if before.strip() else ""
        try:
            for delta in stream:
                if joint and self.partial == before:
                    yield Delta(text=joint)
                self.partial = before + joint + stream.text
                yield Delta(text=delta)
        except EngramError as error:
            heard.failure = error
        finally:
            # Reached by Ctrl-C and by a closed iterator too.
            stream.close()
        heard.text = before + joint + stream.text if stream.text else before
        heard.usage, heard.stop_reason = stream.usage, stream.stop_reason
        heard.calls, heard.logprob = stream.calls, stream.logprob
        return heard

    def _assess(self, asking: Asking, heard: _Pass) -> Confidence:
        return assess(
            self._quiet,
            question=asking.question,
            answer=heard.text,
            fok=asking.fok,
            logprob=heard.logprob,
            threshold=asking.threshold,
        )


def _response(heard: _Pass, *, escalated: bool = False) -> Response:
    return Response(
        text=heard.text,
        usage=heard.usage,
        stop_reason=heard.stop_reason,
        escalated=escalated,
        failure=heard.failure,
    )


def _blank(text: str) -> bool:
    """Say whether there is nothing to read in it: control characters say nothing."""
    return not printable(text).strip()


def _garbled(failure: EngramError | None) -> bool:
    """Say whether an answer failed only in that there was no word of it."""
    return isinstance(failure, LanguageModelGarbledError)


def _opinion(considered: Deliberation) -> str:
    """Return what System 2 thought as System 1 is told it, fenced."""
    return prompts.fill(
        "second_opinion", answer=whole(considered.answer), explanation=whole(considered.explanation)
    )
