CYPHER 25
// Make one batch of memories ready for ranking: _strength, the sum of the weights of a memory's associations, and
// _rank, to begin with the centrality that it has.
// All weights are taken as they are at one instant, whenever they were settled; what is left of an earlier run that
// was killed is overwritten or removed.
// $space: string, whose
// $after: string, id after which the batch begins
// $batch_size: integer, memories looked at
// $decay: float, an edge's decay per day
// $now: datetime, the instant
// returns: last (string, id of the last memory looked at; null when there was none), ranked (integer, memories that
//   have associations), stale (integer, memories with associations and no centrality, or the other way round)
// Running it twice: the same values; between two runs of rank_move_ranks, they begin anew.
MATCH (m:Memory)
WHERE m.space = $space AND m.id > $after
WITH m ORDER BY m.space, m.id LIMIT $batch_size
WITH collect(m) AS batch
CALL (batch) {
  UNWIND batch AS m
  WITH m
  WHERE m._strength IS NOT NULL OR m._rank IS NOT NULL OR EXISTS { (m)-[:CO_ACCESSED]-() }
  SET m._lock = true
  REMOVE m._lock
  WITH collect(m) AS locked
  UNWIND locked AS m
  CALL (m) {
    MATCH (m)-[c:CO_ACCESSED]-(partner:Memory)
    WHERE partner.space = $space AND partner <> m
    RETURN sum(c.weight * exp(
      -$decay * ($now.epochSeconds - coalesce(c.weight_at, c.last_at).epochSeconds) / 86400.0
    )) AS strength
  }
  SET
    m._strength = CASE WHEN strength > 0.0 THEN strength END,
    m._rank = CASE WHEN strength > 0.0 THEN m.centrality END
  RETURN count(CASE WHEN strength > 0.0 THEN 1 END) AS ranked
}
RETURN
  CASE WHEN size(batch) > 0 THEN batch[-1].id END AS last,
  ranked,
  size([m IN batch WHERE (m._strength IS NULL) <> (m.centrality IS NULL)]) AS stale
