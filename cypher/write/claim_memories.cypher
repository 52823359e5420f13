CYPHER 25
// Claim memories for work that leaves the transaction, such as a model's call: nobody else gets them until the claim is
// ended or its lease is over.
// What is claimed by somebody else, or is not eligible any more, is left out; both are looked at under the locks, so no
// two live claims of one memory can come about. Claims whose lease is over are cleared away. An attempt that would get
// nothing is not kept.
// Leases run by the server's clock, which all workers share, read when the locks are held: a wait for them must not
// shorten a lease. Attempts are locked after memories, in ascending id too, and a lease is looked at again then: it may
// just have been renewed.
// $space: string, whose
// $ids: list of strings, ascending
// $due: string, the property that makes a memory eligible by being there, e.g. 'promote_due_at'
// $attempt: string, id of the new attempt
// $phase: string, what is being done, e.g. 'promote'
// $worker: string, who does it
// $lease_seconds: integer
// returns: memory (map) for each that is claimed, ascending by id
// Running it twice: the second run, after an answer that got lost, finds what the first claimed.
UNWIND $ids AS id
MATCH (m:Memory {id: id})
WHERE m.space = $space
SET m._lock = true
REMOVE m._lock
WITH collect(m) AS locked
WITH locked, datetime.realtime() AS at
CALL (locked, at) {
  UNWIND locked AS m
  MATCH (m)-[:CONSOLIDATING]->(dead:ConsolidationAttempt)
  WHERE dead.lease_until <= at
  WITH DISTINCT dead ORDER BY dead.id
  SET dead._lock = true
  REMOVE dead._lock
  WITH collect(dead) AS suspects
  UNWIND suspects AS dead
  MATCH (dead)<-[c:CONSOLIDATING]-(m:Memory)
  WHERE dead.lease_until <= at AND m IN locked
  DELETE c
  WITH DISTINCT dead
  WHERE NOT EXISTS { (dead)<-[:CONSOLIDATING]-() }
  SET
    dead.ended_at = at,
    dead.outcome = 'lapsed'
}
UNWIND locked AS m
WITH m, at
WHERE m[$due] IS NOT NULL AND NOT EXISTS {
  MATCH (m)-[:CONSOLIDATING]->(other:ConsolidationAttempt)
  WHERE other.id <> $attempt
}
WITH at, collect(m) AS free
MERGE (a:ConsolidationAttempt {id: $attempt})
  ON CREATE SET
    a.space = $space,
    a.phase = $phase,
    a.worker = $worker,
    a.started_at = at,
    a.lease_until = at + duration({seconds: $lease_seconds}),
    a.claimed = size(free)
WITH a, at, free
WHERE a.space = $space
UNWIND free AS m
MERGE (m)-[c:CONSOLIDATING]->(a)
  ON CREATE SET c.since = at
RETURN m {.*, embedding: null, embedding_b: null} AS memory
ORDER BY memory.id
