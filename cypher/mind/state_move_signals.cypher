CYPHER 25
// Give the three signals their levels as of a time; they were locked in the same transaction.
// $space: string, whose
// $levels: map {achievement, friction, bonding, signals_at}
// $counted: datetime or null, until when what the graph records was counted; null: as before
// Running it twice: the same values.
MATCH (a:AgentManifest {space: $space})
SET
  a += $levels,
  a.counted_at = coalesce($counted, a.counted_at)
