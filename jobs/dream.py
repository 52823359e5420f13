"""Dream: deep consolidation. A space asks itself what its memories come to, and says whether that was worth it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

from engram.beliefs.adapting.guidelines import guidelines
from engram.beliefs.conflicts.behaviour import find_behavioural
from engram.beliefs.conflicts.tensions import describe_missing, detect_resolutions
from engram.beliefs.dreaming import material
from engram.beliefs.dreaming.asking import Allowance, Asker
from engram.beliefs.dreaming.drawing import Drawer
from engram.beliefs.dreaming.insights import Drawn
from engram.beliefs.dreaming.material import Material
from engram.beliefs.dreaming.merging import Group, groups, merge
from engram.beliefs.dreaming.narratives import Theme, narrate, themes
from engram.beliefs.dreaming.questions import ask_questions
from engram.beliefs.dreaming.restating import Restater
from engram.beliefs.dreaming.rewriting import COMPANY, Lined, Placed, preambles, recompress
from engram.beliefs.dreaming.storing import Keeper
from engram.beliefs.dreaming.yields import DreamYield, Dropped, Kept
from engram.embedding.protocol import Task, Vectors
from engram.errors import EngramError
from engram.goals import Goals
from engram.graph import Row
from engram.mind.pondering import thoughts_to_weigh
from engram.mind.replaying import DEEP, Replayer
from engram.mind.thoughts import Thoughts
from engram.text import inert
from engram.tuning import NUMBERS, Tuning

from .job import Job, Work
from .lease import Lease, leased

_PHASE = "dream"
_NEAR = 0.7
"""Cosine of stored vectors, of memory and context, from which two are compared by what they say alone."""
_WIDTH = 20
"""Memories that each of the newest is compared with."""
_THEMES = 200
"""Newest insights whose narratives are looked at."""
_VALUES = 5
"""Values that are held against deeds at once."""
_TOLD = 80
"""Characters of an item in a report."""
_WIDENED = ("dream.memories", "dream.questions", "dream.recalled")
"""Numbers that are doubled where a dream comes to nothing."""
_EARLY = 0.9
"""Share of the interval before which a timed dream is too early: the timetable spreads runs by a twentieth."""


def _dream(work: Work) -> None:
    """Dream, if anything is new."""
    _begin(work, timed=False)


def _dream_if_due(work: Work) -> None:
    """Dream, if anything is new and it is time, or what is new is important enough."""
    _begin(work, timed=True)


def _begin(work: Work, *, timed: bool) -> None:
    with leased(work, _PHASE) as lease:
        if lease is None:
            _note_shallow(work, "another worker dreams")
            return
        state = work.read("believe/dream_read_state", space=work.space, tags=list(material.OWN_TAGS))[0]
        last: Mapping[str, Any] = state["last"] or {}
        fresh, left = bool(state["memories"] or state["clusters"]), bool(last.get("left"))
        if not (fresh or left):
            _note_shallow(work, "nothing is new since the last dream")
        elif timed and not _due(work, last.get("at"), state["importance"]):
            _note_shallow(work, "it is too early for the next dream")
        else:
            _Dream(lease).go_through(fresh=fresh)


def _due(work: Work, last: datetime | None, importance: float) -> bool:
    """Say whether an interval is over, or what is new weighs enough to dream at once."""
    interval = _EARLY * work.tuning.minutes(JOB.interval)
    return last is None or work.now >= last + interval or importance > work.tuning["dream.importance"]


def _note_shallow(work: Work, why: str) -> None:
    work.notes.append(f"shallow: {why}")
    if not work.dry_run:
        _record(work, found=None, shallow=True, why=why)


def _record(work: Work, *, found: Mapping[str, Any] | None, shallow: bool, why: str | None) -> None:
    work.graph.write(
        "believe/dream_record", space=work.space, run=work.run, found=found, shallow=shallow, why=why
    )


class _Dream:
    """One dream of one space."""

    def __init__(self, lease: Lease) -> None:
        self._lease = lease
        self._work = work = lease.work
        self._memory = work.memory
        # A dry run costs nothing: it is plain.
        model = (lambda _: None) if work.dry_run else work.model
        self._asker = Asker(model, Allowance(work.tuning.whole("dream.calls")))
        self._keeper = Keeper(self._memory, work.tuning, run=work.run)
        self._restater = Restater(self._memory, run=work.run)
        self._brought = DreamYield()
        self._left = False
        """Whether a step had more to do than it does at once."""

    def go_through(self, *, fresh: bool) -> None:
        """Dream from questions to preambles, and record what came of it.

        Args:
            fresh: Whether there are new memories; else only what an earlier dream has left is done.
        """
        if fresh:
            self._question()
            self._ponder()
        self._merge()
        self._narrate()
        self._settle()
        self._recompress()
        self._describe()
        self._replay()
        self._rank()
        if fresh and self._goes_deeper():
            self._question()
            self._merge()
        self._end()

    def _question(self) -> None:
        """Ask what the newest memories raise, and draw insights from what is recalled for it."""
        tuning = self._work.tuning
        newest = self._newest()
        most = tuning.whole("dream.questions")
        if len(newest) < 2 or not most:
            return
        self._lease.go_on()
        asked = ask_questions(newest, self._asker, most=most)
        if asked.plain:
            self._work.notes.append("questions: plain, from what the newest memories have in common")
        for question in asked.texts:
            self._draw(question)

    def _ponder(self) -> None:
        """Draw insights from what came to mind while nobody talked; each thought is weighed once."""
        work = self._work
        thoughts = Thoughts(work.graph, space=work.space)
        due = thoughts_to_weigh(
            thoughts,
            since=work.now - timedelta(days=work.tuning["sweep.keep_days"]),
            calls=None if self._asker.model("insights") is None else self._asker.allowance.left,
        )
        for thought in due:
            self._draw(thought.text, surfaced=thought.surfaced)
            if not work.dry_run:
                thoughts.weigh(thought.id, now=work.now)
        if due and not work.dry_run:
            work.notes.append(f"thoughts of the idle mind: {len(due)} weighed")

    def _draw(self, question: str, *, surfaced: Sequence[str] = ()) -> None:
        """Draw insights from what a question brings to mind, and keep them."""
        self._lease.go_on()
        drawer = Drawer(self._memory, self._asker, self._work.tuning, self._embed)
        self._keep(drawer.draw(question, surfaced=surfaced))

    def _newest(self) -> list[Material]:
        limit = self._work.tuning.whole("dream.memories")
        return material.newest(self._work.graph, space=self._work.space, limit=limit)

    def _keep(self, drawn: Drawn) -> None:
        self._drop(drawn.dropped)
        for insight in drawn.insights:
            if self._work.dry_run:
                self._plan(insight.sort, insight.text)
                continue
            self._lease.go_on()
            self._take(self._keeper.insight(insight), insight.sort, insight.text, by=insight.by)

    def _merge(self) -> None:
        """Merge what was said several times."""
        most = self._work.tuning.whole("dream.groups")
        due = [each for each in self._groups() if (each.left if each.merged_into else not each.refused)]
        if due:
            before = self._brought
            self._lease.go_on()
            self._keep(merge(due[:most], self._asker, self._embed))
            self._note_left(more=len(due) > most, before=before)

    def _groups(self) -> list[Group]:
        work = self._work
        newest = self._newest()
        if not newest:
            return []
        candidates = material.near(
            work.graph, space=work.space, ids=[each.id for each in newest], width=_WIDTH, least=_NEAR
        )
        said = [each for each in candidates if not each.depth]
        return groups(
            said,
            self._embed([each.content for each in said]),
            similar=work.tuning["dream.similar"],
            fewest=work.tuning.whole("dream.group"),
        )

    def _narrate(self) -> None:
        """Tell how insights came about."""
        work = self._work
        rows = work.read("believe/dream_list_themes", space=work.space, limit=_THEMES)
        due = [each for each in themes(rows, fewest=work.tuning.whole("dream.group")) if each.due]
        most = work.tuning.whole("dream.groups")
        if due:
            before = self._brought
            self._lease.go_on()
            self._tell(due[:most])
            self._note_left(more=len(due) > most, before=before)

    def _note_left(self, *, more: bool, before: DreamYield) -> None:
        """Leave what there was no room for to the next dream, if something came of this step; else it would repeat it."""
        self._left |= more and self._brought != before

    def _tell(self, due: Sequence[Theme]) -> None:
        told, dropped = narrate(due, self._asker)
        self._drop(dropped)
        for narrative in told:
            if self._work.dry_run:
                self._plan("narrative", narrative.text)
                continue
            self._lease.go_on()
            by = "words" if narrative.plain else "model"
            self._take(self._keeper.narrative(narrative), "narrative", narrative.text, by=by)

    def _settle(self) -> None:
        """Look at what disagrees: deeds with values, what was settled since, and what nobody has put into words yet."""
        if self._work.dry_run:
            return
        self._lease.go_on()
        model = self._asker.model("behaviour")
        # Each value is a call of its own; lines and preambles keep theirs.
        spare = _VALUES if model is None else min(_VALUES, self._asker.allowance.left - 2)
        found = 0
        if spare > 0:
            found = find_behavioural(self._memory, model, run=self._work.run, limit=spare)
        settled = detect_resolutions(self._memory, run=self._work.run)
        described = describe_missing(self._memory)
        self._work.count(found + settled + described)
        self._brought += DreamYield(links=found + described, priorities=settled)

    def _recompress(self) -> None:
        """Write lines anew, in the light of what memories belong to."""
        work = self._work
        limit = work.tuning.whole("dream.batch_size")
        rows = work.read("believe/dream_list_lines", space=work.space, limit=limit, company=COMPANY)
        memories = [Lined(**row) for row in rows]
        if not memories:
            return
        self._lease.go_on()
        advised = guidelines(work.graph, space=work.space)
        lines, dropped = recompress(memories, self._asker, self._embed_texts, advised)
        self._drop(dropped)
        for each in memories:
            if work.dry_run:
                if lines[each.id].text != each.compressed:
                    self._plan("line", lines[each.id].text, memory=each.id)
                continue
            self._lease.go_on()
            words = lines[each.id]
            self._take(self._restater.line(each, words), "line", words.text, by=words.by)
        self._left |= len(memories) == limit

    def _describe(self) -> None:
        """Say before what was said who said it, when and what about, and embed it anew with that."""
        work = self._work
        plainly = bool(work.tuning["dream.preamble"])
        idle = work.dry_run or self._asker.model("preamble") is None
        limit = work.tuning.whole("dream.batch_size")
        rows = work.read(
            "believe/dream_list_contexts",
            space=work.space,
            kinds=list(material.NEVER),
            limit=limit,
            stale=idle and not plainly,
        )
        memories = [Placed(**row) for row in rows]
        words = preambles([each for each in memories if not each.stale], self._asker, plainly=plainly)
        if work.dry_run:
            for memory_id, preamble in words.items():
                self._plan("preamble", preamble.text, memory=memory_id)
            return
        if not memories:
            return
        self._lease.go_on()
        before = self._brought
        for each in self._restater.contexts(memories, words):
            self._take(each, "preamble", "")
        self._note_left(more=len(memories) == limit, before=before)

    def _replay(self) -> None:
        """Hold what was lived through against all that is pursued; a dream is none the worse without."""
        work = self._work
        if work.dry_run:
            return
        self._lease.go_on()
        try:
            replayer = Replayer(work.graph, space=work.space, clock=lambda: work.now)
            found = sum(step.new is True for step in replayer.replay(DEEP, stop=work.stopping).steps)
        except EngramError as error:
            work.notes.append(f"replay: {error.message}")
            return
        work.count(found)
        self._brought += DreamYield(links=found)

    def _rank(self) -> None:
        """Recompute how much each goal presses; a goal whose place among them has changed is updated."""
        work = self._work
        if work.dry_run:
            return
        self._lease.go_on()
        try:
            goals = Goals(work.graph, self._memory.embedder, space=work.space, clock=lambda: work.now)
            before = [each.id for each in goals.list(state="active")]
            goals.rank()
            after = [each.id for each in goals.list(state="active")]
        except EngramError as error:
            work.notes.append(f"goals: {error.message}")
            return
        moved = sum(one != other for one, other in zip(before, after, strict=False))
        work.count(moved)
        self._brought += DreamYield(priorities=moved)

    def _goes_deeper(self) -> bool:
        """Say whether nothing has come of the newest memories though there are more, and look twice as far from here on."""
        work, tuning = self._work, self._work.tuning
        limited = len(self._newest()) == tuning.whole("dream.memories")
        if work.dry_run or not (self._brought.shallow and limited):
            return False
        wider = {key: min(2 * tuning[key], NUMBERS[key].high) for key in _WIDENED}
        work.tuning = Tuning({**tuning, **wider}, tuning.own)
        work.notes.append("nothing came of the newest memories, so it looked twice as far")
        return True

    def _take(self, kept: Kept, sort: str, text: str, *, by: str = "") -> None:
        """Count what became of an item, and say so."""
        if kept.dropped is not None:
            self._drop([kept.dropped])
        if kept.brought.shallow:
            return
        self._brought += kept.brought
        made = {"id": kept.id, "made": sort, "text": inert(text, _TOLD)}
        self._work.count(1, [made])
        brought = {name: value for name, value in asdict(kept.brought).items() if value}
        self._work.report.append({"made": sort, "id": kept.id, "new": kept.new, "by": by, "brought": brought})

    def _plan(self, sort: str, text: str, *, memory: str | None = None) -> None:
        """Say what a run might make."""
        example: Row = {"made": sort, "text": inert(text, _TOLD)}
        self._work.count(1, [example if memory is None else {"id": memory} | example])

    def _drop(self, dropped: Iterable[Dropped]) -> None:
        self._work.report.extend({"dropped": each.what, "why": each.why} for each in dropped)

    def _end(self) -> None:
        """Keep what the dream came to."""
        work = self._work
        work.notes.extend(self._asker.notes)
        shallow = self._brought.shallow
        why = "nothing came of what is new" if shallow else None
        if work.dry_run:
            return
        if why:
            work.notes.append(f"shallow: {why}; too shallow for a consolidation")
        found = {"at": work.now, "run": work.run, "shallow": shallow, "why": why, "left": self._left}
        _record(work, found=found | asdict(self._brought), shallow=shallow, why=why)

    def _embed(self, texts: Sequence[str]) -> Vectors:
        """Return vectors by which texts are grouped."""
        return self._memory.embedder.embed(texts, Task.CLUSTERING)

    def _embed_texts(self, texts: Sequence[str]) -> Vectors:
        """Return vectors that can be compared with stored ones."""
        return self._memory.embedder.embed(texts)


class _Timed(Job):
    """A job of which the timetable looks oftener whether it is due than it runs."""

    @property
    def interval(self) -> str:
        """The key of the number of minutes between two looks."""
        return f"{self.name}.look_minutes"


_WHY = (
    "What was lived through is thought over: questions, insights that cite, what was said often put together, stories "
    "of how it came about, contradictions settled, lines written anew. A dream that comes to nothing says so."
)
JOB = Job(
    name="dream",
    why=_WHY,
    steps=(_dream,),
    trigger="new memories that are important enough together",
    again="nothing: only what is new is dreamed of",
)
TIMED = _Timed(name=JOB.name, why=_WHY, steps=(_dream_if_due,))
"""The same on the timetable."""
