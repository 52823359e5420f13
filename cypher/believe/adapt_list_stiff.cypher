CYPHER 25
// Memories of one batch whose weight or truth rests on so much evidence that nothing new moves it.
// $space: string, whose
// $after: string, id after which the batch begins
// $batch_size: integer, memories looked at
// $most: float, evidence above which it is too much
// returns: one row: last (string, id of the last memory looked at; null when there was none), found (integer),
//   examples (list of ids, five at most)
MATCH (m:Memory)
WHERE m.space = $space AND m.id > $after
WITH m ORDER BY m.space, m.id LIMIT $batch_size
WITH collect(m) AS batch
WITH batch, [
  m IN batch
  WHERE NOT m.immutable
    AND (m.weight_alpha + m.weight_beta > $most OR m.truth_alpha + m.truth_beta > $most) |
    m.id
] AS stiff
RETURN
  CASE WHEN size(batch) > 0 THEN batch[-1].id END AS last,
  size(stiff) AS found,
  stiff[..5] AS examples
