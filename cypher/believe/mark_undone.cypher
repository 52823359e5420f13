CYPHER 25
// Note that a change of belief was taken back; the log keeps both.
// $space: string, whose
// $id: string, the change's
// $by: string or null, the job that took it back by itself; null: a person wanted it
// $now: datetime, when
// Running it twice: the first time stays.
MATCH (c:BeliefChange {id: $id})
WHERE c.space = $space
SET
  c.undone_by = CASE WHEN c.undone_at IS NULL THEN $by ELSE c.undone_by END,
  c.undone_at = coalesce(c.undone_at, $now)
