CYPHER 25
// Let somebody else have the lease on ranking a space.
// $space: string, whose
// $until: datetime
MERGE (a:ConsolidationAttempt {id: $space + ':rank'})
SET
  a.space = $space,
  a.phase = 'rank',
  a.run = 'another',
  a.lease_until = $until
