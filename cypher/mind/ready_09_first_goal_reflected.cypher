CYPHER 25
// Readiness, 9 of 10: the first goal that was reached and then reflected upon: a thought about it, a thought about a memory
// of what it was about, or a reflection or a narrative that speaks of that; each from after it was reached.
// $space: string, whose
// returns: at (datetime, of the reflection), evidence (list of ids: the goal, what reflects upon it), paths (list of
//   paths); no row where there is none
MATCH (g:Goal)
WHERE g.space = $space AND g.state = 'done'
CALL (g) {
  MATCH path = (g)<-[:ABOUT]-(h:Thought)
  WHERE h.space = $space AND h.at >= g.changed_at AND h.state = 'thought'
  RETURN h.id AS by, h.at AS at, path ORDER BY h.at, h.id LIMIT 1
  UNION ALL
  MATCH (h:Thought)
  WHERE h.space = $space AND h.at >= g.changed_at AND h.state = 'thought'
  MATCH path = (g)-[:ABOUT]->(e:Entity)<-[:MENTIONS]-(m:Memory)<-[:SURFACED]-(h)
  WHERE e.space = $space AND m.space = $space
  RETURN h.id AS by, h.at AS at, path ORDER BY h.at, h.id, m.id LIMIT 1
  UNION ALL
  MATCH path = (g)-[:ABOUT]->(e:Entity)<-[:MENTIONS]-(m:Memory)
  WHERE e.space = $space AND m.space = $space AND m.created_at >= g.changed_at AND m.kind IN ['reflection', 'narrative']
  RETURN m.id AS by, m.created_at AS at, path ORDER BY m.created_at, m.id LIMIT 1
}
WITH g, by, at, path ORDER BY at, by LIMIT 1
RETURN at, [g.id, by] AS evidence, [path] AS paths
