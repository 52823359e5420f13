CYPHER 25
// Readiness, 7 of 10: the first conflict that was resolved: a tension of two memories was settled, or an insight was
// withdrawn because what it rested on did not hold any more (reconsolidation).
// $space: string, whose
// returns: at (datetime), evidence (list of ids: the change, then what it touched), paths (list of paths); no row where
//   there is none
MATCH (c:BeliefChange)
WHERE c.space = $space AND c.at IS NOT NULL AND c.kind IN ['resolution', 'withdrawal'] AND c.undone_at IS NULL
  AND EXISTS {
    MATCH (c)-[:CHANGED]->(m:Memory)
    WHERE m.space = $space
  }
WITH c ORDER BY c.space, c.at, c.id LIMIT 1
WITH c, COLLECT {
  MATCH path = (c)-[r:CHANGED]->(m:Memory)
  WHERE m.space = $space
  RETURN path ORDER BY r.role, m.id
} AS paths
RETURN c.at AS at, [c.id] + [p IN paths | nodes(p)[-1].id] AS evidence, paths
