CYPHER 25
// Set states of a memory by hand: jobs leave those as they are. Null gives one back to the jobs.
// $space: string, whose
// $id: string, the memory's
// $states: map, some of verification_state, policy_class (strings or null) and resolved_at (datetime or null)
// $names: list of strings, its keys
// returns: memory (map); no row where it is not there
// Running it twice: no change.
MATCH (m:Memory {id: $id})
WHERE m.space = $space
SET m._lock = true
REMOVE m._lock
WITH m
SET m += $states
SET m.policy_held =
  [name IN coalesce(m.policy_held, []) WHERE NOT name IN $names]
  + [name IN $names WHERE name <> 'resolved_at' AND $states[name] IS NOT NULL]
RETURN m {.*, embedding: null, embedding_b: null} AS memory
