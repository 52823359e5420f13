CYPHER 25
// Let a memory say that two others are in tension, if they still are, and note it on the change that found them so.
// All three were locked in the same transaction.
// $space: string, whose
// $id: string, the memory that says so
// $low: string, id of one
// $high: string, id of the other, the higher one
// $now: datetime, when
// returns: described (integer, 1 or 0)
// Running it twice: the relationships get another time, nothing else.
MATCH (said:Tension {id: $id})
WHERE said.space = $space
MATCH (low:Memory {id: $low})-[t:IN_TENSION_WITH]->(high:Memory {id: $high})
WHERE low.space = $space AND high.space = $space AND t.state IN ['open', 'acknowledged']
MERGE (said)-[one:TENSION_BETWEEN {role: 'one'}]->(low)
MERGE (said)-[other:TENSION_BETWEEN {role: 'other'}]->(high)
SET
  one.at = $now,
  other.at = $now
WITH said, low, high
CALL (said, low, high) {
  MATCH (low)<-[:CHANGED {role: 'one'}]-(c:BeliefChange {kind: 'tension'})-[:CHANGED {role: 'other'}]->(high)
  WHERE c.space = $space AND c.undone_at IS NULL
  MERGE (c)-[:CHANGED {role: 'tension'}]->(said)
  RETURN count(*) AS noted
}
RETURN count(*) AS described
