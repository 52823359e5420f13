"""The month as a picture: four panels of lines over its days, as SVG."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tests.month.simulation import Sample

# Mid tones that are legible on white and on black, since a picture is shown in both.
COLOURS = ("#2f81f7", "#d29922", "#3fb950", "#db61a2", "#8b949e")
_STYLE = """<style>
  text { font: 12px system-ui, sans-serif; fill: #8b949e; }
  polyline { fill: none; stroke-width: 2; }
  path { stroke: #8b949e; stroke-opacity: 0.3; }
</style>"""
_WIDTH, _HEIGHT = 300, 170
_GAP_X, _GAP_Y = 190, 90
_LEFT, _TOP = 50, 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One diagram."""

    title: str
    lines: Mapping[str, Sequence[tuple[int, float]]]
    """By name, day and value."""

    @property
    def highest(self) -> float:
        """The largest value, or 1 where there is none above 0."""
        return max((value for line in self.lines.values() for _, value in line), default=0.0) or 1.0


def panels(samples: Sequence[Sample]) -> tuple[Panel, ...]:
    """Return energy by tier, the magnitude of what was felt, priorities of goals, and what each day cost."""
    tiers = sorted({tier for sample in samples for tier in sample.energies})
    goals = dict.fromkeys(goal["text"] for sample in samples for goal in sample.row["goals"])
    return (
        Panel(
            title="mean energy, by tier",
            lines={
                tier: [(each.day, each.energies[tier]) for each in samples if tier in each.energies]
                for tier in tiers
            },
        ),
        Panel(
            title="gut feeling, mean magnitude of three days",
            lines={
                "magnitude": [
                    (each.day, each.row["lately"]) for each in samples if each.row["lately"] is not None
                ]
            },
        ),
        Panel(
            title="priority of goals",
            lines={
                f"{goal[:18]}…": [
                    (sample.day, found["priority"])
                    for sample in samples
                    for found in sample.row["goals"]
                    if found["text"] == goal and found["state"] == "active" and found["priority"] is not None
                ]
                for goal in goals
            },
        ),
        Panel(
            title="cost a day, US dollars", lines={"all models": [(each.day, each.cost) for each in samples]}
        ),
    )


def picture(samples: Sequence[Sample]) -> str:
    """Return the panels as SVG, two in a row."""
    drawn = panels(samples)
    width = 2 * (_WIDTH + _GAP_X) + _LEFT
    height = 2 * (_HEIGHT + _GAP_Y) + _TOP
    days = samples[-1].day
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
            "<title>A simulated month: energy by tier, gut feeling, priorities of goals, cost</title>",
            _STYLE,
            *(part for place, panel in enumerate(drawn) for part in _drawn(panel, place, days)),
            "</svg>\n",
        ]
    )


def _drawn(panel: Panel, place: int, days: int) -> Iterator[str]:
    left = _LEFT + (place % 2) * (_WIDTH + _GAP_X)
    top = _TOP + (place // 2) * (_HEIGHT + _GAP_Y)
    bottom = top + _HEIGHT
    yield f'<text x="{left}" y="{top - 14}">{panel.title}</text>'
    for share in np.linspace(0.0, 1.0, 5).tolist():
        y = bottom - _HEIGHT * share
        yield f'<path d="M{left} {y:.1f}h{_WIDTH}"/>'
        yield f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{share * panel.highest:.2g}</text>'
    yield f'<text x="{left + _WIDTH / 2}" y="{bottom + 18}" text-anchor="middle">{days + 1} days</text>'
    ends: list[float] = []
    for (name, line), colour in zip(panel.lines.items(), COLOURS, strict=False):
        if not line:
            continue
        points = [
            (left + _WIDTH * day / max(1, days), bottom - _HEIGHT * value / panel.highest)
            for day, value in line
        ]
        yield f'<polyline points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}" stroke="{colour}"/>'
        y = points[-1][1] + 4
        while any(abs(y - other) < 13 for other in ends):
            y -= 13
        ends.append(y)
        yield f'<text x="{left + _WIDTH + 6}" y="{y:.1f}" style="fill: {colour}">{name}</text>'
