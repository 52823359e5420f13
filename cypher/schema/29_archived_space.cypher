CYPHER 25
// The snapshots of a space in the order of ids, for checks and sweeps.
// Running it twice: no change.
CREATE INDEX archived_space IF NOT EXISTS
FOR (a:Archived) ON (a.space, a.id)
