"""Insights: what several memories come to, with citations.

A model may only cite what it was given, by number. An insight with an invented citation is dropped, whatever else it
says: who makes up one source may have made up the rest.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pydantic import BaseModel, Field

from engram.beliefs.dreaming.asking import Asker
from engram.beliefs.dreaming.central import SUBSTANCE, Embed, central_sentence, core, has_substance
from engram.beliefs.dreaming.material import Material, lines
from engram.beliefs.dreaming.yields import Dropped
from engram.loop.compression import one_line
from engram.loop.fencing import section
from engram.text import inert, normal

FEWEST_CITED = 2
LONGEST_INSIGHT = 300
"""Characters."""
Sort = Literal["insight", "merge", "narrative"]
By = Literal["model", "words"]
"""Who worded it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Insight:
    """What several memories come to, before it is a memory."""

    text: str
    cites: tuple[Material, ...]
    """What it rests on."""
    by: By
    sort: Sort = "insight"
    joins: str | None = None
    """Id of an insight that says it already: the citations are added to that one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """What was drawn from memories."""

    insights: tuple[Insight, ...] = ()
    dropped: tuple[Dropped, ...] = ()


class Cited(BaseModel):
    """One insight as a model gives it."""

    text: str
    memories: list[int] = Field(default_factory=list)
    """The numbers of what it rests on."""


class _Insights(BaseModel):
    """The shape of the answer."""

    insights: list[Cited] = Field(default_factory=list)


@dataclass(slots=True)
class Sieve:
    """What is kept of a model's insights."""

    insights: list[Insight] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)

    def take(self, given: Sequence[Material], answer: Cited, *, sort: Sort = "insight") -> None:
        """Keep an insight, or say why not.

        Args:
            given: What the model was given, in the order of the numbers.
            answer: What it made of that.
            sort: What it is to become.
        """
        text = one_line(inert(answer.text, 4 * LONGEST_INSIGHT), LONGEST_INSIGHT)
        why = _fault(text, given, answer.memories)
        if why:
            self.dropped.append(Dropped.of(text, why))
            return
        cites = tuple(given[number - 1] for number in sorted(set(answer.memories)))
        self.insights.append(Insight(text=text, cites=cites, by="model", sort=sort))

    @property
    def drawn(self) -> Drawn:
        """What it has come to."""
        return Drawn(insights=tuple(self.insights), dropped=tuple(self.dropped))


def _fault(text: str, given: Sequence[Material], numbers: Iterable[int]) -> str:
    """Return why an insight cannot be kept, or nothing."""
    cited = set(numbers)
    if not text:
        return "it says nothing"
    if not cited <= set(range(1, len(given) + 1)):
        return "it cites what was not given"
    if len(cited) < FEWEST_CITED:
        return f"it cites fewer than {FEWEST_CITED} memories"
    if normal(text) in {normal(each.content) for each in given}:
        return "it repeats a memory"
    return ""


def draw_insights(
    question: str, given: Sequence[Material], asker: Asker, *, most: int, plain: Callable[[], Drawn]
) -> Drawn:
    """Return what memories come to in the light of a question.

    Args:
        question: What was asked.
        given: What was recalled.
        asker: Asks a model.
        most: How many insights at most.
        plain: Draws them without a model.
    """
    if len(given) < FEWEST_CITED:
        return Drawn()
    text = "\n\n".join((section("question", [question]), section("memories", lines(given))))
    answer = asker.ask("insights", text, _Insights, most=str(most))
    if answer is None:
        return plain()
    sieve = Sieve()
    for each in answer.insights[:most]:
        sieve.take(given, each)
    sieve.dropped += [Dropped.of(each.text, "one too many") for each in answer.insights[most:]]
    return sieve.drawn


def plain_insight(given: Sequence[Material], embed: Embed, *, least: float, fewest: int) -> Drawn:
    """Return what keeps coming up among memories: their most central sentence, if enough of them hold together.

    Where an insight cites half of them already, the others are added to it: the same group is one insight, whichever of
    its sentences is the most central by now.

    Args:
        given: What was recalled.
        embed: Gives vectors for clustering.
        least: Mean cosine from which memories hold together.
        fewest: Memories that must.
    """
    given = [each for each in given if has_substance(each.content)]
    if len(given) < fewest:
        return Drawn()
    places = core(embed([each.content for each in given]), least=least)
    group = tuple(given[place] for place in places)
    if len(group) < fewest:
        return Drawn(dropped=(Dropped(what="what was recalled", why="it does not hold together"),))
    return extract(group, embed, sort="insight")


def extract(group: Sequence[Material], embed: Embed, *, sort: Sort) -> Drawn:
    """Return the insight that a group comes to without a model: its most central sentence, marked as a quotation.

    Args:
        group: Memories that hold together.
        embed: Gives vectors for clustering.
        sort: What it is to become.
    """
    joins = held_by(group, lambda each: each.quoted)
    if held_by(group, lambda each: each.refused) is not None:
        return Drawn(dropped=(Dropped.of(group[0].content, "the like was taken back"),))
    substance = SUBSTANCE if sort == "insight" else 1
    sentence = central_sentence([each.content for each in group], embed, substance=substance)
    if sentence is None:
        return Drawn(dropped=(Dropped.of(group[0].content, "no sentence can stand for all"),))
    insight = Insight(text=quoted(group, sentence), cites=tuple(group), by="words", sort=sort, joins=joins)
    return Drawn(insights=(insight,))


def quoted(group: Sequence[Material], sentence: str) -> str:
    """Return a sentence of a group as what keeps coming up, and with whom where that is one person."""
    speakers = {each.speaker for each in group}
    who = next(iter(speakers)) if len(speakers) == 1 else None
    said = inert(sentence, len(sentence) + 1)
    return f"What keeps coming up{f' with {inert(who)}' if who else ''}: \u201c{said}\u201d"


def held_by(group: Sequence[Material], holders: Callable[[Material], Iterable[str]]) -> str | None:
    """Return the id that at least half of a group has among its `holders`, the most frequent one, or None."""
    counts: dict[str, int] = {}
    for each in group:
        for holder in holders(each):
            counts[holder] = counts.get(holder, 0) + 1
    best = min(counts, key=lambda each: (-counts[each], each), default=None)
    return best if best is not None and 2 * counts[best] >= len(group) else None
