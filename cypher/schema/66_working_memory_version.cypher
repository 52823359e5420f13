CYPHER 25
// The versions of a space's working memory in order.
// Running it twice: no change.
CREATE INDEX working_memory_version IF NOT EXISTS
FOR (w:WorkingMemory) ON (w.space, w.version)
