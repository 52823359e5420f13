CYPHER 25
// Let the associations of one batch of memories fade: write what elapsed time has left of their weight.
// An edge belongs to its lower end, so that each is looked at once. Time is in whole seconds of the epoch, as in
// learn_from_recall: those add up over any partition. Edges that hardly moved are left alone.
// $space: string, whose
// $after: string, id after which the batch begins
// $until: string, the last id that it may hold
// $batch_size: integer, memories looked at
// $edges: integer, edges looked at, unless the first memory alone has more: a transaction must fit in memory
// $decay: float, an edge's decay per day
// $tolerance: float, the least share of its weight whose loss is worth a write
// $now: datetime, the time to settle at
// returns: last (string, id of the last memory looked at; null when there was none), changed (integer, edges),
//   examples (list of maps {from, to, weight, weight_now}, five at most)
// Running it twice: at one instant the second run changes nothing.
MATCH (m:Memory)
WHERE m.space = $space AND m.id > $after AND m.id <= $until
WITH m ORDER BY m.space, m.id LIMIT $batch_size
WITH collect(m) AS found, collect(count { (m)-[:CO_ACCESSED]->() }) AS degrees
WITH found[..reduce(
  cut = {at: 0, edges: 0},
  degree IN degrees |
  CASE WHEN cut.at = 0 OR cut.edges + degree <= $edges
    THEN {at: cut.at + 1, edges: cut.edges + degree}
    ELSE {at: cut.at, edges: $edges + 1}
  END
).at] AS batch
CALL (batch) {
  UNWIND batch AS low
  MATCH (low)-[c:CO_ACCESSED]->(high:Memory)
  WHERE high.space = $space AND 1.0 - exp(
    -$decay * ($now.epochSeconds - coalesce(c.weight_at, c.last_at).epochSeconds) / 86400.0
  ) > $tolerance
  RETURN collect({low: low, high: high}) AS due
}
CALL (due) {
  UNWIND due AS edge
  UNWIND [edge.low, edge.high] AS m
  WITH DISTINCT m ORDER BY m.id
  SET m._lock = true
  REMOVE m._lock
  RETURN count(*) AS locked
}
CALL (due) {
  UNWIND due AS edge
  WITH edge.low AS low, edge.high AS high
  MATCH (low)-[c:CO_ACCESSED]->(high)
  WITH low, high, c, c.weight AS weight, exp(
    -$decay * ($now.epochSeconds - coalesce(c.weight_at, c.last_at).epochSeconds) / 86400.0
  ) AS left
  WHERE 1.0 - left > $tolerance
  SET
    c.weight = weight * left,
    c.weight_at = $now
  RETURN
    count(c) AS changed,
    collect({from: low.id, to: high.id, weight: weight, weight_now: weight * left})[..5] AS examples
}
RETURN CASE WHEN size(batch) > 0 THEN batch[-1].id END AS last, changed, examples
