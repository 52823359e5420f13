"""The front door to what a space believes: `memory.beliefs`."""

from typing import TYPE_CHECKING

from engram.beliefs.changes import Change, list_changes, undo
from engram.beliefs.conflicts.disputes import Tension, list_tensions
from engram.beliefs.conflicts.tensions import resolve
from engram.beliefs.extraction.batches import Batch, learn_facts
from engram.beliefs.extraction.extractor import MOST_TURNS
from engram.beliefs.keeping.listing import ListedFact, list_facts
from engram.beliefs.names.merging import Merge, find_key, merge, split
from engram.beliefs.names.profiles import Profile, profile
from engram.beliefs.names.resolution import canonical_keys
from engram.beliefs.promotion.approvals import Approval, approve, list_approvals, refuse
from engram.beliefs.promotion.promoter import Promotion
from engram.errors import InvalidInputError
from engram.llm.base import ChatModel

if TYPE_CHECKING:
    from engram.memory import Engram


class Beliefs:
    """Facts, tensions, names and approvals of one space, and the log of what became of them.

    What is decided here is decided by a person; `by` says which.
    """

    def __init__(self, memory: "Engram", *, by: str = "user") -> None:
        self._memory = memory
        self._by = by

    def learn(self, model: ChatModel | None = None, *, turns: int = MOST_TURNS) -> Batch | None:
        """Draw facts from turns that wait for it, the oldest first, and keep them.

        Args:
            model: Draws them; without one, patterns do.
            turns: How many at most.

        Returns:
            What was kept, merged and dropped, and why; None where nothing waits.
        """
        return learn_facts(self._memory, model=model, limit=turns)

    def facts(
        self, subject: str | None = None, *, slot: str | None = None, replaced: bool = False
    ) -> list[ListedFact]:
        """Return facts by subject and slot; of each slot the newest first.

        Args:
            subject: A name, under which it is known or was; None for anybody's.
            slot: The attribute or its beginning, e.g. `likes` for `likes:tea` too.
            replaced: Whether those that no longer hold are among them.
        """
        memory = self._memory
        return list_facts(
            memory.graph,
            space=memory.space,
            now=memory.now(),
            subject=subject,
            slot=slot,
            replaced=replaced,
        )

    def tensions(self, *, closed: bool = False) -> list[Tension]:
        """Return what contradicts what, the newest first; with `closed` what was settled too."""
        return list_tensions(self._memory.graph, space=self._memory.space, closed=closed)

    def resolve(self, tension: str, keep: str) -> Change:
        """Settle a tension.

        Args:
            tension: Its id, or that of one of its sides.
            keep: Id of the side that holds, or `both`, or `neither`.

        Raises:
            NotFoundError: There is no such tension.
            InvalidInputError: It was settled already, or `keep` is no side of it.
        """
        return resolve(self._memory, tension, keep, by=self._by)

    def changes(self, limit: int = 20) -> list[Change]:
        """Return what consolidation and persons changed, the newest first."""
        return list_changes(self._memory.graph, space=self._memory.space, limit=limit)

    def undo(self, change: str) -> Change:
        """Take a change back, wholly or not at all; see `engram.beliefs.changes.undo`."""
        memory = self._memory
        return undo(memory.graph, space=memory.space, change=change, now=memory.now())

    def entity(self, name: str) -> Profile:
        """Return all that is known of somebody or something.

        Raises:
            NotFoundError: Nobody of that name was mentioned; the remedy names near ones.
        """
        memory = self._memory
        return profile(memory.graph, space=memory.space, name=name, now=memory.now())

    def merge_names(self, name: str, into: str, *, reason: str = "by hand") -> Merge | None:
        """Take `name` for another name of `into`; None where they are one already.

        Raises:
            NotFoundError: One of them was never mentioned.
            InvalidInputError: `name` is another name of somebody else already.
        """
        graph, space = self._memory.graph, self._memory.space
        keys = [find_key(graph, space=space, name=each) for each in (name, into)]
        stands = canonical_keys(graph, space=space, keys=keys)
        if stands[keys[0]] not in {keys[0], stands[keys[1]]}:
            raise InvalidInputError(
                f"{name!r} is another name of {stands[keys[0]]!r} already.",
                remedy=f"Take {stands[keys[0]]!r} for {into!r}, or split {name!r} off first.",
            )
        return merge(
            graph,
            space=space,
            alias=keys[0],
            into=keys[1],
            by=self._by,
            reason=reason,
            now=self._memory.now(),
        )

    def split_name(self, name: str) -> str:
        """Let a name stand alone again, for good; return the key of the one that it was taken for.

        Raises:
            NotFoundError: It was never mentioned.
            InvalidInputError: It stands alone.
        """
        graph, space = self._memory.graph, self._memory.space
        key = find_key(graph, space=space, name=name)
        return split(graph, space=space, key=key, by=self._by, now=self._memory.now())

    def approvals(self) -> list[Approval]:
        """Return what waits for a person's word before it weighs like identity."""
        return list_approvals(self._memory.graph, space=self._memory.space)

    def approve(self, approval: str) -> Promotion:
        """Let it; see `engram.beliefs.promotion.approvals.approve`."""
        memory = self._memory
        return approve(memory.graph, space=memory.space, approval=approval, by=self._by, now=memory.now())

    def refuse(self, approval: str) -> Approval:
        """Do not; it is asked for again once there is evidence of twice as many days."""
        memory = self._memory
        return refuse(memory.graph, space=memory.space, approval=approval, by=self._by, now=memory.now())
