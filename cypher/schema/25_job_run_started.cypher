CYPHER 25
// The history of runs, the newest first, and the runs whose time has come.
// Running it twice: no change.
CREATE INDEX job_run_started IF NOT EXISTS
FOR (r:JobRun) ON (r.started_at)
