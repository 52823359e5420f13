CYPHER 25
// Note what promotion is due to, when and with what energy, where only the due time was kept, for one batch of memories.
// $space: string, whose
// $after: string, id after which the batch begins
// $batch_size: integer, memories looked at
// returns: one row: last (string, id of the last memory looked at; null when there was none)
// Running it twice: no change.
MATCH (m:Memory)
WHERE m.space = $space AND m.id > $after
WITH m ORDER BY m.space, m.id LIMIT $batch_size
WITH collect(m) AS batch
CALL (batch) {
  UNWIND batch AS m
  WITH m
  WHERE m.promote_due_at IS NOT NULL AND m.due_tier IS NULL
  SET m._lock = true
  REMOVE m._lock
  WITH collect(m) AS locked
  UNWIND locked AS m
  WITH m
  WHERE m.promote_due_at IS NOT NULL AND m.due_tier IS NULL
  WITH m, CASE m.tier WHEN 'working' THEN 'shortTerm' WHEN 'shortTerm' THEN 'longTerm' END AS tier
  SET
    m.due_tier = tier,
    m.promote_times = CASE WHEN tier IS NOT NULL THEN [m.promote_due_at] END,
    m.promote_energies = CASE WHEN tier IS NOT NULL THEN [m.energy] END,
    m.promote_due_at = CASE WHEN tier IS NOT NULL THEN m.promote_due_at END
  RETURN count(m) AS changed
}
RETURN CASE WHEN size(batch) > 0 THEN batch[-1].id END AS last
