CYPHER 25
// Memories of a space that are marked as lacking a vector; one without words, which is broken, has none to get.
// $space: string, whose
// $limit: integer, how many at most
// returns: id, kind, content, contextualized, version, ascending by id
MATCH (m:Memory)
WHERE m.embed_due = true AND m.space = $space AND m.content IS NOT NULL AND m.kind IS NOT NULL
WITH m LIMIT $limit
RETURN m.id AS id, m.kind AS kind, m.content AS content, m.contextualized AS contextualized, m.version AS version
ORDER BY id
