CYPHER 25
// Nearest neighbours by cosine, filtered inside the index by space, status and time.
// Only properties that seldom change may stand in WITH: each change of one re-inserts the vector.
// Not quantized: on 2026.09.0 a filtered search of a quantized index fails ("Index 33554431 out of bounds
// for length 1", out of Lucene) while a small segment holds deleted vectors and the filter matches none
// of it, and it fails for every space. The full vectors are on disk either way; the cost is page cache.
// $dimensions: integer, length of the embedder's vectors
// Running it twice: no change, even for another length; the recorded schema guards that.
CREATE VECTOR INDEX memory_embedding IF NOT EXISTS
FOR (m:Memory) ON (m.embedding)
WITH [m.space, m.status, m.valid_from, m.valid_to, m.known_at]
OPTIONS {indexConfig: {
  `vector.dimensions`: $dimensions,
  `vector.similarity_function`: 'cosine',
  `vector.quantization.enabled`: false
}}
