CYPHER 25
// The last changes of a space.
// Running it twice: no change.
CREATE INDEX belief_change_at IF NOT EXISTS FOR (c:BeliefChange) ON (c.space, c.at)
