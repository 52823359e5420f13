CYPHER 25
// The tries of a space, for finding those whose lease is over.
// Running it twice: no change.
CREATE INDEX consolidation_attempt_space IF NOT EXISTS
FOR (a:ConsolidationAttempt) ON (a.space, a.lease_until)
