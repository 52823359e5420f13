CYPHER 25
// Take the vectors of one slot from one batch of memories. What has no vector in use is marked, so that one is made.
// $space: string, whose
// $property: string, the slot's property
// $used: string, the property of the vectors in use
// $after: string, id after which the batch begins
// $batch_size: integer, memories looked at
// returns: one row: last (string, id of the last memory looked at; null when there was none), walked (integer)
// Running it twice: no change.
MATCH (m:Memory)
WHERE m.space = $space AND m.id > $after
WITH m ORDER BY m.space, m.id LIMIT $batch_size
WITH collect(m) AS batch
CALL (batch) {
  UNWIND batch AS m
  WITH m
  WHERE m[$property] IS NOT NULL
  SET m._lock = true
  REMOVE m._lock
  WITH collect(m) AS locked
  UNWIND locked AS m
  SET
    m[$property] = null,
    m.embed_due = CASE WHEN m[$used] IS NULL THEN true ELSE m.embed_due END
  RETURN count(m) AS changed
}
RETURN CASE WHEN size(batch) > 0 THEN batch[-1].id END AS last, size(batch) AS walked
