CYPHER 25
// Readiness, 5 of 10: the first prompt of the idle mind to itself, about a goal, that it acted upon.
// $space: string, whose
// returns: at (datetime, when it acted), evidence (list of ids: the thought, the goal), paths (list of paths); no row
//   where there is none
MATCH (h:Thought)
WHERE h.space = $space AND h.at IS NOT NULL AND h.channel = 'goal' AND h.acted_at IS NOT NULL
WITH h ORDER BY h.space, h.at, h.id
MATCH path = (h)-[:ABOUT]->(g:Goal)
WHERE g.space = $space
WITH h, g, path LIMIT 1
RETURN h.acted_at AS at, [h.id, g.id] AS evidence, [path] AS paths
