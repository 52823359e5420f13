CYPHER 25
// Let somebody else have the lease on dreaming of a space.
// $space: string, whose
// $until: datetime
MERGE (a:ConsolidationAttempt {id: $space + ':dream'})
SET
  a.space = $space,
  a.phase = 'dream',
  a.run = 'another',
  a.lease_until = $until
