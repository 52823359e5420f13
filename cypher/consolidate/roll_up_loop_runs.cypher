CYPHER 25
// Count the oldest runs of the loop by month and delete them; their hours are in the space's manifest already.
// $space: string, whose
// $before: datetime, those that are older
// $skip: integer, of the oldest, how many to leave out (a dry run has seen them)
// $batch_size: integer, runs at most
// returns: one row: changed (integer, runs)
// Running it twice: the second run goes on with what is left.
MATCH (r:LoopRun)
WHERE r.space = $space AND r.started_at < $before AND r.ended_at IS NOT NULL
WITH r ORDER BY r.space, r.started_at, r.id SKIP $skip LIMIT $batch_size
SET r._lock = true
WITH collect(r) AS locked
UNWIND locked AS r
WITH r
WHERE r.started_at < $before // else another sweep was faster: it has no properties any more
WITH left(toString(r.started_at), 7) AS month, collect(r) AS old ORDER BY month
MERGE (c:RecordCounter {space: $space, kind: 'LoopRun', month: month})
SET c.count = coalesce(c.count, 0) + size(old)
FOREACH (r IN old | DETACH DELETE r)
RETURN coalesce(sum(size(old)), 0) AS changed
