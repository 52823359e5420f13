CYPHER 25
// The turns that facts were drawn from, as far as they are there.
// $space: string, whose
// $ids: list of strings, the turns'
// returns: id, session (string or null), source_tag (string or null)
UNWIND $ids AS id
MATCH (t:Turn {space: $space, id: id})
OPTIONAL MATCH (t)-[:PART_OF]->(s:Session)
WHERE s.space = $space
RETURN t.id AS id, t.source_tag AS source_tag, min(s.id) AS session
ORDER BY id
