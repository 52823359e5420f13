"""Entities: take names that mean the same for one, and keep what is known of each in a few words."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from engram.beliefs.changes import undo
from engram.beliefs.names.asking import MOST_PAIRS, judge_pairs
from engram.beliefs.names.doubt import doubtful
from engram.beliefs.names.merging import merge, stands_for
from engram.beliefs.names.naming import Fit
from engram.beliefs.names.profiles import keep_summary, read_profile, summarise
from engram.beliefs.names.resolution import Judgement, Named, Support, candidates, same_entity
from engram.beliefs.names.surroundings import (
    Group,
    groups_of,
    read_named,
    read_statements,
    told_apart,
    with_rivals,
)
from engram.errors import InvalidInputError
from engram.graph import Row
from engram.llm.base import ChatModel

from .believing import undo_changes
from .job import Job, Work
from .lease import Lease, leased

_PHASE = "entities"
_BY = f"job:{_PHASE}"
_ROUNDS = 8
"""How often a run looks again after it has merged: what has become one may be one with more."""
_MOST_NAMES = 50_000
"""Names that a run compares."""
_AT_ONCE = 50
"""Names whose surroundings are read at once."""

Pair = tuple[str, str]
T = TypeVar("T")


@dataclass(kw_only=True)
class _Look:
    """One look at the names of a space, and at the pairs of them that there is something new to say of."""

    work: Work
    groups: Mapping[str, Group]
    said: Mapping[str, Mapping[str, str]]
    pairs: Sequence[Pair]
    """Those that are looked at, the surest first."""
    later: Sequence[Pair]
    """Those that there is no room for."""
    taken: set[str] = field(default_factory=set)
    """Names that were merged: what follows from that is for the next look."""
    unsure: list[tuple[Named, Named]] = field(default_factory=list)

    def merge_same(self, lease: Lease) -> None:
        """Take those for one that are so by the rule."""
        for pair, named in self._read():
            lease.go_on()
            if self.taken & {*pair}:
                continue
            found, (a, b) = self._judge(pair, named)
            if found.same:
                self.merge(a, b, by=_BY, why=found.why)
            elif found.unsure:
                self.unsure.append((a, b))

    def _read(self) -> Iterator[tuple[Pair, tuple[Named, Named]]]:
        """Yield the pairs, each with what surrounds its names."""
        for pairs in _parts(self.pairs, _AT_ONCE):
            named = read_named(
                self.work.graph,
                space=self.work.space,
                groups=[self.groups[key] for key in sorted({key for pair in pairs for key in pair})],
                said=self.said,
            )
            for one, other in pairs:
                # What was erased meanwhile is not there any more.
                if one in named and other in named:
                    yield (one, other), (named[one], named[other])

    def _judge(self, pair: Pair, named: tuple[Named, Named]) -> tuple[Judgement, tuple[Named, Named]]:
        """Return whether two names are one; the texts that name both are only read where it depends on them."""
        work = self.work
        need = Support(shared=work.tuning.whole("entities.shared"), overlap=work.tuning["entities.overlap"])
        found = same_entity(*named, need)
        if not (found.same or found.unsure):
            return found, named
        a, b = (self.groups[key] for key in pair)
        named = told_apart(work.graph, space=work.space, a=a, b=b, named=named)
        return same_entity(*named, need), named

    def merge(self, a: Named, b: Named, *, by: str, why: str) -> None:
        """Take two names for one, unless one of them is taken for another by now; a dry run only says so."""
        work = self.work
        one, other = ({"key": each.key, "words": each.words, "mentions": each.mentions} for each in (a, b))
        alias, into = stands_for(one, other)
        if not work.dry_run and not merge(
            work.graph,
            space=work.space,
            alias=alias,
            into=into,
            by=by,
            reason=why,
            now=work.now,
            run=work.run,
            evidence=self.said.get(alias, {}).get(into),
            as_judged=True,
        ):
            return
        self.taken |= {alias, into}
        names = {each.key: each.names[0] for each in (a, b)}
        work.count(1, [{"name": names[alias], "is": names[into], "because": why}])


def _resolve(work: Work) -> None:
    with leased(work, _PHASE) as lease:
        if lease is None:
            return
        model = _model(work)
        look, rows = _look(lease)
        if _take_back(look, rows):
            look, rows = _look(lease)
        for _ in range(_ROUNDS):
            look.merge_same(lease)
            if not look.taken or work.dry_run:
                break
            look, rows = _look(lease)
        _ask(look, model)
        if not work.dry_run:
            # What there was no room or no end for is looked at again.
            _note_examined(work, rows, but={key for pair in look.later for key in pair} | look.taken)
        _sum_up(lease, model)


def _take_back(look: _Look, rows: Sequence[Row]) -> bool:
    """Take back merges of this job that a name which came later puts in question; return whether there were any."""
    work, parted = look.work, False
    for doubt in doubtful(rows, look.groups):
        if not work.dry_run:
            try:
                undo(work.graph, space=work.space, change=doubt.change, now=work.now, by=_BY)
            except InvalidInputError as error:
                work.notes.append(error.message)
                continue
            parted = True
        work.count(1, [{"name": doubt.alias, "is not": doubt.into, "because": "it fits others too"}])
    return parted


def _model(work: Work) -> ChatModel | None:
    """Return who is asked; a dry run asks nobody, for that costs."""
    return work.model(_PHASE) if work.means is not None and not work.dry_run else None


def _look(lease: Lease) -> tuple[_Look, list[Row]]:
    """Return the names of a space, and those pairs of them that can be one and have something new about them."""
    work = lease.work
    rows = _names(lease)
    groups = groups_of(rows)
    alike = candidates({key: group.names for key, group in groups.items()})
    due = {row["canonical"] or row["key"] for row in rows if row["mentions"] > row["examined"]}
    said = _statements(lease, rows, due)
    pairs = _in_order(alike, due, {_ordered(one, other) for one, others in said.items() for other in others})
    most = work.tuning.whole("entities.pairs")
    if pairs[most:]:
        work.notes.append(f"{len(pairs) - most:,} pairs of names wait for the next run")
    look = _Look(
        work=work, groups=with_rivals(groups, list(alike)), said=said, pairs=pairs[:most], later=pairs[most:]
    )
    return look, rows


def _in_order(alike: Mapping[Pair, Fit], due: set[str], stated: set[Pair]) -> list[Pair]:
    """Return the pairs that are looked at: first what somebody said, then the surest."""
    order = list(Fit)
    others = [pair for pair in alike if due & {*pair} and pair not in stated]
    return sorted(stated) + sorted(others, key=lambda pair: (order.index(alike[pair]), pair))


def _names(lease: Lease) -> list[Row]:
    rows: list[Row] = []
    for row in lease.batches(lambda **cursor: lease.work.read("believe/entity_walk", **cursor)):
        rows.extend(row["names"])
        if len(rows) >= _MOST_NAMES:
            lease.work.notes.append(f"only the first {len(rows):,} names were compared")
            break
    return rows


def _statements(lease: Lease, rows: Sequence[Row], due: set[str]) -> dict[str, dict[str, str]]:
    """Return what people said that names are, see `engram.beliefs.names.surroundings.read_statements`."""
    work = lease.work
    canonical = {row["key"]: row["canonical"] or row["key"] for row in rows}
    said: dict[str, dict[str, str]] = {}
    for keys in _parts([key for key, one in canonical.items() if one in due], _AT_ONCE):
        lease.go_on()
        found = read_statements(work.graph, space=work.space, keys=keys, canonical=canonical)
        for key, others in found.items():
            said.setdefault(key, {}).update(others)
    return said


def _ordered(one: str, other: str) -> Pair:
    return (one, other) if one < other else (other, one)


def _parts(some: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    for start in range(0, len(some), size):
        yield some[start : start + size]


def _ask(look: _Look, model: ChatModel | None) -> None:
    """Have a model decide what the rule leaves unsure."""
    pairs = look.unsure[:MOST_PAIRS]
    for place in sorted(judge_pairs(model, pairs)):
        a, b = pairs[place]
        if not look.taken & {a.key, b.key}:
            look.merge(a, b, by="model", why="what surrounds them shows it")


def _note_examined(work: Work, rows: Iterable[Row], *, but: set[str]) -> None:
    new = [
        {"key": row["key"], "mentions": row["mentions"]}
        for row in rows
        if row["mentions"] > row["examined"] and (row["canonical"] or row["key"]) not in but
    ]
    for names in _parts(sorted(new, key=lambda name: str(name["key"])), 1_000):
        work.write("believe/entity_note_examined", space=work.space, names=names)


def _sum_up(lease: Lease, model: ChatModel | None) -> None:
    """Renew the summaries of those that much more is known of, the most mentioned first."""
    work = lease.work
    due = sorted(_due_summaries(work, _names(lease)), reverse=True)
    for _, key in due[: work.tuning.whole("entities.summaries")]:
        lease.go_on()
        found = read_profile(work.graph, space=work.space, key=key, now=work.now)
        if found is None:
            continue
        summary = summarise(found, model=model)
        if work.dry_run or keep_summary(
            work.graph, space=work.space, found=found, summary=summary, now=work.now
        ):
            work.count(bool(summary), [{"name": found.name, "summary": summary.text}] if summary else [])


def _due_summaries(work: Work, rows: Sequence[Row]) -> Iterator[tuple[int, str]]:
    own = {row["key"]: row for row in rows if row["canonical"] is None}
    for key, group in groups_of(rows).items():
        if group.mentions < work.tuning["entities.least"] or key not in own:
            continue
        summed = own[key]["summed"]
        grown = summed is None or group.mentions >= (1.0 + work.tuning["entities.growth"]) * summed
        if grown or own[key]["stale"]:
            yield group.mentions, key


JOB = Job(
    name="entities",
    why="One person under two names is half known under each. Names that can be one, have the same around them and "
    "nothing against it are taken for one, as an edge that can be taken back; and what is known of each is summed up.",
    steps=(_resolve,),
    again="nothing: only names that were mentioned since are looked at",
    undo=undo_changes,
    undoes="the names that it took for one; summaries stay",
)
