CYPHER 25
// One record per run of a job.
// Running it twice: no change.
CREATE CONSTRAINT job_run_id IF NOT EXISTS
FOR (r:JobRun) REQUIRE r.id IS UNIQUE
