CYPHER 25
// The turns of a space that facts are still to be drawn from.
// $space: string, whose
// returns: id
MATCH (t:Turn)
WHERE t.space = $space AND t.extract_due_at IS NOT NULL
RETURN t.id AS id
ORDER BY id
