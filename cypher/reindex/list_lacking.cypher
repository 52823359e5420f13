CYPHER 25
// Memories of one batch that lack a vector in a slot, or whose vector there is to be made again.
// $space: string, whose
// $property: string, the slot's property
// $again: boolean, whether embed_due tells of this slot: then those that are marked are to be made again
// $after: string, id after which the batch begins
// $batch_size: integer, memories looked at
// returns: one row: last (string, id of the last memory looked at; null when there was none), walked (integer, memories
//   looked at), memories (list of maps {id, kind, content, contextualized, version}, ascending by id)
MATCH (m:Memory)
WHERE m.space = $space AND m.id > $after
WITH m ORDER BY m.space, m.id LIMIT $batch_size
WITH collect(m) AS batch
RETURN
  CASE WHEN size(batch) > 0 THEN batch[-1].id END AS last,
  size(batch) AS walked,
  [
    m IN batch
    // One without words, which is broken, has none to get.
    WHERE m.content IS NOT NULL AND m.kind IS NOT NULL AND (m[$property] IS NULL OR ($again AND m.embed_due)) |
    m {.id, .kind, .content, .contextualized, .version}
  ] AS memories
