CYPHER 25
// Every cluster of a space, with its members and what came of it.
// $space: string, whose
// returns: cluster (map), members (list of lists: id, strength), into (id or null), origin (id or null)
MATCH (c:SemanticCluster)
WHERE c.space = $space
OPTIONAL MATCH (c)-[:MERGED_INTO]->(into)
OPTIONAL MATCH (c)-[:SPLIT_FROM]->(origin)
RETURN
  properties(c) AS cluster,
  COLLECT {
    MATCH (m:Memory)-[b:BELONGS_TO]->(c)
    RETURN [m.id, b.strength]
  } AS members,
  into.id AS into,
  origin.id AS origin
