CYPHER 25
// Prune the associations of one batch of memories: those that have faded below the floor, and of a memory that has
// too many the weakest. Weights are compared as they are at one instant, whenever they were settled.
// What goes is kept with the run, so that it can be put back. The memories are pruned in ascending id, and each
// sees what those before it have lost. Whatever is locked bears _lock until the end: an edge that was learned
// meanwhile, to a memory that is not locked, is left to the next run.
// $space: string, whose
// $after: string, id after which the batch begins
// $batch_size: integer, memories looked at, and edges in one record
// $edges: integer, edges looked at, unless the first memory alone has more: a transaction must fit in memory
// $decay: float, an edge's decay per day
// $floor: float, weight below which an edge goes
// $partners: integer, edges that a memory keeps at most
// $run: string, id of the run
// $now: datetime, the time to compare at
// returns: last (string, id of the last memory looked at; null when there was none), changed (integer, edges),
//   examples (list of maps {from, to, weight}, five at most)
// Running it twice: at one instant the second run changes nothing.
MATCH (m:Memory)
WHERE m.space = $space AND m.id > $after
WITH m ORDER BY m.space, m.id LIMIT $batch_size
WITH collect(m) AS found, collect(count { (m)-[:CO_ACCESSED]-() }) AS degrees
WITH found[..reduce(
  cut = {at: 0, edges: 0},
  degree IN degrees |
  CASE WHEN cut.at = 0 OR cut.edges + degree <= $edges
    THEN {at: cut.at + 1, edges: cut.edges + degree}
    ELSE {at: cut.at, edges: $edges + 1}
  END
).at] AS batch
CALL (batch) {
  UNWIND batch AS m
  WITH m
  WHERE count { (m)-[:CO_ACCESSED]-() } > $partners OR EXISTS {
    MATCH (m)-[c:CO_ACCESSED]->()
    WHERE c.weight * exp(
      -$decay * ($now.epochSeconds - coalesce(c.weight_at, c.last_at).epochSeconds) / 86400.0
    ) < $floor
  }
  RETURN collect(m) AS rich
}
CALL (rich) {
  UNWIND rich AS m
  MATCH (m)-[:CO_ACCESSED]-(partner:Memory)
  WHERE partner.space = $space
  UNWIND [m, partner] AS each
  WITH DISTINCT each ORDER BY each.id
  SET each._lock = true
  RETURN collect(each) AS locked
}
CALL (rich) {
  UNWIND rich AS m
  CALL (m) {
    MATCH (m)-[c:CO_ACCESSED]-(partner:Memory)
    WHERE partner._lock
    WITH c, partner, c.weight * exp(
      -$decay * ($now.epochSeconds - coalesce(c.weight_at, c.last_at).epochSeconds) / 86400.0
    ) AS weight
    ORDER BY weight DESC, partner.id
    WITH collect({edge: c, weight: weight}) AS edges
    UNWIND edges[$partners..] + [each IN edges[..$partners] WHERE each.weight < $floor] AS weak
    WITH weak.edge AS c, weak.weight AS weight_now
    WITH c, c {
      .weight, .count, .first_at, .last_at, weight_now, confidence: coalesce(c.confidence, 1.0),
      weight_at: coalesce(c.weight_at, c.last_at), from: startNode(c).id, to: endNode(c).id
    } AS pruned
    DELETE c
    RETURN pruned
  }
  RETURN collect(pruned) AS pruned
}
FOREACH (m IN locked | REMOVE m._lock)
WITH batch, pruned
MATCH (r:JobRun {id: $run})
// A run over every space has none of its own.
WHERE coalesce(r.space, $space) = $space
FOREACH (part IN [
    number IN range(0, (size(pruned) + $batch_size - 1) / $batch_size - 1) |
    {number: number, edges: pruned[number * $batch_size..(number + 1) * $batch_size]}
  ] |
  CREATE (r)-[:PRUNED]->(:PrunedEdges {
    id: $run + '-' + batch[0].id + '-' + toString(part.number),
    space: $space,
    from: [each IN part.edges | each.from],
    to: [each IN part.edges | each.to],
    weight: [each IN part.edges | each.weight],
    weight_at: [each IN part.edges | each.weight_at],
    count: [each IN part.edges | each.count],
    confidence: [each IN part.edges | each.confidence],
    first_at: [each IN part.edges | each.first_at],
    last_at: [each IN part.edges | each.last_at]
  })
)
RETURN
  CASE WHEN size(batch) > 0 THEN batch[-1].id END AS last,
  size(pruned) AS changed,
  [each IN pruned[..5] | each {.from, .to, weight: each.weight_now}] AS examples
