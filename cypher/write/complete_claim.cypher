CYPHER 25
// End a claim within the transaction that writes what came of it, and say which memories that may still be written to:
// those that the attempt holds, whose lease is not over, and that are as they were when they were claimed.
// The rest is given up; whoever has changed it or holds it now is right. The locks last until the transaction ends, so
// what passed here still holds when the caller's own statement runs.
// $space: string, whose
// $attempt: string, the attempt's id
// $claims: list of maps {id, version}, ascending by id: what was claimed, and as which version
// $done: list of strings, ids of those for which there is something to write
// returns: one row: held (list of ids that passed, ascending)
// Running it twice: the second run finds the claim ended and lets nothing pass.
UNWIND $claims AS claim
MATCH (m:Memory {id: claim.id})
WHERE m.space = $space
SET m._lock = true
REMOVE m._lock
WITH collect({memory: m, version: claim.version}) AS locked
// The time is read when the locks are held: waiting for them may have taken longer than the lease.
WITH locked, datetime.realtime() AS at
OPTIONAL MATCH (a:ConsolidationAttempt {id: $attempt, space: $space})
SET a._lock = true
REMOVE a._lock
WITH locked, at, collect(a) AS attempts
CALL (locked, at, attempts) {
  UNWIND attempts AS a
  UNWIND locked AS each
  WITH a, each.memory AS m, each.version AS version
  MATCH (m)-[c:CONSOLIDATING]->(a)
  DELETE c
  WITH m
  WHERE a.lease_until > at AND m.version = version AND m.id IN $done
  WITH m.id AS id ORDER BY id
  RETURN collect(id) AS held
}
FOREACH (a IN attempts |
  SET
    a.ended_at = coalesce(a.ended_at, at),
    a.outcome = coalesce(a.outcome, CASE WHEN size(held) > 0 THEN 'completed' ELSE 'lost' END),
    a.completed = coalesce(a.completed, size(held)),
    a.given_up = coalesce(a.given_up, size($claims) - size(held))
)
RETURN held
