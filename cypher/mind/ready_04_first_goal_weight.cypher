CYPHER 25
// Readiness, 4 of 10: the first memory that evidence of many days has promoted to weigh like a goal, and that still does.
// The change holds the stage that the memory had before.
// $space: string, whose
// returns: at (datetime), evidence (list of ids: the change, the memory), paths (list of paths); no row where there is
//   none
MATCH (c:BeliefChange)
WHERE c.space = $space AND c.at IS NOT NULL AND c.kind = 'promotion' AND c.undone_at IS NULL
WITH c ORDER BY c.space, c.at, c.id
MATCH path = (c)-[was:CHANGED {role: 'promoted'}]->(m:Memory)
WHERE m.space = $space AND was.pattern_stage = 0
WITH c, m, path LIMIT 1
RETURN c.at AS at, [c.id, m.id] AS evidence, [path] AS paths
