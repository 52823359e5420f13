CYPHER 25
// The clusters of a space that are active or, after a run that was killed, still have members.
// $space: string, whose
// returns: id (string), status (string), size (integer, as recorded), label (string; null where a member was erased),
//   members (list of ids, ascending)
MATCH (c:SemanticCluster)
WHERE c.space = $space AND (c.status = 'active' OR EXISTS { (:Memory)-[:BELONGS_TO]->(c) })
RETURN
  c.id AS id,
  c.status AS status,
  c.size AS size,
  c.label AS label,
  COLLECT {
    MATCH (m:Memory)-[:BELONGS_TO]->(c)
    RETURN m.id AS id ORDER BY id
  } AS members
ORDER BY id
