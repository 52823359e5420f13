CYPHER 25
// Give one batch of the memories that marked edges join a label to begin with: the cluster that they are in since the
// last run, else their own id.
// $space: string, whose
// $after: string, id after which the batch begins
// $batch_size: integer, memories looked at
// returns: one row: last (string, id of the last memory looked at; null when there was none), changed (integer)
// Running it twice: the same labels.
MATCH (m:Memory)
WHERE m.space = $space AND m.id > $after
WITH m ORDER BY m.space, m.id LIMIT $batch_size
WITH collect(m) AS batch
CALL (batch) {
  UNWIND batch AS m
  WITH m
  WHERE EXISTS { (m)-[c:CO_ACCESSED WHERE c._binding IS NOT NULL]-() }
  SET m._lock = true
  REMOVE m._lock
  WITH collect(m) AS locked
  UNWIND locked AS m
  SET m._community = coalesce(
    COLLECT {
      MATCH (m)-[:BELONGS_TO]->(c:SemanticCluster {status: 'active'})
      RETURN c.id ORDER BY c.id LIMIT 1
    }[0],
    m.id
  )
  RETURN count(m) AS changed
}
RETURN CASE WHEN size(batch) > 0 THEN batch[-1].id END AS last, changed
