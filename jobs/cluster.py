"""Cluster: memories that are used together, and are alike, belong to a cluster for as long as they are."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar
from uuid import uuid4

from engram.clusters import TEXT_LENGTH, connected_parts, succession, typical_terms
from engram.graph import Row

from .job import Job, Work
from .lease import Lease, leased

T = TypeVar("T")
Pair = tuple[str, str]
"""A membership: the memory's id and the cluster's."""


def _cluster(work: Work) -> None:
    with leased(work, "cluster") as lease:
        if lease is not None:
            _swap_in(lease, _communities(lease))


def _communities(lease: Lease) -> list[list[str]]:
    """Return the communities of a space, each as its members' ids in order, by label propagation in the graph."""
    work = lease.work
    _clear(lease)  # a run that was killed leaves its labels behind
    try:
        marked = _walk(
            lease,
            "consolidate/mark_cluster_edges",
            weight=work.tuning["cluster.weight"],
            similarity=work.tuning["cluster.similarity"],
            decay=work.tuning.edge_decay,
            now=work.now,
        )
        parts = _labelled(lease) if marked else []
    finally:
        _clear(lease)
    return [part for part in parts if len(part) >= work.tuning.whole("cluster.memories")]


def _labelled(lease: Lease) -> list[list[str]]:
    """Let labels spread over the marked edges; return the connected parts of what has one label."""
    _walk(lease, "consolidate/seed_community_labels")
    for _ in range(lease.work.tuning.whole("cluster.rounds")):
        if not _walk(lease, "consolidate/propagate_community_labels"):
            break
    else:
        lease.work.notes.append("the labels had not settled after all rounds; the next run goes on from them")
    return connected_parts(_ties(lease))


def _walk(lease: Lease, statement: str, **parameters: Any) -> int:
    """Carry out a statement over the whole space, and return how much it changed. A dry run does so too."""
    rows = lease.batches(lambda **cursor: lease.work.graph.write(statement, **cursor, **parameters).rows)
    return sum(row["changed"] for row in rows)


def _ties(lease: Lease) -> Iterator[list[str]]:
    rows = lease.batches(lambda **cursor: lease.work.read("consolidate/list_communities", **cursor))
    for row in rows:
        yield from row["ties"]


def _clear(lease: Lease) -> None:
    """Take all labels away, even if the run is to stop."""
    clear = "consolidate/clear_community_labels"
    for _ in lease.batches(lambda **cursor: lease.work.graph.write(clear, **cursor).rows, stoppable=False):
        pass


def _swap_in(lease: Lease, communities: list[list[str]]) -> None:
    """Make the clusters of a space what its communities are.

    New memberships come before stale ones go, so that no reader finds a memory between two clusters. Each part of
    the writing finds its work in what is not yet so, so a run that was killed is finished by the next.
    """
    work = lease.work
    before = {row["id"]: row for row in work.read("consolidate/list_clusters", space=work.space)}
    active = {each: row["members"] for each, row in before.items() if row["status"] == "active"}
    found = succession(communities, active)
    ids = [found.kept.get(place) or uuid4().hex for place in range(len(communities))]
    after = dict(zip(ids, communities, strict=True))
    altered = {
        each
        for each, members in after.items()
        if each not in before
        or before[each]["label"] is None
        or members != before[each]["members"]
        or len(members) != before[each]["size"]
    }
    held = _memberships((each, row["members"]) for each, row in before.items())
    wanted = _memberships(after.items())
    origins = {ids[place]: cluster for place, cluster in found.split.items()}
    _form(
        lease,
        {each: after[each] for each in sorted(altered)},
        before=before,
        origins=origins,
        labels=_labels(lease, after, altered),
    )
    # Those of a cluster that has grown come last: as long as one is missing, the next run takes the cluster up.
    _add(lease, sorted(pair for pair in wanted & held if pair[1] in altered), sorted(wanted - held))
    _end(
        lease,
        [(each, None) for each in found.dissolved] + [(each, ids[at]) for each, at in found.merged.items()],
    )
    _remove(lease, sorted(held - wanted), counted={memory for memory, _ in wanted - held})


def _memberships(clusters: Iterable[tuple[str, Iterable[str]]]) -> set[Pair]:
    return {(member, cluster) for cluster, members in clusters for member in members}


def _labels(lease: Lease, clusters: Mapping[str, Sequence[str]], wanted: Collection[str]) -> dict[str, str]:
    """Return a label for each of those clusters, by what tells it from all others."""
    if not wanted:
        return {}
    work = lease.work
    sample = work.tuning.whole("cluster.sample")
    members = ((member, cluster) for cluster, members in clusters.items() for member in members[:sample])

    def texts() -> Iterator[tuple[str, str]]:
        for portion in _portions(lease, members):
            homes = dict(portion)
            rows = work.read(
                "consolidate/list_cluster_texts", space=work.space, ids=list(homes), length=TEXT_LENGTH
            )
            yield from ((homes[row["id"]], row["text"]) for row in rows)

    return {cluster: ", ".join(terms) for cluster, terms in typical_terms(texts(), wanted=wanted).items()}


def _form(
    lease: Lease,
    clusters: Mapping[str, Sequence[str]],
    *,
    before: Mapping[str, Row],
    origins: Mapping[str, str],
    labels: Mapping[str, str],
) -> None:
    """Write the clusters themselves; those that were there before keep what else they have."""
    work = lease.work
    # Ids are random, so the first members are a fair sample.
    sample = work.tuning.whole("cluster.sample")
    rows: list[Row] = [
        {
            "id": cluster,
            "size": len(members),
            "label": labels[cluster],
            "sample": members[:sample],
            "split_from": origins.get(cluster),
        }
        for cluster, members in clusters.items()
    ]
    for portion in _portions(lease, rows, weight=lambda row: len(row["sample"])):
        work.write("consolidate/form_clusters", space=work.space, rows=portion, now=work.now)
        work.count(
            sum(row["id"] not in before for row in portion),
            [
                {
                    "cluster": row["id"],
                    "label": row["label"],
                    "from": len(before[row["id"]]["members"]) if row["id"] in before else 0,
                    "to": row["size"],
                }
                for row in portion
            ],
        )


def _add(lease: Lease, known: list[Pair], new: list[Pair]) -> None:
    """Write memberships; those that were there before may be stronger or weaker now, which is no change to count."""
    work = lease.work
    for pairs, counts in ((known, False), (new, True)):
        for portion in _portions(lease, pairs):
            work.write("consolidate/add_cluster_members", space=work.space, pairs=portion)
            work.count(counts * len(portion))


def _end(lease: Lease, ended: list[tuple[str, str | None]]) -> None:
    work = lease.work
    rows = [
        {"id": cluster, "status": "merged" if into else "dissolved", "into": into}
        for cluster, into in sorted(ended)
    ]
    for portion in _portions(lease, rows):
        work.write("consolidate/end_clusters", space=work.space, rows=portion, now=work.now)
        work.count(len(portion), [{"cluster": row["id"], "status": row["status"]} for row in portion])


def _remove(lease: Lease, stale: list[Pair], counted: set[str]) -> None:
    """Take memberships away; memories that have changed clusters are counted already."""
    work = lease.work
    for portion in _portions(lease, stale):
        work.write("consolidate/remove_cluster_members", space=work.space, pairs=portion)
        work.count(len({memory for memory, _ in portion} - counted))


def _portions(
    lease: Lease, items: Iterable[T], weight: Callable[[T], int] = lambda _: 1
) -> Iterator[list[T]]:
    """Yield the items in lists of one batch's weight at most, or of a single item, while the run may go on."""
    most = lease.work.tuning.whole("cluster.batch_size")
    portion: list[T] = []
    total = 0
    for item in items:
        if portion and total + weight(item) > most:
            lease.go_on()
            yield portion
            portion, total = [], 0
        portion.append(item)
        total += weight(item)
    if portion:
        lease.go_on()
        yield portion


JOB = Job(
    name="cluster",
    why="Memories that are used together and are alike form a cluster: a subject that nobody had to name. It keeps its "
    "identity as it grows, merges and splits.",
    steps=(_cluster,),
    again="nothing, once the labels have settled",
)
