CYPHER 25
// Make a memory that was there before immutable: it keeps its weight whatever happens.
// It was locked in the same transaction, by being remembered once more.
// $space: string, whose
// $id: string, the memory's
// returns: memory (map)
// Running it twice: no change.
MATCH (m:Memory {id: $id})
WHERE m.space = $space
SET
  m.immutable = true
RETURN m {.*, embedding: null, embedding_b: null} AS memory
