CYPHER 25
// The sessions that ended and whose memories are not paired yet; those too that only nobody has closed yet.
// $space: string, whose
// $now: datetime, ended by then
// returns: id, the session that ended first before the others
MATCH (s:Session)
WHERE s.space = $space AND (s.coactivate_due_at <= $now OR s.closes_at <= $now)
RETURN s.id AS id
ORDER BY CASE WHEN s.closes_at <= $now THEN s.closes_at ELSE s.coactivate_due_at END, id
