CYPHER 25
// The name that stands for each of some names that mean the same. Aliases make no chains, so one step is all.
// $space: string, whose
// $keys: list of strings, keys of entities
// returns: key (string), canonical (string); of those alone that are another's alias
MATCH (e:Entity)
WHERE e.space = $space AND e.key IN $keys
MATCH (e)-[:ALIAS_OF]->(c:Entity)
WHERE c.space = $space
RETURN e.key AS key, c.key AS canonical
ORDER BY key
