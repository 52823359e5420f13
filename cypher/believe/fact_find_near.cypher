CYPHER 25
// The facts that hold and are nearest to a new one by vector. The index knows no categories, so more is taken from it
// than is returned.
// $space: string, whose
// $vector: list of floats, the new fact's
// $width: integer, rows taken from the vector index
// $nearest: integer, how many at most
// returns: id (string), similarity (cosine), best first
MATCH (m:Memory)
SEARCH m IN (
  VECTOR INDEX memory_embedding
  FOR $vector
  WHERE m.space = $space AND m.status = 'active'
  LIMIT $width
) SCORE AS score
WHERE m.category IS NOT NULL
RETURN m.id AS id, 2.0 * score - 1.0 AS similarity
ORDER BY score DESC, id
LIMIT $nearest
