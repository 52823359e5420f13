CYPHER 25
// Readiness, 10 of 10: the first decision of its own that is aligned with a value it has formed: it acted upon a thought
// that a promoted memory had brought to mind, or a thought about a goal whose subject a promoted memory speaks of. The
// promotion, by experience and not by a person's word on a weight, came before.
// $space: string, whose
// returns: at (datetime, when it acted), evidence (list of ids: the promotion, the memory, the thought, the goal where it
//   was about one), paths (list of paths); no row where there is none
MATCH (c:BeliefChange)
WHERE c.space = $space AND c.at IS NOT NULL AND c.kind = 'promotion' AND c.undone_at IS NULL
MATCH formed = (c)-[:CHANGED {role: 'promoted'}]->(m:Memory)
WHERE m.space = $space AND NOT m.immutable
CALL (c, m) {
  MATCH path = (m)<-[:SURFACED]-(h:Thought)
  WHERE h.space = $space AND h.acted_at >= c.at
  RETURN h, null AS goal, path ORDER BY h.acted_at, h.id LIMIT 1
  UNION ALL
  MATCH path = (m)-[:MENTIONS]->(e:Entity)<-[:ABOUT]-(g:Goal)<-[:ABOUT]-(h:Thought)
  WHERE e.space = $space AND g.space = $space AND h.space = $space AND h.acted_at >= c.at
  RETURN h, g.id AS goal, path ORDER BY h.acted_at, h.id LIMIT 1
}
WITH c, m, h, goal, formed, path ORDER BY h.acted_at, c.at, h.id LIMIT 1
RETURN
  h.acted_at AS at,
  [c.id, m.id, h.id] + CASE WHEN goal IS NULL THEN [] ELSE [goal] END AS evidence,
  [formed, path] AS paths
