"""A process that talks, for tests that kill it at any moment or let several talk at once.

Each is forked from one that has everything loaded, so it costs milliseconds; no model is loaded and none is asked.
"""

import multiprocessing
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from engram.config import Settings
from engram.graph import Graph
from engram.llm import Models
from engram.loop.agent import Agent
from engram.loop.escalation import Deliberation
from engram.loop.events import Failed, Replied, Stored
from engram.loop.gate_judge import Judgement
from engram.loop.metacognition import Verbalized
from engram.memory import Engram
from engram.remembering import turn_key
from engram.testing import Asked, HashEmbedder, Scripted, ScriptedModel
from tests.conftest import Address

DIMENSIONS = 384
PARSED = {
    Judgement: '{"notes": [], "pairs": []}',
    Verbalized: '{"confidence": 0.5}',
    Deliberation: '{"answer": "Pack a coat.", "explanation": "It rains there.", "correction": '
    '{"trigger": "a trip", "error_type": "haste", "original_reasoning": "none", "correction": "look it up"}}',
}
"""What a model answers where it is asked for a shape."""

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload([__name__])


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a conversation takes place."""

    uri: str
    user: str
    password: str
    database: str
    folder: Path
    """For the memory's files, the journal among them."""
    space: str
    session: str

    @classmethod
    def of(cls, memory: Engram, address: Address, session: str) -> Self:
        """Return where other processes find a memory."""
        return cls(
            uri=address.uri,
            user=address.user,
            password=address.password,
            database=address.database,
            folder=memory.settings.data_dir,
            space=memory.space,
            session=session,
        )

    def open(self) -> Engram:
        """Connect; who closes the memory closes the connection."""
        settings = Settings.load(
            neo4j_uri=self.uri,
            neo4j_user=self.user,
            neo4j_password=self.password,
            neo4j_database=self.database,
            data_dir=self.folder,
        )
        graph = Graph(self.uri, self.user, self.password, self.database)
        return Engram(graph, settings, space=self.space, embedder=HashEmbedder(DIMENSIONS))


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """Something that was said and that the loop called stored."""

    role: str
    turn: str
    """The turn's name within its session."""
    text: str
    journaled: bool = False

    def key(self, session: str) -> str:
        """Return the id of its node."""
        return turn_key(session, self.turn, self.role, self.text)


class Answers:
    """What a model says that doubts now and then: no reply twice, and what is asked in a shape gets the shape."""

    def __init__(self, name: str) -> None:
        """Begin.

        Args:
            name: Begins every reply, so that those of different processes differ.
        """
        self._name = name
        self._count = count(1)

    def __call__(self, asked: Asked) -> Scripted:
        """Answer."""
        if asked.shape is not None:
            return PARSED[asked.shape]
        heard = asked.messages[-1].text
        known = "Perhaps it is so, I think" if "doubt" in heard else "So you told me, and I am glad"
        return f"{self._name} {next(self._count)}. {known}."


def models(name: str) -> Models:
    """Return scripted models that answer under that name."""
    answers = Answers(name)
    return Models(
        system1=ScriptedModel(respond=answers),
        system2=ScriptedModel(respond=answers),
        quiet=ScriptedModel(respond=answers),
    )


def talk(place: Place, texts: Sequence[str], seed: int, ear: Connection) -> None:
    """Say texts one after the other; tell `ear` None once begun, then each `Told` as soon as it is known."""
    with place.open() as memory:
        generator = np.random.default_rng(seed)
        with Agent(
            memory, models(f"{place.session} {seed}"), session=place.session, generator=generator
        ) as agent:
            ear.send(None)
            for text in texts:
                said = text
                for event in agent.say(text):
                    match event:
                        case Replied(text=reply):
                            said = reply
                        case Stored(role=role, turn=turn, journaled=journaled):
                            ear.send(Told(role=role, turn=turn, text=said, journaled=journaled))
                        case Failed(error=error):
                            raise error
                        case _:
                            pass
            agent.flush()  # what it left would be an error in a thread that nobody hears of


class Talker:
    """One such process; whatever it has told is still to be heard after its end."""

    def __init__(self, place: Place, texts: Sequence[str], *, seed: int) -> None:
        """Start it.

        Args:
            place: Where.
            texts: What the person says.
            seed: Of what the agent leaves to chance.
        """
        self._ear, mouth = _CONTEXT.Pipe(duplex=False)
        self.process: ForkServerProcess = _CONTEXT.Process(target=talk, args=(place, texts, seed, mouth))
        self.process.start()
        mouth.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()
        self._ear.close()

    def begun(self, seconds: float = 30.0) -> bool:
        """Wait until it listens; return whether it does."""
        return self._ear.poll(seconds) and self._ear.recv() is None

    def kill(self) -> None:
        """End it with SIGKILL."""
        self.process.kill()
        self.process.join()

    def rest(self) -> list[Told]:
        """Return everything it told that nobody has heard, until its end."""
        heard: list[Told] = []
        with suppress(EOFError, OSError):  # a message may have been cut off with the process
            while True:
                if (told := self._ear.recv()) is not None:
                    heard.append(told)
        return heard
