CYPHER 25
// What has not been used for long, within a space.
// Running it twice: no change.
CREATE INDEX memory_last_accessed IF NOT EXISTS
FOR (m:Memory) ON (m.space, m.last_accessed_at)
