CYPHER 25
// What was used together in a space.
// $space: string, whose
// returns: low, high (ids), count
MATCH (a:Memory)-[c:CO_ACCESSED]->(b:Memory)
WHERE a.space = $space
RETURN a.id AS low, b.id AS high, c.count AS count
