CYPHER 25
// End an attempt whose lease is over: the memories that it held are free.
// Memories are locked before the attempt, as whoever claims does, and the lease is looked at again then: it may just
// have been renewed.
// $space: string, whose
// $attempt: string, the attempt's id
// returns: one row: changed (integer, 0 or 1), examples (list of maps {attempt, phase, released (memories)})
// Running it twice: the second run finds it ended and changes nothing.
MATCH (a:ConsolidationAttempt {id: $attempt})
WHERE a.space = $space
CALL (a) {
  MATCH (a)<-[:CONSOLIDATING]-(m:Memory)
  WITH m ORDER BY m.id
  SET m._lock = true
  REMOVE m._lock
  RETURN count(*) AS locked
}
SET a._lock = true
REMOVE a._lock
WITH a, datetime.realtime() AS at
WHERE a.lease_until <= at AND (a.ended_at IS NULL OR EXISTS { (a)<-[:CONSOLIDATING]-() })
CALL (a) {
  MATCH (a)<-[c:CONSOLIDATING]-(:Memory)
  DELETE c
  RETURN count(c) AS released
}
SET
  a.ended_at = coalesce(a.ended_at, at),
  a.outcome = coalesce(a.outcome, 'lapsed')
RETURN
  count(a) AS changed,
  collect({attempt: a.id, phase: a.phase, released: released}) AS examples
