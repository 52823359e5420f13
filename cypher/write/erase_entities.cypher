CYPHER 25
// Delete names that no memory mentions any more, with the changes of belief that were about nothing else.
// $space: string, whose
// $keys: list of strings, keys of entities, ascending
// returns: erased (integer, names)
// Running it twice: the second run deletes nothing.
UNWIND $keys AS key
MATCH (e:Entity {space: $space, key: key})
SET e._lock = true
REMOVE e._lock
WITH collect(e) AS locked
CALL (locked) {
  UNWIND locked AS e
  MATCH (e)<-[:CHANGED]-(b:BeliefChange)
  WHERE NOT EXISTS { MATCH (b)-[:CHANGED]->(other) WHERE NOT other IN locked }
  WITH DISTINCT b
  DETACH DELETE b
}
UNWIND locked AS e
WITH e
WHERE NOT EXISTS { (e)<-[:MENTIONS]-(:Memory) }
DETACH DELETE e
RETURN count(*) AS erased
