CYPHER 25
// What crossed a promotion bar and waits for the job; the property is absent on all others.
// Running it twice: no change.
CREATE INDEX memory_promote_due IF NOT EXISTS
FOR (m:Memory) ON (m.promote_due_at)
