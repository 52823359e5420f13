CYPHER 25
// List the last turns of a session, newest first, leaving out what was forgotten. Not every turn became a memory.
// A fact drawn from a turn hangs on it too; the turn's own memory is the one that repeats it.
// $space: string, whose
// $session: string, its name
// $before: datetime, what was said earlier
// $limit: integer, most turns
// returns: text, speaker, at, caption, source, memory (id of the turn's memory, or null)
MATCH (s:Session {space: $space, id: $session})<-[:PART_OF]-(t:Turn)
WHERE t.at < $before
CALL (t) {
  OPTIONAL MATCH (t)<-[:DERIVED_FROM]-(m:Memory:Episodic)
  WHERE m.space = $space AND m.content = t.text
  RETURN collect(m)[0] AS m
}
WITH t, m
WHERE m IS NULL OR m.status <> 'archived'
RETURN t.text AS text, t.speaker AS speaker, t.at AS at, t.caption AS caption, t.source AS source, m.id AS memory
ORDER BY at DESC, t.created_at DESC, t.id
LIMIT $limit
