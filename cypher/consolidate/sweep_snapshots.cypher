CYPHER 25
// Delete the snapshots of one batch that lead to no memory: it was erased, and nothing of it may stay.
// Each is locked and looked at again before it goes: a promotion may just be leading it another way.
// $space: string, whose
// $after: string, id after which the batch begins
// $batch_size: integer, snapshots looked at
// returns: last (string, id of the last snapshot looked at; null when there was none), changed (integer, deleted),
//   examples (list of maps {snapshot, tier}, five at most)
// Running it twice: the second run finds none and changes nothing.
MATCH (a:Archived)
WHERE a.space = $space AND a.id > $after
WITH a ORDER BY a.space, a.id LIMIT $batch_size
WITH collect(a) AS batch
WITH batch, CASE WHEN size(batch) > 0 THEN batch[-1].id END AS last
CALL (batch) {
  UNWIND batch AS a
  WITH a
  WHERE NOT EXISTS { (a)-[:PROMOTED_TO|CRYSTALLIZED_INTO]->+(:Memory) }
  SET a._lock = true
  REMOVE a._lock
  WITH collect(a) AS locked
  UNWIND locked AS a
  WITH a, a.id AS id, a.tier AS tier
  // Without an id, another sweep was faster.
  WHERE id IS NOT NULL AND NOT EXISTS { (a)-[:PROMOTED_TO|CRYSTALLIZED_INTO]->+(:Memory) }
  WITH collect(a) AS stray, collect({snapshot: id, tier: tier})[..5] AS examples
  FOREACH (a IN stray | DETACH DELETE a)
  RETURN size(stray) AS changed, examples
}
RETURN last, changed, examples
