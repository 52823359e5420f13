CYPHER 25
// The marked edges within communities, those of one batch of memories, as adjacency lists.
// $space: string, whose
// $after: string, id after which the batch begins
// $batch_size: integer, memories looked at; each edge is its lower end's
// returns: one row: last (string, id of the last memory looked at; null when there was none), ties (list of lists of
//   ids: a memory, then those of the same label that its edges lead to)
MATCH (m:Memory)
WHERE m.space = $space AND m.id > $after
WITH m ORDER BY m.space, m.id LIMIT $batch_size
WITH collect(m) AS batch
CALL (batch) {
  UNWIND batch AS m
  MATCH (m)-[c:CO_ACCESSED]->(n:Memory)
  WHERE c._binding IS NOT NULL AND n._community = m._community
  WITH m, collect(n.id) AS others
  RETURN collect([m.id] + others) AS ties
}
RETURN CASE WHEN size(batch) > 0 THEN batch[-1].id END AS last, ties
