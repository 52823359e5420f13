"""The curves of forgetting: energy as it stands in the graph, looked at again and again, held to the formula.

One memory of each tier that nobody touches, and one that is used on five days of two weeks and so goes through all
tiers. The job decay runs at each look, with a clock that has moved; the formula is `engram.energy`'s.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from engram.config import Settings
from engram.energy import TIERS, Course, energy_now, hours_between
from engram.memory import Engram
from engram.testing import FixedClock
from engram.tuning import NUMBERS
from tests.bench.lived import NOW, Subjects, run

JOBS: dict[str, Any] = resolve_name("engram.jobs.scheduler:JOBS")
run_job: Callable[..., Any] = resolve_name("engram.jobs.job:run_job")

PICTURE = Path(__file__).parents[2] / "docs" / "forgetting.svg"
FACT, QUESTION = "atlas of Zoë, on the shelf", "atlas"
LOOKS = [0.25 * math.sqrt(2.0) ** n for n in range(31)]
"""Hours after which the untouched memories are looked at: from a quarter of an hour to eleven months."""
USES = (0.2, 0.4, 0.6, 72.0, 72.4, 150.0, 150.4, 245.0, 337.0, 337.4)
"""Hours after which the other one is used: on five days, the last two weeks after the first."""
DAYS = 30
STEP = 12.0
"""Hours between two looks at it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What stood in the graph at one time."""

    hours: float
    tier: str
    stored: float
    """The energy as the job left it: written where it had moved by more than the tolerance."""
    read: float
    """The energy as whoever reads it computes it."""
    formula: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """One memory's looks, and the formula at as many times as a line needs."""

    name: str
    looks: tuple[Look, ...]
    line: tuple[tuple[float, str, float], ...]
    """Hours, tier and energy."""


def curves(settings: Settings) -> list[Curve]:
    """Return the curve of an untouched memory of each tier, and last that of the one in use."""
    return [*(_untouched(settings, tier) for tier in TIERS), _used(settings)]


def words(curves: Sequence[Curve]) -> str:
    """Say how far the graph was from the formula at most."""
    looks = [look for curve in curves for look in curve.looks]
    stored = max(abs(look.stored - look.formula) for look in looks)
    read = max(abs(look.read - look.formula) for look in looks)
    return (
        f"Forgetting: {len(looks)} looks at {len(curves)} memories. From the formula, stored energy was {stored:.4f} "
        f"away at most ({NUMBERS['decay.tolerance'].default:g} is tolerated), energy as it is read {read:.0e}."
    )


class _Watched:
    """One memory in a space of its own, looked at after the jobs have run."""

    def __init__(self, memory: Engram, clock: FixedClock) -> None:
        self._memory = memory
        self._clock = clock
        self.id = memory.remember(FACT).id

    def look(self, hours: float, course: Course) -> Look:
        """Let the jobs run so many hours after the beginning, and look."""
        now = self._clock.now = NOW + timedelta(hours=hours)
        for name in ("promote", "decay"):
            run_job(JOBS[name], self._memory.graph, space=self._memory.space, clock=self._clock)
        held = self._memory.get(self.id)
        return Look(
            hours=hours,
            tier=held.tier,
            stored=held.energy,
            read=energy_now(held.energy, held.energy_at, now, tier=held.tier),
            formula=course.settled(now).energy,
        )


def _untouched(settings: Settings, tier: str) -> Curve:
    clock = FixedClock(NOW)
    with Engram.open(settings, space=f"untouched {tier}", embedder=Subjects(), clock=clock) as memory:
        watched = _Watched(memory, clock)
        rows = [{"id": watched.id, "properties": {"tier": tier}, "follows": None}]
        run(memory.graph, "age_memories", rows=rows)
        course = Course(at=NOW, tier=tier)
        return Curve(
            name=tier,
            looks=tuple(watched.look(hours, course) for hours in LOOKS),
            line=tuple(
                (hours, tier, course.settled(NOW + timedelta(hours=hours)).energy)
                for hours in (LOOKS[0] * 2 ** (n / 8) for n in range(121))
            ),
        )


def _used(settings: Settings) -> Curve:
    clock = FixedClock(NOW)
    looks: list[Look] = []
    courses = [Course(at=NOW)]
    with Engram.open(settings, space="used", embedder=Subjects(), clock=clock) as memory:
        watched = _Watched(memory, clock)
        uses = [(hours, True) for hours in USES]
        looked = [(STEP * n, False) for n in range(1, int(DAYS * 24 / STEP) + 1)]
        for hours, used in sorted(uses + looked):
            if used:
                clock.now = NOW + timedelta(hours=hours)
                memory.recall(QUESTION, 1)
                memory.flush()
                courses.append(courses[-1].used(clock.now))
            else:
                looks.append(watched.look(hours, courses[-1]))
    return Curve(name="used", looks=tuple(looks), line=tuple(_line(courses)))


def _line(courses: Sequence[Course]) -> Iterator[tuple[float, str, float]]:
    """Yield points of a life: of each of its stretches both ends, and some between; a use is a step."""
    ends = [course.at for course in courses[1:]] + [NOW + timedelta(days=DAYS)]
    for before, course, end in zip([courses[0], *courses], courses, ends, strict=False):
        yield hours_between(NOW, course.at), course.tier, before.settled(course.at).energy
        points = max(2, math.ceil((end - course.at) / timedelta(hours=3)))
        for n in range(points + 1):
            at = course.at + (end - course.at) * (n / points)
            yield hours_between(NOW, at), course.tier, course.settled(at).energy


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One of the picture's two coordinate systems."""

    left: float
    title: str
    x: Callable[[float], float]
    """From hours to the share of the width."""
    marks: Sequence[tuple[float, str]]
    """Hours and what is written below them."""
    top: float
    """The highest energy."""

    def place(self, hours: float, energy: float) -> str:
        """Return a point as SVG writes it."""
        return f"{self.across(hours):.1f},{self.up(energy):.1f}"

    def across(self, hours: float) -> float:
        """Return the abscissa."""
        return self.left + WIDTH * self.x(hours)

    def up(self, energy: float) -> float:
        """Return the ordinate."""
        return BOTTOM - (BOTTOM - TOP) * energy / self.top


WIDTH, TOP, BOTTOM = 330, 50, 280
_HOURS = [(1.0, "1 hour"), (24.0, "1 day"), (240.0, "10 days"), (2_400.0, "100 days")]


def picture(curves: Sequence[Curve]) -> str:
    """Return the curves as SVG: the formula as a line and what stood in the graph as dots, coloured by tier."""
    span = math.log(LOOKS[-1] / LOOKS[0])
    untouched = Panel(
        left=45,
        title="energy, untouched",
        x=lambda hours: math.log(hours / LOOKS[0]) / span,
        marks=_HOURS,
        top=1.0,
    )
    used = Panel(
        left=450,
        title="energy, used on five days",
        x=lambda hours: hours / 24.0 / DAYS,
        marks=[(24.0 * day, f"{day} days" if day else "0") for day in range(0, DAYS + 1, 10)],
        top=4.0,
    )
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {used.left + WIDTH + 30:g} {BOTTOM + 60}" role="img">',
            "<title>Energy over time: the formula as lines, what stood in the graph as dots</title>",
            _STYLE,
            *_axes(untouched),
            *_axes(used),
            *(part for curve in curves[:-1] for part in _drawn(untouched, curve)),
            *_drawn(used, curves[-1]),
            *_legend(untouched.left),
            "</svg>\n",
        ]
    )


def _axes(panel: Panel) -> Iterator[str]:
    yield f'<text x="{panel.left}" y="{TOP - 18}">{panel.title}</text>'
    for n in range(5):
        energy = panel.top * n / 4
        y = panel.up(energy)
        yield f'<path class="grid" d="M{panel.left} {y:.1f}h{WIDTH}"/>'
        yield f'<text x="{panel.left - 8}" y="{y + 4:.1f}" text-anchor="end">{energy:g}</text>'
    for hours, mark in panel.marks:
        yield f'<text x="{panel.across(hours):.1f}" y="{BOTTOM + 20}" text-anchor="middle">{mark}</text>'


def _drawn(panel: Panel, curve: Curve) -> Iterator[str]:
    for tier in TIERS:
        points = [panel.place(hours, energy) for hours, at, energy in curve.line if at == tier]
        if points:
            yield f'<polyline class="{tier}" points="{" ".join(points)}"/>'
    for look in curve.looks:
        x, y = panel.place(look.hours, look.stored).split(",")
        yield f'<circle class="{look.tier}" cx="{x}" cy="{y}" r="2.5"/>'


def _legend(left: float) -> Iterator[str]:
    for n, tier in enumerate(TIERS):
        yield f'<text class="{tier}" x="{left + 110 * n}" y="{BOTTOM + 48}">{_NAMES[tier]}</text>'
    yield f'<text x="{left + 330}" y="{BOTTOM + 48}">line: formula; dots: the graph</text>'


_NAMES = {"working": "working", "shortTerm": "short-term", "longTerm": "long-term"}
# Mid tones that are legible on white and on black, since a picture is shown in both.
_STYLE = """<style>
  text { font: 12px system-ui, sans-serif; fill: #57606a; }
  polyline { fill: none; stroke-width: 1.5; stroke-linejoin: round; }
  .grid { stroke: #8c959f; stroke-opacity: 0.3; }
  polyline.working { stroke: #bf8700; }
  polyline.shortTerm { stroke: #2f81f7; }
  polyline.longTerm { stroke: #2da44e; }
  .working:not(polyline) { fill: #bf8700; }
  .shortTerm:not(polyline) { fill: #2f81f7; }
  .longTerm:not(polyline) { fill: #2da44e; }
  @media (prefers-color-scheme: dark) { text:not([class]) { fill: #9da7b1; } }
</style>"""
