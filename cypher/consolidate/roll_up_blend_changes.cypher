CYPHER 25
// Count the oldest changes of a space's blend by month and delete them, in one transaction.
// $space: string, whose
// $before: datetime, those that are older
// $skip: integer, of the oldest, how many to leave out (a dry run has seen them)
// $batch_size: integer, changes at most
// returns: one row: changed (integer, changes)
// Running it twice: the second run goes on with what is left; what was deleted is not counted again.
CALL () {
  MATCH (b:RelevanceBlend {space: $space})
  SET b._lock = true
  REMOVE b._lock
  RETURN collect(b) AS blends
}
CALL (blends) {
  UNWIND blends AS b
  MATCH (b)-[:CHANGED]->(x:BlendChange)
  WHERE x.at < $before
  WITH x ORDER BY x.at, elementId(x) SKIP $skip LIMIT $batch_size
  WITH left(toString(x.at), 7) AS month, collect(x) AS old
  ORDER BY month
  MERGE (c:RecordCounter {space: $space, kind: 'BlendChange', month: month})
  SET c.count = coalesce(c.count, 0) + size(old)
  FOREACH (x IN old | DETACH DELETE x)
  RETURN sum(size(old)) AS changed
}
RETURN changed
