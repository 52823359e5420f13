CYPHER 25
// What is known of some names.
// $space: string, whose
// $keys: list of strings, keys of entities
// returns: key (string), name (string); of those that are known
MATCH (e:Entity)
WHERE e.space = $space AND e.key IN $keys
RETURN e.key AS key, e.name AS name
ORDER BY key
