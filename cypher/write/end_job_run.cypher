CYPHER 25
// Record how a run of a job ended.
// $id: string, the run's
// $changed: integer, memories changed or, in a dry run, that would have been
// $failed: integer, batches that failed
// $error: string, the first failure, or null
// $now: datetime, when
// Running it twice: the same values.
MATCH (r:JobRun {id: $id})
SET
  r.ended_at = $now,
  r.changed = $changed,
  r.failed = $failed,
  r.error = $error
