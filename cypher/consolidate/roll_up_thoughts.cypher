CYPHER 25
// Count the oldest thoughts of the idle mind by month and delete them, in one transaction. What milestones rest on stays:
// thoughts that were acted upon, and the first that was an association (`mind/ready_08_first_association`).
// What they surfaced is locked first, then what they are about, each in ascending id: deleting a relationship locks both
// of its ends.
// $space: string, whose
// $before: datetime, those that are older
// $skip: integer, of the oldest, how many to leave out (a dry run has seen them)
// $batch_size: integer, thoughts at most
// returns: one row: changed (integer, thoughts)
// Running it twice: the second run goes on with what is left; what was deleted is not counted again.
CALL () {
  MATCH (h:Thought)
  WHERE h.space = $space AND h.at < $before AND h.channel = 'insight'
  WITH h ORDER BY h.space, h.at, h.id
  WITH h
  WHERE COUNT {
    MATCH (h)-[:SURFACED]->(m:Memory)
    WHERE m.space = $space
  } > 1 OR EXISTS {
    MATCH (h)-[:SURFACED]->(m:Memory)<-[:DERIVED_FROM]-(i:Reflection)
    WHERE m.space = $space AND i.space = $space AND i.created_at >= h.at
  }
  WITH h LIMIT 1
  RETURN collect(h.id) AS kept
}
MATCH (h:Thought)
WHERE h.space = $space AND h.at < $before AND h.acted_at IS NULL AND NOT h.id IN kept
WITH h ORDER BY h.space, h.at, h.id SKIP $skip LIMIT $batch_size
WITH collect(h) AS thoughts
CALL (thoughts) {
  UNWIND thoughts AS h
  MATCH (h)-[:SURFACED]->(m:Memory)
  WITH DISTINCT m ORDER BY m.id
  SET m._lock = true
  REMOVE m._lock
  RETURN count(*) AS memories
}
CALL (thoughts) {
  UNWIND thoughts AS h
  MATCH (h)-[:ABOUT]->(g:Goal)
  WITH DISTINCT g ORDER BY g.id
  SET g._lock = true
  REMOVE g._lock
  RETURN count(*) AS goals
}
CALL (thoughts) {
  UNWIND thoughts AS h
  SET h._lock = true
  REMOVE h._lock
  WITH collect(h) AS locked
  UNWIND locked AS h
  WITH h
  // Another sweep was faster, and it has no properties any more; or it was acted upon meanwhile.
  WHERE h.at < $before AND h.acted_at IS NULL
  WITH left(toString(h.at), 7) AS month, collect(h) AS old, count(h.weighed_at) AS weighed
  ORDER BY month
  MERGE (c:RecordCounter {space: $space, kind: 'Thought', month: month})
  SET
    c.count = coalesce(c.count, 0) + size(old),
    c.weighed = coalesce(c.weighed, 0) + weighed
  FOREACH (h IN old | DETACH DELETE h)
  RETURN sum(size(old)) AS changed
}
RETURN changed
