CYPHER 25
// The open sessions of a space that nobody has used for so long that they have ended.
// $space: string, whose
// $now: datetime, ended by then
// returns: id, closes_at (when it ended), the earliest first
MATCH (s:Session)
WHERE s.space = $space AND s.closes_at <= $now
RETURN s.id AS id, s.closes_at AS closes_at
ORDER BY closes_at, id
