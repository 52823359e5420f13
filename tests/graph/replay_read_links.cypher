CYPHER 25
// The links from what was said to what was said before it.
// $space: string, whose
// returns: properties (map)
MATCH (m:Memory)
WHERE m.space = $space AND m.id > ''
WITH m ORDER BY m.id
MATCH (m)-[f:FOLLOWS]->(:Memory)
RETURN properties(f) AS properties
