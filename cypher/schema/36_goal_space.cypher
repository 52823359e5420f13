CYPHER 25
// The goals of a space by state, for listing and locking them.
// Running it twice: no change.
CREATE INDEX goal_space IF NOT EXISTS
FOR (g:Goal) ON (g.space, g.state)
