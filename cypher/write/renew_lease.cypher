CYPHER 25
// Let a lease begin anew, as a sign that its worker is alive, as long as nobody else has taken it.
// $space: string, whose
// $phase: string, what is done
// $run: string, id of the run that took it
// $lease_seconds: integer
// returns: one row: held (boolean), whether the run still has it
// Running it twice: the lease ends as many seconds after the second run.
OPTIONAL MATCH (a:ConsolidationAttempt {id: $space + ':' + $phase})
// Locked before it is read: somebody may be taking it over.
SET a._lock = true
REMOVE a._lock
WITH collect(a) AS leases
WITH [a IN leases WHERE a.run = $run] AS held, datetime.realtime() AS at
FOREACH (a IN held | SET a.lease_until = at + duration({seconds: $lease_seconds}))
RETURN size(held) > 0 AS held
