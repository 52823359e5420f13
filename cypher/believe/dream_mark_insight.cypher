CYPHER 25
// Say what became of an insight that was stored or found again, and which of its sources it has quieted before.
// The memories were locked in the same transaction.
// $space: string, whose
// $id: string, the insight's
// $merged: boolean, whether it stands for all that it cites
// returns: one row: cites (list of ids), quieted (list of ids)
// Running it twice: no change.
MATCH (i:Memory {id: $id})
WHERE i.space = $space
FOREACH (one IN CASE WHEN $merged THEN [i] ELSE [] END | SET one.dreamed = 'merge')
RETURN
  COLLECT {
    MATCH (i)-[:DERIVED_FROM]->(s:Memory)
    WHERE s.space = $space
    RETURN s.id AS source ORDER BY source
  } AS cites,
  COLLECT {
    MATCH (i)<-[:CHANGED {role: 'insight'}]-(c:BeliefChange)-[r:CHANGED {role: 'source'}]->(s:Memory)
    WHERE c.space = $space AND c.undone_at IS NULL AND r.quieted > 0.0
    RETURN DISTINCT s.id AS source ORDER BY source
  } AS quieted
