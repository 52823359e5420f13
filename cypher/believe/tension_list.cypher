CYPHER 25
// Tensions of a space, the newest first: two memories that contradict each other, and the memory that says so where
// there is one.
// $space: string, whose
// $states: list of strings, e.g. ['open', 'acknowledged']
// $memory: string or null, id of one of the two or of the memory that says so; null for all
// $limit: integer, how many at most
// returns: id (string or null, of the memory that says so), sides (list of two maps {id, content, speaker, at, status,
//   truth}, the older first), at, surfaced, state, why, kept, how, resolved_at
MATCH (low:Memory)-[t:IN_TENSION_WITH {space: $space}]->(high:Memory)
WHERE t.state IN $states AND low.space = $space AND high.space = $space
WITH low, t, high, [
  (said:Tension)-[:TENSION_BETWEEN {role: 'one'}]->(low)
  WHERE said.space = $space AND EXISTS { (said)-[:TENSION_BETWEEN {role: 'other'}]->(high) } |
    {id: said.id, at: said.created_at}
] AS said
WITH low, t, high,
  reduce(last = null, each IN said | CASE WHEN last.at >= each.at THEN last ELSE each END).id AS id
WHERE $memory IS NULL OR $memory IN [id, low.id, high.id]
ORDER BY t.at DESC, low.id, high.id
LIMIT $limit
RETURN
  id,
  COLLECT {
    UNWIND [low, high] AS side
    WITH side ORDER BY side.event_at, side.id
    RETURN side {
      .id, .content, .speaker, .status,
      at: side.event_at,
      truth: side.truth_alpha / (side.truth_alpha + side.truth_beta)
    }
  } AS sides,
  t.at AS at, t.surfaced AS surfaced, t.state AS state, t.why AS why, t.kept AS kept, t.how AS how,
  t.resolved_at AS resolved_at
