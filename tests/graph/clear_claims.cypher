CYPHER 25
// Forget every attempt and claim of a space.
// $space: string, whose
MATCH (a:ConsolidationAttempt)
WHERE a.space = $space
DETACH DELETE a
