CYPHER 25
// What ranking writes in a space.
// $space: string, whose
// returns: one row: memories (list of maps {id, centrality, _rank, _strength, _lock}), leases (list of maps)
CALL () {
  MATCH (m:Memory)
  WHERE m.space = $space AND m.id > ''
  RETURN collect(m {.id, .centrality, ._rank, ._strength, ._lock}) AS memories
}
OPTIONAL MATCH (a:ConsolidationAttempt {id: $space + ':rank'})
RETURN memories, collect(a {.*}) AS leases
