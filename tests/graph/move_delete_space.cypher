CYPHER 25
// Delete all that a space holds.
// $space: string, whose
MATCH (n)
WHERE n.space = $space
DETACH DELETE n
