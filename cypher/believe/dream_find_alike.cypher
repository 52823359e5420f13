CYPHER 25
// For each of several memories, the active ones that are near it by vector. Whether two are alike enough is seen later, by
// what they say alone: the stored vectors hold the context too.
// $space: string, whose
// $ids: list of strings, the memories'
// $tags: list of strings, source tags of what is not dreamed of
// $kinds: list of strings, kinds of memories that are not
// $width: integer, rows taken from the vector index for each
// $least: float, the least cosine
// returns: one row: ids (list of strings, of those that are near any, ascending)
UNWIND $ids AS id
MATCH (m:Memory {id: id})
WHERE m.space = $space AND m.embedding IS NOT NULL
CALL (m) {
  WITH m.embedding AS vector
  MATCH (n:Memory)
  SEARCH n IN (
    VECTOR INDEX memory_embedding
    FOR vector
    WHERE n.space = $space AND n.status = 'active'
    LIMIT $width
  ) SCORE AS score
  WHERE 2.0 * score - 1.0 >= $least AND NOT n.source_tag IN $tags AND NOT n.kind IN $kinds
  RETURN n
}
WITH DISTINCT n ORDER BY n.id
RETURN collect(n.id) AS ids
