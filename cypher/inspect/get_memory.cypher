CYPHER 25
// Find memories by id or by the beginning of one.
// $space: string, whose
// $prefix: string, at least six characters
// returns: memory (map), at most two rows: two mean that the prefix is ambiguous
MATCH (m:Memory)
WHERE m.id STARTS WITH $prefix AND m.space = $space
RETURN m {.*, embedding: null, embedding_b: null} AS memory
ORDER BY m.id
LIMIT 2
