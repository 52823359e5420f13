CYPHER 25
// Note that an insight was looked at, and how each of its sources stood by then.
// The insight was locked in the same transaction, and its sources too.
// $space: string, whose
// $id: string, the insight's
// $now: datetime, when
// returns: sources (integer)
// Running it twice: no change.
MATCH (m:Memory {id: $id})
WHERE m.space = $space
SET m.examined_at = $now
WITH m
MATCH (m)-[d:DERIVED_FROM]->(s:Memory)
WHERE s.space = $space
SET d.standing = s.status
RETURN count(d) AS sources
