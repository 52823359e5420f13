"""The history of a space's blend of relevance: what it was after each change, and the way back to any of that.

Verdicts move the blend one component at a time (`engram.feedback`), within bounds. Each change is kept for
`sweep.keep_days` and can be restored for as long; what is restored is one more change, and can be taken back the same way.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np

from engram.errors import NotFoundError
from engram.graph import Graph
from engram.scoring.relevance import BOUNDS, COMPONENTS, Learned, alphas_after

LISTED = 1_000
"""Most versions that are listed."""
MOST_SHARE = 0.9
"""Expected weight of one component above which the others hardly count."""
MOST_EVIDENCE = 1_000.0
"""Evidence of a Beta distribution above which one more verdict moves its centre by less than a thousandth."""
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class BlendVersion:
    """What the blend was after one change."""

    version: int
    """Counts every change there ever was; 0 is the blend that no verdict had moved."""
    at: datetime | None
    """When it came to that; None of the oldest, whose change is not kept."""
    component: str | None
    """Whose alpha was moved; `restored` where an earlier version was."""
    amount: float
    """By how much."""
    offsets: tuple[float, ...]
    """What verdicts had added to each alpha, in the order of `COMPONENTS`."""
    alphas: Mapping[str, float]
    """By component, as they would be with the experience of today, which is no part of a version."""
    restored: int | None = None
    """The version that was restored."""


def blend_versions(graph: Graph, *, space: str, limit: int = 100) -> tuple[BlendVersion, ...]:
    """Return the versions of a space's blend, newest first; empty where no verdict has moved it lately.

    What no recall could blend with is left out: nobody wants it back.
    """
    rows = graph.read("believe/adapt_list_blends", space=space, limit=min(limit, LISTED))
    changes: list[Mapping[str, Any]] = rows[0]["changes"] if rows else []
    if not changes:
        return ()
    experience: float = rows[0]["experience"]
    oldest = changes[-1]
    told = [*changes, {"version": oldest["version"] - 1, "after": oldest["before"]}]
    return tuple(_version(each, experience) for each in told if _is_usable(experience, each["after"]))


def _version(change: Mapping[str, Any], experience: float) -> BlendVersion:
    offsets = tuple(change["after"])
    alphas = Learned(experience, offsets).alphas().as_array().tolist()
    return BlendVersion(
        version=change["version"],
        at=change.get("at"),
        component=change.get("component"),
        amount=change.get("amount", 0.0),
        offsets=offsets,
        alphas=dict(zip(COMPONENTS, alphas, strict=True)),
        restored=change.get("restored"),
    )


def restore_blend(graph: Graph, *, space: str, to: datetime | int, now: datetime) -> BlendVersion:
    """Let a space's blend be again what it was, and return that version; experience stays what it is.

    Args:
        graph: Where.
        space: Whose.
        to: A version, or a time: the version that held then.
        now: When.

    Raises:
        NotFoundError: That version is not kept (any more).
    """
    versions = blend_versions(graph, space=space, limit=LISTED)
    if isinstance(to, datetime):
        found = next((each for each in versions if each.at is None or each.at <= to), None)
    else:
        found = next((each for each in versions if each.version == to), None)
    if found is None:
        kept = f"{versions[-1].version} to {versions[0].version}" if versions else "none"
        raise NotFoundError(
            f"There is no version {to} of the blend in the space {space!r}.", remedy=f"Versions kept: {kept}."
        )
    graph.write(
        "believe/adapt_restore_blend",
        space=space,
        version=found.version,
        offsets=list(found.offsets),
        now=now,
    )
    return found


def blend_faults(experience: float, offsets: Sequence[float]) -> tuple[str, ...]:
    """Return what is pathological about a blend, each in a sentence; empty where it is sound.

    Args:
        experience: Recalls learned from.
        offsets: What verdicts have added to each alpha, as stored.
    """
    if not _is_usable(experience, offsets):
        return ("the blend cannot be used: its numbers are not five finite offsets and an experience",)
    learned = Learned(experience, tuple(offsets))
    base, alphas = alphas_after(experience).as_array(), learned.alphas().as_array()
    shares = learned.alphas().mean()
    faults = [
        f"verdicts have taken {name} to its {word} bound, {alpha:.3g}: they no longer move it that way"
        for name, alpha, low, high in zip(COMPONENTS, alphas, BOUNDS[0] * base, BOUNDS[1] * base, strict=True)
        for word, bound in (("lower", low), ("upper", high))
        if math.isclose(alpha, bound, rel_tol=_ROUNDING)
    ]
    most = int(np.argmax(shares))
    if shares[most] > MOST_SHARE:
        faults.append(f"{COMPONENTS[most]} has {shares[most]:.0%} of the weight: the others hardly count")
    return tuple(faults)


def _is_usable(experience: float, offsets: Sequence[float]) -> bool:
    """Return whether a recall can blend with these."""
    finite = all(map(math.isfinite, (experience, *offsets)))
    return finite and experience >= 0 and len(offsets) == len(COMPONENTS)
