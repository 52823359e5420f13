CYPHER 25
// The last changes of tunable numbers, the newest first.
// $spaces: list of strings, whose
// $key: string, one number, or null for all
// $limit: integer, how many at most
// returns: space, key, before (null where it was the default), after (null where it is again), by, at
MATCH (c:ConsolidationConfig)-[:CHANGED]->(x:ConfigChange)
WHERE c.space IN $spaces AND ($key IS NULL OR x.key = $key)
RETURN c.space AS space, x.key AS key, x.before AS before, x.after AS after, x.by AS by, x.at AS at
ORDER BY at DESC
LIMIT $limit
