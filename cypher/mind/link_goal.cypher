CYPHER 25
// Say whom and what a goal is about: what its text names, as far as it is known.
// The goal was set in the same transaction. Entities are locked in the order of their keys.
// $space: string, whose
// $id: string, the goal's
// $keys: list of strings, keys of names, ascending
// $now: datetime, when
// returns: linked (integer)
// Running it twice: no change.
MATCH (g:Goal {id: $id})
WHERE g.space = $space
UNWIND $keys AS key
MATCH (e:Entity {space: $space, key: key})
OPTIONAL MATCH (e)-[:ALIAS_OF]->(canonical:Entity {space: $space})
WITH DISTINCT g, coalesce(canonical, e) AS e
ORDER BY e.key
MERGE (g)-[a:ABOUT]->(e)
  ON CREATE SET a.at = $now
RETURN count(a) AS linked
