CYPHER 25
// For each of several texts, the active memories that are nearest by vector: what the exit gate compares it with.
// A memory that was made of the text's own turn is left out: it would be its own confirmation.
// $space: string, whose
// $rows: list of maps {index (integer, the caller's), vector (list of floats), turn (string, id of the text's own turn)}
// $width: integer, rows taken from the vector index for each text
// $nearest: integer, how many memories each text gets at most
// returns: index, nearest (list of maps {id, content, similarity (cosine of the text and the stored vector)}, best first)
UNWIND $rows AS row
CALL (row) {
  WITH row, row.vector AS vector
  MATCH (m:Memory)
  SEARCH m IN (
    VECTOR INDEX memory_embedding
    FOR vector
    WHERE m.space = $space AND m.status = 'active'
    LIMIT $width
  ) SCORE AS score
  WHERE NOT EXISTS { (m)-[:DERIVED_FROM]->(:Turn {space: $space, id: row.turn}) }
  WITH m, score ORDER BY score DESC, m.id LIMIT $nearest
  RETURN collect({id: m.id, content: m.content, similarity: 2.0 * score - 1.0}) AS nearest
}
RETURN row.index AS index, nearest
ORDER BY index
