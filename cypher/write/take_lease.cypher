CYPHER 25
// Take the lease on doing one thing in a space, such as forming its clusters: one worker at a time does it. It is a
// node whose id is the same for every worker; whoever creates it, or finds it with its lease over, has it.
// Leases run by the server's clock, which all workers share, read when the lock is held.
// $space: string, whose
// $phase: string, what is done, e.g. 'cluster'
// $run: string, id of the run that takes it
// $worker: string, who runs it
// $lease_seconds: integer
// returns: one row: held (boolean), whether the run has it
// Running it twice: the run that has it has it still.
MERGE (a:ConsolidationAttempt {id: $space + ':' + $phase})
  ON CREATE SET
    a.space = $space,
    a.phase = $phase
SET a._lock = true
REMOVE a._lock
WITH a, datetime.realtime() AS at
WITH a, at, coalesce(a.run = $run OR a.lease_until <= at, true) AS held
FOREACH (mine IN CASE WHEN held THEN [a] ELSE [] END |
  SET
    mine.run = $run,
    mine.worker = $worker,
    mine.started_at = at,
    mine.lease_until = at + duration({seconds: $lease_seconds}),
    mine.ended_at = null,
    mine.outcome = null
)
RETURN held
