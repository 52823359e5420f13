CYPHER 25
// Sessions that ended and whose memories are not yet paired; the property is absent on all others.
// Running it twice: no change.
CREATE INDEX session_coactivate_due IF NOT EXISTS
FOR (s:Session) ON (s.space, s.coactivate_due_at)
