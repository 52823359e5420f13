CYPHER 25
// Take the scratch of label propagation from one batch of memories: their labels, and the marks of their edges.
// An edge is marked only where its lower end has a label.
// $space: string, whose
// $after: string, id after which the batch begins
// $batch_size: integer, memories looked at
// returns: one row: last (string, id of the last memory looked at; null when there was none), changed (integer)
// Running it twice: the second run changes nothing.
MATCH (m:Memory)
WHERE m.space = $space AND m.id > $after
WITH m ORDER BY m.space, m.id LIMIT $batch_size
WITH collect(m) AS batch
CALL (batch) {
  UNWIND batch AS m
  WITH m
  WHERE m._community IS NOT NULL
  SET m._lock = true
  REMOVE m._lock
  WITH collect(m) AS locked
  UNWIND locked AS m
  CALL (m) {
    MATCH (m)-[c:CO_ACCESSED]->()
    WHERE c._binding IS NOT NULL
    REMOVE c._binding
  }
  REMOVE m._community
  RETURN count(m) AS changed
}
RETURN CASE WHEN size(batch) > 0 THEN batch[-1].id END AS last, changed
