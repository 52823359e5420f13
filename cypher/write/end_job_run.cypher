CYPHER 25
// Record how a run of a job ended.
// $id: string, the run's
// $changed: integer, what was changed or, in a dry run, would have been
// $failed: integer, batches that failed
// $empty: integer, claims that came back empty
// $broken: integer, what was found that must not be
// $error: string, the first failure, or null
// $now: datetime, when; null is the database's time
// Running it twice: the same values.
MATCH (r:JobRun {id: $id})
SET
  r.ended_at = coalesce($now, datetime.realtime()),
  r.changed = $changed,
  r.failed = $failed,
  r.empty = $empty,
  r.broken = $broken,
  r.error = $error
