CYPHER 25
// The words of every memory of a space.
// $space: string, whose
// returns: content, kind
MATCH (m:Memory)
WHERE m.space = $space AND m.id > '' // so that the index serves it
RETURN m.content AS content, m.kind AS kind
ORDER BY content
