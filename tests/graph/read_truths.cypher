CYPHER 25
// How true and how weighty the memories of a space are.
// $space: string, whose
// returns: id, alpha, beta, weight (list of two floats), ascending by id
MATCH (m:Memory)
WHERE m.space = $space
RETURN m.id AS id, m.truth_alpha AS alpha, m.truth_beta AS beta, [m.weight_alpha, m.weight_beta] AS weight
ORDER BY id
