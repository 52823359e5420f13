CYPHER 25
// Note what the exit gate decided about entries of the scratch buffer. What is to be looked at again stays in it. Facts may
// be drawn from what it kept or knew, and from nothing else: an echo is no source.
// $space: string, whose
// $rows: list of maps {id, action, reason, relevance, novelty, similarity, buffered (boolean), told (boolean, whether
//   facts may be drawn from it), memory (id or null)}, ascending by id
// $now: datetime, when
// returns: decided (integer): fewer than there are rows where somebody else decided some of them meanwhile
// Running it twice: the second run decides nothing.
CALL () {
  UNWIND $rows AS row
  MATCH (e:ScratchEntry {id: row.id})
  WHERE e.space = $space
  SET e._lock = true
  REMOVE e._lock
  RETURN count(*) AS locked
}
UNWIND $rows AS row
MATCH (e:ScratchEntry {id: row.id})
WHERE e.space = $space AND e.state = 'buffered'
SET
  e.state = CASE WHEN row.buffered THEN 'buffered' ELSE 'decided' END,
  e.looked = e.looked + 1,
  e.action = row.action,
  e.reason = row.reason,
  e.relevance = row.relevance,
  e.novelty = row.novelty,
  e.similarity = row.similarity,
  e.memory = row.memory,
  e.decided_at = $now
WITH e, row
OPTIONAL MATCH (e)-[:HEARD_AS]->(t:Turn)
WHERE t.space = $space AND t.extract_due_at IS NOT NULL AND NOT row.buffered
WITH e, row, t ORDER BY t.id
FOREACH (_ IN CASE WHEN t IS NULL THEN [] ELSE [t] END |
  SET t.extract_due_at = CASE WHEN row.told THEN $now END
)
RETURN count(DISTINCT e) AS decided
