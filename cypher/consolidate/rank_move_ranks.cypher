CYPHER 25
// One round of PageRank over one batch of memories. A memory is due the rank that its partners give it, each in
// proportion to the association's weight; it moves there and a little beyond, and the next memory sees that already
// (successive over-relaxation, which needs a third of the rounds).
// Only the worker that has the space's lease writes these ranks, so they need no lock before they are read; ids ascend,
// so that other writers queue.
// $space: string, whose
// $after: string, id after which the batch begins
// $batch_size: integer, memories looked at
// $damping: float, the chance of following an association
// $start: float, the rank of a memory that has none yet: one over how many there are
// $relaxation: float, the share of the way to go: 0 only measures, 1 is Gauss and Seidel's
// $decay: float, an edge's decay per day
// $now: datetime, the instant at which the weights are taken
// returns: last (string, id of the last memory looked at; null when there was none), due (float, how far the ranks
//   were from what they were due, summed)
// Running it twice: the ranks come closer to where they settle.
// Source: S. Brin, L. Page: The anatomy of a large-scale hypertextual Web search engine, 1998;
// D. M. Young: Iterative methods for solving partial difference equations of elliptic type, 1954.
MATCH (m:Memory)
WHERE m.space = $space AND m.id > $after
WITH m ORDER BY m.space, m.id LIMIT $batch_size
WITH collect(m) AS batch
CALL (batch) {
  UNWIND batch AS m
  WITH m
  WHERE m._strength IS NOT NULL
  CALL (m) {
    MATCH (m)-[c:CO_ACCESSED]-(partner:Memory)
    WHERE partner.space = $space AND partner <> m AND partner._strength IS NOT NULL
    WITH sum(
      coalesce(partner._rank, $start) / partner._strength * c.weight * exp(
        -$decay * ($now.epochSeconds - coalesce(c.weight_at, c.last_at).epochSeconds) / 86400.0
      )
    ) AS given
    WITH coalesce(m._rank, $start) AS rank, (1.0 - $damping) * $start + $damping * given AS due
    SET m._rank = rank + $relaxation * (due - rank)
    RETURN abs(due - rank) AS way
  }
  RETURN sum(way) AS due
}
RETURN CASE WHEN size(batch) > 0 THEN batch[-1].id END AS last, due
