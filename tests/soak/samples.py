"""What processes hold as time goes by: samples, whether they grow, a table and a picture of them."""

import csv
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path

import numpy as np
import psutil

MEGABYTE = 1e6
SLACK_THREADS, SLACK_HANDLES = 1, 3
"""A job or a connection that happens to be under way."""
SLACK_SHARE, SLACK_MEGABYTES = 0.05, 8.0
"""Of the resident memory: what fills caches of a set size, and what the allocator keeps for itself."""


@dataclass(frozen=True, slots=True)
class Sample:
    """What one process held at one time."""

    seconds: float
    """Since the start."""
    process: str
    threads: int
    handles: int
    """Open file descriptors, sockets included."""
    resident: float
    """Megabytes."""


def take(seconds: float, processes: Mapping[str, int]) -> Iterator[Sample]:
    """Yield a sample of each process that is alive, by its name and process id."""
    for name, pid in processes.items():
        try:
            process = psutil.Process(pid)
            with process.oneshot():
                resident = process.memory_info().rss / MEGABYTE
                yield Sample(seconds, name, process.num_threads(), process.num_fds(), resident)
        except psutil.NoSuchProcess:  # the server, between a stop and a start
            continue


@dataclass(frozen=True, slots=True)
class Course:
    """One process from the end of its warm-up, which is the first quarter, to the end."""

    process: str
    samples: Sequence[Sample]

    def between(self, begin: float, end: float) -> "Course":
        """Return a part of it: shares of the whole time."""
        last = self.samples[-1].seconds
        inside = [each for each in self.samples if begin * last <= each.seconds <= end * last]
        return Course(self.process, inside)

    def median(self, what: str) -> float:
        """Return the median of a field."""
        return float(statistics.median(getattr(each, what) for each in self.samples))

    def peak(self, what: str) -> float:
        """Return the most of a field."""
        return float(max(getattr(each, what) for each in self.samples))

    @property
    def slope(self) -> float:
        """Return by how many megabytes an hour the resident memory has grown since the warm-up."""
        late = self.between(0.25, 1.0).samples
        return float(
            np.polyfit([each.seconds / 3600 for each in late], [each.resident for each in late], 1)[0]
        )

    def growth(self) -> list[str]:
        """Return what has grown from the second quarter to the last, in words; empty where nothing has."""
        early, late = self.between(0.25, 0.5), self.between(0.75, 1.0)
        allowed = {
            "threads": early.median("threads") + SLACK_THREADS,
            "handles": early.median("handles") + SLACK_HANDLES,
            "resident": early.median("resident") * (1 + SLACK_SHARE) + SLACK_MEGABYTES,
        }
        return [
            f"{self.process}: {what} from {early.median(what):.0f} to {late.median(what):.0f}"
            for what, most in allowed.items()
            if late.median(what) > most
        ]


def courses(samples: Sequence[Sample]) -> list[Course]:
    """Return the samples by process, in the order in which the processes came up."""
    names = dict.fromkeys(sample.process for sample in samples)
    return [Course(name, [each for each in samples if each.process == name]) for name in names]


def table(samples: Sequence[Sample]) -> str:
    """Return what the processes held, in the second quarter and in the last one, as markdown."""
    lines = [
        "| process | threads | handles | resident, MB | most, MB | MB an hour |",
        "|:--|--:|--:|--:|--:|--:|",
    ]
    for course in courses(samples):
        early, late = course.between(0.25, 0.5), course.between(0.75, 1.0)
        pairs = [
            f"{early.median(what):.0f} → {late.median(what):.0f}"
            for what in ("threads", "handles", "resident")
        ]
        lines.append(
            f"| {course.process} | {' | '.join(pairs)} | {course.peak('resident'):.0f} | {course.slope:+.0f} |"
        )
    return "\n".join(lines)


def write_csv(samples: Sequence[Sample], file: Path) -> None:
    """Write all samples into a file."""
    with file.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(field.name for field in fields(Sample))
        writer.writerows(astuple(sample) for sample in samples)


# Mid tones that are legible on white and on black, since a picture is shown in both.
_COLOURS = ("#2f81f7", "#d29922", "#3fb950", "#8b949e")
_STYLE = """<style>
  text { font: 12px system-ui, sans-serif; fill: #8b949e; }
  polyline { fill: none; stroke-width: 2; }
  path { stroke: #8b949e; stroke-opacity: 0.3; }
</style>"""
_LEFT, _RIGHT, _TOP, _BOTTOM = 60, 560, 40, 300


def picture(samples: Sequence[Sample], restarts: Sequence[float]) -> str:
    """Return resident memory over time as SVG; the upright lines are restarts of the server."""
    last = max(sample.seconds for sample in samples)
    most = max(sample.resident for sample in samples)
    ticks = np.arange(0.0, most * 1.1, 10.0 ** np.floor(np.log10(most)) / 2).tolist()

    def place(sample: Sample) -> str:
        x = _LEFT + (_RIGHT - _LEFT) * sample.seconds / last
        return f"{x:.1f},{_height(sample.resident, ticks[-1]):.1f}"

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_RIGHT + 160} {_BOTTOM + 50}" role="img">',
        "<title>Resident memory of each process during the soak</title>",
        _STYLE,
        f'<text x="{_LEFT}" y="{_TOP - 18}">resident, MB</text>',
        *(
            f'<path d="M{_LEFT} {_height(tick, ticks[-1]):.1f}H{_RIGHT}"/>'
            f'<text x="{_LEFT - 8}" y="{_height(tick, ticks[-1]) + 4:.1f}" text-anchor="end">{tick:g}</text>'
            for tick in ticks
        ),
        *(f'<path d="M{_LEFT + (_RIGHT - _LEFT) * at / last:.1f} {_TOP}V{_BOTTOM}"/>' for at in restarts),
        f'<text x="{(_LEFT + _RIGHT) / 2}" y="{_BOTTOM + 30}" text-anchor="middle">{last / 60:.0f} minutes</text>',
    ]
    for course, colour in zip(courses(samples), _COLOURS, strict=False):
        points = " ".join(map(place, course.samples))
        level = _height(course.between(0.75, 1.0).median("resident"), ticks[-1])
        parts += [
            f'<polyline points="{points}" stroke="{colour}"/>',
            f'<text x="{_RIGHT + 8}" y="{level + 4:.1f}" style="fill: {colour}">{course.process}</text>',
        ]
    return "\n".join([*parts, "</svg>\n"])


def _height(value: float, highest: float) -> float:
    return _BOTTOM - (_BOTTOM - _TOP) * value / highest
