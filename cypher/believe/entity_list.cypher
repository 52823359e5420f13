CYPHER 25
// The names of a space that are mentioned most, aliases counted with what they stand for. Counting is a look at each
// name's degree and reads no memory.
// $space: string, whose
// $limit: integer, how many at most
// returns: key, name (strings), aliases (list of strings, names), mentions (integer)
MATCH (e:Entity)
WHERE e.space = $space AND e.key > '' AND NOT EXISTS { (e)-[:ALIAS_OF]->(:Entity) }
OPTIONAL MATCH (e)<-[:ALIAS_OF]-(a:Entity)
WITH e, a ORDER BY a.key
WITH e, collect(a.name) AS aliases, sum(count { (a)<-[:MENTIONS]-() }) AS theirs
WITH e, aliases, count { (e)<-[:MENTIONS]-() } + theirs AS mentions
ORDER BY mentions DESC, e.key
LIMIT $limit
RETURN e.key AS key, e.name AS name, aliases, mentions
