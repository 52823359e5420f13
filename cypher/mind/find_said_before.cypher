CYPHER 25
// How near what is said now is to what was remembered before: a thing that is near to none of it is new.
// $space: string, whose
// $rows: list of maps {index (integer, the caller's), vector (list of floats)}
// $before: datetime, only what was stored before it counts
// $width: integer, rows taken from the vector index for each
// returns: index, similarity (cosine to the nearest; null where nothing was remembered), by index
UNWIND $rows AS row
CALL (row) {
  WITH row.vector AS vector
  MATCH (m:Memory)
  SEARCH m IN (
    VECTOR INDEX memory_embedding
    FOR vector
    WHERE m.space = $space AND m.status = 'active'
    LIMIT $width
  ) SCORE AS score
  WHERE m.created_at < $before
  RETURN 2.0 * max(score) - 1.0 AS similarity
}
RETURN row.index AS index, similarity
ORDER BY index
