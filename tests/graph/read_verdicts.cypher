CYPHER 25
// What the records of a memory's verdicts keep of them.
// $space: string, whose
// $id: string, the memory's
// returns: weight_for, weight_against (floats), one row for each verdict, in the order of the recalls' ids
MATCH (r:Recall)-[returned:RETURNED]->(m:Memory {id: $id})
WHERE m.space = $space AND returned.useful IS NOT NULL
RETURN returned.weight_for AS weight_for, returned.weight_against AS weight_against
ORDER BY r.id
