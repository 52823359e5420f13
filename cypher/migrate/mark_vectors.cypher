CYPHER 25
// Mark one batch of memories as lacking a vector, because theirs was made in another way than those of today.
// They are found by the old one until the new one is there.
// $space: string, whose
// $after: string, id after which the batch begins
// $batch_size: integer, memories looked at
// returns: one row: last (string, id of the last memory looked at; null when there was none)
// Running it twice: no change.
MATCH (m:Memory)
WHERE m.space = $space AND m.id > $after
WITH m ORDER BY m.space, m.id LIMIT $batch_size
WITH collect(m) AS batch
CALL (batch) {
  UNWIND batch AS m
  WITH m
  WHERE m.embed_due IS NULL
  SET m._lock = true
  REMOVE m._lock
  WITH collect(m) AS locked
  UNWIND locked AS m
  SET m.embed_due = true
  RETURN count(m) AS changed
}
RETURN CASE WHEN size(batch) > 0 THEN batch[-1].id END AS last
