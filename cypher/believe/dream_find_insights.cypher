CYPHER 25
// Insights that say nearly the same as a new one would, whether they hold or a person took them back, with what they cite.
// What a job has withdrawn may be dreamed again: it lost a source, and may have found others.
// $space: string, whose
// $vector: list of floats, what the new one would be stored with
// $width: integer, rows taken from the vector index for each status
// $least: float, the least cosine
// returns: id, status, content (strings), similarity (float), cites (list of ids), the nearest first
UNWIND ['active', 'archived'] AS wanted
CALL (wanted) {
  WITH $vector AS vector, wanted
  MATCH (m:Memory)
  SEARCH m IN (
    VECTOR INDEX memory_embedding
    FOR vector
    WHERE m.space = $space AND m.status = wanted
    LIMIT $width
  ) SCORE AS score
  WHERE m.dreamed IN ['insight', 'merge'] AND (wanted = 'active' OR m.withdrawn_at IS NULL) AND 2.0 * score - 1.0 >= $least
  RETURN m, 2.0 * score - 1.0 AS similarity
}
RETURN
  m.id AS id, m.status AS status, m.content AS content, similarity,
  COLLECT {
    MATCH (m)-[:DERIVED_FROM]->(s:Memory)
    WHERE s.space = $space
    RETURN s.id AS source ORDER BY source
  } AS cites
ORDER BY similarity DESC, id
