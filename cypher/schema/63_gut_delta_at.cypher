CYPHER 25
// The feelings of a space by time.
// Running it twice: no change.
CREATE INDEX gut_delta_at IF NOT EXISTS
FOR (d:GutDelta) ON (d.space, d.at)
