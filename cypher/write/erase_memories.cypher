CYPHER 25
// Delete memories with their snapshots and the turns that nothing else rests on, and leave tombstones.
// The memories were locked in the same transaction.
// $space: string, whose
// $ids: list of strings, the memories'
// $hashes: list of strings, tombstones to leave
// $now: datetime, when
// returns: erased (integer, memories deleted)
// Running it twice: the second run deletes nothing.
UNWIND $hashes AS hash
MERGE (tombstone:Tombstone {space: $space, content_hash: hash})
  ON CREATE SET tombstone.at = $now
WITH count(*) AS _
UNWIND $ids AS id
MATCH (m:Memory {id: id})
WHERE m.space = $space
CALL (m) {
  // The talk closes over the gap.
  MATCH (after:Memory)-[:FOLLOWS]->(m)-[:FOLLOWS]->(before:Memory)
  MERGE (after)-[:FOLLOWS]->(before)
}
CALL (m) {
  MATCH (m)-[:DERIVED_FROM]->(:Turn)-[:PART_OF]->(s:Session {tail: m.id})
  OPTIONAL MATCH (m)-[:FOLLOWS]->(before:Memory)
  SET s.tail = before.id
}
OPTIONAL MATCH (m)<-[:PROMOTED_TO|CRYSTALLIZED_INTO]-+(snapshot:Archived)
WITH m, collect(DISTINCT snapshot) AS snapshots
OPTIONAL MATCH (m)-[:DERIVED_FROM]->(t:Turn)
WHERE NOT EXISTS {
  MATCH (t)<-[:DERIVED_FROM]-(other:Memory)
  WHERE NOT other.id IN $ids
}
WITH m, snapshots, collect(DISTINCT t) AS turns
FOREACH (s IN snapshots | DETACH DELETE s)
FOREACH (t IN turns | DETACH DELETE t)
DETACH DELETE m
RETURN count(*) AS erased
