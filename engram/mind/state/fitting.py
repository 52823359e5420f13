"""Fitting: which lines get a place in a working memory of a bounded size.

Each section has a share of the room; what one does not need goes to the lines that count most elsewhere. A signal that is
high gives its section more (seed: section weighting).
"""

from collections.abc import Mapping

from engram.mind.state.lines import Line, Lines
from engram.mind.state.sections import Section
from engram.mind.state.signals import Levels

SHARES: Mapping[Section, float] = {
    Section.PHENOTYPE: 0.09,
    Section.BOND: 0.13,
    Section.NICHE: 0.04,
    Section.ACTIVE: 0.18,
    Section.POINTERS: 0.45,
    Section.GAPS: 0.06,
    Section.SKILLS: 0.05,
}
"""Of the room, where no signal is raised. Pointers leave what they do not need to the others."""


def shares(levels: Levels) -> dict[Section, float]:
    """Return the share of each section; they add up to 1.

    Bonding raises the bond by its level, achievement or friction, whichever is higher, the active context.
    """
    raised = {
        Section.BOND: 1.0 + levels.bonding,
        Section.ACTIVE: 1.0 + max(levels.achievement, levels.friction),
    }
    weighed = {section: share * raised.get(section, 1.0) for section, share in SHARES.items()}
    total = sum(weighed.values())
    return {section: share / total for section, share in weighed.items()}


def placed(pool: Lines, *, room: int, levels: Levels) -> dict[Section, tuple[Line, ...]]:
    """Return the lines that get a place, each section's in the pool's order.

    Args:
        pool: What competes, of each section the weightiest first.
        room: Characters of all lines together.
        levels: The signals.
    """
    parts = shares(levels)
    total = sum(parts[section] for section in pool) or 1.0
    chosen: dict[Section, list[Line]] = {section: [] for section in pool}
    left = room
    for section, lines in pool.items():
        own = int(room * parts[section] / total)
        for each in lines:
            if each.size <= min(own, left):
                chosen[section].append(each)
                own -= each.size
                left -= each.size
    return filled(chosen, pool, room=left, levels=levels)


def filled(lines: Lines, pool: Lines, *, room: int, levels: Levels) -> dict[Section, tuple[Line, ...]]:
    """Return lines that have a place with those that find one in the room that is left, what counts most first.

    Args:
        lines: What has a place, out of the pool.
        pool: What competes, of each section the weightiest first.
        room: Characters that are left.
        levels: The signals.
    """
    parts = shares(levels)
    chosen = {id(each) for own in lines.values() for each in own}
    waiting = (
        (-parts[section] * (1.0 + each.weight) / (1 + place), place, section, each)
        for section, own in pool.items()
        for place, each in enumerate(own)
        if id(each) not in chosen
    )
    for *_, each in sorted(waiting, key=lambda one: one[:3]):
        if each.size <= room:
            chosen.add(id(each))
            room -= each.size
    return {section: tuple(each for each in own if id(each) in chosen) for section, own in pool.items()}
