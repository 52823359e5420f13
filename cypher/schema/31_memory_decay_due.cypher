CYPHER 25
// What has faded enough, or been idle for long enough, that the job decay has something to write.
// Running it twice: no change.
CREATE INDEX memory_decay_due IF NOT EXISTS
FOR (m:Memory) ON (m.space, m.decay_due_at, m.id)
