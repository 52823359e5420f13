"""The direction that a negation takes in an embedder's space: the second layer of `engram.loop.contradiction`.

It is learned from small sentence pairs once for each embedder, and costs a product of two vectors then.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from engram.embedding.protocol import Embedder

Vector = NDArray[np.float32]
"""Shape (d,), of length 1."""

_LEARNED_FROM = """
I like coffee. | I do not like coffee.
She lives in Paris. | She does not live in Paris.
He has a dog. | He does not have a dog.
We will come to the party. | We will not come to the party.
The shop is open. | The shop is not open.
I can swim. | I cannot swim.
They have arrived. | They have not arrived.
It is raining. | It is not raining.
I always lock the door. | I never lock the door.
The test passed. | The test did not pass.
He smokes. | He no longer smokes.
There is milk in the fridge. | There is no milk in the fridge.
She wants to move. | She does not want to move.
I trust him. | I don't trust him.
The answer is correct. | The answer is not correct.
My brother eats meat. | My brother never eats meat.
You should call her. | You should not call her.
I remember the meeting. | I don't remember the meeting.
The car works. | The car doesn't work any more.
We agreed on the plan. | We did not agree on the plan.
Anna is allergic to nuts. | Anna is not allergic to nuts.
The flight was cancelled. | The flight wasn't cancelled.
I need help. | I need no help.
Everybody was there. | Nobody was there.
He plays with us. | He plays without us.
"""
_SET_BY = (
    (
        """
        I drink tea in the morning. | I never drink tea in the morning.
        Paul owns a boat. | Paul does not own a boat.
        My mother likes opera. | My mother hates opera.
        The road is closed. | The road is open.
        They accepted the offer. | They rejected the offer.
        I believe in ghosts. | I don't believe in ghosts.
        We eat together on Sundays. | We no longer eat together on Sundays.
        The lamp is on. | The lamp is off.
        The film was good. | The film was bad.
        She knows the way. | She does not know the way.
        """,
        True,
    ),
    (
        """
        I drink tea in the morning. | In the morning I have a cup of tea.
        Paul owns a boat. | Paul has a boat.
        My mother likes opera. | My mother is fond of opera.
        The road is closed. | The road is blocked.
        They accepted the offer. | They took the offer.
        I believe in ghosts. | I think that ghosts exist.
        We eat together on Sundays. | On Sundays we have dinner together.
        The lamp is on. | The lamp is burning.
        The film was good. | The film was great.
        She knows the way. | She knows how to get there.
        """,
        False,
    ),
)
"""Pairs that the direction was not learned from: they set the threshold."""


def _lines(text: str) -> list[tuple[str, str]]:
    pairs = (line.split("|") for line in text.strip().splitlines())
    return [(one.strip(), other.strip()) for one, other in pairs]


@dataclass(frozen=True, slots=True)
class NegationDirection:
    """The direction, and where opposition begins along it."""

    direction: Vector
    threshold: float
    """Above this share of a difference along the direction, two texts are opposed."""

    @classmethod
    def learn(cls, embedder: Embedder) -> "NegationDirection":
        """Learn the direction, the mean of `unit(negated - plain)` over small pairs; other pairs set the threshold.

        One embedding call.

        Raises:
            EmbeddingError: The model gave no usable vector.
        """
        pairs = _lines(_LEARNED_FROM)
        held_out = [(pair, opposed) for text, opposed in _SET_BY for pair in _lines(text)]
        every = [*pairs, *(pair for pair, _ in held_out)]
        vectors = embedder.embed([text for pair in every for text in pair])
        differences = _unit(vectors[1::2] - vectors[0::2])
        direction = _unit(differences[: len(pairs)].mean(axis=0, keepdims=True))[0]
        shares = np.abs(differences[len(pairs) :] @ direction)
        opposed = np.array([each for _, each in held_out])
        return cls(direction, _best_threshold(shares, opposed))

    def share(self, said: Vector, held: Vector) -> float:
        """Return how much of the difference of two unit vectors lies along the direction, 0 to 1."""
        return float(abs(_unit((said - held)[None, :])[0] @ self.direction))

    def opposes(self, said: Vector, held: Vector) -> bool:
        """Say whether two texts are opposed."""
        return self.share(said, held) > self.threshold


def _unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the rows, shape (n, d), scaled to length 1; a row of zeros, of two texts alike, stays one."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.where(lengths > 1e-6, lengths, np.inf)).astype(np.float32)


def _best_threshold(shares: NDArray[np.float32], opposed: NDArray[np.bool_]) -> float:
    """Return the threshold that tells the most pairs right: of several, the middle of the widest gap."""
    ordered = np.sort(shares)
    middles = [float(low + high) / 2 for low, high in pairwise(ordered)]
    widths = np.diff(ordered)
    right = [int(((shares > middle) == opposed).sum()) for middle in middles]
    return middles[max(range(len(middles)), key=lambda each: (right[each], widths[each]))]
