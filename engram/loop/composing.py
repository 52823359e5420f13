"""Composing: everything that a model is told for one answer, and what its answer is judged by."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from engram.config import Settings
from engram.costs import Ledger, cost_line
from engram.embedding.protocol import Task, Vectors
from engram.errors import DatabaseError, EmbeddingError
from engram.loop.assembly import Assembled, Budget, Scene, assemble
from engram.loop.attention import nearest
from engram.loop.escalation import maturity, required, triggers
from engram.loop.identity import Identity
from engram.loop.knowing import Knowing, Known
from engram.loop.metacognition import felt_knowing
from engram.loop.quoting import answers
from engram.loop.reflections import find_corrections
from engram.loop.responding import Asking
from engram.loop.talk import Talk
from engram.loop.tokens import TokenCounter
from engram.loop.window import Fit, Said, fit, intensity, messages, recency, share
from engram.memory import Engram
from engram.records import Hit, Kind, Memory
from engram.tuning import Tuning

TOLD = 20
"""Memories that compete for a place in the prompt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Composed:
    """One prompt."""

    asking: Asking
    assembled: Assembled
    pruned: tuple[Said, ...]
    """What left the conversation's window."""
    tokens: int
    """Of the whole prompt, estimated."""


class Composer:
    """Composes the prompts of one conversation."""

    def __init__(
        self,
        memory: Engram,
        talk: Talk,
        knowing: Knowing,
        ledger: Ledger,
        *,
        persona: str,
        user: str,
        restart: str,
        clock: Callable[[], datetime],
        generator: np.random.Generator,
        tuned: Callable[[], Tuning],
        sections: Callable[[], Mapping[str, Sequence[str]]] = dict,
    ) -> None:
        """Prepare to compose.

        Args:
            memory: The memory.
            talk: The conversation.
            knowing: What is known of the space.
            ledger: What it costs.
            persona: Who the model is told to be.
            user: The person's name.
            restart: How long it was away, in a line.
            clock: The time that the model is told.
            generator: Draws what comes to mind.
            tuned: Gives the space's numbers.
            sections: Gives the lines of further sections by name: `gut` and `working`.
        """
        self._memory = memory
        self._talk = talk
        self._knowing = knowing
        self._ledger = ledger
        self._persona = persona
        self._user = user
        self._restart = restart
        self._clock = clock
        self._generator = generator
        self._tuned = tuned
        self._sections = sections
        self._previous: Vectors | None = None
        self._counter = TokenCounter()

    def compose(
        self,
        text: str,
        hits: Sequence[Hit],
        *,
        report: str,
        said: Sequence[Said],
        contradicts: bool = False,
        escalated: int | None = None,
    ) -> Composed:
        """Return the prompt for the answer to `text`.

        Args:
            text: What is attended to.
            hits: What came to mind, best first.
            report: The cognitive state report.
            said: The conversation, `text` included, oldest first.
            contradicts: Whether `text` contradicts what is remembered; that memories told contradict each other
                is seen here.
            escalated: Exchanges since System 2 was asked; None: never.
        """
        known = self._knowing()
        vector = self._vector(text)
        relevance = 0.0 if vector is None else nearest(vector, known.goal_vectors)
        level = intensity(
            gate=self._talk.gate_score,
            system2=recency(escalated),
            goals=relevance if known.goals else None,
            # Where nothing is felt at all, there is no signal rather than a low one.
            emotional=self._talk.charge or None,
        )
        tuning = self._tuned()
        context = self._memory.settings.context_tokens
        budget = _budget(tuning, self._memory.settings)
        limit = int(share(level) * budget.conversation(context))
        fitted = fit(said, self._counter.count, limit=limit)
        # Corrections have a section of their own, for situations like theirs.
        hits = [hit for hit in hits if hit.memory.kind is not Kind.CORRECTION]
        vectors, tensions = self._neighbourhood(hits[:TOLD])
        assembled = assemble(
            Scene(
                persona=self._persona,
                user=self._user,
                now=self._clock(),
                restart=self._restart,
                cost=cost_line(self._ledger.spent()),
                state=report,
                goals=known.goals,
                sections=self._sections(),
            ),
            known.identity,
            hits[:TOLD],
            generator=self._generator,
            said=fitted.kept,
            reflections=self._reflections(vector),
            tensions=tensions,
            attention=vector,
            previous=self._previous,
            vectors=vectors,
            budget=budget,
            threshold=told_above(tuning, broaden=known.broaden),
            count=self._counter.count,
        )
        self._previous = assembled.attention
        # What always holds and who one is take what they take: then less is left for the talk.
        left = budget.conversation(context, system=assembled.tokens["system"])
        if left < limit:
            again = fit(fitted.kept, self._counter.count, limit=left)
            fitted = Fit(kept=again.kept, pruned=(*fitted.pruned, *again.pruned))
        told = messages(fitted.kept)
        feeling = felt_knowing(text, answers(hits, text, user=self._user))
        return Composed(
            asking=Asking(
                system=assembled.system,
                messages=tuple(told),
                question=text,
                context="\n".join(each.line for each in assembled.situational),
                fok=feeling,
                threshold=_required(known.identity, tuning),
                triggers=triggers(
                    text,
                    fok=feeling,
                    contradicts=contradicts or assembled.tokens["disagreements"] > 0,
                    identity_similarity=self._identity_similarity(vector, known),
                    goals=known.goals,
                ),
            ),
            assembled=assembled,
            pruned=fitted.pruned,
            tokens=self._counter.count_prompt(assembled.system, told),
        )

    def learn(self, estimated: int, counted: int | None) -> None:
        """Take what the provider counted for a prompt."""
        self._counter.learn(estimated, counted)

    def _vector(self, text: str) -> Vectors | None:
        try:
            vector: Vectors = self._memory.embedder.embed([text], Task.QUERY)[0]
        except EmbeddingError:
            return None
        return vector if np.isfinite(vector).all() else None

    def _reflections(self, vector: Vectors | None) -> tuple[Memory, ...]:
        """Return the corrections that are near; an answer does without where they cannot be read."""
        if vector is None:
            return ()
        try:
            return find_corrections(self._memory.graph, vector.tolist(), self._memory.space)
        except DatabaseError:
            return ()

    def _neighbourhood(self, hits: Sequence[Hit]) -> tuple[dict[str, Vectors], list[tuple[str, str]]]:
        """Return the vectors of memories by id, and which of them disagree."""
        ids = [hit.memory.id for hit in hits]
        try:
            rows = self._memory.graph.read("inspect/read_neighbourhood", space=self._memory.space, ids=ids)
        except DatabaseError:
            return {}, []
        vectors = {
            row["id"]: np.array(row["embedding"], dtype=np.float32) for row in rows if row["embedding"]
        }
        return vectors, [(row["id"], other) for row in rows for other in row["disagrees"]]

    def _identity_similarity(self, vector: Vectors | None, known: Known) -> float:
        """Return how near a message is to who the agent is, 0 to 1: the largest cosine."""
        return 0.0 if vector is None else nearest(vector, known.identity_vectors)


def told_above(tuning: Tuning, *, broaden: bool) -> float:
    """Return what a draw must be above to tell a memory of the identity, 0 to 1.

    Where memories are to be sampled more widely it is lower by a share, so that those come to mind as well that a few
    have outweighed (v4 plan, 3.9: "Entropy drop -> broaden sampling").
    """
    return tuning["identity.threshold"] * (1.0 - tuning["safety.broaden"] if broaden else 1.0)


def _budget(tuning: Tuning, settings: Settings) -> Budget:
    """Return what each part of a prompt may take; in a narrow context no part may crowd out the talk."""
    usual, quarter = Budget(), settings.context_tokens // 4
    return Budget(
        situational=min(tuning.whole("context.situational"), quarter),
        answer=min(settings.llm_max_tokens, quarter),
        identity_most=min(usual.identity_most, quarter),
        least_conversation=min(usual.least_conversation, quarter),
    )


def _required(identity: Identity, tuning: Tuning) -> float:
    """Return the confidence that an answer needs from who the agent is by now."""
    grown = maturity(identity.memories, identity.density, grown=tuning.whole("escalate.memories"))
    return required(grown, low=tuning["escalate.low"], span=tuning["escalate.span"])
