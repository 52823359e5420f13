"""The gut feeling in a conversation: how far attention is from what the memory as a whole is about."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from engram.loop.events import Event
from engram.loop.inputs import Entry
from engram.mind import gut
from engram.mind.axes import WORDS, NamedAxis, telling_words
from engram.mind.felt import FeltLog, reaction
from engram.mind.gut import Delta, Floats
from engram.mind.part import MindPart, Situation, Utterance
from engram.remembering import turn_key
from engram.text import inert

CONTEXT = 80
"""Characters of what was said that are kept with a feeling."""
_STRENGTHS = (
    (0.25, "calm: this is what the memory is about"),
    (0.5, "slight: this is near to what the memory is about"),
    (0.75, "clear: this is some way from what the memory is about"),
    (1.0, "strong: this is far from what the memory is about"),
)
_POINTS = 0.02
"""How far valence is from indifference where a feeling points to something."""
_STANDS_OUT = 0.75
"""Standard deviations from the middle of an axis from which it is worth a word."""


class Feeling(MindPart):
    """What is felt in a conversation."""

    charge = 0.0
    """|gut delta| of what was said last, 0 to 1; 0 where nothing is felt."""
    felt: Delta | None = None
    """The gut delta of what was said last; None where nothing is felt."""
    memories: Floats | None = None
    """Centroid of all memories, shape (d,), as the job `gut` left it; None where it has not, or for another model."""

    def __init__(self, situation: Situation) -> None:
        super().__init__(situation)
        self._log = FeltLog(situation.memory.graph, space=situation.memory.space)
        self._axes: tuple[NamedAxis, ...] = ()
        self._lines: tuple[str, ...] = ()

    def begin(self) -> Sequence[str]:
        """Read what the job has left: the centroid of all memories, and the axes that mean something."""
        memory = self.situation.memory
        row = memory.graph.read(
            "mind/gut_read", space=memory.space, model=memory.embedder.name, most=gut.AXES
        )[0]
        if row["memories"] is not None:
            self.memories = np.array(row["memories"], dtype=np.float64)
        self._axes = tuple(
            NamedAxis(**axis | {"direction": np.array(axis["direction"], dtype=np.float64)})
            for axis in row["axes"]
        )
        return ()

    def hear(self, utterance: Utterance) -> Sequence[Event]:
        """Feel what was said, in the light of what was said before it."""
        entry = utterance.entry
        self._log.follow(reaction(utterance.text, () if entry is None else entry.signals))
        self.felt, self.charge, self._lines = None, 0.0, ()
        spoken = [text for text in (*utterance.before, utterance.text) if text.strip()]
        felt = gut.delta(gut.attention(self.situation.embed(spoken)), self.depths())
        if felt is None:
            return ()
        towards, away = self._pull(felt)
        self.felt, self.charge = felt, felt.magnitude
        self._lines = tuple(self._told(felt, towards, away))
        if entry is not None:
            self._log.add(self._row(entry, felt, towards), said=True)
        return ()

    def impulse(self, entry: Entry) -> Delta | None:
        """Feel an impulse of the agent's own, by itself, and keep that; None where nothing is felt.

        Raises:
            InvalidInputError: It cannot be embedded.
            EmbeddingError: The model gave no usable vector.
        """
        felt = self.of(entry.text)
        if felt is not None:
            self._log.add(self._row(entry, felt, self._pull(felt)[0]), said=False)
        return felt

    def of(self, text: str) -> Delta | None:
        """Return the gut delta of a text by itself; None where nothing is felt.

        Raises:
            InvalidInputError: It cannot be embedded.
            EmbeddingError: The model gave no usable vector.
        """
        return gut.delta(gut.attention(self.situation.embed([text])), self.depths())

    def depths(self) -> Floats | None:
        """Return the subconscious centroid, shape (d,); None in a space that has nothing yet.

        The exit gate asks for it too, from its own thread.
        """
        known = self.situation.knowing()
        return gut.subconscious(
            (
                gut.centroid(known.identity_vectors, known.identity_weights),
                gut.centroid(known.goal_vectors, known.goal_weights),
                self.memories,
            )
        )

    def sections(self) -> Mapping[str, Sequence[str]]:
        """Return what is felt, for the prompt; nothing where nothing is."""
        return {"gut": self._lines} if self._lines else {}

    def end(self) -> None:
        """Write what was felt and is not in the graph yet."""
        self._log.close()

    def _row(self, entry: Entry, felt: Delta, towards: Sequence[str]) -> dict[str, Any]:
        """Return what is kept of a feeling."""
        return {
            "id": f"{entry.id}-felt",
            "turn": turn_key(entry.session, entry.turn, entry.speaker, entry.text),
            "session": entry.session,
            "at": entry.at,
            "vector": felt.vector.tolist(),
            "magnitude": felt.magnitude,
            "context": inert(entry.text, CONTEXT),
            "towards": ", ".join(towards),
            "model": self.situation.memory.embedder.name,
        }

    def _pull(self, felt: Delta) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the words of what is known that the feeling points towards, and of what it points away from."""
        known = self.situation.knowing()
        told = [memory.content for memory in (*known.identity.immutable, *known.identity.weightiest)]
        texts = [*known.goals, *told]
        vectors = [*known.goal_vectors, *known.identity_vectors]
        if not vectors or len(vectors) != len(
            texts
        ):  # who one is was looked at again, and its vectors were not
            return (), ()
        valences = gut.valence(felt, np.array(vectors))
        most, least = int(np.argmax(valences)), int(np.argmin(valences))
        return (
            telling_words(texts[most])[:WORDS] if valences[most] > gut.INDIFFERENT + _POINTS else (),
            telling_words(texts[least])[:WORDS] if valences[least] < gut.INDIFFERENT - _POINTS else (),
        )

    def _told(self, felt: Delta, towards: Sequence[str], away: Sequence[str]) -> list[str]:
        strength = next(words for bound, words in _STRENGTHS if felt.magnitude <= bound)
        lines = [f"{felt.magnitude:.2f} of 1, {strength}."]
        if towards:
            lines.append(f"It points towards: {', '.join(towards)}.")
        if away:
            lines.append(f"It points away from: {', '.join(away)}.")
        for axis in self._axes:
            place = axis.place(felt)
            if place > _STANDS_OUT:
                went = "well" if axis.correlation > 0 else "badly"
                lines.append(f"It lies towards “{axis.name}”, where things mostly went {went}.")
        return lines
