CYPHER 25
// One record per run of the loop.
// Running it twice: no change.
CREATE CONSTRAINT loop_run_id IF NOT EXISTS
FOR (r:LoopRun) REQUIRE r.id IS UNIQUE
