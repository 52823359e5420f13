CYPHER 25
// Lock entities in the order of their keys, before anything about them is read, and say how each stands.
// $space: string, whose
// $keys: list of strings, sorted
// returns: key (string), canonical (string or null), aliases (list of maps {key, edge (map of properties)}, by key),
//   changes (list of strings, ids of the changes, not taken back, that made it an alias; the newest first)
// Running it twice: no visible change; the lock lasts until the transaction ends.
UNWIND $keys AS key
MATCH (e:Entity {space: $space, key: key})
SET e._lock = true
REMOVE e._lock
WITH collect(e) AS locked
UNWIND locked AS e
RETURN
  e.key AS key,
  head([(e)-[:ALIAS_OF]->(c:Entity) | c.key]) AS canonical,
  COLLECT {
    MATCH (e)<-[r:ALIAS_OF]-(a:Entity)
    WITH a, r ORDER BY a.key
    RETURN {key: a.key, edge: properties(r)}
  } AS aliases,
  COLLECT {
    MATCH (e)<-[:CHANGED {role: 'alias'}]-(c:BeliefChange)
    WHERE c.kind = 'names_merge' AND c.undone_at IS NULL
    WITH c ORDER BY c.at DESC, c.id
    RETURN c.id
  } AS changes
