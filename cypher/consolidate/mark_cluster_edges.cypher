CYPHER 25
// Mark the edges that bind a cluster, those of one batch of memories: used together often enough of late, and alike.
// Label propagation then goes over the marks alone and sees one state of the edges, however they change meanwhile.
// A mark is the edge's weight settled at $now, in millionths: sums of whole numbers are the same in every order, so
// that what ties stays tied.
// $space: string, whose
// $after: string, id after which the batch begins
// $batch_size: integer, memories looked at; each edge is its lower end's
// $weight: float, settled weight above which an edge binds
// $similarity: float, cosine above which it does
// $decay: float, per day
// $now: datetime, when
// returns: one row: last (string, id of the last memory looked at; null when there was none), changed (integer, edges)
// Running it twice: at one instant it marks the same.
MATCH (m:Memory)
WHERE m.space = $space AND m.id > $after
WITH m ORDER BY m.space, m.id LIMIT $batch_size
WITH collect(m) AS batch
CALL (batch) {
  UNWIND batch AS m
  WITH m
  WHERE m.status = 'active' AND EXISTS { (m)-[:CO_ACCESSED]->() }
  SET m._lock = true
  REMOVE m._lock
  WITH collect(m) AS locked
  UNWIND locked AS m
  MATCH (m)-[c:CO_ACCESSED]->(n:Memory)
  WHERE m.status = 'active' AND n.status = 'active' AND n.space = $space
  WITH m, c, n, coalesce(c.weight_at, c.last_at) AS at
  WITH m, c, n, c.weight * exp(-$decay * CASE
    WHEN at < $now
    THEN ($now.epochSeconds - at.epochSeconds) / 86400.0 + ($now.microsecond - at.microsecond) / 8.64e10
    ELSE 0.0
  END) AS weight
  WHERE weight > $weight AND 2.0 * vector.similarity.cosine(m.embedding, n.embedding) - 1.0 > $similarity
  SET
    c._binding = toInteger(1e6 * weight),
    m._community = m.id
  RETURN count(c) AS changed
}
RETURN CASE WHEN size(batch) > 0 THEN batch[-1].id END AS last, changed
