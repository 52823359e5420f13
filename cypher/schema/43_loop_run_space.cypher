CYPHER 25
// The runs of a space by time.
// Running it twice: no change.
CREATE INDEX loop_run_space IF NOT EXISTS
FOR (r:LoopRun) ON (r.space, r.started_at)
