CYPHER 25
// Memories of a space that are marked as lacking a vector.
// $space: string, whose
// $limit: integer, how many at most
// returns: id, kind, content, contextualized, version, ascending by id
MATCH (m:Memory)
WHERE m.embed_due = true AND m.space = $space
WITH m LIMIT $limit
RETURN m.id AS id, m.kind AS kind, m.content AS content, m.contextualized AS contextualized, m.version AS version
ORDER BY id
