"""The library's front door: a space of one graph, to remember into and recall from."""

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from functools import cached_property, partial
from typing import TYPE_CHECKING, Self

import numpy as np

from engram.beliefs.believed import Believed, compare
from engram.beliefs.history import History, read_history
from engram.beliefs.why import explain
from engram.config import Settings
from engram.context import Said, contextualize
from engram.embedding import open_embedder
from engram.embedding.protocol import Embedder
from engram.erasing.eraser import Eraser
from engram.erasing.wanted import One
from engram.errors import InvalidInputError, NotFoundError
from engram.feedback import Blend, Replay, judge, read_blend, read_recall
from engram.graph import Graph, Row, Transaction
from engram.importance import estimated_importance
from engram.learning import Learner, Lessons, News, lost_file
from engram.lifecycle import close_session, tune
from engram.mind.gut import Delta
from engram.observing.operation import watched
from engram.observing.setup import begin_tracing
from engram.recall import Recaller, hits, question
from engram.records import FOREVER, USER_TAG, Evidence, Hits, Ingested, Kind, Memory, Stats, Turn, memory_from
from engram.reindexing import catch_up
from engram.remembering import Addition, Draft, Writer
from engram.reranking import RERANKERS, Reranker
from engram.schema import VERSION as SCHEMA_VERSION
from engram.schema import SchemaRecord, apply_schema, check_embedder, read_schema, work_with
from engram.server import Connection, connect
from engram.text import MIN_PREFIX, short
from engram.tuning import DEFAULTS_SPACE, Tuned, Tuning, read_tuning
from engram.validation import (
    check_content,
    check_fraction,
    check_kind,
    check_name,
    check_time,
)

if TYPE_CHECKING:
    from engram.beliefs.front import Beliefs

REINFORCED_AT_ONCE = 8
"""Most new memories of one call that reinforce older ones right away; an import's are left to the job."""


def utc_now() -> datetime:
    """Return the time, in UTC."""
    return datetime.now(UTC)


def _in_utc(clock: Callable[[], datetime]) -> datetime:
    return clock().astimezone(UTC)


def _of_space(memory: "Engram", *_: object, **__: object) -> dict[str, str]:
    return {"space": memory.space}


class Engram:
    """A memory: open one with `Engram.open`, use it as a context manager.

    It is safe to share between threads.
    """

    def __init__(
        self,
        graph: Graph,
        settings: Settings,
        *,
        space: str,
        embedder: Embedder | None = None,
        connection: Connection | None = None,
        clock: Callable[[], datetime] = utc_now,
        generator: np.random.Generator | None = None,
    ) -> None:
        self.graph = graph
        self.settings = settings
        self.space = check_name(space, "The space")
        self.connection = connection
        # Days of use are days in UTC, wherever the clock stands.
        self._clock = partial(_in_utc, clock)
        self._embedder = embedder
        self._opening = threading.Lock()
        self._schema: SchemaRecord | None = None
        self._tuned = Tuned(graph, space=self.space)
        self.writer = Writer(
            graph,
            lambda: self.embedder,
            space=self.space,
            limit=settings.max_content_bytes,
            tuned=self._tuned,
        )
        self.reranker = (
            Reranker.open(settings.reranker, settings.cache_dir / RERANKERS) if settings.reranker else None
        )
        self._recaller = Recaller(
            graph,
            lambda: self.embedder,
            space=self.space,
            clock=self._clock,
            generator=generator or np.random.default_rng(),
            reranker=self.reranker,
            rerank_seconds=settings.rerank_ms / 1000.0,
        )
        self._learner = Learner(graph, space=self.space, lost=lost_file(settings), tuned=self._tuned)

    @classmethod
    def open(
        cls,
        settings: Settings | None = None,
        *,
        space: str | None = None,
        embedder: Embedder | None = None,
        notify: Callable[[str], None] | None = None,
        clock: Callable[[], datetime] = utc_now,
        generator: np.random.Generator | None = None,
    ) -> Self:
        """Connect to Neo4j, starting the managed server where none is configured, and set up the schema.

        Args:
            settings: Where and how; read from the environment if left out.
            space: Whose memory; `settings.space` if left out.
            embedder: Another embedder than the settings name.
            notify: Told in a line what takes time, such as starting a server.
            clock: Gives the time that memories are stamped with.
            generator: Draws what `mode="mind"` draws.

        Raises:
            ServerError: No server could be found or started.
            DatabaseUnavailableError: Nobody answers at the configured address.
            AuthenticationError: The user or password is refused.
            SchemaError: A newer Engram wrote the database.
        """
        settings = settings or Settings.load()
        space = check_name(settings.space if space is None else space, "The space")
        begin_tracing(settings)
        connection = connect(settings, notify or (lambda _: None))
        graph = Graph(
            connection.uri,
            connection.user,
            connection.password,
            connection.database,
            ca_file=connection.ca_file,
        )
        memory = cls(
            graph,
            settings,
            space=space,
            embedder=embedder,
            connection=connection,
            clock=clock,
            generator=generator,
        )
        try:
            graph.check()
            memory.ensure_schema(notify)
            if memory.reranker is not None:
                memory.reranker.prepare()
        except BaseException:
            memory.close()
            raise
        return memory

    def close(self) -> None:
        """Write what was learned, then close the connections and the models; the managed server goes on running."""
        self._learner.close()
        if self.reranker is not None:
            self.reranker.close()
        self.graph.close()
        if self._embedder is not None:
            self._embedder.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def embedder(self) -> Embedder:
        """The embedder, loaded when first needed and checked against the database.

        Raises:
            EmbedderMissingError: Its model is not there.
            EmbedderMismatchError: The database's vectors come from another one.
        """
        embedder = self._opened_embedder()
        if self._schema is not None:
            check_embedder(self._schema, embed_model=embedder.name, dimensions=embedder.dimensions)
            if self._schema.due:
                self._schema = catch_up(self.graph, embedder, self._schema)
        return embedder

    def ensure_schema(self, notify: Callable[[str], None] | None = None) -> SchemaRecord:
        """Set the database up where that has not happened yet, and return what it records.

        Args:
            notify: Told in a line of each migration before it is carried out.
        """
        record = read_schema(self.graph)
        if record is None or record.version < SCHEMA_VERSION:
            embedder = self._opened_embedder()
            record = apply_schema(
                self.graph,
                embed_model=embedder.name,
                dimensions=embedder.dimensions,
                now=self._clock(),
                notify=notify,
            )
        self._schema = record
        work_with(self.graph, record)
        return record

    @watched("remember", _of_space)
    def remember(
        self,
        content: str,
        *,
        kind: Kind | str = Kind.SEMANTIC,
        event_at: datetime | str | None = None,
        source: str = "user",
        speaker: str | None = None,
        category: str | None = None,
        importance: float | None = None,
        known_at: datetime | str | None = None,
        valid_from: datetime | str | None = None,
        valid_to: datetime | str | None = None,
        derived_from: Iterable[str] = (),
        supersedes: str | None = None,
        reason: str | None = None,
        source_tag: str = USER_TAG,
        immutable: bool = False,
    ) -> Memory:
        """Store one thing and return it once it is durable.

        The same content from the same source is one memory: it comes back with `created=False` and is
        counted in `seen_count`, unless it has been superseded or forgotten meanwhile; then it is so again,
        and a new memory says since when.

        Args:
            content: What to remember, as said; at most `settings.max_content_bytes`.
            kind: What sort of thing it is.
            event_at: When it happened; now if left out.
            source: Where it comes from.
            speaker: Who said it; whoever said what it replaces if left out.
            category: A finer sort, free text.
            importance: 0 to 1; estimated from the text's form if left out.
            known_at: Since when it has been known; now if left out. `recall(as_of=…)` goes by it.
            valid_from: Since when it holds; `event_at` if left out.
            valid_to: Until when it holds, exclusive; open if left out.
            derived_from: Ids of the memories that it was drawn from; `why` shows them.
            supersedes: Id of the memory that this one replaces, in the same transaction.
            reason: Why it does.
            source_tag: Whose thought it is; a model's own words are no evidence that they are true.
            immutable: Its weight stays as it is, and every prompt has it. What is known already becomes so.

        Raises:
            InvalidInputError: Some argument is not usable; nothing is stored.
            NotFoundError: There is no memory `supersedes` or `derived_from`; nothing is stored.
            ErasedError: A person had it erased for good.
        """
        now = self._clock()
        text = check_content(content, limit=self.settings.max_content_bytes)
        happened = check_time(event_at, "event_at") or now
        start = check_time(valid_from, "valid_from") or happened
        end = check_time(valid_to, "valid_to") or FOREVER
        if end <= start:
            raise InvalidInputError(f"valid_to ({end}) must be later than valid_from ({start}).")
        replaced = None if supersedes is None else self.get(supersedes)
        speaker = None if speaker is None else check_name(speaker, "The speaker")
        if replaced is not None and speaker is None:
            speaker = replaced.speaker
        source = check_name(source, "The source")
        draft = Draft(
            content=text,
            contextualized=contextualize([Said(text=text, speaker=speaker, at=happened)], 0),
            kind=check_kind(kind),
            source=source,
            identity=source,
            source_tag=check_name(source_tag, "The source tag"),
            speaker=speaker,
            category=None if category is None else check_name(category, "The category"),
            importance=(
                estimated_importance(text) if importance is None else check_fraction(importance, "importance")
            ),
            event_at=happened,
            known_at=check_time(known_at, "known_at") or now,
            valid_from=start,
            valid_to=end,
            reopen=True,
            immutable=immutable,
        )
        older = None if replaced is None else replaced.id
        sources = sorted({self.get(each).id for each in derived_from})

        def link(transaction: Transaction, memory: Memory) -> None:
            if not sources and older is None:
                return
            touched = sorted({memory.id, *sources, *([older] if older else [])})
            transaction.run("write/lock_memories", space=self.space, ids=touched)
            if sources:
                transaction.run(
                    "write/link_sources", space=self.space, id=memory.id, sources=sources, now=now
                )
            if older is not None:
                self._supersede(transaction, older, memory.id, reason or "replaced", now)

        memory = self.writer.write(draft, now, then=link)
        if memory.created:
            self._learner.reinforce(News(ids=(memory.id,), at=now))
        return memory

    @watched("remember", _of_space)
    def remember_turns(
        self, turns: Iterable[Turn], *, progress: Callable[[int], None] | None = None
    ) -> Ingested:
        """Store a conversation: its sessions, its raw turns, and one episodic memory for each turn.

        It is written in batches of `settings.batch_size`, each wholly or not at all. Run again after an
        interruption, it stores what is missing and nothing twice. Unusable turns (blank, too long) are
        left out and listed in the result.

        Args:
            turns: In order; of any number of sessions.
            progress: Called after each batch with the number of further turns that are done.
        """
        now = self._clock()
        ingested = self.writer.write_turns(turns, now, batch_size=self.settings.batch_size, progress=progress)
        if 0 < ingested.stored <= REINFORCED_AT_ONCE:
            self._learner.reinforce(News(ids=ingested.memories, at=now))
        return ingested

    @watched("remember", _of_space)
    def write_turns(self, turns: Sequence[Turn], addition: Addition) -> Ingested:
        """Store turns and something else that belongs to them, in one transaction; there may be no turns.

        Args:
            turns: What was said, in order; each with an id.
            addition: What else is written, and which memories it touches.
        """
        now = self._clock()
        done = self.writer.write_turns(
            turns, now, batch_size=max(1, len(turns)), progress=None, addition=addition
        )
        if done.stored:
            self._learner.reinforce(News(ids=done.memories, at=now))
        return done

    @cached_property
    def beliefs(self) -> "Beliefs":
        """What the space believes: facts, tensions, names, and the log of what became of them."""
        from engram.beliefs.front import Beliefs  # noqa: PLC0415  (which is built on this)

        return Beliefs(self)

    @cached_property
    def eraser(self) -> Eraser:
        """What deletes for good, and says beforehand what that takes."""
        return Eraser(self, unlearn=self._learner.forget)

    @cached_property
    def database_id(self) -> str:
        """Which database this is, whatever address it is reached at."""
        return str(self.graph.read("inspect/read_database")[0]["id"])

    def now(self) -> datetime:
        """Return the time that memories are stamped with, in UTC."""
        return self._clock()

    @watched("recall", _of_space)
    def recall(
        self,
        query: str,
        k: int = 10,
        *,
        as_of: datetime | str | None = None,
        mode: str = "search",
        explain: bool = False,
        read_only: bool = False,
        session: str | None = None,
        active: Iterable[str] = (),
        hops: int = 1,
        without: Iterable[str] = (),
        felt: Delta | None = None,
    ) -> Hits:
        """Return the memories that best answer `query`, best first.

        Superseded and archived memories are left out, unless `as_of` asks for what was known and held then.
        What comes back becomes a little easier to recall: that is written after this has returned, see
        `learning` and `flush`.

        Args:
            query: A question or some words, of any length.
            k: How many at most, 1 to 1,000.
            as_of: Answer from what was valid and known at this time, whatever has become of it; a date alone
                means the end of that day, in UTC. Nothing is learned from the past.
            mode: `search`, which is deterministic, or `mind`, which draws weights and noise anew each time.
            explain: Give each hit the terms that its score is the sum of.
            read_only: Write nothing.
            session: The conversation that this is for; it bounds how much one of them can reinforce.
            active: Ids of memories at hand; what is used together with them comes to mind more easily.
            hops: How far co-access spreads: 1, or 2 for what is two associations away.
            without: Parts of the evidence to leave out, for experiments: names of `engram.ranking.EVIDENCE`.
            felt: The gut feeling in a conversation, which leans towards what it points to; without, none does.

        Raises:
            InvalidInputError: An empty query, or another argument out of range.
        """
        asked = question(
            query, k, as_of=as_of, mode=mode, hops=hops, active=active, session=session, felt=felt
        )
        found = self._recaller.find(asked, without=frozenset(without))
        writes = not read_only and asked.as_of is None
        return hits(found, explain=explain, learner=self._learner, rate=self._judge, learn=writes)

    def end_session(self, session: str) -> int:
        """End a conversation: what was used in it and is above the bar of a session's end is due for promotion.

        A session that nobody ends has ended once it was not used for `session.idle_minutes`.

        Args:
            session: Its name; one in which nothing was recalled has nothing to end.

        Returns:
            How many memories are due.
        """
        name = check_name(session, "The session")
        self._learner.flush()
        return close_session(
            self.graph, space=self.space, session=name, now=self._clock(), tuning=self.tuning(), explicit=True
        )

    def tuned(self) -> Tuning:
        """Return those numbers as they were half a minute ago at most, for who needs them at every turn."""
        return self._tuned()

    def tuning(self) -> Tuning:
        """Return the numbers that the lifecycle of this space runs on."""
        return read_tuning(self.graph, space=self.space)

    def tune(
        self, key: str, value: float | str | None, *, everywhere: bool = False, by: str = "user"
    ) -> float:
        """Set one of those numbers, e.g. `tune("decay.working", 0.4)`; it holds from now on.

        Args:
            key: One of `engram.tuning.NUMBERS`.
            value: The number or its text; None for the default.
            everywhere: For every space that has none of its own.
            by: Who sets it, for the history.

        Returns:
            The number that holds now.

        Raises:
            InvalidInputError: There is no such number, or the value is out of range.
        """
        self._learner.flush()
        space = DEFAULTS_SPACE if everywhere else self.space
        held = tune(self.graph, space=space, key=key, value=value, by=by, now=self._clock())
        self._tuned.forget()
        return held

    @property
    def learning(self) -> Lessons:
        """How many recalls of this process were learned from, wait to be, or were lost to a database that was away."""
        return self._learner.state

    def flush(self) -> bool:
        """Wait until every recall so far has been learned from; return whether that came to pass in time."""
        return self._learner.flush()

    def judge(self, recall: str, *, useful: bool, memories: Iterable[str] | None = None) -> None:
        """Say whether what a recall returned was of use; the space's blend of relevance learns from it.

        Args:
            recall: The recall's id, `Hits.recall`.
            useful: The verdict.
            memories: Ids of the hits that it is about; all if left out.

        Raises:
            NotFoundError: There is no such recall, or it returned none of these.
        """
        written = self._learner.flush()
        ids = None if memories is None else list(memories)
        try:
            judge(self.graph, space=self.space, recall=recall, ids=ids, useful=useful, now=self._clock())
        except NotFoundError as error:
            if written and not self.learning.dropped:
                raise
            why = self.learning.reason or "it is still waiting to be written"
            raise NotFoundError(error.message, remedy=f"It may not be recorded: {why}.") from error

    def blend(self) -> Blend:
        """Return how this space weighs relevance, and the verdicts that it learned that from."""
        return read_blend(self.graph, space=self.space)

    def replay(self, recall: str) -> Replay:
        """Ask a recorded recall's question again, writing nothing, and return both answers.

        Args:
            recall: Its id or the beginning of one.

        Raises:
            NotFoundError: There is none in this space.
            InvalidInputError: The beginning fits several, or its question is gone because something it
                returned was erased.
        """
        self._learner.flush()
        then = read_recall(self.graph, space=self.space, prefix=self._prefix(recall, "recall"))
        if then.query is None:
            raise InvalidInputError("This recall's question is gone: something that it returned was erased.")
        now = self.recall(
            then.query,
            then.k,
            mode=then.mode,
            hops=then.hops,
            active=then.active,
            explain=True,
            read_only=True,
        )
        return Replay(then=then, now=now)

    def _judge(self, recall: str, memory_id: str, useful: bool) -> None:  # noqa: FBT001
        self.judge(recall, useful=useful, memories=[memory_id])

    @staticmethod
    def _prefix(given: str, what: str) -> str:
        prefix = given.strip().lower() if isinstance(given, str) else ""
        if len(prefix) < MIN_PREFIX or not prefix.isalnum() or not prefix.isascii():
            raise InvalidInputError(
                f"{given!r} is not a {what}'s id.",
                remedy=f"Give at least {MIN_PREFIX} characters of it; `engram recall` shows them.",
            )
        return prefix

    def get(self, memory_id: str) -> Memory:
        """Return a memory by its id, or by the first six or more characters of one.

        Raises:
            NotFoundError: There is none in this space.
            InvalidInputError: The beginning fits several.
        """
        prefix = self._prefix(memory_id, "memory")
        rows = self.graph.read("inspect/get_memory", space=self.space, prefix=prefix)
        if not rows:
            raise NotFoundError(f"There is no memory {memory_id!r} in the space {self.space!r}.")
        if len(rows) > 1 and rows[0]["memory"]["id"] != prefix:
            raise InvalidInputError(f"{memory_id!r} fits several memories.", remedy="Give more characters.")
        return memory_from(rows[0]["memory"])

    def forget(self, memory_id: str, *, erase: bool = False) -> Memory:
        """Take a memory out of recall; `restore` brings it back.

        Args:
            memory_id: Its id or the beginning of one.
            erase: Delete it for good, everywhere: its turn, its episodes, its cached vectors and its trace in
                the context of the turns around it. A tombstone keeps it from coming back.

        Returns:
            The memory as it is now, or as it was before it was erased.
        """
        memory = self.get(memory_id)
        if erase:
            self.eraser.erase(One(memory.id))
            return memory
        return self._set_status(memory, ["active", "dormant"], "archived")

    def restore(self, memory_id: str) -> Memory:
        """Bring a forgotten or superseded memory back into recall.

        What had superseded it stays as it is and does so no more; the memory holds again until when it did before.
        """
        memory = self.get(memory_id)
        if memory.status != "superseded":
            return self._set_status(memory, ["archived"], "active")

        def work(transaction: Transaction) -> list[Row]:
            transaction.run("write/lock_memories", space=self.space, ids=[memory.id])
            return transaction.run(
                "write/reinstate_memory", space=self.space, id=memory.id, forever=FOREVER
            ).rows

        rows = self.graph.transact(work)
        return memory_from(rows[0]["memory"]) if rows else self.get(memory.id)

    def supersede(self, old: str, new: str, reason: str, *, by: str = "user") -> Memory:
        """Let the memory `new` replace `old`, which stays, closed at the time the new one begins.

        Args:
            old: Id of what no longer holds.
            new: Id of what does.
            reason: Why, for whoever asks later.
            by: Who or what decided.

        Returns:
            The old memory as it is now.

        Raises:
            InvalidInputError: They are the same, or `old` replaces `new` already, or another replaced it, or it is forgotten.
        """
        older, newer = self.get(old).id, self.get(new).id
        now = self._clock()
        return self.graph.transact(
            lambda transaction: self._supersede(transaction, older, newer, reason, now, by=by)
        )

    def why(self, memory_id: str) -> list[Evidence]:
        """Return the chain of evidence of a memory, depth first, down to the turns.

        It has what the memory rests on, what it replaced and was replaced by, what strengthened it, and what it is in
        tension with. Depth and breadth are bounded (`engram.beliefs.why`); what is left out is counted.
        """
        memory = self.get(memory_id)
        return explain(self.graph, space=self.space, memory_id=memory.id)

    def history(self, memory_id: str) -> History:
        """Return what has happened to a memory: versions, promotions, recalls, what disagrees with it.

        Raises:
            NotFoundError: There is none in this space.
        """
        self._learner.flush()
        return read_history(self.graph, self.get(memory_id))

    def believed(self, question: str, at: datetime | str, *, k: int = 5) -> Believed:
        """Return what a question would have been answered with at a time, and what it is answered with now.

        Nothing is learned from either.

        Args:
            question: A question or some words.
            at: The time; a date alone means the end of that day, in UTC.
            k: How many answers of each at most.

        Raises:
            InvalidInputError: An empty question, or another argument out of range.
        """
        when = check_time(at, "at", whole_day=True)
        if when is None:
            raise InvalidInputError("at is missing.", remedy="Say as of when, e.g. 2026-05-01.")
        return compare(
            self.graph,
            space=self.space,
            question=question,
            at=when,
            then=self.recall(question, k, as_of=when, read_only=True),
            now=self.recall(question, k, read_only=True),
        )

    def stats(self) -> Stats:
        """Count what the space holds."""
        row = self.graph.read("inspect/count_space", space=self.space)[0]
        kinds, tiers, statuses = Counter[str](), Counter[str](), Counter[str]()
        for kind, tier, status, count in row["groups"]:
            kinds[kind] += count
            tiers[tier] += count
            statuses[status] += count
        return Stats(
            space=self.space,
            memories=row["memories"],
            by_kind=dict(kinds),
            by_tier=dict(tiers),
            by_status=dict(statuses),
            sessions=row["sessions"],
            turns=row["turns"],
            relationships=row["relationships"],
            first_event_at=row["first_event_at"],
            last_event_at=row["last_event_at"],
        )

    def _opened_embedder(self) -> Embedder:
        with self._opening:
            if self._embedder is None:
                self._embedder = open_embedder(self.settings)
            return self._embedder

    def _set_status(self, memory: Memory, allowed: list[str], status: str) -> Memory:
        outcome = self.graph.write(
            "write/set_status", **{"space": self.space, "id": memory.id, "from": allowed, "to": status}
        )
        if outcome.rows:
            return memory_from(outcome.rows[0]["memory"])
        memory = self.get(memory.id)
        if memory.status == status:
            return memory
        if memory.status == "superseded":
            raise InvalidInputError(
                f"The memory {short(memory.id)} was replaced, so it is out of recall already.",
                remedy=f"`engram history {short(memory.id)}` says by what; `engram forget {short(memory.id)} --erase` "
                "deletes it for good.",
            )
        raise InvalidInputError(
            f"The memory {short(memory.id)} is {memory.status}, so it cannot become {status}.",
            remedy=f"`engram history {short(memory.id)}` says how it came to that.",
        )

    def _supersede(
        self, transaction: Transaction, old: str, new: str, reason: str, now: datetime, *, by: str = "user"
    ) -> Memory:
        reason = check_content(reason, limit=self.settings.max_content_bytes)
        if old == new:
            raise InvalidInputError("A memory cannot supersede itself.")
        locked = transaction.run("write/lock_memories", space=self.space, ids=sorted((old, new))).rows
        memories = {row["id"]: memory_from(row["memory"]) for row in locked}
        if len(memories) < 2:
            raise NotFoundError(
                f"There is no memory {old!r} or {new!r} in the space {self.space!r} any more."
            )
        older, newer = memories[old], memories[new]

        def stands_below(upper: str, lower: str) -> dict[str, bool]:
            return transaction.run(
                "inspect/find_supersession", space=self.space, newer=upper, older=lower
            ).rows[0]

        if stands_below(old, new)["found"]:
            raise InvalidInputError(f"{old[:8]} replaces {new[:8]} already; both ways is not possible.")
        if older.status == "archived":
            raise InvalidInputError(
                f"{old[:8]} is forgotten.", remedy=f"`engram forget --undo {old[:8]}` brings it back first."
            )
        if older.status == "superseded" and not stands_below(new, old)["direct"]:
            raise InvalidInputError(
                f"{old[:8]} has been superseded before.", remedy=f"`engram why {old[:8]}` shows by what."
            )
        # Told of something earlier than the old memory's own beginning, the old one held until now.
        valid_to = min(older.valid_to, newer.valid_from if newer.valid_from > older.valid_from else now)
        outcome = transaction.run(
            "write/supersede_memory",
            space=self.space,
            old=old,
            new=new,
            valid_to=valid_to,
            closed_at=now,
            reason=reason,
            correction=False,
            by=by,
            now=now,
        )
        return memory_from(outcome.rows[0]["memory"])
