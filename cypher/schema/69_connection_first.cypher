CYPHER 25
// The connections of a space by the time at which they came up first.
// Running it twice: no change.
CREATE INDEX connection_first IF NOT EXISTS
FOR (c:Connection) ON (c.space, c.first_at)
