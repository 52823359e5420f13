CYPHER 25
// The tensions of a space, or that lead into it.
// $space: string, whose
// returns: start, end (ids), properties (map)
MATCH (m:Memory)
WHERE m.space = $space
MATCH (m)-[t:IN_TENSION_WITH]-()
WITH DISTINCT t
RETURN startNode(t).id AS start, endNode(t).id AS end, properties(t) AS properties
ORDER BY start, end
