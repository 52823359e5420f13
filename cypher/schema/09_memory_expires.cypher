CYPHER 25
// What left the working set; expiry is computed from this time and never written as a status.
// Running it twice: no change.
CREATE INDEX memory_expires IF NOT EXISTS
FOR (m:Memory) ON (m.expires_at)
