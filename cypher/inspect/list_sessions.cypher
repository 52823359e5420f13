CYPHER 25
// List the last conversations of a space, newest first, each with how much was said in it and how it began.
// What was forgotten is not how it began. Only the turns of the sessions that are listed are read.
// $space: string, whose
// $limit: integer, most sessions
// $characters: integer, most of the first words
// returns: id, started_at, ended_at, turns, first (string, or null where nothing is left of it)
MATCH (s:Session)
WHERE s.space = $space AND s.id IS NOT NULL AND s.ended_at IS NOT NULL
WITH s ORDER BY s.ended_at DESC, s.id LIMIT $limit
CALL (s) {
  OPTIONAL MATCH (s)<-[:PART_OF]-(t:Turn)
  WHERE t.space = $space AND NOT EXISTS {
    (t)<-[:DERIVED_FROM]-(m:Memory:Episodic)
    WHERE m.space = $space AND m.status = 'archived' AND m.content = t.text
  }
  WITH t ORDER BY t.at, t.id LIMIT 1
  RETURN left(t.text, $characters) AS first
}
RETURN s.id AS id, s.started_at AS started_at, s.ended_at AS ended_at, COUNT { (s)<-[:PART_OF]-(:Turn) } AS turns, first
ORDER BY ended_at DESC, id
