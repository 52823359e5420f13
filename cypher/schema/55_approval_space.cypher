CYPHER 25
// What waits for a person's word in a space, the oldest first.
// Running it twice: no change.
CREATE INDEX approval_space IF NOT EXISTS FOR (a:Approval) ON (a.space, a.asked_at)
