CYPHER 25
// Let a claim's lease begin anew, as a sign that its worker is alive. A lease that is over stays over.
// $space: string, whose
// $attempt: string, the attempt's id
// $lease_seconds: integer
// returns: one row: renewed (boolean)
// Running it twice: the lease ends as many seconds after the second run.
OPTIONAL MATCH (a:ConsolidationAttempt {id: $attempt, space: $space})
// Locked before it is read: somebody may be clearing the claim away.
SET a._lock = true
REMOVE a._lock
WITH collect(a) AS attempts
WITH attempts, datetime.realtime() AS at
WITH [a IN attempts WHERE a.lease_until > at AND a.ended_at IS NULL] AS live, at
FOREACH (a IN live | SET a.lease_until = at + duration({seconds: $lease_seconds}))
RETURN size(live) > 0 AS renewed
