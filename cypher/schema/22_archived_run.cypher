CYPHER 25
// What one run of a job promoted, for undoing it.
// Running it twice: no change.
CREATE INDEX archived_run IF NOT EXISTS
FOR (a:Archived) ON (a.run)
