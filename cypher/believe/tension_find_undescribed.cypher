CYPHER 25
// Tensions that no memory says yet, the oldest first.
// $space: string, whose
// $changes: list of strings or null, ids of the changes of belief that made them; null for all
// $limit: integer, how many at most
// returns: low, high (maps {id, content, event_at, importance}), at (datetime)
MATCH (low:Memory)-[t:IN_TENSION_WITH {space: $space}]->(high:Memory)
WHERE t.state IN ['open', 'acknowledged'] AND low.space = $space AND high.space = $space
  AND NOT EXISTS {
    MATCH (low)<-[said:TENSION_BETWEEN {role: 'one'}]-(:Tension)-[:TENSION_BETWEEN {role: 'other'}]->(high)
    WHERE said.at >= t.at
  }
  AND ($changes IS NULL OR EXISTS {
    MATCH (low)<-[:CHANGED]-(c:BeliefChange)-[:CHANGED]->(high)
    WHERE c.space = $space AND c.id IN $changes
  })
RETURN
  low {.id, .content, .event_at, .importance} AS low,
  high {.id, .content, .event_at, .importance} AS high,
  t.at AS at
ORDER BY at, low.id, high.id
LIMIT $limit
