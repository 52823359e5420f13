CYPHER 25
// Note on a memory how far it was promoted, or put back what it was.
// It was locked in the same transaction.
// $space: string, whose
// $id: string, the memory's
// $properties: map, some of pattern_stage, pattern_alpha, pattern_due, pattern_retry_days, weight_alpha; null removes
// returns: id (string)
// Running it twice: no change.
MATCH (m:Memory {id: $id})
WHERE m.space = $space
SET m += $properties
RETURN m.id AS id
