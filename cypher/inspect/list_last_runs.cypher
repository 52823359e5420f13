CYPHER 25
// The last run of each job over one space, or over every space and so over this one; no dry runs, and nothing undone.
// $space: string, whose
// returns: job, space (null for a run over every space), started_at, ended_at (null while it runs), failed, broken,
//   error (string or null); by job
MATCH (r:JobRun)
WHERE r.started_at IS NOT NULL
  AND NOT coalesce(r.dry_run, false)
  AND r.undoes IS NULL
  AND (r.space IS NULL OR r.space = $space)
WITH r.job AS job, max(r.started_at) AS started_at
CALL (job, started_at) {
  MATCH (r:JobRun {started_at: started_at})
  WHERE r.job = job AND NOT coalesce(r.dry_run, false) AND r.undoes IS NULL AND (r.space IS NULL OR r.space = $space)
  RETURN r
  ORDER BY r.id
  LIMIT 1
}
RETURN
  job, r.space AS space, started_at, r.ended_at AS ended_at,
  coalesce(r.failed, 0) AS failed, coalesce(r.broken, 0) AS broken, r.error AS error
ORDER BY job
