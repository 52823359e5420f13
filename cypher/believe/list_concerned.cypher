CYPHER 25
// The memories that taking a change of belief back may write: those that it touched, and of an insight those that other
// changes which stand have brought to it.
// $space: string, whose
// $id: string, the change's
// returns: one row: ids (list of strings, ascending)
MATCH (c:BeliefChange {id: $id})
WHERE c.space = $space
CALL (c) {
  MATCH (c)-[:CHANGED]->(m:Memory)
  WHERE m.space = $space
  RETURN m
  UNION
  MATCH (c)-[:CHANGED {role: 'insight'}]->(:Memory)<-[:CHANGED {role: 'insight'}]-(d:BeliefChange)-[:CHANGED]->(m:Memory)
  WHERE c.kind = 'insight' AND d.kind = 'insight' AND d.undone_at IS NULL AND m.space = $space
  RETURN m
}
WITH m ORDER BY m.id
RETURN collect(m.id) AS ids
