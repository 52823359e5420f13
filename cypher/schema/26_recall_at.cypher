CYPHER 25
// The recalls of a space by time: those whose time has come are rolled up.
// Running it twice: no change.
CREATE INDEX recall_at IF NOT EXISTS
FOR (r:Recall) ON (r.space, r.at)
