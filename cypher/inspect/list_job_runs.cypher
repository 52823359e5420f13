CYPHER 25
// The last runs of the jobs: over one space, or over every space and so over this one; or all of them.
// $space: string, whose, or null for all
// $job: string, a job's name, or null for all
// $limit: integer, how many at most
// returns: id, job, space, dry_run, by, started_at, ended_at, changed, failed, empty, broken, error, undoes (id or null),
//   undone_at (datetime or null); the newest first
MATCH (r:JobRun)
WHERE r.started_at IS NOT NULL AND ($job IS NULL OR r.job = $job)
  AND ($space IS NULL OR r.space IS NULL OR r.space = $space)
RETURN
  r.id AS id, r.job AS job, r.space AS space, r.dry_run AS dry_run, r.by AS by,
  r.started_at AS started_at, r.ended_at AS ended_at,
  r.changed AS changed, r.failed AS failed, coalesce(r.empty, 0) AS empty, coalesce(r.broken, 0) AS broken, r.error AS error,
  r.undoes AS undoes, r.undone_at AS undone_at
ORDER BY started_at DESC
LIMIT $limit
