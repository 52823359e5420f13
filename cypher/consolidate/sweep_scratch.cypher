CYPHER 25
// Delete entries of the scratch buffer whose time is over and that were decided, the oldest first; what is still
// waiting for the exit gate stays, however old, and so does for a month what was never answered. Raw turns stay.
// $space: string, whose
// $now: datetime, the time of the run
// $skip: integer, of the oldest, how many to leave out (a dry run has seen them)
// $batch_size: integer, entries at most
// returns: one row: changed (integer, entries)
// Running it twice: the second run goes on with what is left.
MATCH (e:ScratchEntry)
WHERE e.space = $space AND e.expires_at <= $now AND e.state <> 'buffered'
  AND (e.awaits IS NULL OR e.expires_at <= $now - duration({days: 30}))
WITH e ORDER BY e.space, e.expires_at, e.id SKIP $skip LIMIT $batch_size
SET e._lock = true
WITH collect(e) AS locked
UNWIND locked AS e
WITH e
WHERE e.expires_at <= $now // else another sweep was faster: it has no properties any more
WITH left(toString(e.heard_at), 7) AS month, collect(e) AS old, count(e.memory) AS kept
ORDER BY month
MERGE (c:RecordCounter {space: $space, kind: 'ScratchEntry', month: month})
SET
  c.count = coalesce(c.count, 0) + size(old),
  c.kept = coalesce(c.kept, 0) + kept
FOREACH (e IN old | DETACH DELETE e)
RETURN coalesce(sum(size(old)), 0) AS changed
