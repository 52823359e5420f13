CYPHER 25
// Count the days on which memories were used, from the access times that were kept, for one batch of them: what is used on
// many days becomes long-term by habit.
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
  WHERE m.days_used IS NULL AND size(m.accessed_at) > 0
  SET m._lock = true
  REMOVE m._lock
  WITH collect(m) AS locked
  UNWIND locked AS m
  WITH m
  WHERE m.days_used IS NULL
  CALL (m) {
    UNWIND m.accessed_at AS at
    RETURN min(date(at)) AS first, max(date(at)) AS last, count(DISTINCT date(at)) AS days
  }
  SET
    m.first_used_on = first,
    m.last_used_on = last,
    m.days_used = days
  RETURN count(m) AS changed
}
RETURN CASE WHEN size(batch) > 0 THEN batch[-1].id END AS last
