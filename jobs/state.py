"""State: the working memory's next version, out of the last one and of what came since."""

from datetime import UTC, datetime, timedelta
from functools import partial

from engram.mind.state.cycle import Cycle, Made, again
from engram.mind.state.material import read_material
from engram.mind.state.notes import count
from engram.mind.state.pointers import FOUND_AMONG
from engram.mind.state.rendering import render
from engram.mind.state.signals import Levels
from engram.mind.state.versions import Draft, Standing, standing, store
from engram.text import inert

from .job import Job, Work

_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST_LOOK = timedelta(days=1)
"""How far back the first look for what raises a signal goes."""
_TOLD = 80
"""Characters of a note in an example."""
_EVENTS = 10
"""Most of one sort that raise a signal in one cycle."""


class _NothingNew(Exception):  # noqa: N818  (no error: there is nothing to do)
    """There is nothing to make a version of."""


def _update(work: Work) -> None:
    """Make the next version, if anything is new."""
    if not work.dry_run:
        _tell_signals(work)
    held = standing(work.graph, space=work.space)
    why_not = _idle(work, held)
    if why_not is not None:
        work.notes.append(why_not)
        if held.force is not None:
            _render(work, held.force.text)
        return
    if work.dry_run:
        made = _make(work)
        work.count(1, [_example(made)])
        return
    try:
        stored = again(partial(_make, work), partial(_store, work))
    except _NothingNew as nothing:
        work.notes.append(str(nothing))  # somebody else has made a version of it meanwhile
        return
    if stored is None:
        work.empty += 1
        work.notes.append("others made versions meanwhile; the next run tries again")
        return
    _report(work, stored)


def _idle(work: Work, held: Standing) -> str | None:
    """Say why there is nothing to do; None: there is."""
    # What has been taken in has pushed others out, or has no room itself: the next version points to it.
    if held.notes or (held.force is not None and held.force.seeded):
        return None
    since = held.last_at or _BEGINNING
    found = work.read("mind/state_list_new", space=work.space, since=since, limit=0)[0]["found"]
    fewest = work.tuning.whole("state.fewest") if held.last else 1
    if found >= max(1, fewest):
        return None
    return f"nothing is new enough: {found} new memories, no note (state.fewest is {fewest})"


def _tell_signals(work: Work) -> None:
    """Raise the signals by what the graph has recorded since they were looked at last."""
    held = standing(work.graph, space=work.space)
    since = held.counted_at or held.last_at or work.now - _FIRST_LOOK
    if work.read("mind/state_list_events", space=work.space, since=since, limit=1):
        count(work.memory, since=since, most=_EVENTS)


def _make(work: Work) -> Made:
    held = standing(work.graph, space=work.space)
    if (why_not := _idle(work, held)) is not None:
        raise _NothingNew(why_not)
    memory = work.memory
    material = read_material(
        work.graph,
        held,
        space=work.space,
        now=work.now,
        limit=work.tuning.whole("state.memories"),
        since=held.force.at if held.force is not None else _BEGINNING,
    )

    def search(query: str) -> list[str]:
        return [hit.memory.id for hit in memory.recall(query, FOUND_AMONG, read_only=True)]

    return Cycle(
        standing=held,
        material=material,
        window=memory.settings.context_tokens,
        levels=(held.levels or Levels(at=work.now)).after(work.now),
        now=work.now,
        run=f"{work.run}:{work.space}",
        search=search,
        # A dry run costs nothing: it is plain.
        model=None if work.dry_run else work.model("state"),
    ).make()


def _store(work: Work, draft: Draft) -> bool:
    return store(work.graph, draft, space=work.space)


def _example(made: Made) -> dict[str, object]:
    draft = made.draft
    return {"version": draft.number, "state": draft.state, "chars": len(draft.text)}


def _report(work: Work, made: Made) -> None:
    draft = made.draft
    work.count(int(made.anew), [_example(made)])
    work.notes.extend(inert(note, 2 * _TOLD) for note in made.notes)
    work.report.append(
        {**_example(made), "reason": draft.reason, "pointers": made.pointers, "plain": draft.plain}
    )
    if draft.state == "refused":
        work.notes.append(f"version {draft.number} is refused: {draft.reason}; the one before stays in force")
        held = standing(work.graph, space=work.space).force
        if held is not None:
            _render(work, held.text)
    else:
        _render(work, draft.text)


def _render(work: Work, text: str) -> None:
    """Let the file say what the version in force says; the graph has it, whatever becomes of that."""
    if work.dry_run:
        return
    try:
        render(work.memory, text)
    except OSError as error:
        work.notes.append(f"MEMORY.md could not be written: {error}")


JOB = Job(
    name="state",
    why="What is carried into the next conversation is made anew from the last version, notes and new memories: seven "
    "sections of a bounded size; what loses its place becomes a search that finds it.",
    steps=(_update,),
    trigger="`engram state import`",
    again="nothing: only what is new makes a version",
)
