CYPHER 25
// The goals of a space, the oldest first.
// $space: string, whose
// $state: string, those of one state: active, done or dropped; null for all
// returns: goal (map {id, text, state, weight, created_at, changed_at, embedding})
MATCH (g:Goal)
WHERE g.space = $space AND ($state IS NULL OR g.state = $state)
RETURN g {.*} AS goal
ORDER BY g.created_at, g.id
