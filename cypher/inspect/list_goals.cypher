CYPHER 25
// The goals of a space, the oldest first.
// $space: string, whose
// $state: string, those of one state: active, done or dropped; null for all
// returns: goal (map {id, text, state, weight, created_at, changed_at, embedding (list of floats; null where the
//   vector of the model in use is not made yet)})
MATCH (g:Goal)
WHERE g.space = $space AND ($state IS NULL OR g.state = $state)
RETURN g {.id, .text, .state, .weight, .created_at, .changed_at, embedding: g.embedding} AS goal
ORDER BY g.created_at, g.id
