CYPHER 25
// One node per try at one batch.
// Running it twice: no change.
CREATE CONSTRAINT consolidation_attempt_id IF NOT EXISTS
FOR (a:ConsolidationAttempt) REQUIRE a.id IS UNIQUE
