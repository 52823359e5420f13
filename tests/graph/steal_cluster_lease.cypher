CYPHER 25
// Let another worker have taken the lease on the clusters of a space, as if it had been over.
// $space: string, whose
MATCH (a:ConsolidationAttempt {space: $space, phase: 'cluster'})
SET a.run = 'another'
