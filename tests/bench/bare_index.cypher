CYPHER 25
// A vector index of the same kind as memory_embedding, for nodes that nothing else knows.
// $dimensions: integer, length of the vectors
CREATE VECTOR INDEX bare_embedding IF NOT EXISTS
FOR (m:BareMemory) ON (m.embedding)
WITH [m.space, m.status, m.valid_from, m.valid_to, m.known_at]
OPTIONS {indexConfig: {
  `vector.dimensions`: $dimensions,
  `vector.similarity_function`: 'cosine',
  `vector.quantization.enabled`: false
}}
