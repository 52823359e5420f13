CYPHER 25
// Record that a run of a job begins; a run without an end is one that died or still runs.
// $id: string, the run's
// $job: string, the job's name
// $space: string, whose, or null for every space
// $dry_run: boolean, whether it takes back what it does
// $undoes: string, id of the run that it takes back, or null
// $by: string, who runs it: user, host and process
// $now: datetime, when
// Running it twice: the same node.
MERGE (r:JobRun {id: $id})
  ON CREATE SET
    r.job = $job,
    r.space = $space,
    r.dry_run = $dry_run,
    r.undoes = $undoes,
    r.by = $by,
    r.started_at = $now,
    r.changed = 0,
    r.failed = 0,
    r.empty = 0
