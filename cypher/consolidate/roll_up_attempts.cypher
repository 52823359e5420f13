CYPHER 25
// Count the oldest attempts of a space that ended by month and delete them, in one transaction.
// $space: string, whose
// $before: datetime, those that ended earlier
// $skip: integer, of the oldest, how many to leave out (a dry run has seen them)
// $batch_size: integer, attempts at most
// returns: one row: changed (integer, attempts)
// Running it twice: the second run goes on with what is left; what was deleted is not counted again.
MATCH (a:ConsolidationAttempt)
WHERE a.space = $space AND a.ended_at < $before AND NOT EXISTS { (a)<-[:CONSOLIDATING]-() }
WITH a ORDER BY a.ended_at, a.id SKIP $skip LIMIT $batch_size
SET a._lock = true
REMOVE a._lock
WITH collect(a) AS locked
UNWIND locked AS a
WITH a
// Another sweep may have been faster, and then it has no properties any more; or it is a lease and was taken again.
WHERE a.ended_at < $before AND a.lease_until <= datetime.realtime()
WITH left(toString(a.ended_at), 7) AS month, collect(a) AS old
ORDER BY month
MERGE (c:RecordCounter {space: $space, kind: 'ConsolidationAttempt', month: month})
SET c.count = coalesce(c.count, 0) + size(old)
FOREACH (a IN old | DETACH DELETE a)
RETURN sum(size(old)) AS changed
