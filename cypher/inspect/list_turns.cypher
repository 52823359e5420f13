CYPHER 25
// List the last turns of a session, newest first, leaving out what was forgotten.
// A fact drawn from a turn hangs on it too; the turn's own memory is the one that repeats it.
// $space: string, whose
// $session: string, its name
// $limit: integer, most turns
// returns: text, speaker, at, caption, memory (id of the turn's memory)
MATCH (s:Session {space: $space, id: $session})<-[:PART_OF]-(t:Turn)<-[:DERIVED_FROM]-(m:Memory:Episodic)
WHERE m.space = $space AND m.status <> 'archived' AND m.content = t.text
RETURN t.text AS text, t.speaker AS speaker, t.at AS at, t.caption AS caption, m.id AS memory
ORDER BY t.at DESC, t.created_at DESC, t.id
LIMIT $limit
