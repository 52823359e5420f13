CYPHER 25
// What was written, to be inserted again the bare way.
// $ids: list of strings, ids of memories
// returns: properties (map), embedding (list of floats)
UNWIND $ids AS id
MATCH (m:Memory {id: id})
RETURN m {.*, embedding: null, embedding_b: null} AS properties, m.embedding AS embedding
