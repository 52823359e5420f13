"""The loop: hear, attend, recall, answer, doubt, remember. It prints nothing; it yields events.

What comes in is durable before anything else happens to it, and what came of a reply is, however the reply ends.
"""

import logging
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from datetime import date, datetime
from typing import TYPE_CHECKING, Self
from uuid import uuid4

import numpy as np

from engram import prompts
from engram.costs import Ledger
from engram.costs.report import dollars
from engram.embedding.protocol import Vectors
from engram.errors import DatabaseError, EmbeddingError, EngramError, InvalidInputError
from engram.goals import Goals
from engram.llm import Models
from engram.llm.base import ChatModel
from engram.loop.assembly import Assembled
from engram.loop.attention import Attention, Choice
from engram.loop.composing import Composed, Composer
from engram.loop.echo import printed_in, recalled_in
from engram.loop.events import (
    Attended,
    Event,
    Failed,
    Notice,
    Quoted,
    Replied,
    Status,
)
from engram.loop.exit_gate import Focus
from engram.loop.fencing import whole
from engram.loop.inputs import URGENCY, Entry, Input, Source
from engram.loop.keeping import Keeping
from engram.loop.knowing import Knowing
from engram.loop.lately import Lately
from engram.loop.parts import (
    open_extracting,
    open_gatekeeper,
    open_hearing,
    open_ledger,
    open_responder,
    tuned,
)
from engram.loop.quoting import FALLBACK, NO_MODEL, NOTED, fresh, quote, ranked
from engram.loop.recollecting import Recollection
from engram.loop.reflections import store_correction
from engram.loop.responding import Response
from engram.loop.restart import Restart, span
from engram.loop.scratch import Verdict
from engram.loop.talk import THOUGHT, Talk
from engram.loop.window import Said
from engram.mind.gut import Delta
from engram.mind.part import AgentTool, Situation, Utterance
from engram.mind.presence import Presence
from engram.observing.operation import operation
from engram.questions import asks
from engram.records import Hit, Hits, Kind, Memory
from engram.safety import Safety
from engram.text import printable
from engram.validation import check_name

if TYPE_CHECKING:
    from engram.memory import Engram

_LOG = logging.getLogger(__name__)

FLUSHED_EVERY = 5
"""Exchanges after which the scratch buffer goes through the exit gate (v4 plan, 2.9)."""
RECENT = 6
"""Turns that a new input is compared with."""

NOTE = "chat:note"

PERSONA = (
    "You are Engram, a companion with a long memory: friendly, direct, and honest about what you do not know."
)
_NOTHING = np.empty((0, 0), dtype=np.float32)
OVER_BUDGET = "The day's budget for language models is used up ({spent} today). Go on for the rest of today?"
NO_BUDGET = "The day's budget is used up, so I quote what I remember."


class Agent:
    """One conversation with a memory, with or without language models.

    It is used from one thread; what waits in the scratch buffer is decided in another.
    """

    assembled: Assembled | None = None
    """What the model was told last."""
    report = ""
    """The last cognitive state report."""
    _declined: date | None = None
    """The UTC day on which the person said no to more than its budget."""

    def __init__(
        self,
        memory: "Engram",
        models: Models | None = None,
        *,
        session: str,
        clock: Callable[[], datetime] | None = None,
        user: str = "user",
        assistant: str = "assistant",
        persona: str = PERSONA,
        run: str | None = None,
        shield: Callable[[], AbstractContextManager[object]] = nullcontext,
        consent: Callable[[str], bool] = lambda _: False,
        ledger: Ledger | None = None,
        generator: np.random.Generator | None = None,
        idle: bool = False,
    ) -> None:
        """Begin a conversation, or go on with the one of that name.

        Args:
            memory: An open memory.
            models: Who answers and who is asked meanwhile; without a System 1, memories are quoted instead.
            session: The conversation's name within the space.
            clock: The time of each turn and of the prompt; the memory's if left out.
            user: The person's name, as stored and as the model is told.
            assistant: The model's name, as stored.
            persona: Who the model is told to be.
            run: Makes turn ids unique among runs of one session; None: random.
            shield: Entered around every write. A program that turns signals into exceptions holds them
                back in there, so that a write is whole.
            consent: Asked a question that the person answers with yes or no.
            ledger: Where calls are counted; one by the settings if left out.
            generator: Draws what is left to chance; a fresh one if left out.
            idle: Whether nobody talks, and it thinks by itself: what comes to mind is then no use of it, and whoever
                gives the models meters them.
        """
        models = models or Models()
        generator = generator or np.random.default_rng()
        run = run or uuid4().hex[:12]
        self.memory = memory
        self.session = check_name(session, "The session")
        self.run = run
        self.user = check_name(user, "The speaker")
        self.assistant = check_name(assistant, "The assistant's name")
        if self.user == self.assistant:
            raise InvalidInputError(
                f"You and the assistant are both called {self.user!r}.", remedy="Choose another --user."
            )
        self.persona = persona
        self.model: ChatModel | None = models.system1
        """System 1."""
        self._clock = clock or memory.now
        self._shield = shield
        self._consent = consent
        self.ledger = ledger or open_ledger(
            memory.graph, memory.settings, space=memory.space, clock=self._clock
        )
        self.safety = Safety(memory.graph, space=memory.space, clock=self._clock)
        self._talk = Talk.resumed(memory.graph, space=memory.space, session=self.session, assistant=assistant)
        self._hearing = open_hearing(
            memory, session=self.session, run=run, clock=self._clock, generator=generator
        )
        self._lately = Lately(lambda: memory.embedder)
        self._keeping = Keeping(
            self._hearing,
            self._talk,
            self._lately,
            user=self.user,
            assistant=self.assistant,
            answered=self.model is not None,
        )
        self._knowing = Knowing(
            memory.graph,
            space=memory.space,
            goals=lambda: self.goals,
            embedder=lambda: memory.embedder,
            tuned=lambda: tuned(memory),
        )
        self._attention = Attention(half_life_minutes=tuned(memory)["attention.half_life_minutes"])
        self._recollection = Recollection(
            memory, self._talk, session=self.session, user=self.user, spoken=self.model is not None
        )
        self._responder = open_responder(
            memory, models, None if idle else self.ledger, session=self.session, tools=self._tools
        )
        scratch = self._hearing.scratch
        self._idle = idle
        self._restart = Restart(memory.graph, scratch, space=memory.space, run=run, clock=self._clock)
        self._extracting = open_extracting(memory, models, self.ledger, session=self.session)
        self._gatekeeper = open_gatekeeper(
            memory,
            models,
            self.ledger,
            scratch,
            self._restart,
            session=self.session,
            run=run,
            generator=generator,
            focus=self._gate_focus,
            decided=self._note_decided,
        )
        self._exchanges = 0
        self._escalated_at: int | None = None
        self._prompt_tokens = 0
        self._told = False
        with suppress(DatabaseError):  # what waits there is tried again with every message
            self._hearing.catch_up()
        self.manifest = self._restart.begin(self.session, idle=idle)
        self._presence = Presence(
            Situation(
                memory=memory,
                session=self.session,
                run=run,
                user=self.user,
                assistant=self.assistant,
                clock=self._clock,
                tuned=lambda: tuned(memory),
                embed=self._lately,
                knowing=self._knowing,
                ledger=self.ledger,
                shown=lambda: self._talk.shown,
                show=self._talk.show,
                away=lambda: self._hearing.away is not None,
                idle=idle,
            )
        )
        self._presence.begin()
        self._composer = Composer(
            memory,
            self._talk,
            self._knowing,
            self.ledger,
            persona=persona,
            user=self.user,
            restart=self.manifest.line(),
            clock=self._clock,
            generator=generator,
            tuned=lambda: tuned(memory),
            sections=self._presence.sections,
        )
        if scratch.buffered(run=run, alive=self.manifest.alive)[0]:
            self._gatekeeper.ask()

    @property
    def begun(self) -> bool:
        """Whether anything was said in this conversation, now or before."""
        return bool(self._talk.said)

    @property
    def recalled(self) -> tuple[Hit, ...]:
        """What came to mind at the last turn."""
        return self._recollection.recalled

    @property
    def used(self) -> tuple[Hit, ...]:
        """What the last turn was answered from."""
        return self._recollection.used

    @property
    def recall(self) -> str | None:
        """Id of the recall that the last turn was answered from; None where nothing was used."""
        return self._recollection.recall

    @property
    def unsaved(self) -> EngramError | None:
        """Why the last reply could not be stored; None if it was."""
        return self._keeping.unsaved

    @property
    def goals(self) -> Goals:
        """What the agent is after."""
        return Goals(self.memory.graph, self.memory.embedder, space=self.memory.space, clock=self._clock)

    @property
    def greeting(self) -> str | None:
        """How long it was away and what was left unanswered, for a person; None where nothing is worth a word."""
        lines = []
        if self.manifest.away is not None and self.manifest.away.days:
            lines.append(f"We last talked {span(self.manifest.away)} ago.")
        if left := self.manifest.unfinished:
            where = "" if left[0].session == self.session else f" (in the session {left[0].session})"
            what = whole(left[0].text)
            what = what if len(what) <= 80 else f"{what[:79]}…"
            others = f", and {len(left) - 1} more" if len(left) > 1 else ""
            end = "" if not others and what.endswith((".", "!", "?", "…")) else "."
            lines.append(f"Not answered yet{where}: “{what}”{others}{end} It is kept.")
        lines += self._presence.greeting
        return " ".join(lines) or None

    def say(self, text: str) -> Generator[Event]:
        """Say something and yield what comes of it, step by step.

        The turn is durable before anything else happens. Where there is no model, or it fails before its first
        word, memories are quoted instead. If the reply ends early, through an error, Ctrl-C or because the caller
        closes this iterator, what had come of it is stored with the source `chat:interrupted`.

        Raises:
            InvalidInputError: The text is blank.
        """
        with operation("turn", space=self.memory.space):
            yield from self._exchange(text)

    def _exchange(self, text: str) -> Generator[Event]:
        text = printable(text)
        if not text.strip():
            raise InvalidInputError("There is nothing to say.")
        with self._shield():
            entry, events = self._keeping.person(text)
        yield from events
        self.report = ""
        try:
            before = tuple(one.text for one in self._talk.said[-RECENT - 1 : -1])
            yield from self._presence.hear(Utterance(text=text, entry=entry, before=before))
            if entry is not None:
                yield from self._attend(_input(entry, Source.USER, emotional=self._presence.feeling.charge))
            yield from self._answer(entry, text)
        finally:
            # Reached by Ctrl-C and by a closed iterator too.
            self._end_exchange(entry)

    def offer(
        self,
        text: str,
        *,
        source: Source,
        confidence: float = 1.0,
        urgency: float | None = None,
        emotional: float | None = None,
        competes: bool = True,
    ) -> Input:
        """Let an impulse of the agent's own wait for attention; it is durable when this returns.

        Args:
            text: The impulse.
            source: Where it comes from.
            confidence: Of the source in it, 0 to 1.
            urgency: 0 to 1; the source's usual one if left out.
            emotional: |gut delta|, 0 to 1; what is felt about the text if left out.
            competes: Whether it is to be thought through; else it is only kept.

        Raises:
            InvalidInputError: The text is blank or too long.
            DatabaseError: It is nowhere.
        """
        with self._shield():
            heard = self._hearing.hear(
                text,
                speaker=self.assistant,
                source_tag=source.value,
                source=THOUGHT,
                confidence=confidence,
            )
        if not heard.kept and heard.error is not None:
            raise heard.error
        if emotional is None:
            # Where nobody thinks it through, what is felt decides nothing, and looking into oneself is dear.
            thinks = competes and self._responder is not None
            emotional = self._charge(heard.entry) if thinks else 0.0
        impulse = _input(heard.entry, source, urgency=urgency, emotional=emotional)
        if competes:
            self._attention.offer(impulse)
        return impulse

    def _charge(self, impulse: Entry) -> float:
        """Return |gut delta| of an impulse, 0 to 1; 0 where nothing is felt or it cannot be embedded."""
        with suppress(EngramError):
            felt = self._presence.feeling.impulse(impulse)
            return 0.0 if felt is None else felt.magnitude
        return 0.0

    def _felt(self, text: str) -> Delta | None:
        """Return what is felt at a text; None where nothing is or it cannot be embedded."""
        with suppress(EngramError):
            return self._presence.feeling.of(text)
        return None

    def resume(self, impulse: Input) -> None:
        """Let an impulse wait for attention that an earlier run had kept."""
        self._attention.offer(impulse)

    def think(self) -> Generator[Event]:
        """Think about what waits, one cycle; nothing happens where nothing waits."""
        if self._attention.waiting:
            yield from self._think(self._choose())

    def note(self, text: str) -> Memory:
        """Remember something at once, as it is said.

        Raises:
            InvalidInputError: The text is blank or too long.
        """
        with self._shield():
            return self.memory.remember(
                text, kind=Kind.SEMANTIC, source=NOTE, speaker=self.user, importance=0.8
            )

    def forget(self, memory_id: str) -> Memory:
        """Forget a memory and leave it out of this conversation too; return what it was."""
        found = self.memory.get(memory_id)
        with self._shield():
            self.memory.forget(found.id)
        self._recollection.forget(found)
        self._presence.forget(found.id)
        with suppress(EngramError):
            self._knowing.look()
        return found

    def judge(self, *, useful: bool, which: str | None = None) -> tuple[Hit, ...]:
        """Say whether what the last turn was answered from was of use, and return what was judged.

        Args:
            useful: The verdict.
            which: The number of one hit, from 1, or the beginning of its id; all of them if left out.

        Raises:
            InvalidInputError: Nothing was used, or nothing of that number or id.
        """
        return self._recollection.judge(useful=useful, which=which)

    def flush(self) -> tuple[Verdict, ...]:
        """Take what waits in the scratch buffer through the exit gate now, and return what was decided.

        Facts that are being drawn meanwhile are waited for.
        """
        self._gatekeeper.wait()
        with self._shield():
            decided = self._gatekeeper.flush(last=False)
        self._extracting.wait()
        return decided

    def finish(self) -> int:
        """End: decide what waits, write what was kept elsewhere; return how many messages the journal holds on."""
        with self._shield():
            self._extracting.close()
            # Each would wait for a database that is away; what is not decided now, the next run decides.
            try:
                if self._hearing.away is None:
                    self._hearing.catch_up()
                    try:
                        self._gatekeeper.close()
                    finally:
                        # What could not be decided is then taken over by whoever comes next.
                        self._restart.end()
            except EngramError as error:
                _LOG.info("the conversation ends with something undecided: %s", error.message)
            finally:
                self._presence.end()
                self._lately.close()
                self.ledger.close()
        return len(self._hearing.journal)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.finish()

    def try_again(self) -> None:
        """Take note that the database is back: the next message does not wait to find out."""
        self._hearing.try_again()

    def status(self) -> Status:
        """Return where the loop stands, without asking the database."""
        known = self._knowing.seen
        return Status(
            tiers={} if known is None else known.tiers,
            tokens=0 if self.assembled is None else self._prompt_tokens,
            window=self.memory.settings.context_tokens,
            cost_today=self.ledger.spent().today,
            budget=self.memory.settings.daily_budget,
            pressure=self._presence.pressing.pressure(self._talk.undecided),
            waiting=len(self._attention.waiting),
            model=None if self.model is None else self.model.name,
        )

    def describe(self) -> list[str]:
        """Return the cognitive state as lines for a person."""
        lines = [*self.report.splitlines(), self.manifest.line()]
        if self.assembled is not None:
            parts = ", ".join(f"{name} {count}" for name, count in self.assembled.tokens.items())
            lines.append(f"Told last: {parts} tokens; {len(self.assembled.identity)} memories of identity.")
        lines.append(
            f"In the scratch buffer: {self._talk.undecided} lines "
            f"(pressure {self._presence.pressing.pressure(self._talk.undecided):.2f}); in the journal: {len(self._hearing.journal)}."
        )
        lines.append(f"Waiting for attention: {len(self._attention.waiting)}.")
        if self._gatekeeper.trouble is not None:
            lines.append(f"The exit gate failed last time: {self._gatekeeper.trouble}")
        if self._extracting.trouble is not None:
            lines.append(f"Facts could not be drawn last time: {self._extracting.trouble}")
        return lines

    def _attend(self, message: Input) -> Generator[Event]:
        """Attend to what a person said, after one impulse at most that weighs more."""
        self._attention.offer(message)
        choice = self._choose()
        if choice.winner.id != message.id:
            # The thought is the agent's own: what the person said is answered next, and waits no longer.
            self._attention.withdraw(message.id)
            yield from self._think(choice, unanswered=message.id)
            choice = self._choose(only=message)
        self.report = choice.report

    def _choose(self, *, only: Input | None = None) -> Choice:
        """Return what wins attention; `only` lets nothing but that take part."""
        others = () if only is None else self._attention.waiting
        for each in others:
            self._attention.withdraw(each.id)
        if only is not None:
            self._attention.offer(only)
        known = self._knowing.seen
        choice = self._attention.choose(
            self._clock(),
            self._lately,
            self._recent(),
            _NOTHING if known is None else known.goal_vectors,
        )
        for each in others:
            self._attention.offer(each)
        return choice

    def _tools(self) -> tuple[AgentTool, ...]:
        """Return what the answering model may use."""
        return self._presence.tools()

    def _recent(self) -> Vectors:
        """Return the vectors of what was said last, shape (n, d), less the newest line: that is what is new."""
        texts = [one.text for one in self._talk.said[-RECENT - 1 : -1] if one.text.strip()]
        try:
            return self._lately(texts)
        except (EmbeddingError, InvalidInputError):
            return _NOTHING

    def _think(self, choice: Choice, *, unanswered: str | None = None) -> Generator[Event]:
        """Think about an impulse of the agent's own, as about anything else.

        Args:
            choice: Where it won.
            unanswered: The entry of what a person said just now: it has its own answer.
        """
        impulse = choice.winner
        self.report = choice.report
        yield Attended(text=impulse.text, source=impulse.source.value, report=choice.report, entry=impulse.id)
        if self._responder is None or self.ledger.allows(background=True) != "yes":
            return  # it is kept and goes through the exit gate; there is nobody to think it through
        self._recollection.felt = self._felt(impulse.text)
        found = yield from self._recollection.recollect(impulse.text)
        if found is None:
            self._attention.offer(impulse)
            return
        thought = prompts.fill(
            "impulse", source=impulse.source.value, user=whole(self.user), thought=whole(impulse.text)
        )
        before = [one for one in self._talk.said if unanswered is None or one.entry != unanswered]
        said = (*before, Said(role="user", text=thought))
        try:
            composed = self._composer.compose(
                impulse.text, ranked(fresh(found, said)), report=choice.report, said=said
            )
        except EngramError as error:
            yield Failed(error=error, doing="reply")
            return
        yield from self._respond(composed, answers=impulse.id, aloud=False)

    def _answer(self, entry: Entry | None, text: str) -> Generator[Event]:
        """Answer what the person said: by the model, or where there is none, by quoting."""
        if self.model is None:
            self._gatekeeper.wait()  # nothing else would tell what was said before
        self._recollection.felt = self._presence.feeling.felt
        found = yield from self._recollection.recollect(text)
        notice: str | None = FALLBACK
        if self._responder is None:
            notice, self._told = (None if self._told else NO_MODEL), True
        elif not self._may_ask():
            notice = NO_BUDGET
        elif (yield from self._reply(entry, text, found)):
            return
        self._keeping.settle(None if entry is None else entry.id)
        if self._responder is not None:
            self._recollect_all(text)
        hits = self._recollection.quotes(text)
        if hits is None:
            return
        if notice is not None:
            yield Notice(text=notice)
        noted = entry is not None and not hits and not asks(text)
        yield Quoted(text=NOTED if noted else quote(hits), hits=hits)

    def _recollect_all(self, text: str) -> None:
        """Recall once more, with everything that waits for the exit gate: no model tells it now."""
        with suppress(EngramError), self._shield():
            self._gatekeeper.flush(last=True, alone=True)
            for _ in self._recollection.recollect(text):
                pass

    def _may_ask(self) -> bool:
        """Say whether the day's budget allows an answer, asking the person once where it is used up."""
        if self.ledger.allows(background=False) != "ask":
            return True
        today = self.ledger.now().date()
        if self._declined == today:
            return False
        if not self._consent(OVER_BUDGET.format(spent=dollars(self.ledger.spent().today))):
            self._declined = today
            return False
        self.ledger.approve()
        return True

    def _reply(self, entry: Entry | None, text: str, found: Hits | None) -> Generator[Event, None, bool]:
        """Answer by the model; return whether there was any of it, or at least no error."""
        since = None if self._escalated_at is None else self._exchanges - self._escalated_at
        hits = ranked(fresh(found or Hits(), self._talk.said))
        try:
            composed = self._composer.compose(
                text, hits, report=self.report, said=self._talk.said, escalated=since
            )
        except EngramError as error:
            yield Failed(error=error, doing="reply")
            return False
        if composed.pruned:
            # What leaves the window has been in the scratch buffer since it was said; now the exit gate is due.
            self._gatekeeper.ask(burst=True)
            self._talk.prune(composed.pruned)
            self._presence.compacted()
        return (yield from self._respond(composed, answers=None if entry is None else entry.id, aloud=True))

    def _respond(
        self, composed: Composed, *, answers: str | None, aloud: bool
    ) -> Generator[Event, None, bool]:
        """Yield the model's answer, keep what came of it, and return whether that was anything."""
        if self._responder is None:
            return False
        assembled = composed.assembled
        self.assembled, self._prompt_tokens = assembled, composed.tokens
        self._recollection.tell(assembled)
        response: Response | None = None
        kept: list[Event] = []
        try:
            response = yield from self._responder.respond(composed.asking, persons=aloud)
        finally:
            # Reached by Ctrl-C and by a closed iterator too.
            with self._shield():
                text = self._responder.partial if response is None else response.text
                complete = response is not None and response.failure is None
                kept = self._keeping.agent(text, complete=complete, answers=answers, aloud=aloud)
                # Only now: learning locks the session, and the reply would wait for that.
                if not self._idle:
                    self._recollection.use(self.recalled)
        self._composer.learn(composed.tokens, self._responder.counted)
        if response.escalated:
            self._escalated_at = self._exchanges
        if response.correction is not None:
            with suppress(EngramError), self._shield():
                store_correction(
                    self.memory, response.correction, at=self._clock(), context=composed.asking.question
                )
        if response.failure is not None:
            yield Failed(error=response.failure, doing="reply")
        else:
            yield Replied(
                text=response.text,
                usage=response.usage,
                stop_reason=response.stop_reason,
                confidence=None if response.confidence is None else response.confidence.value,
                escalated=response.escalated,
            )
        yield from kept
        return response.failure is None or bool(printable(response.text).strip())

    def _end_exchange(self, entry: Entry | None) -> None:
        self._exchanges += 1
        if self._exchanges == 1:
            # They were told of at the beginning, and are not told again.
            for left in self.manifest.unfinished:
                self._keeping.settle(left.entry)
        urgent = entry is not None and entry.urgent
        # Without a model nothing but recall tells what was said a moment ago.
        if urgent or self.model is None or self._exchanges % FLUSHED_EVERY == 0:
            self._gatekeeper.ask()

    def _gate_focus(self, entries: Sequence[Entry]) -> Focus:
        """Return what entries are seen in the light of; called from the gatekeeper's thread."""
        known = self._knowing()
        # The name of a turn begins with the run that heard it, whoever decides it.
        others = [entry.session for entry in entries if not entry.turn.startswith(f"{self.run}-")]
        earlier = recalled_in(self.memory.graph, space=self.memory.space, sessions=others)
        recalled = {**earlier, **self._talk.shown}
        printed = printed_in(
            self.memory.graph,
            [entry.text for entry in entries],
            space=self.memory.space,
            known=recalled,
        )
        return Focus(
            texts=self._talk.around(entries, most=2 * RECENT),
            goals=known.goals,
            identity=[memory.content for memory in known.identity.weightiest],
            depths=self._presence.feeling.depths(),
            recalled={**printed, **recalled},
        )

    def _note_decided(self, verdicts: Sequence[Verdict]) -> None:
        """Take what the exit gate decided, and look at the space again; called from the gatekeeper's thread."""
        self._talk.decided(verdicts)
        self._extracting.ask(urgent=any(each.entry.urgent for each in verdicts))
        with suppress(EngramError):  # what was decided stays decided; what was known goes on
            self._knowing.keep_up()


def _input(entry: Entry, source: Source, *, urgency: float | None = None, emotional: float = 0.0) -> Input:
    return Input(
        id=entry.id,
        text=entry.text,
        source=source,
        at=entry.at,
        confidence=entry.source_confidence,
        urgency=URGENCY[source] if urgency is None else urgency,
        emotional=emotional,
    )
