CYPHER 25
// Give up a claim: what is left of it is free for others at once, and not only when the lease is over.
// $space: string, whose
// $attempt: string, the attempt's id
// $ids: list of strings, ascending: what was claimed
// $outcome: string, why, e.g. 'failed'
// returns: one row: released (integer, memories)
// Running it twice: the second run finds the claim ended and changes nothing.
UNWIND $ids AS id
MATCH (m:Memory {id: id})
WHERE m.space = $space
SET m._lock = true
REMOVE m._lock
WITH collect(m) AS locked
WITH locked, datetime.realtime() AS at
CALL (locked) {
  UNWIND locked AS m
  MATCH (m)-[c:CONSOLIDATING]->(:ConsolidationAttempt {id: $attempt})
  DELETE c
  RETURN count(c) AS released
}
CALL (at, released) {
  MATCH (a:ConsolidationAttempt {id: $attempt, space: $space})
  WHERE a.ended_at IS NULL
  SET
    a.ended_at = at,
    a.outcome = $outcome,
    a.completed = 0,
    a.given_up = a.claimed
}
RETURN released
