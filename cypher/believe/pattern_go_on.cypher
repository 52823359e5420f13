CYPHER 25
// Add to the last promotion of a memory what it was granted since, so that taking it back takes back all of it.
// The memory was locked in the same transaction.
// $space: string, whose
// $id: string, the memory's
// $granted: float, what its weight's alpha has gained
// returns: change (string, the id of the promotion)
// Running it twice: it is added twice; the caller moves the weight in the same transaction.
MATCH (c:BeliefChange)-[r:CHANGED {role: 'promoted'}]->(m:Memory {id: $id})
WHERE m.space = $space AND c.space = $space AND c.kind = 'promotion' AND c.undone_at IS NULL
WITH c, r ORDER BY c.at DESC, r.pattern_stage DESC LIMIT 1
SET r.granted = r.granted + $granted
RETURN c.id AS change
