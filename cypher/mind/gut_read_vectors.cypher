CYPHER 25
// Vectors and importance of one batch of active memories, in the order of ids. Ids are drawn at random when memories are
// made, so the first of them are a fair sample of a space.
// $space: string, whose
// $after: string, id after which the batch begins
// $limit: integer, memories looked at
// $model: string, the embedding model; vectors of another one are left out
// returns: one row: last (string, id of the last memory looked at; null when there was none), looked_at (integer),
//   vectors (list of lists of floats), weights (list of floats, importance, in the same order)
MATCH (m:Memory)
WHERE m.space = $space AND m.id > $after
WITH m ORDER BY m.space, m.id LIMIT $limit
WITH collect(m) AS batch
WITH batch, [m IN batch WHERE m.status = 'active' AND m.embed_model = $model AND m.embedding IS NOT NULL] AS told
RETURN
  CASE WHEN size(batch) > 0 THEN batch[-1].id END AS last,
  size(batch) AS looked_at,
  [m IN told | m.embedding] AS vectors,
  [m IN told | m.importance] AS weights
