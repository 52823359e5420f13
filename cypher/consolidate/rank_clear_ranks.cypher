CYPHER 25
// Remove what ranking left on one batch of memories for its own use.
// $space: string, whose
// $after: string, id after which the batch begins
// $batch_size: integer, memories looked at
// returns: last (string, id of the last memory looked at; null when there was none)
// Running it twice: no change.
MATCH (m:Memory)
WHERE m.space = $space AND m.id > $after
WITH m ORDER BY m.space, m.id LIMIT $batch_size
WITH collect(m) AS batch
FOREACH (m IN [each IN batch WHERE each._strength IS NOT NULL OR each._rank IS NOT NULL] |
  REMOVE m._strength, m._rank
)
RETURN CASE WHEN size(batch) > 0 THEN batch[-1].id END AS last
