CYPHER 25
// Count the oldest recalls of a space by month and delete them, in one transaction. Of those that were of use the first is
// remembered: it is a milestone.
// What they returned is locked first, in ascending id: deleting a relationship locks both of its ends.
// $space: string, whose
// $before: datetime, those that are older
// $skip: integer, of the oldest, how many to leave out (a dry run has seen them)
// $batch_size: integer, recalls at most
// returns: one row: changed (integer, recalls)
// Running it twice: the second run goes on with what is left; what was deleted is not counted again.
MATCH (r:Recall)
WHERE r.space = $space AND r.at < $before
WITH r ORDER BY r.space, r.at, r.id SKIP $skip LIMIT $batch_size
WITH collect(r) AS recalls
CALL (recalls) {
  UNWIND recalls AS r
  MATCH (r)-[:RETURNED]->(m:Memory)
  WITH DISTINCT m ORDER BY m.id
  SET m._lock = true
  REMOVE m._lock
  RETURN count(*) AS memories
}
CALL (recalls) {
  UNWIND recalls AS r
  SET r._lock = true
  WITH collect(r) AS locked
  UNWIND locked AS r
  WITH r
  WHERE r.at < $before // else another sweep was faster: it has no properties any more
  WITH r, COLLECT {
    MATCH (r)-[x:RETURNED]->(m:Memory)
    WHERE x.useful
    RETURN {at: coalesce(x.judged_at, r.at), memory: m.id} ORDER BY x.judged_at, m.id
  } AS useful
  ORDER BY r.at, r.id
  WITH left(toString(r.at), 7) AS month, collect(r) AS old, sum(count { (r)-[:RETURNED]->() }) AS hits,
    reduce(every = [], some IN collect(useful) | every + some) AS useful
  ORDER BY month
  MERGE (c:RecordCounter {space: $space, kind: 'Recall', month: month})
  SET
    c.count = coalesce(c.count, 0) + size(old),
    c.hits = coalesce(c.hits, 0) + hits,
    c.useful = coalesce(c.useful, 0) + size(useful),
    c.useful_at = coalesce(c.useful_at, useful[0].at),
    c.useful_memory = coalesce(c.useful_memory, useful[0].memory)
  FOREACH (r IN old | DETACH DELETE r)
  RETURN sum(size(old)) AS changed
}
RETURN changed
