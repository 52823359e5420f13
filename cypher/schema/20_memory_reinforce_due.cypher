CYPHER 25
// New memories that have not reinforced older ones yet; the property is absent on all others.
// Running it twice: no change.
CREATE INDEX memory_reinforce_due IF NOT EXISTS
FOR (m:Memory) ON (m.space, m.reinforce_due_at)
