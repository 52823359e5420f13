CYPHER 25
// Write energy and its time over one batch of memories, and nothing else: what decay is measured against.
// $space: string, whose
// $after: string, id after which the batch begins
// $batch_size: integer, memories written
// $energy: float, the same for all
// $at: datetime, when it was so
// returns: one row: last (string, id of the last memory written; null when there was none)
MATCH (m:Memory)
WHERE m.space = $space AND m.id > $after
WITH m ORDER BY m.space, m.id LIMIT $batch_size
SET
  m.energy = $energy,
  m.energy_at = $at
RETURN max(m.id) AS last
