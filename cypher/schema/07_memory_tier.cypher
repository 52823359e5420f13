CYPHER 25
// Counts and jobs by tier and status within a space.
// Running it twice: no change.
CREATE INDEX memory_tier IF NOT EXISTS
FOR (m:Memory) ON (m.space, m.tier, m.status)
