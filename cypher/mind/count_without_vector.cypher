CYPHER 25
// Count the memories of a space that have no vector of the model in use yet. No vector search finds them; their words do.
// $space: string, whose
// $limit: integer, as far as is counted
// returns: one row: memories (integer)
MATCH (m:Memory)
WHERE m.embed_due = true AND m.space = $space AND m.embedding IS NULL
WITH m LIMIT $limit
RETURN count(m) AS memories
