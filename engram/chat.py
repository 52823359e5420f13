"""The conversation loop: recall, store, ask, answer, store. It prints nothing; it yields events.

A turn is stored before the model is asked, and what came of a reply is stored however the reply ends.
"""

import re
import unicodedata
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Literal
from uuid import uuid4

import numpy as np

from engram import prompts
from engram.embedding.protocol import Embedder, Task
from engram.errors import DatabaseError, EngramError, InvalidInputError
from engram.llm.base import ChatModel, Message, Role, StopReason, Usage
from engram.questions import asks, is_question
from engram.records import REPLY_TAG, USER_TAG, Hit, Hits, Kind, Memory, Turn
from engram.validation import check_name

if TYPE_CHECKING:
    from engram.memory import Engram

RECALLED = 8
"""Memories shown to the model with each turn."""

SEARCHED = 4 * RECALLED
"""Memories looked at for that: earlier copies of the question come first and are left out."""

LONGEST_MEMORY = 1_000
"""Characters of one memory that go into a prompt."""

WINDOW_TURNS = 24
WINDOW_CHARACTERS = 16_000
"""How much of the conversation itself a model is told; the rest comes back through recall."""

RELATED = 0.3
"""Cosine above which a memory without a word in common still counts as an answer.

With all-MiniLM-L6-v2, unrelated sentences lie mostly under 0.2, indirect answers from about 0.3.
"""

PERSONA = (
    "You are Engram, a companion with a long memory: friendly, direct, and honest about what you do not know."
)

NO_MODEL = (
    "There is no language model, so I answer by quoting what I remember. "
    "Set ENGRAM_GEMINI_API_KEY or ENGRAM_ANTHROPIC_API_KEY to have a conversation."
)
FALLBACK = "Without the model I quote what I remember."
NOTHING = "I remember nothing about that."
NOTED = "Noted."

_NO_BRACKETS = str.maketrans(
    {
        "<": "\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}",
        ">": "\N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}",
    }
)

SOURCE = "chat"
INTERRUPTED = "chat:interrupted"
"""The source of a reply that was stopped or cut off: what there is of it is kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """What came to mind; empty where nothing did."""

    hits: tuple[Hit, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A turn is in the database."""

    role: Role
    memories: tuple[str, ...]
    """Ids."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """Some more of the model's reply."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Replied:
    """The model's reply is complete."""

    text: str
    usage: Usage | None
    stop_reason: StopReason | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Quoted:
    """The answer without a model: memories, word for word. It is not stored."""

    text: str
    hits: tuple[Hit, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """Something that the person should know; the turn goes on."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """Something went wrong; the conversation can go on."""

    error: EngramError
    doing: Literal["recall", "store", "reply"]


Event = Recalled | Stored | Delta | Replied | Quoted | Notice | Failed


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One turn of the conversation at hand."""

    role: Role
    text: str
    memory: str | None = None
    """The id of its memory, where known."""


class Chat:
    """One conversation with a memory, with or without a language model."""

    def __init__(
        self,
        memory: "Engram",
        model: ChatModel | None,
        *,
        session: str,
        clock: Callable[[], datetime],
        user: str = "user",
        assistant: str = "assistant",
        persona: str = PERSONA,
        run: str | None = None,
        shield: Callable[[], AbstractContextManager[object]] = nullcontext,
    ) -> None:
        """Begin a conversation, or go on with the one of that name.

        Args:
            memory: An open memory.
            model: Who answers; None quotes memories instead.
            session: The conversation's name within the space.
            clock: The time of each turn and of the prompt.
            user: The person's name, as stored and as the model is told.
            assistant: The model's name, as stored.
            persona: Who the model is told to be.
            run: Makes turn ids unique among runs of one session; None: random.
            shield: Entered around every write. A program that turns signals into exceptions holds them
                back in there, so that a write is whole.
        """
        self.memory = memory
        self.model = model
        self.session = check_name(session, "The session")
        self.user = check_name(user, "The speaker")
        self.assistant = assistant
        self.persona = persona
        self.recalled: tuple[Hit, ...] = ()
        """What came to mind at the last turn."""
        self.recall: str | None = None
        """Id of the recall that the last turn was answered from; None where nothing was used."""
        self.used: tuple[Hit, ...] = ()
        """What the last turn was answered from."""
        self._found = Hits()
        self._quotable: tuple[Hit, ...] | None = None
        """What may be quoted at this turn; None where the search failed, which is not the same as nothing."""
        self.unsaved: EngramError | None = None
        """Why the last reply could not be stored; None if it was."""
        self._clock = clock
        self._shield = shield
        self._run = run or uuid4().hex[:12]
        self._count = 0
        self._last: datetime | None = None
        self._told = False
        self._waiting: list[Turn] = []
        """What could not be stored yet because the database was away."""
        self._said = [*_earlier(memory, self.session, assistant)]

    @property
    def begun(self) -> bool:
        """Whether the database holds anything of this conversation, from now or from before."""
        return any(said.memory is not None for said in self._said)

    def say(self, text: str) -> Generator[Event]:
        """Say something and yield what comes of it, step by step.

        The turn is stored before the model is asked. Where there is no model, or it fails before its first
        word, memories are quoted instead. If the reply ends early, through an error, Ctrl-C or
        because the caller closes this iterator, what had come of it is stored with the source
        `chat:interrupted`.

        Raises:
            InvalidInputError: The text is blank.
        """
        text = text.encode("utf-8", "replace").decode()
        if not text.strip():
            raise InvalidInputError("There is nothing to say.")
        events = self._take_in(text)
        yield from events
        notice: str | None = FALLBACK
        if self.model is not None:
            if (yield from self._reply(self.model)):
                return
        else:
            notice, self._told = (None if self._told else NO_MODEL), True
        if self._quotable is None:
            return
        if notice is not None:
            yield Notice(text=notice)
        hits = ranked(related(text, self._quotable, self.memory.embedder))
        self._use(hits)
        stored = isinstance(events[-1], Stored)
        yield Quoted(text=NOTED if stored and not hits and not asks(text) else quote(hits), hits=hits)

    def forget(self, memory_id: str) -> Memory:
        """Forget a memory and leave it out of this conversation too; return what it was."""
        found = self.memory.get(memory_id)
        with self._shield():
            self.memory.forget(found.id)
        self._said = [said for said in self._said if said.memory != found.id]
        self.recalled = tuple(hit for hit in self.recalled if hit.memory.id != found.id)
        return found

    def _take_in(self, text: str) -> list[Event]:
        """Recall, then store: the other way round the question would find itself."""
        events: list[Event] = []
        with self._shield():
            at_hand = [hit.memory.id for hit in self.recalled]
            self.recalled, self._quotable, self.recall = (), None, None
            try:
                self._catch_up()
                # What is looked at is not what is used: only that is learned from, below.
                found = self.memory.recall(
                    text, k=SEARCHED, read_only=True, session=self.session, active=at_hand
                )
            except EngramError as error:
                events.append(Failed(error=error, doing="recall"))
            else:
                self._found = found
                events.extend(Notice(text=f"{note[0].upper()}{note[1:]}") for note in found.notes)
                replies = {said.memory for said in self._said if said.role == "assistant"}
                others = [hit for hit in found if hit.memory.id not in replies]
                self._quotable = answers(others, text, user=self.user)[:RECALLED]
                # A model is told the conversation itself; without one, it is as good a memory as any.
                self.recalled = self._quotable
                if self.model is not None:
                    unsaid = fresh(found, [*self._said, Said(role="user", text=text)])
                    self.recalled = ranked(unsaid[:RECALLED])
                    self._use(self.recalled)
                events.append(Recalled(hits=self.recalled))
            events.append(self._store("user", text, SOURCE))
        return events

    def judge(self, *, useful: bool, which: str | None = None) -> tuple[Hit, ...]:
        """Say whether what the last turn was answered from was of use, and return what was judged.

        Args:
            useful: The verdict.
            which: The number of one hit, from 1, or the beginning of its id; all of them if left out.

        Raises:
            InvalidInputError: Nothing was used, or nothing of that number or id.
        """
        if self.recall is None:
            raise InvalidInputError(
                "Nothing came to mind at your last message, so there is nothing to judge."
            )
        judged = tuple(
            hit
            for place, hit in enumerate(self.used, start=1)
            if which is None or which == str(place) or (len(which) >= 6 and hit.memory.id.startswith(which))
        )
        if not judged:
            raise InvalidInputError(
                f"Your last message was not answered with {which!r}.",
                remedy=f"Give a number from 1 to {len(self.used)} or the beginning of an id, or nothing for all.",
            )
        self.memory.judge(self.recall, useful=useful, memories=[hit.memory.id for hit in judged])
        return judged

    def _use(self, hits: Sequence[Hit]) -> None:
        if hits:
            self.used = tuple(hits)
            self.recall = self._found.learn([hit.memory.id for hit in hits]).recall

    def _reply(self, model: ChatModel) -> Generator[Event, None, bool]:
        """Yield the model's reply; return whether there was any of it, or at least no error."""
        system = prompt(self.recalled, persona=self.persona, user=self.user, now=self._clock())
        stream = model.stream(system, window(self._said), max_tokens=self.memory.settings.llm_max_tokens)
        failure: EngramError | None = None
        kept: Event | None = None
        complete = False
        try:
            for delta in stream:
                yield Delta(text=delta)
            complete = True
        except EngramError as error:
            failure = error
        finally:
            # Reached by Ctrl-C and by a closed iterator too.
            with self._shield():
                try:
                    kept = self._keep(stream.text, complete=complete)
                finally:
                    stream.close()
        if failure is not None:
            yield Failed(error=failure, doing="reply")
        else:
            yield Replied(text=stream.text, usage=stream.usage, stop_reason=stream.stop_reason)
        if kept is not None:
            yield kept
        return failure is None or bool(stream.text.strip())

    def _keep(self, text: str, *, complete: bool) -> Event | None:
        self.unsaved = None
        text = printable(text)
        if not text.strip():
            return None
        event = self._store("assistant", text, SOURCE if complete else INTERRUPTED)
        if isinstance(event, Failed):
            self.unsaved = event.error
        return event

    def _store(self, role: Role, text: str, source: str) -> Event:
        self._count += 1
        # A message and its reply have an order, however coarse the clock.
        now = self._clock()
        if self._last is not None and now <= self._last:
            now = self._last + timedelta(microseconds=1)
        self._last = now
        turn = Turn(
            text=text,
            speaker=self.user if role == "user" else self.assistant,
            at=now,
            session=self.session,
            id=f"{self._run}-{self._count:04d}",
            source=source,
            source_tag=USER_TAG if role == "user" else REPLY_TAG,
        )
        said = Said(role=role, text=text)
        try:
            self._catch_up()
            done = self.memory.remember_turns([turn])
        except EngramError as error:
            self._said.append(said)
            if isinstance(error, DatabaseError):
                self._waiting.append(turn)
            return Failed(error=error, doing="store")
        if done.refused:
            self._said.append(said)
            return Notice(text=f"This was not stored: {done.refused[0][1]}")
        self._said.append(replace(said, memory=done.memories[0]))
        return Stored(role=role, memories=done.memories)

    def finish(self) -> int:
        """Try once more to store what the database was away for; return how many messages are lost."""
        with self._shield(), suppress(EngramError):
            self._catch_up()
        return len(self._waiting)

    def _catch_up(self) -> None:
        """Store what was said while the database was away, with the times at which it was said."""
        if self._waiting:
            # Whatever is refused now would be refused again, and was said to be not stored.
            self.memory.remember_turns(self._waiting)
            self._waiting = []


def _earlier(memory: "Engram", session: str, assistant: str) -> Iterator[Said]:
    rows = memory.graph.read("inspect/list_turns", space=memory.space, session=session, limit=WINDOW_TURNS)
    for row in reversed(rows):
        role: Role = "assistant" if row["speaker"] == assistant else "user"
        yield Said(role=role, text=row["text"], memory=row["memory"])


def fresh(hits: Sequence[Hit], said: Sequence[Said]) -> tuple[Hit, ...]:
    """Return the hits that the conversation at hand does not hold already, word for word or by id."""
    ids = {one.memory for one in said}
    texts = {normal(one.text) for one in said}
    return tuple(hit for hit in hits if hit.memory.id not in ids and normal(hit.memory.content) not in texts)


def answers(hits: Sequence[Hit], asked: str, *, user: str) -> tuple[Hit, ...]:
    """Return the hits that can answer: not what `user` only asked, nor what says just what is `asked`."""
    same = _bare(asked)
    return ranked(
        [
            hit
            for hit in hits
            if _bare(hit.memory.content) != same
            and not (
                hit.memory.kind is Kind.EPISODIC
                and hit.memory.speaker == user
                and is_question(hit.memory.content)
            )
        ]
    )


def ranked(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Return the hits numbered from 1 as they stand."""
    return tuple(replace(hit, rank=rank) for rank, hit in enumerate(hits, start=1))


def _bare(text: str) -> str:
    return normal(text).rstrip("?!. ")


def normal(text: str) -> str:
    """Return `text` for comparing: one form per character, one space per gap, no case."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def printable(text: str) -> str:
    """Return `text` without control characters (line breaks and tabs stay) and without lone surrogates."""
    whole = text.encode("utf-8", "replace").decode()
    return "".join(c for c in whole if c in "\n\t" or unicodedata.category(c) != "Cc")


def window(
    said: Sequence[Said], *, turns: int = WINDOW_TURNS, characters: int = WINDOW_CHARACTERS
) -> list[Message]:
    """Return the last turns as messages that alternate and begin with the user's.

    Turns of one side in a row become one message: some servers refuse two. The newest turn is always in,
    whole; older ones as far as they fit.
    """
    chosen: list[Said] = []
    room = characters
    for one in reversed(said[-turns:]):
        room -= len(one.text)
        if chosen and room < 0:
            break
        chosen.append(one)
    messages: list[Message] = []
    for one in reversed(chosen):
        if not one.text.strip() or (not messages and one.role == "assistant"):
            continue
        if messages and messages[-1].role == one.role:
            joined = f"{messages[-1].text}\n\n{one.text}"
            messages[-1] = Message(role=one.role, text=joined)
        else:
            messages.append(Message(role=one.role, text=one.text))
    return messages


def fence(hits: Sequence[Hit]) -> str:
    """Return memories as lines for a prompt, one line each, whatever they hold.

    No content can end the section or begin a line: line breaks become spaces and angle brackets their
    single-quote lookalikes.
    """
    lines = [
        f"[{short(hit.memory.id)}] {hit.memory.event_at:%Y-%m-%d} {_who(hit.memory)}: "
        f"{_inert(hit.memory.content, LONGEST_MEMORY)}"
        for hit in hits
    ]
    return "\n".join(lines) or "(none)"


def prompt(hits: Sequence[Hit], *, persona: str, user: str, now: datetime) -> str:
    """Return the system text for the next answer."""
    return prompts.fill(
        "chat",
        persona=persona.strip(),
        user=_inert(user),
        now=f"{now:%A, %Y-%m-%d %H:%M %Z}".strip(),
        memories=fence(hits),
    )


def quote(hits: Sequence[Hit]) -> str:
    """Return memories as an answer: date, who said it, the words, the id."""
    if not hits:
        return NOTHING
    lines = [
        f"  {hit.memory.event_at:%Y-%m-%d}, {_who(hit.memory)}: “{' '.join(printable(hit.memory.content).split())}”"
        f"  [{short(hit.memory.id)}]"
        for hit in hits
    ]
    return "\n".join(["I remember:", *lines])


def related(text: str, hits: Sequence[Hit], embedder: Embedder) -> tuple[Hit, ...]:
    """Return the hits that bear on `text`: a word in common, or near in meaning.

    A search always finds the nearest; without a model to judge, the far ones must not be quoted.
    """
    if not hits:
        return ()
    asked = words(text)
    vectors = embedder.embed([text, *(hit.memory.content for hit in hits)], Task.SIMILARITY)
    near = np.asarray(vectors[1:] @ vectors[0]) >= RELATED
    return tuple(
        hit for hit, close in zip(hits, near, strict=True) if close or asked & words(hit.memory.content)
    )


# Sharing one of these says nothing. English only; other languages rely on the vectors.
_COMMON_WORDS = """
about after all and any are but can could did does for from had has have her him his how into its just like may
more most much not now off once one only our out over said say she should some such tell than that the their them
then there these they this those too under until very was were what when where which while who whom why will with
would you your remember know think going get got let user assistant yes
"""
_COMMON = frozenset(_COMMON_WORDS.split())


def words(text: str) -> frozenset[str]:
    """Return the words of `text` that say what it is about, without plural and possessive endings."""
    found = re.findall(r"[^\W_]{3,}", normal(text))
    return frozenset(re.sub(r"(?<=..[^s])s$", "", word) for word in found if word not in _COMMON)


def short(memory_id: str) -> str:
    """Return the beginning of an id: enough to find the memory by."""
    return _inert(memory_id[:8])


def _who(memory: Memory) -> str:
    return _inert(memory.speaker) if memory.speaker else "noted"


def _inert(text: str, longest: int = 200) -> str:
    line = " ".join(printable(text).translate(_NO_BRACKETS).split())
    return line if len(line) <= longest else line[: longest - 1] + "…"
