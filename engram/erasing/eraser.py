"""The front of erasing: what is wanted gone is shown beforehand, taken out of recall and back, or deleted for good."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, cast

from engram.embedding.protocol import prefixed
from engram.entities import entity_key
from engram.erasing.closure import SHORTEST_QUOTATION, Closure, Roots, erase_closure, find_closure
from engram.erasing.files import Files, Holds
from engram.erasing.preview import SHOWN, Preview
from engram.erasing.traces import Traces, find_traces, reword, scrub
from engram.erasing.wanted import About, One, Wanted, Whole, about
from engram.erasing.whole import erase_space, preview_space
from engram.erasing.words import Words, words_for, words_of
from engram.errors import DatabaseError
from engram.mind.state.erasing import forget_cited
from engram.records import Kind

if TYPE_CHECKING:
    from engram.memory import Engram

_MOST_AT_ONCE = 50
"""Memories or turns of one transaction, whatever the settings say, beside what goes with them."""
_WALKED_AT_ONCE = 1_000
_ROUNDS = 5
"""Looks for words that somebody wrote again meanwhile."""


def _nothing(_: int) -> None:
    """Take a count and do nothing with it."""


class Eraser:
    """Erases from one space."""

    def __init__(self, memory: "Engram", *, unlearn: Callable[[Holds], None]) -> None:
        """Erase nothing yet.

        Args:
            memory: The space.
            unlearn: Takes what holds some words out of the questions of this process that wait to be written.
        """
        self._memory = memory
        self._graph = memory.graph
        self._space = memory.space
        self._unlearn = unlearn

    def about(self, name: str) -> About:
        """Return who or what goes by a name.

        Raises:
            NotFoundError: It is not known and stands nowhere.
            InvalidInputError: It is a part of several names; they are listed.
        """
        return about(
            self._graph,
            space=self._space,
            name=name,
            is_said=lambda each: bool(self._traces(words_for([each]))),
        )

    def preview(self, wanted: Wanted, *, erase: bool = True) -> Preview:
        """Return what would become of what is wanted gone.

        Args:
            wanted: What a person wants gone.
            erase: Whether it would be deleted, and not only be taken out of recall.
        """
        if not erase:
            return self._preview_forgetting(wanted)
        if isinstance(wanted, Whole):
            return preview_space(self._memory)
        words = self._words(wanted)
        roots = self._roots(wanted)
        closures = [self._closure(some) for some in self._portions(roots)]
        traces = self._traces(words, spare=_ids(closures))
        closures += [self._closure(some) for some in self._portions(traces.roots)]
        return self._described(wanted, closures, traces)

    def erase(self, wanted: Wanted, *, progress: Callable[[int], None] = _nothing) -> None:
        """Delete it for good, everywhere; what was said of it leaves tombstones.

        Run again after an interruption, it goes on. Files go before the graph does, and what was meant goes last, so that
        it is found again.

        Args:
            wanted: What a person wants gone.
            progress: Called with the number of further memories that are gone.

        Raises:
            DatabaseError: Somebody goes on writing it.
            EmbeddingError: Cached vectors of it could not be deleted.
            OSError: A file that holds it could not be changed.
        """
        if isinstance(wanted, Whole):
            self._memory.flush()
            erase_space(self._memory, forget_vectors=self._forget_vectors, progress=progress)
            return
        words, roots = self._words(wanted), self._roots(wanted)
        self._erase_files(wanted, words)
        spare = (
            _ids(self._closure(some) for some in self._portions(roots)) if isinstance(wanted, One) else set()
        )
        self._sweep(words, spare={*spare, *roots.memories}, progress=progress)
        for some in self._portions(roots):
            progress(self._erase_roots(some))
        if isinstance(wanted, About):
            named = {entity_key(name) for name in self._traces(words).names}
            self._graph.write("write/erase_entities", space=self._space, keys=sorted({*wanted.keys, *named}))
        self._sweep(words, spare=(), progress=progress)

    def forget(self, wanted: Wanted) -> list[str]:
        """Take it out of recall and return the ids of what that was; `restore` brings it back."""
        return self._move(wanted, ["active", "dormant"], "archived")

    def restore(self, wanted: Wanted) -> list[str]:
        """Bring back into recall what a person took out of it, and return the ids."""
        return self._move(wanted, ["archived"], "active")

    def _words(self, wanted: One | About) -> Words:
        if isinstance(wanted, About):
            return words_for(wanted.names)
        return words_of(self._memory.get(wanted.id).content)

    @staticmethod
    def _roots(wanted: One | About) -> Roots:
        return Roots((wanted.id,)) if isinstance(wanted, One) else Roots(wanted.ids)

    def _portions(self, roots: Roots) -> Iterator[Roots]:
        """Yield some of the roots at a time."""
        size = min(self._memory.settings.batch_size, _MOST_AT_ONCE)
        for first in range(0, len(roots.memories), size):
            yield Roots(roots.memories[first : first + size])
        for first in range(0, len(roots.turns), size):
            yield Roots((), roots.turns[first : first + size])

    def _closure(self, roots: Roots) -> Closure:
        return find_closure(self._graph.read, roots, space=self._space)

    def _traces(self, words: Words, *, spare: Sequence[str] | set[str] = ()) -> Traces:
        return find_traces(self._graph.read, words, space=self._space, spare=spare)

    def _erase_files(self, wanted: One | About, words: Words) -> None:
        files = Files(self._memory)
        if isinstance(wanted, About):
            self._unlearn(words.are_in)
            files.forget(words.are_in)
        else:
            content = self._memory.get(wanted.id).content
            self._unlearn(lambda question: _is_quoted(content, question))
            files.forget_content(content)

    def _erase_roots(self, roots: Roots) -> int:
        """Erase some roots with what goes with them, and return how many memories that were."""
        # Before the graph, so that a crash leaves what finds them again, and after it for who was just at it.
        closure = self._closure(roots)
        self._forget_vectors(closure.texts)
        forget_cited(self._graph, closure.ids, space=self._space)
        done = erase_closure(
            self._graph, self._memory.embedder, roots, space=self._space, now=self._memory.now()
        )
        self._forget_vectors(done.texts)
        return len(done.gone)

    def _sweep(
        self, words: Words, *, spare: Sequence[str] | set[str], progress: Callable[[int], None]
    ) -> None:
        """Erase where words stand, until they stand nowhere else."""
        for _ in range(_ROUNDS):
            traces = self._traces(words, spare=spare)
            if not traces:
                return
            self._forget_vectors(traces.embedded)
            for some in self._portions(traces.roots):
                progress(self._erase_roots(some))
            contexts, stubborn = reword(
                self._graph, self._memory.embedder, sorted(traces.contexts), words, space=self._space
            )
            for some in self._portions(Roots(tuple(stubborn))):
                progress(self._erase_roots(some))
            scrub(self._graph, traces, space=self._space)
            self._forget_vectors([*contexts, *traces.embedded])
        raise DatabaseError(
            "Something goes on writing what is to be erased.",
            remedy="End the chats and jobs that use the space, then run this again.",
        )

    def _forget_vectors(self, texts: list[str]) -> None:
        embedder = self._memory.embedder
        forget = cast("Callable[[list[str]], int] | None", getattr(embedder, "forget", None))
        if forget is not None and texts:
            forget([form for text in texts for form in (text, *(prefixed(kind, text) for kind in Kind))])

    def _described(self, wanted: One | About, closures: Sequence[Closure], traces: Traces) -> Preview:
        gone = {row["id"]: row for each in closures for row in each.gone}
        turns = {row["id"] for each in closures for row in each.turns}
        quoting = {row["id"] for each in closures for row in each.quoting} | traces.contexts
        staying = self._graph.read(
            "inspect/find_staying", space=self._space, ids=sorted(gone), turns=sorted(turns), shown=SHOWN
        )[0]
        counts = Counter({"Memory": len(gone), "Turn": len(turns), **Counter(traces.deleted.values())})
        if isinstance(wanted, About):
            counts["Entity"] = len(wanted.keys)
        rewritten = Counter({"Memory": len(quoting - gone.keys()), **traces.labels})
        return Preview(
            subject=self._subject(wanted),
            goes={label: count for label, count in sorted(counts.items()) if count},
            texts=tuple(row["content"] for row in gone.values())[:SHOWN],
            rewritten={label: count for label, count in sorted(rewritten.items()) if count},
            stays=tuple(_reasons(staying["drawn"], staying["texts"], staying["beside"])),
        )

    def _subject(self, wanted: Wanted) -> str:
        match wanted:
            case One():
                return f"memory {wanted.id[:8]}"
            case About():
                return f"all about {', '.join(wanted.names)}"
            case Whole():
                return f"all of the space {self._space!r}"

    def _preview_forgetting(self, wanted: Wanted) -> Preview:
        ids = [each for some in self._walk(wanted, ["active", "dormant"]) for each in some]
        texts = tuple(self._memory.get(each).content for each in ids[:SHOWN])
        return Preview(
            subject=self._subject(wanted),
            goes={"Memory": len(ids)} if ids else {},
            texts=texts,
            stays=("Nothing is deleted; the same command with --undo brings it back.",),
        )

    def _move(self, wanted: Wanted, allowed: list[str], status: str) -> list[str]:
        moved: list[str] = []
        for ids in self._walk(wanted, allowed):
            done = self._graph.write(
                "write/set_statuses", **{"space": self._space, "ids": ids, "from": allowed, "to": status}
            )
            moved += done.rows[0]["ids"]
        return moved

    def _walk(self, wanted: Wanted, allowed: list[str]) -> Iterator[list[str]]:
        """Yield the ids of memories that are wanted and have one of some statuses, ascending, in batches."""
        chosen = None if isinstance(wanted, Whole) else {*self._ids_of(wanted)}
        after: str | None = ""
        while after is not None:
            row = self._graph.read(
                "inspect/list_by_status",
                **{"space": self._space, "from": allowed, "after": after, "batch_size": _WALKED_AT_ONCE},
            )[0]
            after = row["last"]
            if ids := [each for each in row["ids"] if chosen is None or each in chosen]:
                yield ids

    def _ids_of(self, wanted: One | About) -> set[str]:
        if isinstance(wanted, One):
            return {wanted.id}
        return {*wanted.ids, *self._traces(words_for(wanted.names)).memories}


def _ids(closures: "Sequence[Closure] | Iterator[Closure]") -> set[str]:
    return {each for closure in closures for each in (*closure.ids, *closure.turn_ids)}


def _is_quoted(content: str, question: str) -> bool:
    """Say whether a question quotes what is erased, as `write/erase_memories` asks of those that are written."""
    words, asked = content.lower(), question.lower()
    return words in asked if len(words) >= SHORTEST_QUOTATION else words == asked


def _reasons(drawn: int, texts: Sequence[str], beside: int) -> Iterator[str]:
    if drawn:
        yield f"{drawn:,} that rest on something else too, with the evidence left to them: {'; '.join(texts)}"
    if beside:
        yield f"{beside:,} other turns of the same conversations: what they say of it in their own words is theirs."
    yield "Hashes of what was said, so that it does not come back."
