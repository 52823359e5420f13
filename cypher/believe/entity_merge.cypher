CYPHER 25
// Make a name an alias of another, and what were its own aliases that one's too.
// The entities were locked in the same transaction, in the order of their keys; neither is an alias.
// $space: string, whose
// $alias: string, key of the one
// $into: string, key of the other
// $edge: map, properties of the new relationship: at, by, reason, change, and evidence if there is some
// $change: string, id of the change in the log
// Running it twice: no change.
MATCH (a:Entity {space: $space, key: $alias})
MATCH (c:Entity {space: $space, key: $into})
MERGE (a)-[r:ALIAS_OF]->(c)
  ON CREATE SET r = $edge
WITH a, c
CALL (a, c) {
  MATCH (x:Entity)-[s:ALIAS_OF]->(a)
  WHERE x.space = $space
  WITH x, s, c, properties(s) AS before
  DELETE s
  MERGE (x)-[t:ALIAS_OF]->(c)
    ON CREATE SET t = before, t.change = $change
}
