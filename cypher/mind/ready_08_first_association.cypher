CYPHER 25
// Readiness, 8 of 10: the first creative association: a thought of the idle mind that brought two memories together, or
// one that an insight was drawn from later. Such thoughts are kept for consolidation; they need not be thought through.
// $space: string, whose
// returns: at (datetime, of the thought), evidence (list of ids: the thought, what it brought to mind, the insight
//   where there is one), paths (list of paths); no row where there is none
MATCH (h:Thought)
WHERE h.space = $space AND h.at IS NOT NULL AND h.channel = 'insight'
WITH h ORDER BY h.space, h.at, h.id
WITH h, COLLECT {
  MATCH path = (h)-[:SURFACED]->(m:Memory)
  WHERE m.space = $space
  RETURN path ORDER BY m.id LIMIT 8
} AS surfaced, COLLECT {
  MATCH path = (h)-[:SURFACED]->(m:Memory)<-[:DERIVED_FROM]-(i:Reflection)
  WHERE m.space = $space AND i.space = $space AND i.created_at >= h.at
  RETURN path ORDER BY i.created_at, i.id LIMIT 1
} AS drawn
WHERE size(surfaced) > 1 OR size(drawn) > 0
WITH h, surfaced, drawn LIMIT 1
RETURN
  h.at AS at,
  [h.id] + [p IN surfaced | nodes(p)[-1].id] + [p IN drawn | nodes(p)[-1].id] AS evidence,
  surfaced + drawn AS paths
