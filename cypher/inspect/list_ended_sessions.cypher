CYPHER 25
// The open sessions of a space that nobody has used for so long that they have ended.
// $space: string, whose
// $now: datetime, ended by then
// returns: id, the earliest ended first
MATCH (s:Session)
WHERE s.space = $space AND s.closes_at <= $now
RETURN s.id AS id
ORDER BY s.closes_at, id
