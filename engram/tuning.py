"""Tuning: every number that the lifecycle runs on, kept in the graph as `:ConsolidationConfig`.

There is one node of defaults, whose space is the empty string, and one for each space that departs from them.
A number that neither has is its default here. Every change is kept as a `:ConfigChange`.

Source: the parameters of the three-tier consolidation design, with its names made regular. Where a default departs
from it, the reason stands with the number.
"""

import difflib
import logging
import math
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta

from engram.energy import (
    CREATION_ENERGY,
    DECAY_PER_HOUR,
    EXPIRY_ENERGY,
    HABIT_DAYS,
    HABIT_SPAN,
    PROMOTION_BARS,
    SESSION_END_BAR,
)
from engram.errors import InvalidInputError
from engram.graph import Graph, Row
from engram.scoring.weight import CAP_ODDS, PRIOR_EVIDENCE

TUNED_SECONDS = 30.0
"""For how long a process takes the numbers to be what they were."""
_LOG = logging.getLogger(__name__)
DEFAULTS_SPACE = ""
"""The space of the node of defaults; no space of a person is called so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """One tunable number."""

    key: str
    """`group.name`; the property of the node has an underscore for the dot."""
    default: float
    unit: str
    low: float
    high: float
    why: str
    """What it does, in a sentence."""

    @property
    def whole(self) -> bool:
        """Whether only whole numbers make sense."""
        return isinstance(self.default, int)

    @property
    def property(self) -> str:
        """The property's name in the graph."""
        return self.key.replace(".", "_")


def _number(key: str, default: float, unit: str, low: float, high: float, why: str) -> Number:
    return Number(key=key, default=default, unit=unit, low=low, high=high, why=why)


_BATCHES = "memories a transaction"
NUMBERS: Mapping[str, Number] = {
    each.key: each
    for each in (
        _number("decay.working", DECAY_PER_HOUR["working"], "per hour", 1e-6, 10, "λ of working memories."),
        _number(
            "decay.shortTerm", DECAY_PER_HOUR["shortTerm"], "per hour", 1e-6, 10, "λ of short-term memories."
        ),
        _number(
            "decay.longTerm", DECAY_PER_HOUR["longTerm"], "per hour", 1e-6, 10, "λ of long-term memories."
        ),
        _number("decay.tolerance", 0.01, "energy", 0, 1, "A smaller change of energy is not written."),
        _number(
            "decay.expiry", EXPIRY_ENERGY, "energy", 1e-3, CREATION_ENERGY, "Below, a working memory expired."
        ),
        # 100 in the seed: then most of a run is the round trips between transactions.
        _number("decay.batch_size", 2_000, _BATCHES, 1, 10_000, "Memories settled at once."),
        _number("decay.interval_minutes", 60, "minutes", 1, 10_080, "How often decay runs."),
        _number("weight.tick", 0.01, "evidence a day", 0, 1, "What a day without use says against a memory."),
        _number("weight.tick_days", 7, "days", 1, 365, "Idle days are written this many at a time."),
        _number("weight.stale_days", 90, "days", 1, 3_650, "Unused for so long, a memory is stale."),
        _number("weight.stale_accesses", 3, "uses", 0, 1_000, "Used so often, a memory is never stale."),
        _number("weight.stale_contradict", 1.0, "evidence", 0, 10, "Evidence against a stale memory."),
        _number("weight.stale_every_days", 91, "days", 1, 3_650, "How often staleness counts: a quarter."),
        _number("boost.access", 1.0, "energy", 0, 10, "What a use adds."),
        _number("boost.session_cap", 4, "uses", 1, 1_000, "Uses of one session that add."),
        _number(
            "boost.reinforcement_cap", 4, "a day", 1, 1_000, "Reinforcements of a memory and day that add."
        ),
        _number(
            "boost.reinforcement", 0.5, "energy", 0, 10, "What a similar new memory adds, by similarity."
        ),
        _number(
            "promote.working",
            PROMOTION_BARS["working"],
            "energy",
            0.1,
            100,
            "Above, a working memory becomes short-term.",
        ),
        _number(
            "promote.shortTerm",
            PROMOTION_BARS["shortTerm"],
            "energy",
            0.1,
            100,
            "Above, a short-term memory becomes long-term.",
        ),
        _number(
            "promote.session_end",
            SESSION_END_BAR,
            "energy",
            0.1,
            100,
            "The bar of working memories at a session's end.",
        ),
        _number(
            "promote.days", HABIT_DAYS, "days", 2, 365, "Used on so many days, a memory becomes long-term."
        ),
        _number(
            "promote.span_days",
            HABIT_SPAN.days,
            "days",
            1,
            3_650,
            "Days between the first and the last of those uses.",
        ),
        # 10 in the seed, for the same reason.
        _number("promote.batch_size", 200, _BATCHES, 1, 10_000, "Memories promoted at once."),
        _number("promote.interval_minutes", 10, "minutes", 1, 10_080, "How often promotion runs."),
        _number("session.idle_minutes", 30, "minutes", 1, 10_080, "A session unused for so long has ended."),
        _number("reinforce.similarity", 0.7, "cosine", 0, 1, "Above, a new memory reinforces an older one."),
        _number("reinforce.partners", 5, "memories", 1, 100, "Most that one new memory reinforces."),
        _number("reinforce.batch_size", 100, _BATCHES, 1, 1_000, "New memories looked at at once."),
        _number(
            "reinforce.interval_minutes", 10, "minutes", 1, 10_080, "How often what was left is reinforced."
        ),
        _number(
            "coactivate.half", 20.0, "weight", 0.1, 1e6, "Weight of an edge at which one more adds half."
        ),
        _number(
            "coactivate.memories", 20, "memories", 2, 100, "Most of a session that are paired, the most used."
        ),
        _number(
            "coactivate.half_life_days",
            30.0,
            "days",
            0.01,
            36_500,
            "Days that halve an unused edge's weight.",
        ),
        _number(
            "coactivate.tolerance", 0.05, "share", 0, 1, "A smaller loss of an edge's weight is not written."
        ),
        _number("coactivate.floor", 0.1, "weight", 0, 1e3, "Below, an edge is pruned."),
        _number("coactivate.partners", 64, "edges", 1, 10_000, "Most association edges that a memory keeps."),
        _number(
            "coactivate.batch_size", 500, _BATCHES, 1, 10_000, "Memories whose edges are settled at once."
        ),
        _number("coactivate.interval_minutes", 60, "minutes", 1, 10_080, "How often edges are settled."),
        _number("cluster.weight", 3.0, "weight", 0, 1e6, "Above, an edge binds a cluster."),
        _number(
            "cluster.similarity", 0.7, "cosine", -1, 1, "Above, what an edge joins may be of one cluster."
        ),
        _number("cluster.memories", 2, "memories", 2, 1_000, "Fewest of a cluster."),
        _number(
            "cluster.sample", 500, "memories", 2, 10_000, "Members that centroid and label are taken from."
        ),
        _number("cluster.rounds", 24, "rounds", 1, 1_000, "Most rounds of label propagation."),
        _number("cluster.batch_size", 2_000, _BATCHES, 1, 10_000, "Memories labelled at once."),
        _number("cluster.interval_minutes", 60, "minutes", 1, 10_080, "How often clusters are formed."),
        _number("replay.hours", 24, "hours", 1, 720, "Hours between two replays of a chain."),
        _number("replay.times", 7, "times", 0, 365, "How often a new link of a chain is replayed."),
        _number("replay.step", 0.1, "strength", 0, 10, "What a replay adds to a link, halved each time."),
        _number("replay.batch_size", 1_000, _BATCHES, 1, 10_000, "Links replayed at once."),
        _number("replay.interval_minutes", 60, "minutes", 1, 10_080, "How often chains are replayed."),
        _number("rank.damping", 0.85, "probability", 0, 0.99, "PageRank's chance of following an edge."),
        _number("rank.iterations", 30, "rounds", 1, 1_000, "Most rounds of PageRank."),
        _number("rank.tolerance", 1e-7, "probability", 0, 1, "Less change in a round ends PageRank."),
        _number("rank.batch_size", 2_000, _BATCHES, 1, 10_000, "Memories ranked at once."),
        _number("rank.interval_minutes", 1_440, "minutes", 1, 10_080, "How often PageRank runs."),
        _number("health.batch_size", 2_000, _BATCHES, 1, 10_000, "Memories checked at once."),
        _number("health.interval_minutes", 1_440, "minutes", 1, 10_080, "How often health is checked."),
        _number(
            "safety.enforced_phase", 1, "phase", 0, 3, "Ceilings enforced: none, A, A and B, or all to C."
        ),
        _number("safety.rate", 0.1, "share", 0.001, 10, "Most that a cycle may change a weight's centre."),
        _number("safety.margin", 0.0, "lift", -1, 1, "Least that a changed parameter must gain."),
        _number("safety.capacity", 0.5, "share", 0, 10, "Most that verdicts may move the blend in all."),
        _number(
            "safety.breaker_cycles", 12, "cycles", 2, 10_000, "Reinforced so often on no evidence, it trips."
        ),
        _number("safety.entropy_drop", 0.05, "entropy", 0.0, 1, "A greater drop in a cycle is an alarm."),
        # The plan says to sample more widely, and not by how much.
        _number(
            "safety.broaden", 0.25, "share", 0, 1, "By so much a fall of entropy lowers identity.threshold."
        ),
        _number("safety.coherence_drop", 0.2, "coherence", 0.0, 1, "A greater drop in a cycle is an alarm."),
        _number("safety.batch_size", 2_000, _BATCHES, 1, 10_000, "Memories looked at at once."),
        _number("safety.interval_minutes", 60, "minutes", 1, 10_080, "How long a safety cycle lasts."),
        _number(
            "attention.half_life_minutes",
            30,
            "minutes",
            0.1,
            10_080,
            "Waiting that halves an input's urgency.",
        ),
        _number("identity.memories", 20, "memories", 0, 1_000, "How many that weigh most may be told."),
        _number("identity.threshold", 0.6, "weight", 0, 1, "A draw above tells a memory of the identity."),
        _number("context.situational", 2_000, "tokens", 100, 100_000, "For memories that come to mind."),
        # 20 in an earlier form of the seed; 5 makes a first version within a first conversation.
        _number("state.fewest", 5, "memories", 1, 10_000, "New memories that a next version needs."),
        _number("state.memories", 200, "memories", 10, 10_000, "New memories looked at, the weightiest."),
        _number("state.interval_minutes", 120, "minutes", 1, 10_080, "How often a version is made."),
        _number("sweep.keep_days", 30, "days", 1, 36_500, "How long records of recalls and runs are kept."),
        _number("sweep.batch_size", 500, "records a transaction", 1, 10_000, "Records rolled up at once."),
        _number("sweep.interval_minutes", 60, "minutes", 1, 10_080, "How often records are swept."),
        _number(
            "claim.lease_seconds", 300, "seconds", 1, 86_400, "How long a claim holds without its worker."
        ),
        _number("claim.batch_size", 50, "memories a claim", 1, 10_000, "Memories claimed at once."),
        _number("gate.core", 0.6, "cosine", 0, 1, "Above, something is at the core of what is talked about."),
        _number("gate.peripheral", 0.3, "cosine", 0, 1, "Above, something is at its edge."),
        _number("gate.confirming", 0.85, "cosine", 0, 1, "Above, something says again what is known."),
        _number("gate.contradicting", 0.7, "cosine", 0, 1, "Above, something opposed is a contradiction."),
        _number("gate.novel", 0.6, "cosine", 0, 1, "Below, something is wholly new, and counts for more."),
        # The seed asks for a floor in every cell and gives no number.
        _number("gate.noise", 0.02, "probability", 0, 1, "How often what would not be kept is kept."),
        _number("gate.permissive", 1, "0 or 1", 0, 1, "Whether what a person says is never irrelevant."),
        _number("gate.skip_short", 0.95, "probability", 0, 1, "How often the entry gate skips short texts."),
        _number("gate.skip_mechanical", 0.9, "probability", 0, 1, "How often it skips mechanical output."),
        _number("gate.buffer_looks", 2, "looks", 1, 100, "At so many, what the exit gate buffers is kept."),
        _number("adapt.needed_days", 7, "days", 1, 30, "So long what was held back may be needed."),
        _number("adapt.unused_days", 14, "days", 1, 365, "Unused so long, it was not worth letting in."),
        _number("adapt.outcomes", 20, "outcomes", 5, 10_000, "Of one sort, without which no gate is moved."),
        _number("adapt.batch_size", 100, "decisions a transaction", 1, 1_000, "Decisions judged at once."),
        # Oftener than daily: what the gates decided is swept from the scratch buffer after a day.
        _number("adapt.interval_minutes", 720, "minutes", 1, 10_080, "How often gates follow outcomes."),
        _number("archive.commitment_days", 90, "days", 1, 36_500, "Resolved so long ago, one is archived."),
        _number("archive.speculation_days", 30, "days", 1, 36_500, "Unconfirmed so long, it is archived."),
        _number("archive.speculation_confidence", 0.40, "confidence", 0, 1, "Below, a fact is speculation."),
        _number("archive.fact_days", 90, "days", 1, 36_500, "Unused so long, a fact may be archived."),
        _number("archive.importance", 0.3, "importance", 0, 1, "Below, it may be archived for disuse."),
        _number("archive.accesses", 2, "uses", 0, 1_000, "Used more often, it may not."),
        _number("archive.ephemeral_days", 14, "days", 1, 36_500, "How long what is ephemeral stays at hand."),
        _number("archive.cold_value", 0.35, "value", 0.0, 1, "At or below, what is ephemeral is archived."),
        _number("archive.hot_value", 0.7, "value", 0, 1, "At or above, what was archived comes back."),
        _number("archive.active_heat", 0.55, "heat", 0, 1, "At or above, a fact is active or validated."),
        _number("archive.stale_decay", 0.65, "decay", 0, 1, "At or above, a fact is stale."),
        _number("archive.raw_turns", 0, "0 or 1", 0, 1, "Whether turns as they were said are archived too."),
        _number("archive.batch_size", 500, _BATCHES, 1, 10_000, "Facts looked at at once."),
        _number("archive.interval_minutes", 1_440, "minutes", 1, 10_080, "How often facts are looked at."),
        _number("boxes.overlap", 0.35, "cosine", -1, 1, "Below, an episode is about something else."),
        _number("boxes.idle_minutes", 30, "minutes", 1, 10_080, "A longer gap closes a box."),
        _number("boxes.memories", 50, "memories", 1, 1_000, "A box of so many is full."),
        _number("boxes.trace_overlap", 0.7, "cosine", -1, 1, "From here on, a box goes on with a trace."),
        _number("boxes.trace_days", 30, "days", 1, 36_500, "How long a trace waits for its next box."),
        _number("boxes.batch_size", 200, _BATCHES, 1, 10_000, "Episodes boxed at once."),
        _number("boxes.interval_minutes", 60, "minutes", 1, 10_080, "How often episodes are boxed."),
        _number("entities.shared", 2, "neighbours", 1, 100, "That two names need in common to be one."),
        _number("entities.overlap", 0.1, "share", 0, 1, "Of the smaller neighbourhood, to be in common."),
        _number("entities.pairs", 200, "pairs", 1, 10_000, "Pairs of names that a run looks at."),
        _number("entities.growth", 0.25, "share", 0.01, 10, "Mentions that much more renew a summary."),
        _number("entities.least", 3, "mentions", 1, 1_000, "With fewer, a name gets no summary."),
        _number("entities.summaries", 20, "summaries", 0, 1_000, "That a run writes."),
        _number("entities.batch_size", 1_000, "names", 1, 10_000, "Names looked at at once."),
        _number("entities.interval_minutes", 60, "minutes", 1, 10_080, "How often names are compared."),
        _number(
            "escalate.low", 0.3, "doubt", 0, 1, "Doubt in a newborn's answer above which it is corrected."
        ),
        _number("escalate.span", 0.5, "doubt", 0, 1, "What full maturity adds to that."),
        _number("escalate.memories", 1_000, "memories", 1, 1_000_000, "From so many on, more do not mature."),
        _number("extract.batch_turns", 20, "turns", 1, 20, "Of so many at once, facts are drawn."),
        _number("extract.lease_seconds", 300, "seconds", 1, 86_400, "How long turns are taken for that."),
        _number(
            "extract.interval_minutes", 10, "minutes", 1, 10_080, "How often facts are drawn from turns."
        ),
        _number("tension.fatigue", 5, "recalls", 1, 1_000, "Surfaced so often, a tension is acknowledged."),
        _number("behaviour.weight", 0.7, "weight", 0, 1, "Above, what is valued is held against deeds."),
        _number("behaviour.memories", 100, "memories", 1, 1_000, "Recent deeds that are looked at."),
        _number("facts.same", 0.92, "cosine", 0, 1, "From here on, two facts about the same may be one."),
        _number("truth.repeat", 0.1, "share", 0, 0.99, "What one source's repeat counts of its last word."),
        _number("patterns.goal_days", 5, "days", 1, 10_000, "Evidence of so many days is a pattern."),
        _number("patterns.goal_span_days", 14, "days", 0, 36_500, "From the first to the last of them."),
        _number("patterns.goal_boost", 2.0, "evidence", 0, 100, "What its weight gains."),
        _number(
            "patterns.identity_days", 10, "days", 1, 10_000, "Evidence of so many is part of who one is."
        ),
        _number("patterns.identity_span_days", 30, "days", 0, 36_500, "From the first to the last of those."),
        _number("patterns.identity_boost", 5.0, "evidence", 0, 100, "What its weight gains by that."),
        _number(
            "patterns.outcome_days", 7, "days", 1, 365, "Verdicts before and after a promotion that count."
        ),
        _number("patterns.reconsidered", 20, "insights a run", 0, 1_000, "Insights looked at again at once."),
        _number("patterns.batch_size", 500, _BATCHES, 1, 10_000, "Memories looked at for patterns at once."),
        _number("patterns.interval_minutes", 60, "minutes", 1, 10_080, "How often patterns are looked for."),
        _number("approve.centre", 0.85, "weight", 0, 1, "Above, a person is asked before a promotion."),
        _number("approve.trust_level", 0, "level", 0, 3, "From 3 on, nobody is asked."),
        _number("gut.sample", 4_000, "memories", 1, 1_000_000, "Whose centre is taken for that of all."),
        _number("gut.deltas", 2_000, "feelings", 2, 100_000, "The newest, whose axes are looked for."),
        _number("gut.outcomes", 10, "outcomes", 2, 10_000, "Without which no axis means anything."),
        _number("gut.correlation", 0.3, "correlation", 0.0, 1, "From here on, an axis gets a name."),
        _number("gut.batch_size", 500, _BATCHES, 1, 10_000, "Memories read and outcomes linked at once."),
        _number("gut.interval_minutes", 1_440, "minutes", 1, 10_080, "How often the depths are measured."),
        _number("dream.memories", 100, "memories", 2, 10_000, "The newest ones, which questions come from."),
        _number(
            "dream.importance", 15.0, "importance", 0, 1e6, "New memories' sum that brings a dream early."
        ),
        _number("dream.look_minutes", 10, "minutes", 1, 10_080, "How often that sum is looked at."),
        _number("dream.questions", 3, "questions", 0, 20, "That the newest memories raise."),
        _number("dream.insights", 5, "insights", 1, 20, "Most that a question brings."),
        _number("dream.recalled", 20, "memories", 2, 100, "Recalled for a question."),
        _number("dream.coherence", 0.5, "cosine", -1, 1, "Mean from which memories come to one, in words."),
        _number("dream.similar", 0.85, "cosine", 0, 1, "Above, memories about the same are merged."),
        _number("dream.group", 3, "memories", 2, 100, "Fewest that are merged, or that a story rests on."),
        _number("dream.groups", 10, "groups", 1, 100, "Merged at once, and stories told at once."),
        _number("dream.same", 0.92, "cosine", 0, 1, "From here on, two insights on the same are one."),
        _number("dream.quiet", 0.3, "evidence", 0, 10, "Against the weight of what was merged."),
        _number("dream.batch_size", 40, "memories a call", 1, 200, "Lines and preambles written at once."),
        # Names, dates and speakers are in the context already: said once more, they draw vectors together.
        _number("dream.preamble", 0, "0 or 1", 0, 1, "Whether preambles are written without a model too."),
        _number("dream.calls", 10, "calls", 0, 1_000, "Most of models in one dream."),
        _number("dream.interval_minutes", 60, "minutes", 1, 10_080, "How often a space dreams."),
        _number("idle.interval_minutes", 30, "minutes", 1, 10_080, "How often an idle mind wanders."),
        _number("idle.cycles", 5, "thoughts", 1, 1_000, "That come to mind in one run of the job."),
        _number("idle.pace_seconds", 20, "seconds", 0, 3_600, "Between two thoughts of `engram idle`."),
        _number(
            "idle.quiet_minutes", 10, "minutes", 0, 1_440, "After a person spoke, it stays quiet so long."
        ),
        _number("idle.pool", 100, "memories", 10, 10_000, "From which one comes to mind."),
        _number("idle.entropy", 0.7, "0 to 1", 0, 1, "Of topics; below, the mind wanders more widely."),
        _number("idle.daily_calls", 20, "calls a day", 0, 100_000, "Most of models, for idle thoughts."),
        _number("idle.daily_tokens", 50_000, "tokens a day", 0, 10**9, "Most of models, for idle thoughts."),
    )
}
_ORDER = ("promote.session_end", "promote.working", "promote.shortTerm")
"""Bars that must not overtake each other."""


class Tuning(Mapping[str, float]):
    """The numbers of one space, by key: its own, else the defaults' node's, else the default."""

    def __init__(self, values: Mapping[str, float] = {}, own: frozenset[str] = frozenset()) -> None:
        self._values = {key: values.get(key, number.default) for key, number in NUMBERS.items()}
        self.own = own
        """Keys of the numbers that are the space's own."""

    def __getitem__(self, key: str) -> float:
        return self._values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def whole(self, key: str) -> int:
        """Return a number that counts something."""
        return int(self[key])

    def minutes(self, key: str) -> timedelta:
        """Return a number of minutes as a time span."""
        return timedelta(minutes=self[key])

    @property
    def energy(self) -> Row:
        """What every statement that changes energy takes as `$energy`.

        Keys: `rates` and `bars` (maps by tier), `expiry`, `days`, `span_days`, `session_bar`.
        """
        return {
            "rates": {tier: self[f"decay.{tier}"] for tier in DECAY_PER_HOUR},
            "bars": {tier: self[f"promote.{tier}"] for tier in ("working", "shortTerm")},
            "session_bar": self["promote.session_end"],
            "expiry": self["decay.expiry"],
            "days": self.whole("promote.days"),
            "span_days": self.whole("promote.span_days"),
        }

    @property
    def access(self) -> Row:
        """What `write/learn_from_recall` takes as `$access`."""
        return {
            "energy": self["boost.access"],
            "session_cap": self.whole("boost.session_cap"),
            "weight": 0.1,
            "miss": 0.05,
            "prior": PRIOR_EVIDENCE,
            "kept": 64,
            "fatigue": self.whole("tension.fatigue"),
        }

    @property
    def safety(self) -> Row:
        """What `write/learn_from_recall` takes as `$safety`."""
        return {
            "phase": self.whole("safety.enforced_phase"),
            "odds": CAP_ODDS,
            "rate": self["safety.rate"],
        }

    @property
    def idle(self) -> Row:
        """What statements that weigh idleness take: evidence against a memory for its idle days and quarters."""
        whole = ("tick_days", "stale_days", "stale_accesses", "stale_every_days")
        return {
            "least_days": min(self.whole("weight.tick_days"), self.whole("weight.stale_days")),
            "tick": self["weight.tick"],
            "stale_contradict": self["weight.stale_contradict"],
            **{name: self.whole(f"weight.{name}") for name in whole},
        }

    @property
    def edge_decay(self) -> float:
        """λ of an association edge, per day: `ln 2 / half-life`."""
        return math.log(2.0) / self["coactivate.half_life_days"]


def default_numbers() -> dict[str, float]:
    """Return every default, by property."""
    return {number.property: number.default for number in NUMBERS.values()}


def read_tuning(graph: Graph, *, space: str) -> Tuning:
    """Return the numbers that hold in a space."""
    rows = graph.read("inspect/read_tuning", space=space, defaults=DEFAULTS_SPACE)
    values: dict[str, float] = {}
    own: frozenset[str] = frozenset()
    for row in rows:  # the defaults first
        held = {
            number.key: value
            for number in NUMBERS.values()
            if _usable(number, value := row["numbers"].get(number.property), space)
        }
        values |= held
        own = frozenset(held) if row["numbers"]["space"] == space else own
    return Tuning(values, own)


class Tuned:
    """The numbers of one space as whoever writes needs them at every turn: read now and then."""

    def __init__(self, graph: Graph, *, space: str) -> None:
        self._graph = graph
        self._space = space
        self._tuning = Tuning()
        self._until = -math.inf

    def __call__(self) -> Tuning:
        """Return the numbers, no older than `TUNED_SECONDS`."""
        if time.monotonic() >= self._until:
            self._tuning = read_tuning(self._graph, space=self._space)
            self._until = time.monotonic() + TUNED_SECONDS
        return self._tuning

    def forget(self) -> None:
        """Read them again next time: they have changed."""
        self._until = -math.inf


def _usable(number: Number, value: object, space: str) -> bool:
    """Return whether a value in the graph can be used; somebody may have set it by hand."""
    if value is None:
        return False
    usable = isinstance(value, int | float) and number.low <= value <= number.high
    if not usable:
        _LOG.warning("%s is %r in the graph, for the space %r; taken to be unset", number.key, value, space)
    return usable


def checked_number(key: str, value: object, current: Mapping[str, float]) -> float:
    """Return `value` as the number `key` can be set to.

    Args:
        key: One of `NUMBERS`.
        value: A number or its text.
        current: The numbers that hold; bars must stay in their order.

    Raises:
        InvalidInputError: There is no such number, or it is out of range.
    """
    number = find_number(key)
    try:
        given = float(str(value))
    except ValueError:
        given = math.nan
    allowed = f"{number.low:g} to {number.high:g} {number.unit}"
    if not number.low <= given <= number.high or (number.whole and not given.is_integer()):
        kind = "a whole number" if number.whole else "a number"
        raise InvalidInputError(
            f"{key} cannot be {value!r}.", remedy=f"It is {kind} from {allowed}. {number.why}"
        )
    bars = [given if name == key else current[name] for name in _ORDER]
    if key in _ORDER and bars != sorted(bars):
        held = ", ".join(f"{name} {current[name]:g}" for name in _ORDER if name != key)
        raise InvalidInputError(
            f"{key} cannot be {given:g} beside {held}.", remedy=f"They ascend: {', '.join(_ORDER)}."
        )
    return int(given) if number.whole else given


def find_number(key: str) -> Number:
    """Return the number of this key.

    Raises:
        InvalidInputError: There is none; the remedy names near ones.
    """
    if key in NUMBERS:
        return NUMBERS[key]
    near = difflib.get_close_matches(key, NUMBERS, n=3, cutoff=0.4)
    raise InvalidInputError(
        f"There is no number {key!r}.",
        remedy=f"Did you mean {' or '.join(near)}?" if near else "`engram config numbers` lists all of them.",
    )


def number_changes(graph: Graph, *, space: str, key: str | None, limit: int) -> list[Row]:
    """Return the last changes of a space's numbers and of the defaults, the newest first."""
    return graph.read("inspect/list_number_changes", spaces=[space, DEFAULTS_SPACE], key=key, limit=limit)
