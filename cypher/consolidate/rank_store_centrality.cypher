CYPHER 25
// Store the ranks of one batch of memories as their centrality, where they moved; memories that have lost all
// associations lose it.
// $space: string, whose
// $after: string, id after which the batch begins
// $batch_size: integer, memories looked at
// $total: float, what the ranks of the space add up to; centralities add up to 1
// $tolerance: float, a smaller move is not written
// returns: last (string, id of the last memory looked at; null when there was none), changed (integer, memories),
//   examples (list of maps {id, before, centrality}, five at most)
// Running it twice: the second run finds the centralities there and changes nothing.
MATCH (m:Memory)
WHERE m.space = $space AND m.id > $after
WITH m ORDER BY m.space, m.id LIMIT $batch_size
WITH collect(m) AS batch
CALL (batch) {
  UNWIND batch AS m
  WITH m
  WHERE m._rank IS NOT NULL OR m.centrality IS NOT NULL
  SET m._lock = true
  REMOVE m._lock
  WITH collect(m) AS locked
  UNWIND locked AS m
  WITH m, m.centrality AS before, m._rank / $total AS centrality
  WHERE (before IS NULL) <> (centrality IS NULL) OR abs(centrality - before) > $tolerance
  SET m.centrality = centrality
  RETURN
    count(m) AS changed,
    collect({id: m.id, before: before, centrality: centrality})[..5] AS examples
}
RETURN CASE WHEN size(batch) > 0 THEN batch[-1].id END AS last, changed, examples
