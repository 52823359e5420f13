CYPHER 25
// Turns that no facts were drawn from yet and that nobody works on, the oldest first. Of very many, those that came in
// first are looked at.
// $space: string, whose
// $now: datetime, in the space's time
// $window: integer, most turns looked at
// $limit: integer, most turns returned
// returns: id (string), in order of time
MATCH (t:Turn)
WHERE t.space = $space AND t.extract_due_at <= $now AND coalesce(t.extract_lease_until <= datetime.realtime(), true)
WITH t ORDER BY t.space, t.extract_due_at LIMIT $window
RETURN t.id AS id
ORDER BY t.at, t.created_at, id
LIMIT $limit
