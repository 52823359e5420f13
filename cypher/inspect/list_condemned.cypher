CYPHER 25
// Some memories of a space that goes as a whole, in the order of ids, with what erasing them takes.
// $space: string, whose
// $after: string, id after which the batch begins
// $batch_size: integer, how many at most
// returns: id, kind, content, contextualized, content_hash (strings), told (list of strings, the turns that it was said in),
//   said (boolean, whether it was said and not drawn from something else)
MATCH (m:Memory)
WHERE m.space = $space AND m.id > $after
WITH m ORDER BY m.space, m.id LIMIT $batch_size
RETURN
  m.id AS id,
  m.kind AS kind,
  m.content AS content,
  m.contextualized AS contextualized,
  m.content_hash AS content_hash,
  [(m)-[:DERIVED_FROM]->(t:Turn) | t.text] AS told,
  m.dreamed IS NULL AND (
    'episodic' = m.kind OR m.source_tag = 'external_user' AND NOT EXISTS { (m)-[:DERIVED_FROM]->(:Turn) }
  ) AS said
