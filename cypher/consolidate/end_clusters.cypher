CYPHER 25
// End clusters: those that are part of another now lead to it, the others fell apart. They stay as history, without
// what was drawn from their members, who may be erased later.
// $space: string, whose
// $rows: list of maps {id, status ('merged' or 'dissolved'), into (id of the cluster that it is part of, or null)},
//   ascending by id
// $now: datetime, when
// Running it twice: the same.
UNWIND $rows AS row
MATCH (c:SemanticCluster {id: row.id})
WHERE c.space = $space
SET
  c.status = row.status,
  c.updated_at = $now,
  c.size = 0
REMOVE c.label, c.centroid, c.centroid_b, c.cohesion
WITH c, row
MATCH (survivor:SemanticCluster {id: row.into})
WHERE survivor.space = $space
MERGE (c)-[g:MERGED_INTO]->(survivor)
  ON CREATE SET g.at = $now
