CYPHER 25
// Count the oldest safety events of a space by month and delete them, in one transaction.
// $space: string, whose
// $before: datetime, those that are older
// $skip: integer, of the oldest, how many to leave out (a dry run has seen them)
// $batch_size: integer, events at most
// returns: one row: changed (integer, events)
// Running it twice: the second run goes on with what is left; what was deleted is not counted again.
MATCH (e:SafetyEvent)
WHERE e.space = $space AND e.at < $before
WITH e ORDER BY e.space, e.at, e.id SKIP $skip LIMIT $batch_size
WITH collect(e) AS events
CALL (events) {
  UNWIND events AS e
  SET e._lock = true
  WITH collect(e) AS locked
  UNWIND locked AS e
  WITH e
  WHERE e.at < $before // else another sweep was faster: it has no properties any more
  WITH left(toString(e.at), 7) AS month, collect(e) AS old, count(CASE WHEN e.enforced THEN 1 END) AS enforced
  ORDER BY month
  MERGE (c:RecordCounter {space: $space, kind: 'SafetyEvent', month: month})
  SET
    c.count = coalesce(c.count, 0) + size(old),
    c.enforced = coalesce(c.enforced, 0) + enforced
  FOREACH (e IN old | DELETE e)
  RETURN sum(size(old)) AS changed
}
RETURN changed
