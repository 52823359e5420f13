"""Ranking: from what is known of each candidate to the terms that its score is the sum of. Pure functions.

    score = shares[0] · relevance       five components, blended by Dirichlet weights
          + shares[1] · P(retrieved)    ACT-R: base level, spreading, partial match, noise
          + shares[2] · weight          how much it has mattered, as a Beta distribution
          + trust · all of that         how far its states say to trust it (engram.beliefs.policy.rules); mostly 0

The semantic component of relevance is the evidence that a memory answers the question: the weighted sum of
`EVIDENCE`, relative to the best candidate's. Its proportions were fitted as a logistic ranking model on the
development conversations of LoCoMo, each left out in turn; `python -m tests.bench.retrieval --ablation` shows
what each part adds.

In a search the question decides, and use, mood and age break ties (`SEARCH_TEMPER`, `SEARCH_SHARES`). With the
blend as it is drawn for `mind`, a conversation that was remembered as it went on lost eleven points of recall@5
to whatever was said last, and learning from every hit of 760 unrelated questions cost four; so tempered, the
first costs one and the second less. `python -m tests.bench.retrieval --lived --learning` measures both.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engram.candidates import Candidates, Floats
from engram.mind.gut import INDIFFERENT
from engram.scoring.activation import (
    activation,
    base_level,
    logistic_noise,
    partial_match,
    retrieval_probability,
    spreading,
)
from engram.scoring.relevance import COMPONENTS, edge_strength, lift, recency, relevance_terms, spread
from engram.scoring.weight import centers, samples

EVIDENCE = {"semantic": 0.28, "lexical": 0.39, "entity": 0.09, "date": 0.07, "importance": 0.17}
"""Proportions of the semantic component; they add up to 1."""
LEXICAL_HALF = 10.0
"""The BM25 score that is half of full evidence: a rare word or two. It saturates, so that a long question
does not drown what its vector says."""
SEARCH_SHARES = (0.97, 0.01, 0.02)
MIND_SHARES = (0.90, 0.05, 0.05)
"""Parts of relevance, activation and weight in the score, by mode; each adds up to 1."""
SEARCH_TEMPER = 0.2
"""What is left in a search of the weights of co-access, mood and recency; the evidence has the rest."""
NAMED = 0.25
"""Being about somebody whom the question names, against being said by them."""
ECHO = 0.2
"""What is left of the evidence for a memory that is the question itself: nothing is nearer, and nothing answers less."""
NEUTRAL_MOOD = INDIFFERENT
"""The emotional component where nothing is felt."""
Dated = NDArray[np.bool_] | None
_NOTHING = 1e-9
_DAY, _HOUR = 86_400.0, 3_600.0

TERMS = (
    *EVIDENCE,
    *(name for name in COMPONENTS if name != "semantic"),
    "base_level",
    "spreading",
    "partial_match",
    "weight",
    "trust",
)
"""Every term of a score that no reranker has seen, in the order in which they are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """The candidates' scores, shape (n,), and where they come from."""

    terms: dict[str, Floats]
    """For each of `TERMS` its part of the score, shape (n,); they add up to it."""
    scores: Floats
    lift: Floats
    """Shape (n, 5): what each relevance component did for a memory beyond what it did for the average one; as it
    would be untempered, so that a verdict on a search weighs components like one on a wandering mind."""
    activation: Floats
    """ACT-R's A, shape (n,)."""
    order: list[int]
    """Indices, best first."""


def rank(
    candidates: Candidates,
    *,
    dated: Dated,
    now: float,
    generator: np.random.Generator | None,
    without: frozenset[str] = frozenset(),
) -> Ranking:
    """Return the candidates' scores.

    Args:
        candidates: What to rank.
        dated: Shape (n,): whether the memory is of the time that the question speaks of; None if it speaks
            of none.
        now: Seconds since 1970.
        generator: Draws weights, mood and noise (`mode="mind"`); None uses the means and no noise.
        without: Names of `EVIDENCE` to leave out, for measuring what each adds.
    """
    n = len(candidates)
    shares = SEARCH_SHARES if generator is None else MIND_SHARES
    parts = _evidence(candidates, dated, without)
    total: Floats = np.sum(list(parts.values()), axis=0)
    best = float(total.max(initial=0.0))
    scale = 1.0 / best if best > _NOTHING else 0.0

    alphas = candidates.learned.alphas()
    expected = _tempered(alphas.mean()) if generator is None else alphas.mean()
    weights = expected if generator is None else alphas.sample(generator)
    components = np.column_stack(
        [
            total * scale,
            _coaccess(candidates),
            np.zeros(n) if generator is None else generator.uniform(size=n),
            np.full(n, NEUTRAL_MOOD) if candidates.mood is None else candidates.mood,
            recency((now - candidates.last_accessed_at) / _HOUR),
        ]
    )
    relevance = relevance_terms(components, weights)
    terms = {name: shares[0] * float(weights[0]) * scale * part for name, part in parts.items()}
    for place, name in enumerate(COMPONENTS):
        if name != "semantic":
            terms[name] = shares[0] * relevance[:, place]
    activated = _add_activation(terms, candidates, dated, now, generator, share=shares[1])
    alpha, beta = candidates.weight_alpha, candidates.weight_beta
    mattered = centers(alpha, beta) if generator is None else samples(alpha, beta, generator)
    terms["weight"] = shares[2] * mattered
    # A share of all the rest, so that what has no state scores as if there were none.
    trust = np.zeros(n) if candidates.trust is None else candidates.trust
    terms["trust"] = trust * np.sum(list(terms.values()), axis=0)
    scores: Floats = np.sum([terms[name] for name in TERMS], axis=0)
    # Equal sums: the one with the words in it.
    order = np.lexsort((-terms["lexical"], -scores)).tolist()
    return Ranking(
        terms=terms,
        scores=scores,
        activation=activated,
        lift=lift(relevance * (alphas.mean() / expected)) if n else relevance,
        order=order,
    )


def _tempered(weights: Floats) -> Floats:
    """Return the weights of a search: what is not evidence keeps a share of its weight, evidence has the rest."""
    tempered = SEARCH_TEMPER * weights
    tempered[0] = 1.0 - tempered[1:].sum()
    return tempered


def _evidence(candidates: Candidates, dated: Dated, without: frozenset[str]) -> dict[str, Floats]:
    lexical = candidates.lexical
    raw: dict[str, Floats] = {
        # What points away from the question is no evidence; below zero it would be evidence against the rest.
        "semantic": np.clip(np.nan_to_num(candidates.similarity, nan=0.0), 0.0, 1.0),
        "lexical": lexical / (lexical + LEXICAL_HALF),
        "entity": np.maximum(candidates.speaks, NAMED * candidates.named),
        "date": np.zeros(len(candidates)) if dated is None else dated.astype(np.float64),
        "importance": candidates.importance,
    }
    answers = np.where(candidates.echoes, ECHO, 1.0)
    return {
        name: answers * EVIDENCE[name] * (np.zeros(len(candidates)) if name in without else values)
        for name, values in raw.items()
    }


def _coaccess(candidates: Candidates) -> Floats:
    edges, n = candidates.edges, len(candidates)
    active = np.zeros(_places(candidates))
    active[edges.sources[edges.hops < 2]] = 1.0
    return spread(
        active, sources=edges.sources, targets=edges.targets, weights=edges.weights, hops=edges.hops
    )[:n]


def _add_activation(
    terms: dict[str, Floats],
    candidates: Candidates,
    dated: Dated,
    now: float,
    generator: np.random.Generator | None,
    *,
    share: float,
) -> Floats:
    """Add what ACT-R's parts do to the probability of retrieval, each in its turn, and return the activation."""
    n = len(candidates)
    accesses = candidates.accessed_at
    base = base_level(
        (now - accesses) / _DAY,
        forgotten=candidates.access_count - np.count_nonzero(~np.isnan(accesses), axis=1),
        lifetime=(now - np.where(candidates.event_at > now, candidates.created_at, candidates.event_at))
        / _DAY,
    )
    so_far = base
    before = retrieval_probability(so_far)
    terms["base_level"] = share * before
    for name, part in (
        ("spreading", _spreading(candidates)),
        ("partial_match", _mismatch(candidates, dated)),
        ("noise", np.zeros(n) if generator is None else logistic_noise(n, generator)),
    ):
        so_far = activation(so_far, spread=part)
        after = retrieval_probability(so_far)
        terms[name] = terms.get(name, 0.0) + share * (after - before)
        before = after
    return so_far


def _spreading(candidates: Candidates) -> Floats:
    edges, n = candidates.edges, len(candidates)
    # What is attended to is what is at hand and what the question found, not what those lead to.
    attended = edges.hops < 2
    sources, columns = np.unique(edges.sources[attended], return_inverse=True)
    strengths = np.zeros((_places(candidates), len(sources)))
    fans = np.ones(len(sources))
    np.maximum.at(strengths, (edges.targets[attended], columns), edge_strength(edges.weights[attended]))
    fans[columns] = edges.fans[attended]
    return spreading(strengths[:n], fans)


def _mismatch(candidates: Candidates, dated: Dated) -> Floats:
    """Return the partial match: what the question names and speaks of, and a memory is not of."""
    n = len(candidates)
    stranger = ~(candidates.speaks | candidates.named) if candidates.names else np.zeros(n, dtype=np.bool_)
    elsewhen = np.zeros(n, dtype=np.bool_) if dated is None else ~dated
    return partial_match(np.column_stack([stranger, elsewhen]).astype(np.float64))


def _places(candidates: Candidates) -> int:
    # A memory at hand need not be a candidate; it then has a place behind the last one.
    return max(len(candidates), int(candidates.edges.sources.max(initial=-1)) + 1)
