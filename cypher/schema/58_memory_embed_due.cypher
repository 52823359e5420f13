CYPHER 25
// Memories that lack a vector of the model in use, or of the one that a reindex is making; the property is absent on all
// others.
// Running it twice: no change.
CREATE INDEX memory_embed_due IF NOT EXISTS
FOR (m:Memory) ON (m.embed_due, m.space)
