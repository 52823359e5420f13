CYPHER 25
// The corrections of a space that are still so, which are compared with what the agent attends to.
// Running it twice: no change.
CREATE INDEX correction_space IF NOT EXISTS
FOR (c:Correction) ON (c.space, c.status)
