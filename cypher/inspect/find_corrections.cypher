CYPHER 25
// Find the corrections of a space that are nearest to what the agent attends to.
// All of them are compared, not the nearest of an index of all memories: they are few, and what is like them in meaning
// is seldom a correction.
// $space: string, whose
// $vector: list of floats, the embedding of the attention focus
// $similarity: float, least cosine
// $limit: integer, most rows
// returns: memory (map), similarity (float, the cosine); the nearest first
MATCH (c:Correction)
WHERE c.space = $space AND c.status = 'active' AND c.embedding IS NOT NULL
// The function maps the cosine to 0..1.
WITH c, 2.0 * vector.similarity.cosine(c.embedding, $vector) - 1.0 AS similarity
WHERE similarity >= $similarity
RETURN c {.*, embedding: null, embedding_b: null} AS memory, similarity
ORDER BY similarity DESC, c.id
LIMIT $limit
