CYPHER 25
// One batch of the new memories that have not reinforced older ones yet.
// $space: string, whose
// $batch_size: integer, how many at most
// $before: datetime, stored by then
// $after: datetime, stored then or later
// $skip: string, of those stored at $after the ids up to this are left out
// returns: one row: ids (list of strings), last (datetime, when the last was stored, or null)
MATCH (m:Memory)
USING INDEX m:Memory(space, reinforce_due_at)
WHERE m.space = $space
  AND m.reinforce_due_at >= $after
  AND m.reinforce_due_at <= $before
  AND NOT (m.reinforce_due_at = $after AND m.id <= $skip)
WITH m ORDER BY m.space, m.reinforce_due_at, m.id LIMIT $batch_size
RETURN collect(m.id) AS ids, collect(m.reinforce_due_at)[-1] AS last
