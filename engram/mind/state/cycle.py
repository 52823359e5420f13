"""One cycle: `New = f(Old, Scratch, New memories, Dream insights)`, as a draft that the guards have looked at.

The old version's lines compete with the new ones for their places. What loses its place becomes a search that finds it. The
old text is the measure of the new one, less what it said of memories that are not believed any more: to lose those is no
collapse.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from engram.llm.base import ChatModel
from engram.mind.state.budget import CUT, budget, shown_within
from engram.mind.state.fitting import SHARES, filled, placed
from engram.mind.state.guards import refusal
from engram.mind.state.leaving import LONGEST_POINTER, Kept, Missed, Old, Search, point, pointers_of
from engram.mind.state.lines import KEPT, KEPT_KEY, Line, Lines, citations, cited
from engram.mind.state.material import Material, fading
from engram.mind.state.rewriting import rewrite
from engram.mind.state.sections import TITLE, Section, State, divided
from engram.mind.state.signals import Levels
from engram.mind.state.versions import Cited, Draft, InForce, Refused, Standing
from engram.text import single_line

CARRIED = (Section.BOND, Section.ACTIVE)
"""Sections whose lines go on into the next version; the others are made anew."""
FADED = 0.05
"""What a line of the active context has to count to stay there."""
KEPT_SHARE = 0.5
"""Of a budget, what a person's own text may take."""
_WORTH_KEEPING = 200
"""Characters of such a text below which it goes for good."""
_RAGGED = 120
"""Characters that a cut of it between lines or words may cost: more, and half of a text is taken for a mass drop."""
_BOND_FLOOR = 0.5
"""What an older line of the bond counts beside half of its importance."""
_BEGINNING = 40
"""Characters of a memory by which it is found in a text that holds it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """What a cycle came to."""

    draft: Draft
    pointers: int
    notes: tuple[str, ...]
    """What could not be done, in words."""
    anew: bool = True
    """Whether it is to be stored; not what was refused before, and is stored with its reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cycle:
    """What a cycle goes by."""

    standing: Standing
    material: Material
    window: int
    """Tokens of the model's context."""
    levels: Levels
    now: datetime
    run: str
    """What makes the version; unique."""
    search: Search
    model: ChatModel | None = None
    """Words the new version; None: it is plain."""

    def make(self) -> Made:
        """Return the next version, taken or refused, with what could not be done."""
        pool = self._pool()
        basis = self._basis(pool)
        refused = self.standing.refused
        if refused is not None and refused.basis == basis:
            return self._as_before(refused)
        worded, notes = self._worded(pool)
        above = self._above()
        room = budget(self.window) - len(self._state({}, above).text())
        lines, missed = self._lines({**pool, **(worded or {})}, self._old(pool, above), room)
        text = self._state(lines, above).text()
        reason = refusal(_guarded(text, above), self._measure())
        draft = Draft(
            number=self.standing.last + 1,
            at=self.now,
            state="taken" if reason is None else "refused",
            text=text,
            mood=self.levels.mood(),
            reason=reason,
            plain=worded is None,
            levels=self.levels,
            run=self.run,
            cites=(*citations(lines), *_kept_cites(self.standing.force, above)),
            # What is refused tells nobody the notes: they wait on.
            consumed=tuple(note.id for note in self.standing.notes) if reason is None else (),
            basis=basis,
        )
        return Made(draft=draft, pointers=len(lines[Section.POINTERS]), notes=(*notes, *missed))

    def _basis(self, pool: Lines) -> str:
        """Return a hash of what a version is made of: of the same comes the same, and that is not tried twice."""
        force = self.standing.force
        told = {
            # The niche counts the runs of jobs, this one too.
            (section.value, each.text)
            for section, own in pool.items()
            if section is not Section.NICHE
            for each in own
        }
        made_of = (None if force is None else force.text, self.window, self.model is None, sorted(told))
        return hashlib.sha256(repr(made_of).encode("utf-8", "replace")).hexdigest()[:32]

    def _as_before(self, refused: Refused) -> Made:
        """Return the version that was refused last, once more."""
        draft = Draft(
            number=refused.version,
            at=refused.at,
            state="refused",
            text=refused.text,
            mood=self.levels.mood(),
            reason=refused.reason,
            plain=self.model is None,
            levels=self.levels,
            run=self.run,
            basis=refused.basis,
        )
        note = f"version {refused.version} was made of the same and refused: it is not made again"
        return Made(draft=draft, pointers=0, notes=(note,), anew=False)

    def _state(self, lines: Lines, above: str) -> State:
        told = {section: tuple(each.text for each in own) for section, own in lines.items()}
        return State(at=self.now, mood=self.levels.mood(), lines=told, kept=above)

    def _pool(self) -> dict[Section, tuple[Line, ...]]:
        """Return what competes: the old version's lines that go on, and what is new beside them."""
        pool = {section: tuple(own) for section, own in self.material.pool.items()}
        if self.standing.force is not None:
            pool |= {section: self._carried(self.standing.force, section) for section in CARRIED}
        # What is told as the phenotype is told as nothing else, but for a note that waits: that is promised a line.
        view = cited({Section.PHENOTYPE: pool[Section.PHENOTYPE]}) - {note.id for note in self.standing.notes}
        return pool | {
            Section.ACTIVE: tuple(
                each for each in pool[Section.ACTIVE] if not each.cites or not view.issuperset(each.cites)
            )
        }

    def _carried(self, force: InForce, section: Section) -> tuple[Line, ...]:
        """Return the lines of a section, the old ones that still count and the new ones, the weightiest first."""
        held = {each.memory: each for each in force.cites if each.status == "active"}
        old = [
            replace(each, weight=self._weight(section, [held[one] for one in each.cites]))
            for each in force.lines.get(section, ())
            if each.cites and all(one in held for one in each.cites)
        ]
        old = [each for each in old if section is not Section.ACTIVE or each.weight >= FADED]
        known = {one for each in old for one in each.cites}
        new = self.material.pool[section]
        fresh = [each for each in new if not each.cites or not known.issuperset(each.cites)]
        return tuple(sorted([*old, *fresh], key=lambda each: -each.weight))

    def _weight(self, section: Section, cites: Sequence[Cited]) -> float:
        importance = max(each.importance for each in cites)
        if section is Section.BOND:
            return _BOND_FLOOR + importance / 2.0
        return fading(importance, max(each.event_at for each in cites), self.now)

    def _worded(
        self, pool: Mapping[Section, Sequence[Line]]
    ) -> tuple[dict[Section, tuple[Line, ...]] | None, list[str]]:
        if self.model is None:
            return None, []
        force = self.standing.force
        return rewrite(self.model, pool, "" if force is None else force.told())

    def _above(self) -> str:
        """Return what stands of a person's own text: all of it in the first version after, then half each time."""
        force = self.standing.force
        if force is None or not force.kept:
            return ""
        most = int(budget(self.window) * KEPT_SHARE)
        return shortened(force.kept, most if force.seeded else min(most, len(force.kept) // 2))

    def _old(self, pool: Lines, above: str) -> Old:
        """Return what may leave: what the version before tells, and what was noted."""
        force = self.standing.force
        noted = {note.id: note.content for note in self.standing.notes}
        waiting = [each for each in pool[Section.ACTIVE] if {*each.cites} & noted.keys()]
        if force is None:
            return Old(lines=waiting, pointers=(), contents=noted)
        told = {section: own for section, own in force.lines.items() if section is not Section.POINTERS}
        cut_off = [each for each in force.kept_cites if not _holds(above, each.content)]
        return Old(
            lines=[
                *(each for own in told.values() for each in own),
                *(Line(each.content, (each.memory,)) for each in cut_off),
                *waiting,
            ],
            pointers=pointers_of(force.lines.get(Section.POINTERS, ())),
            contents=noted | {each.memory: each.content for each in force.cites if each.believed},
            away={each.memory for each in force.cites if each.away},
        )

    def _lines(
        self, pool: Lines, old: Old, room: int
    ) -> tuple[dict[Section, tuple[Line, ...]], tuple[str, ...]]:
        """Return the lines of every section and what could not be kept, in words.

        Room is put aside for as many pointers as what leaves may need. What they leave of it, lines get after all; a line
        that finds room then needs no pointer, and where there was one, there is room again.
        """
        lines = self._placed(pool, old, room)
        kept = point(old, present=cited(lines), search=self.search, room=room - _size(lines))
        while True:
            told, missed = _with_pointers(lines, kept, room)
            more = filled(lines, pool, room=room - _size(told), levels=self.levels)
            if _size(more) == _size(lines):
                return told, missed
            lines = more
            kept = kept.beside(cited(lines))

    def _placed(self, pool: Lines, old: Old, room: int) -> Lines:
        """Return the lines that have a place beside the pointers to those that have none, which have a share of the room."""
        share = int(room * SHARES[Section.POINTERS])
        aside, needed = -1, 0
        while needed > aside:
            aside = needed
            lines = placed(pool, room=room - aside, levels=self.levels)
            needed = min(share, old.leaving(cited(lines)) * LONGEST_POINTER)
        return lines

    def _measure(self) -> str | None:
        """Return the old text as the new one is measured by: as long as it may be now, less what is not believed or put away."""
        force = self.standing.force
        if force is None:
            return None
        away = {each.memory for each in force.cites if each.away}
        return shown_within(force.text_without(away), self.window)


def shortened(text: str, most: int) -> str:
    """Return the beginning of a text, with a note where there was more; '' where little would be left.

    It is cut between lines where one ends near the place, else between words, else anywhere: a paragraph may be one line.
    """
    own = text.removesuffix(CUT).rstrip()
    if len(own) <= most:
        return own
    room = own[: max(0, most - len(CUT) - 2)]
    ends = (room.rpartition(mark)[0].rstrip() for mark in ("\n", " "))
    head = next((each for each in ends if len(room) - len(each) <= _RAGGED), room)
    return f"{head}\n\n{CUT}" if len(head) >= _WORTH_KEEPING else ""


def again(make: Callable[[], Made], store: Callable[[Draft], bool], *, tries: int = 3) -> Made | None:
    """Return the version that is stored, made anew where something came between; None: each time."""
    for _ in range(tries):
        made = make()
        if not made.anew or store(made.draft):
            return made
    return None


def _holds(text: str, content: str) -> bool:
    """Say whether a text begins to tell a memory."""
    return single_line(content)[:_BEGINNING] in single_line(text)


def _guarded(text: str, above: str) -> str:
    """Return a version as the guards see it: a person's own headings and lists are none of its own."""
    own = f"{TITLE}{divided(text)[1]}"
    return f"{own}\n{single_line(above)}" if above else own


def _size(lines: Lines) -> int:
    return sum(each.size for own in lines.values() for each in own)


def _with_pointers(
    lines: Lines, kept: Kept, room: int
) -> tuple[dict[Section, tuple[Line, ...]], tuple[str, ...]]:
    """Return the lines with the pointers that fit, and with those that stay because nothing finds them; and what does not fit."""
    pointers, stay, missed = [], [], [*kept.missed]
    room -= _size(lines)
    for pointer in kept.pointers:
        each = Line(pointer.line(), pointer.stands_for)
        if each.size <= room:
            pointers.append(each)
            room -= each.size
        else:
            missed.append(Missed(each.cites, "no room for the pointer to {}"))
    for each in kept.stay:
        if each.size <= room:
            stay.append(each)
            room -= each.size
        else:
            missed.append(Missed(each.cites, "no search finds {}, and there is no room"))
    active = (*lines.get(Section.ACTIVE, ()), *stay)
    told = {section: tuple(own) for section, own in lines.items()}
    told |= {Section.ACTIVE: active, Section.POINTERS: tuple(pointers)}
    return told, tuple(each.note() for each in missed)


def _kept_cites(force: InForce | None, above: str) -> list[dict[str, object]]:
    held = () if force is None or not above else force.kept_cites
    return [
        {"memory": each.memory, "line": KEPT, "key": KEPT_KEY} for each in held if _holds(above, each.content)
    ]
