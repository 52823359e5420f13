CYPHER 25
// Say of one batch of memories which model their vectors in use come from.
// $space: string, whose
// $property: string, the property of the vectors in use
// $model: string, its name
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
  WHERE m.embed_model <> $model
  SET m._lock = true
  REMOVE m._lock
  WITH collect(m) AS locked
  UNWIND locked AS m
  WITH m
  WHERE m[$property] IS NOT NULL
  SET m.embed_model = $model
  RETURN count(m) AS changed
}
RETURN CASE WHEN size(batch) > 0 THEN batch[-1].id END AS last, size(batch) AS walked
