CYPHER 25
// Delete, of one batch of connections, those that have lost their goal or their episode, which were erased, and those of
// goals that have ended long ago. Goals and episodes stay.
// They are locked in ascending id first, as a replay does: deleting a relationship locks both of its ends.
// $space: string, whose
// $before: datetime, of goals that were done or dropped earlier
// $since: datetime, when the connection was found after which the batch begins
// $after: string, its id
// $batch_size: integer, connections looked at
// returns: one row: last (map {at, id} of the last one looked at; null when there was none), changed (integer, deleted)
// Running it twice: the second run finds none and changes nothing.
MATCH (k:Connection)
WHERE k.space = $space AND k.first_at >= $since AND NOT (k.first_at = $since AND k.id <= $after)
WITH k ORDER BY k.space, k.first_at, k.id LIMIT $batch_size
WITH collect(k) AS batch
WITH batch, batch[-1] AS newest
WITH batch, newest {at: newest.first_at, .id} AS last
CALL (batch) {
  UNWIND batch AS k
  WITH k
  WHERE COUNT { (k)-[:CONNECTS]->() } < 2 OR EXISTS {
    MATCH (k)-[:CONNECTS]->(g:Goal)
    WHERE g.state IN ['done', 'dropped'] AND g.changed_at < $before
  }
  RETURN collect(k) AS over
}
CALL (over) {
  UNWIND over AS k
  MATCH (k)-[:CONNECTS]->(g:Goal)
  WITH DISTINCT g ORDER BY g.id
  SET g._lock = true
  REMOVE g._lock
  RETURN count(*) AS goals
}
CALL (over) {
  UNWIND over AS k
  MATCH (k)-[:CONNECTS]->(b:MemoryBox)
  WITH DISTINCT b ORDER BY b.id
  SET b._lock = true
  REMOVE b._lock
  RETURN count(*) AS episodes
}
CALL (over) {
  UNWIND over AS k
  SET k._lock = true
  REMOVE k._lock
  WITH collect(k) AS locked
  UNWIND locked AS k
  WITH k
  // Without an id, another sweep was faster; and a goal may just have been taken up again.
  WHERE k.id IS NOT NULL AND (COUNT { (k)-[:CONNECTS]->() } < 2 OR EXISTS {
    MATCH (k)-[:CONNECTS]->(g:Goal)
    WHERE g.state IN ['done', 'dropped'] AND g.changed_at < $before
  })
  WITH collect(k) AS gone
  FOREACH (k IN gone | DETACH DELETE k)
  RETURN size(gone) AS changed
}
RETURN last, changed
