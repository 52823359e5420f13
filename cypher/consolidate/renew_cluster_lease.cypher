CYPHER 25
// Let the lease on the clusters of a space begin anew, as long as nobody else has taken it.
// $space: string, whose
// $id: string, the lease's
// $run: string, id of the run that holds it
// $lease_seconds: integer
// returns: one row: renewed (boolean)
// Running it twice: the lease ends as many seconds after the second run.
OPTIONAL MATCH (a:ConsolidationAttempt {id: $id, space: $space})
// Locked before it is read: somebody may be taking it over.
SET a._lock = true
REMOVE a._lock
WITH collect(a) AS leases
WITH [a IN leases WHERE a.run = $run] AS held, datetime.realtime() AS at
FOREACH (a IN held | SET a.lease_until = at + duration({seconds: $lease_seconds}))
RETURN size(held) > 0 AS renewed
