CYPHER 25
// Memories of what people said that have no preamble yet, and such whose preamble was taken back and whose vector still has
// it. The last of a session waits: its context is written anew when the session goes on.
// $space: string, whose
// $kinds: list of strings, kinds of memories that get none
// $limit: integer, how many at most
// $stale: boolean, whether only the latter are wanted
// returns: id, kind, content, contextualized (strings), speaker (string or null), event_at (datetime), version (integer),
//   session (name, or null), stale (boolean), ascending by id
MATCH (m:Memory)
WHERE m.space = $space AND m.id > '' AND m.status = 'active' AND m.source_tag = 'external_user'
  AND NOT m.kind IN $kinds
  AND (m.embed_due OR (m.preamble IS NULL AND NOT $stale))
  AND NOT EXISTS { (m)-[:DERIVED_FROM]->(:Turn)-[:PART_OF]->(:Session {space: $space, tail: m.id}) }
WITH m ORDER BY m.space, m.id LIMIT $limit
RETURN
  m.id AS id, m.kind AS kind, m.content AS content, m.contextualized AS contextualized, m.speaker AS speaker,
  m.event_at AS event_at, m.version AS version, coalesce(m.embed_due, false) AS stale,
  COLLECT {
    MATCH (m)-[:DERIVED_FROM]->(:Turn)-[:PART_OF]->(s:Session)
    WHERE s.space = $space
    RETURN s.id AS name ORDER BY name LIMIT 1
  }[0] AS session
ORDER BY id
