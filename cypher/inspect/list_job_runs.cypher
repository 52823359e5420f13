CYPHER 25
// The last runs of the jobs.
// $job: string, a job's name, or null for all
// $limit: integer, how many at most
// returns: id, job, space, dry_run, by, started_at, ended_at, changed, failed, error; the newest first
MATCH (r:JobRun)
WHERE $job IS NULL OR r.job = $job
RETURN
  r.id AS id, r.job AS job, r.space AS space, r.dry_run AS dry_run, r.by AS by,
  r.started_at AS started_at, r.ended_at AS ended_at,
  r.changed AS changed, r.failed AS failed, r.error AS error
ORDER BY r.started_at DESC
LIMIT $limit
