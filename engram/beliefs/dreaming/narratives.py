"""Narratives: how an insight came about, in a sentence that begins with "Identity narrative: ".

One for each cluster, or for each insight that rests on no one cluster; it is told anew where a third of what it rests on
has become other. It is a memory like any other and competes for its place in a prompt.

Source: narrative synthesis of the v4 plan, 4.2.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from pydantic import BaseModel, Field

from engram.beliefs.dreaming.asking import Asker
from engram.beliefs.dreaming.insights import FEWEST_CITED, LONGEST_INSIGHT
from engram.beliefs.dreaming.material import LONGEST_SHOWN
from engram.beliefs.dreaming.yields import Dropped
from engram.graph import Row
from engram.loop.compression import compress, one_line
from engram.loop.fencing import LONGEST_NAME, section
from engram.text import inert

PREFIX = "Identity narrative: "
LONGEST_NARRATIVE = 400
"""Characters behind the prefix, as a model words it."""
_LONGEST_QUOTED = 120
"""Characters of a source that the plain form quotes."""
RENEWED = 1 / 3
"""Share of what a narrative rests on that must have changed before it is told anew."""
MOST_CITED = 20
"""Sources of an insight that its narrative cites: the first and the last ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One memory that an insight rests on."""

    id: str
    content: str
    speaker: str | None
    event_at: datetime
    cluster: str | None
    size: int
    """Members of that cluster."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Theme:
    """An insight that may be told of."""

    about: str
    """Id of the cluster, or of the insight where there is none."""
    insight: str
    """Its id."""
    text: str
    depth: int
    cites: tuple[Told, ...]
    """What it rests on, by date."""
    narrative: str | None
    """Id of the narrative that there is."""
    narrated: frozenset[str]
    """Ids of what that one was told of last, the insight aside."""

    @property
    def due(self) -> bool:
        """Whether there is no narrative, or a third of what it rests on has become other."""
        now = {each.id for each in self.cites}
        return self.narrative is None or len(now ^ self.narrated) >= RENEWED * len(now | self.narrated)


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrative:
    """What is told of a theme."""

    theme: Theme
    text: str
    plain: bool


class _Narrative(BaseModel):
    """What a model tells of one theme."""

    theme: int
    text: str
    memories: list[int] = Field(default_factory=list)


class _Narratives(BaseModel):
    """The shape of the answer."""

    narratives: list[_Narrative] = Field(default_factory=list)


def themes(rows: Sequence[Row], *, fewest: int) -> list[Theme]:
    """Return what may be told of: for each cluster or lone insight the insight that rests on the most.

    Args:
        rows: Of `believe/dream_list_themes`, the newest insight first.
        fewest: What an insight must rest on, or its cluster have as members.
    """
    found: dict[str, Theme] = {}
    for row in sorted(rows, key=lambda each: -len(each["cites"])):
        cites = sorted((Told(**each) for each in row["cites"]), key=lambda each: (each.event_at, each.id))
        cluster, size = _home(cites)
        if len(cites) >= FEWEST_CITED and max(len(cites), size) >= fewest:
            theme = _theme(row, cites, cluster)
            found.setdefault(theme.about, theme)
    return list(found.values())


def _home(cites: Sequence[Told]) -> tuple[str | None, int]:
    """Return the cluster that most of these belong to, with its size; none where there is no such one."""
    counts = Counter(each.cluster for each in cites if each.cluster)
    cluster, count = max(counts.items(), key=lambda each: (each[1], each[0]), default=("", 0))
    if 2 * count <= len(cites):
        return None, 0
    return cluster, max(each.size for each in cites if each.cluster == cluster)


def _theme(row: Row, cites: list[Told], cluster: str | None) -> Theme:
    insight = row["insight"]
    about = cluster or insight["id"]
    held = [each for each in row["narratives"] if each["about"] in {cluster, insight["id"]}]
    narrative = max(held, key=lambda each: each["id"], default=None)
    half = MOST_CITED // 2
    return Theme(
        about=about,
        insight=insight["id"],
        text=insight["content"],
        depth=insight["depth"],
        cites=tuple(cites if len(cites) <= MOST_CITED else [*cites[:half], *cites[-half:]]),
        narrative=narrative["id"] if narrative else None,
        narrated=frozenset(narrative["told_of"]) if narrative else frozenset(),
    )


def narrate(due: Sequence[Theme], asker: Asker) -> tuple[list[Narrative], list[Dropped]]:
    """Return what is told of themes, all asked about in one call; plainly where a model says nothing usable.

    Args:
        due: The themes.
        asker: Asks a model.
    """
    if not due:
        return [], []
    answer = asker.ask("narrative", section("themes", _shown(due)), _Narratives)
    texts, dropped = _usable(answer.narratives if answer else [], due)
    told = [
        Narrative(theme=theme, text=PREFIX + (texts.get(place) or plain(theme)), plain=place not in texts)
        for place, theme in enumerate(due)
    ]
    return told, dropped


def _shown(due: Sequence[Theme]) -> Iterator[str]:
    for number, theme in enumerate(due, start=1):
        yield f"theme {number}: {inert(theme.text, LONGEST_INSIGHT)}"
        for place, each in enumerate(theme.cites, start=1):
            yield f"  {place}. {_dated(each)}: {inert(each.content, LONGEST_SHOWN)}"


def _usable(answers: Iterable[_Narrative], due: Sequence[Theme]) -> tuple[Mapping[int, str], list[Dropped]]:
    """Return what can be kept of a model's answers, by the theme's place, and what cannot."""
    texts: dict[int, str] = {}
    dropped = []
    for each in answers:
        text = one_line(inert(each.text, 4 * LONGEST_NARRATIVE), LONGEST_NARRATIVE).removeprefix(PREFIX)
        why = _fault(each, text, due, texts)
        if why:
            dropped.append(Dropped.of(text, why))
        else:
            texts[each.theme - 1] = text
    return texts, dropped


def _fault(answer: _Narrative, text: str, due: Sequence[Theme], held: Mapping[int, str]) -> str:
    """Return why what a model tells of a theme cannot be kept, or nothing."""
    if not 1 <= answer.theme <= len(due):
        return "it is about no theme"
    cited = set(answer.memories)
    if not cited <= set(range(1, len(due[answer.theme - 1].cites) + 1)):
        return "it cites what was not given"
    if len(cited) < FEWEST_CITED:
        return f"it cites fewer than {FEWEST_CITED} memories"
    if answer.theme - 1 in held:
        return "its theme was told already"
    return "" if text.strip() else "it says nothing"


def plain(theme: Theme) -> str:
    """Return what is told of a theme without a model: the insight, and the first and the last of what it rests on."""
    first, last = theme.cites[0], theme.cites[-1]
    return (
        f"I came to see this: {inert(theme.text, LONGEST_INSIGHT + _LONGEST_QUOTED)} "
        f"Because of {_quoted(first)} and {_quoted(last)}."
    )


def _quoted(told: Told) -> str:
    return f"\u201c{inert(compress(told.content, _LONGEST_QUOTED))}\u201d ({_dated(told)})"


def _dated(told: Told) -> str:
    who = f" {inert(told.speaker, LONGEST_NAME)}" if told.speaker else ""
    return f"{told.event_at:%Y-%m-%d}{who}"
