CYPHER 25
// Record the schema version and the embedding model after all schema statements have run.
// $version: integer, the schema's version
// $embed_model: string, the embedder's name
// $dimensions: integer, length of its vectors
// $now: datetime, when
// Running it twice: the same single node; the model recorded first stays.
MERGE (s:EngramSchema {id: 'engram'})
  ON CREATE SET
    s.created_at = $now,
    s.embed_model = $embed_model,
    s.dimensions = $dimensions
SET
  s.version = $version,
  s.applied_at = $now
