"""A part of the mind in a conversation: what it may do, and what it is given."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic import BaseModel

from engram.costs import Ledger
from engram.embedding.protocol import Vectors
from engram.llm.base import Tool
from engram.loop.events import Event
from engram.loop.inputs import Entry
from engram.loop.knowing import Knowing
from engram.memory import Engram
from engram.records import Memory
from engram.tuning import Tuning


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """The conversation that a part belongs to."""

    memory: Engram
    session: str
    run: str
    """Id of the run of the loop."""
    user: str
    """The person's name."""
    assistant: str
    clock: Callable[[], datetime]
    tuned: Callable[[], Tuning]
    """Gives the space's numbers; the defaults where they cannot be read."""
    embed: Callable[[Sequence[str]], Vectors]
    """Gives unit vectors of what was said lately, shape (n, d), from a cache."""
    knowing: Knowing
    """What is known of the space without asking."""
    ledger: Ledger
    shown: Callable[[], Mapping[str, str]]
    """Gives, by id, the contents of memories that came to mind in it: said back, they are nothing new."""
    show: Callable[[Iterable[Memory]], None]
    """Takes memories that came to mind by a search: they are among `shown` from then on."""
    away: Callable[[], bool]
    """Says whether the database did not answer lately: then nobody asks it in front of a reply."""
    idle: bool
    """Whether nobody talks, and the agent thinks by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Utterance:
    """What a person has just said."""

    text: str
    entry: Entry | None
    """Its line in the scratch buffer; None where it was not stored."""
    before: tuple[str, ...]
    """What was said before it, the oldest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentTool:
    """A tool that the answering model may use."""

    tool: Tool
    use: Callable[[Any], str]
    """Takes the parameters as the tool's model, and returns what the model is told; may raise `EngramError`."""
    external: bool = False
    """Whether it acts outside of the memory: then it is used for what the person said, and for nothing else."""

    @property
    def parameters(self) -> type[BaseModel]:
        """What it takes."""
        return self.tool.parameters


class MindPart:
    """One thing of the mind that shows in a conversation; by itself it does nothing.

    Each method may raise `EngramError`: then the conversation goes on without.
    """

    def __init__(self, situation: Situation) -> None:
        self.situation = situation

    def begin(self) -> Sequence[str]:
        """Take up the conversation, and return what a person should hear at once, a line each."""
        return ()

    def hear(self, utterance: Utterance) -> Sequence[Event]:
        """Take in what a person said, before it is answered."""
        del utterance
        return ()

    def sections(self) -> Mapping[str, Sequence[str]]:
        """Return the lines of sections of the prompt, by the section's name (`gut`, `working`)."""
        return {}

    def tools(self) -> Sequence[AgentTool]:
        """Return what the answering model may use."""
        return ()

    def compacted(self) -> None:
        """Take note that part of the conversation has left the model's window."""

    def forget(self, memory_id: str) -> None:
        """Take note that a memory was forgotten: it is told no more."""
        del memory_id

    def end(self) -> None:
        """Do what is due after a conversation."""
