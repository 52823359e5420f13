CYPHER 25
// Nearest neighbours by cosine, filtered inside the index by space, status and time.
// Only properties that seldom change may stand in WITH: each change of one re-inserts the vector.
// $dimensions: integer, length of the embedder's vectors
// Running it twice: no change, even for another length; the recorded schema guards that.
CREATE VECTOR INDEX memory_embedding IF NOT EXISTS
FOR (m:Memory) ON (m.embedding)
WITH [m.space, m.status, m.valid_from, m.valid_to, m.known_at]
OPTIONS {indexConfig: {
  `vector.dimensions`: $dimensions,
  `vector.similarity_function`: 'cosine',
  `vector.quantization.enabled`: true
}}
