CYPHER 25
// Delete memories of a space that goes as a whole, with the turns that they were said in and all relationships, and leave
// tombstones.
// $space: string, whose
// $ids: list of strings, the memories', ascending
// $hashes: list of strings, tombstones to leave
// $now: datetime, when
// returns: erased (integer, memories)
// Running it twice: the second run deletes nothing.
UNWIND $ids AS id
MATCH (m:Memory {id: id})
WHERE m.space = $space
SET m._lock = true
REMOVE m._lock
WITH collect(m) AS memories
CALL () {
  UNWIND $hashes AS hash
  MERGE (tombstone:Tombstone {space: $space, content_hash: hash})
    ON CREATE SET tombstone.at = $now
}
CALL (memories) {
  UNWIND memories AS m
  MATCH (m)-[:DERIVED_FROM]->(t:Turn)
  WITH DISTINCT t
  DETACH DELETE t
}
UNWIND memories AS m
DETACH DELETE m
RETURN count(*) AS erased
