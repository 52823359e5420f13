CYPHER 25
// Count the oldest runs by job and month, with what they changed, and delete them, in one transaction.
// What a dry run would have changed is not counted. A run without an end died long ago.
// $space: string, whose; '' for the runs over every space
// $before: datetime, those that started earlier
// $skip: integer, of the oldest, how many to leave out (a dry run has seen them)
// $batch_size: integer, runs at most
// returns: one row: changed (integer, runs)
// Running it twice: the second run goes on with what is left; what was deleted is not counted again.
MATCH (r:JobRun)
WHERE r.started_at < $before AND coalesce(r.space, '') = $space
WITH r ORDER BY r.started_at, r.id SKIP $skip LIMIT $batch_size
SET r._lock = true
WITH collect(r) AS locked
UNWIND locked AS r
WITH r
WHERE r.started_at < $before // else another sweep was faster: it has no properties any more
WITH
  'JobRun:' + r.job AS kind,
  left(toString(r.started_at), 7) AS month,
  collect(r) AS old,
  sum(CASE WHEN r.dry_run THEN 0 ELSE coalesce(r.changed, 0) END) AS changed,
  sum(coalesce(r.failed, 0)) AS failed
ORDER BY kind, month
MERGE (c:RecordCounter {space: $space, kind: kind, month: month})
SET
  c.count = coalesce(c.count, 0) + size(old),
  c.changed = coalesce(c.changed, 0) + changed,
  c.failed = coalesce(c.failed, 0) + failed
FOREACH (r IN old | DETACH DELETE r)
RETURN sum(size(old)) AS changed
