CYPHER 25
// Say that two names are not one: a relationship from the lower to the higher key, and no alias between them.
// The entities concerned are locked here in the order of their keys.
// $space: string, whose
// $key: string, key of the one
// $other: string, key of the other
// $by: string, who says so
// $now: datetime, when
// Running it twice: no change.
CALL () {
  MATCH (e:Entity)
  WHERE e.space = $space AND e.key IN [$key, $other]
  WITH e ORDER BY e.key
  SET e._lock = true
  REMOVE e._lock
  RETURN collect(e) AS ends
}
WITH ends[0] AS a, ends[1] AS z
MATCH (low:Entity {space: $space, key: a.key})
MATCH (high:Entity {space: $space, key: z.key})
CALL (low, high) {
  MATCH (low)-[r:ALIAS_OF]-(high)
  DELETE r
}
MERGE (low)-[n:NOT_SAME_AS]->(high)
  ON CREATE SET
    n.at = $now,
    n.by = $by
