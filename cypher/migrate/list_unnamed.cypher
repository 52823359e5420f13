CYPHER 25
// Memories of one batch that are linked to nobody and nothing that they name.
// $space: string, whose
// $after: string, id after which the batch begins
// $batch_size: integer, memories looked at
// returns: one row: last (string, id of the last memory looked at; null when there was none), memories (list of maps
//   {id, content, speaker})
MATCH (m:Memory)
WHERE m.space = $space AND m.id > $after
WITH m ORDER BY m.space, m.id LIMIT $batch_size
WITH collect(m) AS batch
RETURN
  CASE WHEN size(batch) > 0 THEN batch[-1].id END AS last,
  [m IN batch WHERE NOT EXISTS { (m)-[:MENTIONS]->() } | m {.id, .content, .speaker}] AS memories
