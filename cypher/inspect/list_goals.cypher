CYPHER 25
// The goals of a space, the oldest first.
// $space: string, whose
// $states: list of strings, those of some states: active, incubating, blocked, done, dropped or proposed; null for all
// returns: goal (map {id, text, state, weight, created_at, changed_at, active_at, mentioned_at, tractability, priority,
//   ranked_at, blocked_by, sessions_without, progressed_at, incubating_since, incubated, found_in, agreed_at, embedding (list of
//   floats; null where the vector of the model in use is not made yet)})
MATCH (g:Goal)
WHERE g.space = $space AND ($states IS NULL OR g.state IN $states)
RETURN g {
  .id, .text, .state, .weight, .created_at, .changed_at, .active_at, .mentioned_at, .tractability, .priority,
  .ranked_at, .blocked_by, .sessions_without, .progressed_at, .incubating_since, .incubated, .found_in, .agreed_at,
  embedding: g.embedding
} AS goal
ORDER BY g.created_at, g.id
