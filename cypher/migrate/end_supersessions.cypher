CYPHER 25
// Note since when what was superseded is no longer believed, for one batch of memories: asked for an earlier day, recall
// answers with it. How long it was to hold before was not kept then; with few exceptions that was for ever.
// $space: string, whose
// $after: string, id after which the batch begins
// $batch_size: integer, memories looked at
// $forever: datetime, the open end of a validity
// returns: one row: last (string, id of the last memory looked at; null when there was none)
// Running it twice: no change.
MATCH (m:Memory)
WHERE m.space = $space AND m.id > $after
WITH m ORDER BY m.space, m.id LIMIT $batch_size
WITH collect(m) AS batch
CALL (batch) {
  UNWIND batch AS m
  WITH m
  WHERE m.status = 'superseded'
  SET m._lock = true
  REMOVE m._lock
  WITH collect(m) AS locked
  UNWIND locked AS m
  MATCH (m)<-[s:SUPERSEDES]-(:Memory)
  WHERE m.status = 'superseded' AND m.closed_at IS NULL
  WITH m, min(s.at) AS at
  SET
    m.closed_at = at,
    m.valid_to_before = coalesce(m.valid_to_before, $forever)
  RETURN count(m) AS changed
}
RETURN CASE WHEN size(batch) > 0 THEN batch[-1].id END AS last
