CYPHER 25
// Readiness, 3 of 10: the first whole cycle of consolidation: memories that say the same were merged, an insight was drawn,
// and a narrative tells of one. A cycle may take several nights; it is whole with the last of the three.
// $space: string, whose
// returns: at (datetime), evidence (list of ids: what merged, a memory that it stands for, then an insight, and the
//   narrative that tells of it), paths (list of paths); no row while one is missing
CALL () {
  MATCH (c:BeliefChange)
  WHERE c.space = $space AND c.at IS NOT NULL AND c.kind = 'insight' AND c.undone_at IS NULL
  WITH c ORDER BY c.space, c.at, c.id
  MATCH (c)-[:CHANGED {role: 'insight'}]->(i:Memory)
  MATCH (c)-[was:CHANGED {role: 'source'}]->(s:Memory)
  WHERE i.space = $space AND s.space = $space AND was.quieted > 0.0
  RETURN c, i, s LIMIT 1
}
CALL () {
  MATCH (c:BeliefChange)
  WHERE c.space = $space AND c.at IS NOT NULL AND c.kind = 'insight' AND c.undone_at IS NULL
  WITH c ORDER BY c.space, c.at, c.id
  MATCH (c)-[:CHANGED {role: 'insight'}]->(i:Memory)
  MATCH told = (i)<-[:DERIVED_FROM]-(n:Narrative)
  WHERE i.space = $space AND n.space = $space
  RETURN i AS drawn, n, told LIMIT 1
}
WITH c, i, s, drawn, n, told, COLLECT {
  MATCH merged = (i)-[:DERIVED_FROM]->(s)
  RETURN merged LIMIT 1
} AS merged
RETURN
  CASE WHEN c.at > n.created_at THEN c.at ELSE n.created_at END AS at,
  [i.id, s.id] + CASE WHEN drawn = i THEN [] ELSE [drawn.id] END + [n.id] AS evidence,
  merged + [told] AS paths
