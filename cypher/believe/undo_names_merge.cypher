CYPHER 25
// Take back that two names were taken for one: the alias stands alone again, with the aliases that it had brought.
// Entities are locked in the order of their keys before anything about them is read; memories are not touched.
// $space: string, whose
// $id: string, the change's
// $now: datetime, when
// returns: one row: undone (boolean), why (string, what stands in the way)
// Running it twice: the second time it says that nothing of it is left.
MATCH (b:BeliefChange {id: $id})
WHERE b.space = $space AND $now IS NOT NULL
CALL (b) {
  MATCH (b)-[:CHANGED]->(e:Entity)
  WHERE e.space = $space
  WITH e ORDER BY e.key
  SET e._lock = true
  REMOVE e._lock
  RETURN count(e) AS locked
}
CALL (b) {
  MATCH (b)-[:CHANGED {role: 'alias'}]->(a:Entity)-[r:ALIAS_OF]->(c:Entity)
  WHERE r.change = $id AND EXISTS { (b)-[:CHANGED {role: 'canonical'}]->(c) }
  CALL (b, a, c) {
    MATCH (b)-[t:CHANGED {role: 'moved'}]->(x:Entity)
    MATCH (x)-[s:ALIAS_OF]->(c)
    WHERE s.change = $id
    WITH x, s, a, t {.*, role: null} AS before
    DELETE s
    MERGE (x)-[u:ALIAS_OF]->(a)
      ON CREATE SET u = before
  }
  DELETE r
  RETURN count(*) AS parted
}
RETURN
  parted > 0 AS undone,
  CASE
    WHEN locked < 2 THEN 'one of the names is gone'
    ELSE 'the name was taken for yet another since, or stands alone already'
  END AS why
