CYPHER 25
// Take the lease on the clusters of a space: one worker at a time forms them. It is a node whose id is the same for
// every worker; whoever creates it, or finds it with its lease over, has it.
// Leases run by the server's clock, which all workers share, read when the lock is held.
// $space: string, whose
// $id: string, the lease's: one for each space
// $run: string, id of the run that takes it
// $worker: string, who runs it
// $lease_seconds: integer
// returns: one row: taken (boolean)
// Running it twice: the run that has it has it still.
MERGE (a:ConsolidationAttempt {id: $id})
  ON CREATE SET
    a.space = $space,
    a.phase = 'cluster'
SET a._lock = true
REMOVE a._lock
WITH a, datetime.realtime() AS at
WITH a, at, coalesce(a.run = $run OR a.lease_until <= at, true) AS free
CALL (a, at, free) {
  WITH a, at
  WHERE free
  SET
    a.run = $run,
    a.worker = $worker,
    a.started_at = at,
    a.lease_until = at + duration({seconds: $lease_seconds})
}
RETURN free AS taken
