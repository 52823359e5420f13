CYPHER 25
// Turns of one session that no facts were drawn from yet and that nobody works on, the oldest first.
// $space: string, whose
// $session: string, its name
// $now: datetime, in the space's time
// $limit: integer, most turns returned
// returns: id (string), in order of time
MATCH (:Session {space: $space, id: $session})<-[:PART_OF]-(t:Turn)
WHERE t.space = $space AND t.extract_due_at <= $now AND coalesce(t.extract_lease_until <= datetime.realtime(), true)
RETURN t.id AS id
ORDER BY t.at, t.created_at, id
LIMIT $limit
