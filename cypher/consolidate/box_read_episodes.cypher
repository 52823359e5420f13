CYPHER 25
// What boxing needs of some memories.
// $space: string, whose
// $ids: list of strings
// returns: id, event_at, content, embedding (list of floats)
UNWIND $ids AS id
MATCH (m:Memory {id: id})
WHERE m.space = $space
RETURN m.id AS id, m.event_at AS event_at, m.content AS content, m.embedding AS embedding
