CYPHER 25
// Let versions count from 1 again: what happened until now was the test's own preparation.
// $space: string, whose
MATCH (m:Memory)
WHERE m.space = $space AND m.version <> 1
SET m.version = 1
