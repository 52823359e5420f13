CYPHER 25
// Lay a change of belief that speaks against a memory.
// $space: string, whose
// $promoted: string, id of the memory
// $kind: string, the change's
// $role: string, the memory's in it
// $undone: boolean, whether it was taken back
// $at: datetime, when
MATCH (m:Memory {id: $promoted, space: $space})
CREATE (c:BeliefChange {
  id: $space + ':against', space: $space, kind: $kind, by: 'job', reason: 'a reason', at: $at,
  undone_at: CASE WHEN $undone THEN $at END
})
CREATE (c)-[:CHANGED {role: $role}]->(m)
