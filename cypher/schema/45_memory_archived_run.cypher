CYPHER 25
// What one run of the job archive has put away, for undoing it; the property is absent on all others.
// Running it twice: no change.
CREATE INDEX memory_archived_run IF NOT EXISTS
FOR (m:Memory) ON (m.space, m.archived_run, m.id)
