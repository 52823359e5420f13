"""What it knows of itself: its own documentation, and whether all that it remembers can be found.

Sources: v4 plan, 4.9 (embedding model check) and 4.10 (the agent reads its own docs).
"""

import logging
from collections.abc import Sequence

from pydantic import BaseModel, Field

from engram.errors import EngramError
from engram.llm.base import Tool
from engram.mind.library import Excerpt, Library, shipped
from engram.mind.part import AgentTool, MindPart, Situation
from engram.records import Kind
from engram.reindexing import catch_up
from engram.schema import read_schema

SOURCE = "docs"
TAG = "internal_docs"
IMPORTANCE = 0.3
"""Of what it has read about itself: less than most of what a person tells it."""
COUNTED = 1_000
"""Memories without a vector that are counted; more are only many."""
_LOG = logging.getLogger(__name__)


class ReadDocs(BaseModel):
    """What the tool takes."""

    page: str = Field(default="", description="A page's name, e.g. docs/recall.md; leave it out for a list.")
    part: int = Field(default=1, description="Which part of a long page, from 1.")


class Reading(MindPart):
    """Reading its own documentation, which becomes memories that weigh little."""

    def __init__(self, situation: Situation, *, library: Library | None = None) -> None:
        """Prepare.

        Args:
            situation: The conversation.
            library: What can be read; what was installed with Engram if left out.
        """
        super().__init__(situation)
        self._given = library
        self._remembered: set[str] = set()
        self._lacking = 0

    def begin(self) -> Sequence[str]:
        """Say so where memories cannot be found by their meaning yet."""
        memory = self.situation.memory
        rows = memory.graph.read("mind/count_without_vector", space=memory.space, limit=COUNTED)
        self._lacking = rows[0]["memories"]
        if not self._lacking:
            return ()
        line = unfound(self._lacking)
        _LOG.warning("%s (space %s)", line, memory.space)
        return (line,)

    def tools(self) -> Sequence[AgentTool]:
        """Return the tool that reads; it changes nothing outside of the memory."""
        tool = Tool(
            name="read_docs",
            description="Read the documentation of Engram, the program that you are: how your memory, your jobs and "
            "your goals work. Without a page it lists the pages.",
            parameters=ReadDocs,
        )
        return (AgentTool(tool=tool, use=self._use),)

    def end(self) -> None:
        """Make some of the vectors that are lacking; the next opening of the memory goes on."""
        if not self._lacking:
            return
        memory = self.situation.memory
        record = read_schema(memory.graph)
        if record is not None and record.due:
            catch_up(memory.graph, memory.embedder, record)

    @property
    def _library(self) -> Library:
        if self._given is None:
            self._given = shipped()
        return self._given

    def _use(self, asked: ReadDocs) -> str:
        library = self._library
        if not asked.page.strip():
            return "\n".join(f"{page}: {library.title(page)}" for page in library.pages)
        excerpt = library.read(asked.page.strip(), asked.part)
        self._remember(excerpt)
        return told(excerpt)

    def _remember(self, excerpt: Excerpt) -> None:
        """Remember what a page is about, once as long as it says the same."""
        if excerpt.page in self._remembered:
            return
        library, page = self._library, excerpt.page
        summary = library.summary(page)
        about = f"My documentation has a page “{library.title(page)}” ({page})" + (
            f": {summary}" if summary else "."
        )
        try:
            # The same words of the same source are one memory.
            self.situation.memory.remember(
                about, kind=Kind.SEMANTIC, source=SOURCE, source_tag=TAG, importance=IMPORTANCE
            )
        except EngramError as error:
            _LOG.info("what was read of %s is not remembered: %s", page, error.message)
        else:
            self._remembered.add(page)


def told(excerpt: Excerpt) -> str:
    """Return part of a page as the model is told it, with how to go on."""
    head = f"{excerpt.page}, part {excerpt.part} of {excerpt.parts}"
    more = f"\n\nNext: part {excerpt.part + 1}." if excerpt.part < excerpt.parts else ""
    return f"{head}\n\n{excerpt.text.strip()}{more}"


def unfound(count: int) -> str:
    """Say that memories lack a vector, and what becomes of that; `COUNTED` is taken for so many or more."""
    many = f"{COUNTED:,} memories or more have" if count >= COUNTED else f"{count:,} memories have"
    have = "1 memory has" if count == 1 else many
    return (
        f"{have} no vector of the embedding model in use yet. Until then they are found by their words only. "
        "Vectors are made bit by bit; `engram schema apply` makes all at once."
    )
