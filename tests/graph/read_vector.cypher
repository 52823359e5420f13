CYPHER 25
// The vector that a memory is stored with.
// $space: string, whose
// $id: string, the memory's
// returns: embedding (list of floats)
MATCH (m:Memory {id: $id})
WHERE m.space = $space
RETURN m.embedding AS embedding
