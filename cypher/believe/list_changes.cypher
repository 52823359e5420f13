CYPHER 25
// The last changes of belief of a space, the newest first, with what they touched.
// $space: string, whose
// $prefix: string, the beginning of their ids; '' for all
// $limit: integer, how many at most
// returns: change (map {id, kind, at, by, reason, undone_at, undone_by, useful, useless}), touched (list of maps {id, role, text, memory (boolean)})
MATCH (c:BeliefChange {space: $space})
WHERE c.at IS NOT NULL AND c.id STARTS WITH $prefix
WITH c ORDER BY c.at DESC, c.recorded_at DESC, c.id LIMIT $limit
RETURN
  c {
    .id, .kind, .at, .by, .reason, .undone_at, .undone_by, useful: c.outcome_useful, useless: c.outcome_useless
  } AS change,
  COLLECT {
    MATCH (c)-[r:CHANGED]->(x)
    WHERE x.space = $space
    WITH r, x ORDER BY r.role, coalesce(x.id, x.key)
    RETURN {
      id: coalesce(x.id, x.key), role: r.role, text: coalesce(x.content, x.name), memory: x:Memory
    }
  } AS touched
ORDER BY c.at DESC, c.recorded_at DESC, c.id
