"""The MCP server's resources and prompts: what a person attaches to a conversation, or begins one with."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import quote, unquote, urlsplit

from mcp_types import PromptArgument, Resource, ResourceTemplate

from engram.beliefs.changes import WORDS, Change
from engram.doors.mcp_answers import chain, opposed, recollection, whole
from engram.doors.mcp_limits import MAX_HITS, MAX_QUERY, MAX_ROWS, quoted, within
from engram.doors.mcp_words import (
    NO_CHANGES,
    NO_TENSIONS,
    NOTHING_RECALLED,
    NOTICE,
    RECALL_CONTEXT,
    REVIEW_TENSIONS,
    WHAT_CHANGED,
)
from engram.errors import InvalidInputError, NotFoundError
from engram.loop.fencing import section
from engram.loop.fencing import whole as inert_line
from engram.memory import Engram
from engram.records import FOREVER
from engram.text import inert, short
from engram.validation import check_name

SCHEME = "engram"
LISTED = 50
"""Conversations that are listed as resources, the newest."""
_FIRST_WORDS = 80
PLAIN = "text/plain"


def templates() -> list[ResourceTemplate]:
    """Return the forms of the resources' addresses."""
    return [
        ResourceTemplate(
            name=kind,
            title=title,
            uri_template=f"{SCHEME}://{kind}/{{id}}",
            description=text,
            mime_type=PLAIN,
        )
        for kind, title, text in (
            ("memory", "A memory", "One memory, whole, by its id."),
            ("session", "A conversation", "The last turns of a conversation, by its name, percent-encoded."),
            ("why", "A chain of evidence", "What a memory rests on, replaced and disagrees with, by its id."),
        )
    ]


def resources(memory: Engram) -> list[Resource]:
    """Return the newest conversations as resources."""
    rows = memory.graph.read(
        "inspect/list_sessions", space=memory.space, limit=LISTED, characters=_FIRST_WORDS
    )
    return [
        Resource(
            name=row["id"],
            title=f"Conversation {row['id']}",
            uri=f"{SCHEME}://session/{quote(row['id'], safe='')}",
            description=f"{row['turns']} turns, {row['started_at']:%Y-%m-%d} to {row['ended_at']:%Y-%m-%d}",
            mime_type=PLAIN,
        )
        for row in rows
    ]


def read(memory: Engram, uri: str) -> str:
    """Return the resource at an address, fenced, with the notice.

    Raises:
        InvalidInputError: It is no address of a resource.
        NotFoundError: There is no such memory or conversation in this space.
    """
    named = _resource(uri)
    if named is None:
        raise InvalidInputError(
            f"{inert(uri)!r} is no resource.",
            remedy=f"Forms: {', '.join(t.uri_template for t in templates())}.",
        )
    kind, name = named
    return _READERS[kind](memory, name)


def _resource(uri: str) -> tuple[str, str] | None:
    """Return the kind and the name of the resource at an address; None where there is none."""
    try:
        parts = urlsplit(uri)
    except ValueError:  # a bracket that nothing closes
        return None
    name = unquote(parts.path.removeprefix("/"))
    if parts.scheme != SCHEME or parts.netloc not in _READERS or not name or parts.query or parts.fragment:
        return None
    return parts.netloc, name


def _conversation(memory: Engram, given: str) -> str:
    name = check_name(given, "The session")
    rows = memory.graph.read(
        "inspect/list_turns", space=memory.space, session=name, before=FOREVER, limit=MAX_ROWS
    )
    if not rows:
        raise NotFoundError(f"There is no conversation {inert(name)!r} in the space {memory.space!r}.")
    newest, left_out = within([(row, len(row["text"])) for row in rows])
    lines = [
        f"{row['at']:%Y-%m-%d %H:%M} {inert(row['speaker'], 40)}: {quoted(row['text']).text}"
        for row in reversed(newest)
    ]
    earlier = f"({left_out} earlier turns did not fit.)\n" if left_out else ""
    return f"{NOTICE}\n\n{earlier}{section('conversation', lines)}"


_READERS: Mapping[str, Callable[[Engram, str], str]] = {
    "memory": lambda memory, name: whole(memory.get(name)),
    "session": _conversation,
    "why": lambda memory, name: chain(memory.why(name)).words(),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A message that a person begins with."""

    name: str
    title: str
    description: str
    arguments: tuple[PromptArgument, ...] = ()
    text: Callable[[Engram, Mapping[str, str]], str]

    def fill(self, memory: Engram, given: Mapping[str, str]) -> str:
        """Return the message.

        Raises:
            InvalidInputError: An argument is missing, or is none of the prompt's.
        """
        known = {each.name for each in self.arguments}
        if unknown := given.keys() - known:
            raise InvalidInputError(f"The prompt {self.name} takes no {inert(min(unknown))!r}.")
        for each in self.arguments:
            if each.required and not given.get(each.name, "").strip():
                raise InvalidInputError(f"The prompt {self.name} needs {each.name!r}.")
        return self.text(memory, given)


def _recall_context(memory: Engram, given: Mapping[str, str]) -> str:
    question = given["question"]
    if len(question) > MAX_QUERY:
        raise InvalidInputError(f"The question has {len(question):,} characters; the limit is {MAX_QUERY:,}.")
    found = recollection(memory.recall(question, MAX_HITS // 2, read_only=True), {})
    lines = [each.line() for each in found.memories]
    memories = section("memories", lines) or NOTHING_RECALLED
    return RECALL_CONTEXT.format(notice=NOTICE, memories=memories, question=question)


def _review_tensions(memory: Engram, _: Mapping[str, str]) -> str:
    found = opposed(memory.beliefs.tensions(), most=MAX_ROWS)
    lines = [each.line() for each in found.tensions]
    return (
        REVIEW_TENSIONS.format(notice=NOTICE, tensions=section("tensions", lines)) if lines else NO_TENSIONS
    )


def _what_changed(memory: Engram, _: Mapping[str, str]) -> str:
    rows = [_change_line(change) for change in memory.beliefs.changes()]
    lines = within([(row, len(row)) for row in rows])[0]
    return WHAT_CHANGED.format(notice=NOTICE, changes=section("changes", lines)) if lines else NO_CHANGES


def _change_line(change: Change) -> str:
    touched = "; ".join(
        f"{row['role']} [{short(row['id'])}] {inert_line(quoted(str(row['text'] or '')).text)}"
        for row in change.touched
    )
    undone = " (taken back)" if change.undone_at else ""
    return f"[{short(change.id)}] {change.at:%Y-%m-%d} {WORDS[change.kind]} by {change.by}{undone}: {touched}"


PROMPTS: Mapping[str, Prompt] = {
    prompt.name: prompt
    for prompt in (
        Prompt(
            name="recall_context",
            title="Answer from memory",
            description="A question, with what is remembered about it.",
            arguments=(PromptArgument(name="question", description="What you want to know.", required=True),),
            text=_recall_context,
        ),
        Prompt(
            name="review_tensions",
            title="Settle contradictions",
            description="Go through what contradicts each other, one by one.",
            text=_review_tensions,
        ),
        Prompt(
            name="what_changed",
            title="What changed",
            description="Sum up what the memory has replaced, merged and come to doubt.",
            text=_what_changed,
        ),
    )
}
