"""The MCP server's tools: what each one takes, does and answers.

No tool takes a space: that is fixed when the server starts. What a tool does not know is refused, so that a forged
`space` is an error and not ignored.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Generic, Literal, Self, TypeVar

from mcp_types import ToolAnnotations
from pydantic import BaseModel, ConfigDict, Field, model_validator

from engram.beliefs.conflicts.disputes import disputes
from engram.doors import AGENT_TAG
from engram.doors.mcp_answers import (
    Answer,
    Chain,
    Forgotten,
    Recollection,
    Remembered,
    Stats,
    Superseded,
    Tensions,
    chain,
    counted,
    opposed,
    recollection,
)
from engram.doors.mcp_limits import MAX_CONTENT, MAX_HITS, MAX_NOTE, MAX_QUERY, MAX_REASON, MAX_ROWS
from engram.memory import Engram
from engram.mind.state.notes import IMPORTANCE, take_note
from engram.records import Hits
from engram.validation import MAX_NAME

SOURCE = "mcp"
"""Source of what is stored through a tool."""


class Arguments(BaseModel):
    """What a tool takes; anything else is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


Id = Annotated[
    str, Field(min_length=6, max_length=64, description="A memory's id, or its first six or more.")
]
Content = Annotated[
    str,
    Field(
        min_length=1,
        max_length=MAX_CONTENT,
        description="One thing, as a sentence that can be understood alone, in the person's own words if possible.",
    ),
]
Time = Annotated[str, Field(min_length=4, max_length=40, examples=["2026-05-01", "2026-05-01T10:30+02:00"])]
Reason = Annotated[
    str, Field(min_length=1, max_length=MAX_REASON, description="Why, for whoever asks later.")
]


class RememberArguments(Arguments):
    """Arguments of `remember`."""

    content: Content
    kind: Literal["semantic", "episodic", "preference", "procedural"] = Field(
        "semantic", description="A fact, an event, a preference, or how something is done."
    )
    speaker: str | None = Field(None, min_length=1, max_length=MAX_NAME, description="Who said it.")
    event_at: Time | None = Field(None, description="When it happened; now if left out.")
    importance: float | None = Field(None, ge=0, le=1, description="Judged by the text if left out.")
    derived_from: tuple[Id, ...] = Field(
        (), max_length=20, description="The memories that it was drawn from."
    )


class RecallArguments(Arguments):
    """Arguments of `recall`."""

    query: str = Field(min_length=1, max_length=MAX_QUERY, description="A question or some words.")
    k: int = Field(10, ge=1, le=MAX_HITS, description="How many memories at most.")
    as_of: Time | None = Field(
        None, description="Answer from what was known and held then; nothing is learned from the past."
    )


class WhyArguments(Arguments):
    """Arguments of `why`."""

    id: Id


class ForgetArguments(Arguments):
    """Arguments of `forget`."""

    id: Id


class EraseArguments(ForgetArguments):
    """Arguments of `forget` where erasing is allowed."""

    erase: bool = Field(
        default=False, description="Delete it for good, everywhere. Only if the person asked for that."
    )


class SupersedeArguments(Arguments):
    """Arguments of `supersede`."""

    old: Id
    new: Id | None = Field(None, description="The memory that holds now; or give `content`.")
    content: Content | None = Field(None, description="What holds now, to be remembered; or give `new`.")
    reason: Reason

    @model_validator(mode="after")
    def _one_of_two(self) -> Self:
        if (self.new is None) == (self.content is None):
            raise ValueError("give either `new` or `content`")
        return self


class TensionsArguments(Arguments):
    """Arguments of `tensions`."""

    closed: bool = Field(default=False, description="Whether those that are settled are listed too.")
    limit: int = Field(20, ge=1, le=MAX_ROWS, description="How many at most.")


class NoteArguments(Arguments):
    """Arguments of `working_memory_note`."""

    note: str = Field(min_length=1, max_length=MAX_NOTE, description="One thing, as a sentence.")
    importance: float = Field(IMPORTANCE, ge=0, le=1)


class SearchArguments(Arguments):
    """Arguments of `memory_search`."""

    query: str = Field(
        min_length=1, max_length=MAX_QUERY, description="Words, e.g. those behind `search:` in MEMORY.md."
    )
    k: int = Field(5, ge=1, le=MAX_HITS, description="How many memories at most.")


class StatsArguments(Arguments):
    """Arguments of `stats`: none."""


A = TypeVar("A", bound=Arguments)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool(Generic[A]):
    """One tool."""

    name: str
    title: str
    description: str
    takes: type[A]
    gives: type[Answer]
    does: Callable[[Engram, A], Answer]
    annotations: ToolAnnotations

    def call(self, memory: Engram, given: Mapping[str, Any]) -> Answer:
        """Do it.

        Raises:
            ValidationError: The arguments are not what it takes.
            EngramError: It cannot be done.
        """
        return self.does(memory, self.takes.model_validate(given))


def tools(*, read_only: bool = False, allow_erase: bool = False) -> dict[str, Tool[Any]]:
    """Return the tools by name.

    Args:
        read_only: Leave out what writes; `recall` then learns nothing.
        allow_erase: Let `forget` delete for good.
    """
    reading = (_recall(learn=not read_only), _SEARCH, _WHY, _TENSIONS, _STATS)
    writing = () if read_only else (_REMEMBER, _NOTE, _ERASE if allow_erase else _FORGET, _SUPERSEDE)
    return {tool.name: tool for tool in (*writing, *reading)}


def _hints(*, reads: bool = False, destroys: bool = False, repeats: bool = True) -> ToolAnnotations:
    """Return what a client may go by; `repeats`: a second call of the same changes nothing more."""
    return ToolAnnotations(
        read_only_hint=reads, destructive_hint=destroys, idempotent_hint=repeats, open_world_hint=False
    )


def _remember_it(memory: Engram, asked: RememberArguments) -> Remembered:
    stored = memory.remember(
        asked.content,
        kind=asked.kind,
        speaker=asked.speaker,
        event_at=asked.event_at,
        importance=asked.importance,
        derived_from=asked.derived_from,
        source=SOURCE,
        source_tag=AGENT_TAG,
    )
    return Remembered(id=stored.id, created=stored.created, seen_count=stored.seen_count)


def _supersede_it(memory: Engram, asked: SupersedeArguments) -> Superseded:
    if asked.content is None:
        new = memory.get(asked.new or "").id
        old = memory.supersede(asked.old, new, asked.reason, by=SOURCE)
        return Superseded(old=old.id, new=new)
    old = memory.get(asked.old)
    stored = memory.remember(
        asked.content,
        kind=old.kind,
        speaker=old.speaker,
        supersedes=old.id,
        reason=asked.reason,
        source=SOURCE,
        source_tag=AGENT_TAG,
    )
    return Superseded(old=old.id, new=stored.id)


_REMEMBER = Tool(
    name="remember",
    title="Remember",
    description="Store one thing for later conversations. The same again is stored once and counted.",
    takes=RememberArguments,
    gives=Remembered,
    does=_remember_it,
    annotations=_hints(repeats=False),
)


def _note_it(memory: Engram, asked: NoteArguments) -> Remembered:
    stored = take_note(memory, asked.note, importance=asked.importance, source_tag=AGENT_TAG)
    return Remembered(id=stored.id, created=stored.created, seen_count=stored.seen_count)


def _search_it(memory: Engram, asked: SearchArguments) -> Recollection:
    return _recollected(memory, memory.recall(asked.query, asked.k, read_only=True))


_NOTE = Tool(
    name="working_memory_note",
    title="Note for the working memory",
    description="Keep something at once for later conversations: a decision, a correction, a deadline, a name. It is "
    "found by a search from now on, and the next version of the working memory takes it in.",
    takes=NoteArguments,
    gives=Remembered,
    does=_note_it,
    annotations=_hints(repeats=False),
)
_SEARCH = Tool(
    name="memory_search",
    title="Search the memory",
    description="Look a pointer of the working memory up, or any words: the memories that they find, best first. "
    "Nothing is learned from it.",
    takes=SearchArguments,
    gives=Recollection,
    does=_search_it,
    annotations=_hints(reads=True),
)
_WHY = Tool(
    name="why",
    title="Why is this believed",
    description="Show what a memory rests on, replaced, was replaced by and disagrees with, down to what was said.",
    takes=WhyArguments,
    gives=Chain,
    does=lambda memory, asked: chain(memory.why(asked.id)),
    annotations=_hints(reads=True),
)
_SUPERSEDE = Tool(
    name="supersede",
    title="Replace what no longer holds",
    description="Let a newer memory, or a new text, replace an older one. The older stays with the reason.",
    takes=SupersedeArguments,
    gives=Superseded,
    does=_supersede_it,
    annotations=_hints(),
)
_TENSIONS = Tool(
    name="tensions",
    title="Contradictions",
    description="List pairs of memories that cannot both hold and that nothing has settled, the newest first.",
    takes=TensionsArguments,
    gives=Tensions,
    does=lambda memory, asked: opposed(memory.beliefs.tensions(closed=asked.closed), most=asked.limit),
    annotations=_hints(reads=True),
)
_STATS = Tool(
    name="stats",
    title="How much is remembered",
    description="Count memories by kind, tier and status, sessions and turns.",
    takes=StatsArguments,
    gives=Stats,
    does=lambda memory, _: counted(memory.stats()),
    annotations=_hints(reads=True),
)


def _recollected(memory: Engram, hits: Hits) -> Recollection:
    """Return what was found, with what disputes it."""
    ids = [hit.memory.id for hit in hits]
    return recollection(hits, disputes(memory.graph, space=memory.space, ids=ids))


def _recall(*, learn: bool) -> Tool[RecallArguments]:
    def recall_it(memory: Engram, asked: RecallArguments) -> Recollection:
        return _recollected(
            memory, memory.recall(asked.query, asked.k, as_of=asked.as_of, read_only=not learn)
        )

    return Tool(
        name="recall",
        title="Recall",
        description="Return the memories that best answer a question, best first, with what contradicts them.",
        takes=RecallArguments,
        gives=Recollection,
        does=recall_it,
        # What is recalled gains weight, unless the server was started not to learn.
        annotations=_hints(reads=not learn, repeats=not learn),
    )


def _forget_it(memory: Engram, asked: ForgetArguments) -> Forgotten:
    for_good = isinstance(asked, EraseArguments) and asked.erase
    return Forgotten(id=memory.forget(asked.id, erase=for_good).id, erased=for_good)


_FORGET = Tool(
    name="forget",
    title="Forget",
    description="Take a memory out of recall. Nothing is lost: a person can bring it back.",
    takes=ForgetArguments,
    gives=Forgotten,
    does=_forget_it,
    annotations=_hints(),
)
_ERASE = Tool(
    name="forget",
    title="Forget",
    description="Take a memory out of recall; it can be brought back, unless it is erased.",
    takes=EraseArguments,
    gives=Forgotten,
    does=_forget_it,
    annotations=_hints(destroys=True),
)
