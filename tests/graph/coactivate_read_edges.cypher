CYPHER 25
// The associations between a space's memories.
// $space: string, whose
// returns: start, end (ids of the ends), properties (map)
MATCH (a:Memory)
WHERE a.space = $space AND a.id > ''
WITH a ORDER BY a.id
MATCH (a)-[c:CO_ACCESSED]->(b:Memory)
RETURN a.id AS start, b.id AS end, properties(c) AS properties
