CYPHER 25
// The order in which jobs walk a space, batch by batch.
// Running it twice: no change.
CREATE INDEX memory_cursor IF NOT EXISTS
FOR (m:Memory) ON (m.space, m.id)
