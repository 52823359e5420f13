CYPHER 25
// What ceilings have stopped in a space, or would have stopped, the newest first.
// $space: string, whose
// $since: datetime, no older ones
// $limit: integer, how many at most
// returns: event (map {id, at, ceiling, phase, enforced, subject, reason, before, after})
MATCH (e:SafetyEvent)
WHERE e.space = $space AND e.at >= $since
RETURN e {.*} AS event
ORDER BY e.at DESC, e.id
LIMIT $limit
