CYPHER 25
// Readiness, 2 of 10: the first recall of which a person said that something was of use.
// Records of recalls are swept after a while; the counter that is left of them names the first.
// $space: string, whose
// returns: at (datetime, of the verdict), evidence (list of ids: the recall, the memory), paths (list of paths); no row
//   where there is none
CALL () {
  // What was swept is older than all that was not.
  MATCH (c:RecordCounter)
  WHERE c.space = $space AND c.kind = 'Recall' AND c.month IS NOT NULL AND c.useful_at IS NOT NULL
  MATCH path = (m:Memory {id: c.useful_memory})
  WHERE m.space = $space
  WITH c, m, path ORDER BY c.month LIMIT 1
  RETURN c.useful_at AS at, [m.id] AS evidence, [path] AS paths, 0 AS part
  UNION ALL
  MATCH (r:Recall)
  WHERE r.space = $space AND r.at IS NOT NULL
  WITH r ORDER BY r.space, r.at, r.id
  MATCH path = (r)-[returned:RETURNED]->(m:Memory)
  WHERE m.space = $space AND returned.useful
  WITH r, m, returned, path LIMIT 1
  RETURN coalesce(returned.judged_at, r.at) AS at, [r.id, m.id] AS evidence, [path] AS paths, 1 AS part
}
RETURN at, evidence, paths
ORDER BY part LIMIT 1
