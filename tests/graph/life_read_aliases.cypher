CYPHER 25
// The names of a space that are taken for others'.
// $space: string, whose
// returns: key, canonical (keys)
MATCH (e:Entity)-[:ALIAS_OF]->(c:Entity)
WHERE e.space = $space
RETURN e.key AS key, c.key AS canonical
ORDER BY key
