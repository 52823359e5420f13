"""Drawing: what a question brings to mind, and the insights that come of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from engram.beliefs.dreaming import material
from engram.beliefs.dreaming.asking import Asker
from engram.beliefs.dreaming.central import Embed
from engram.beliefs.dreaming.insights import Drawn, draw_insights, plain_insight
from engram.beliefs.dreaming.material import Material
from engram.memory import Engram
from engram.tuning import Tuning


@dataclass(frozen=True, slots=True)
class Drawer:
    """Draws insights from one space."""

    memory: Engram
    asker: Asker
    tuning: Tuning
    embed: Embed
    """Gives the vectors by which texts are grouped."""

    def draw(self, question: str, *, surfaced: Sequence[str] = ()) -> Drawn:
        """Return what memories come to in the light of a question; no memory counts as used by that.

        Args:
            question: In words; what it recalls is drawn from.
            surfaced: Ids of memories that came up with the question, to be drawn from first.

        Raises:
            DatabaseError: The memories cannot be read.
            EmbeddingError: The question cannot be embedded.
        """
        given = self._given(question, surfaced)
        return draw_insights(
            question,
            given,
            self.asker,
            most=self.tuning.whole("dream.insights"),
            plain=partial(self._plain, given),
        )

    def _given(self, question: str, surfaced: Sequence[str]) -> list[Material]:
        hits = self.memory.recall(question, self.tuning.whole("dream.recalled"), read_only=True)
        ids = dict.fromkeys((*surfaced, *(hit.memory.id for hit in hits)))
        return material.read(self.memory.graph, space=self.memory.space, ids=[*ids])

    def _plain(self, given: Sequence[Material]) -> Drawn:
        # What was drawn before is no example of itself.
        said = [each for each in given if not each.depth]
        return plain_insight(
            said,
            self.embed,
            least=self.tuning["dream.coherence"],
            fewest=self.tuning.whole("dream.group"),
        )
