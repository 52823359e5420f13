CYPHER 25
// Read which schema, embedding model and migrations the database has been set up with.
// returns: version (integer), embed_model (string), dimensions (integer), slot ('a' or 'b'), generation (integer),
//   migration (integer, the last one done), due (boolean, whether a memory lacks a vector), other (map {state, embed_model,
//   dimensions, generation} or null: what the slot that is not in use holds); no row in a new database
MATCH (s:EngramSchema {id: 'engram'})
RETURN
  s.version AS version, s.embed_model AS embed_model, s.dimensions AS dimensions, coalesce(s.slot, 'a') AS slot,
  coalesce(s.generation, 0) AS generation, coalesce(s.migration, 0) AS migration,
  EXISTS {
    MATCH (m:Memory)
    WHERE m.embed_due = true AND m.space IS NOT NULL
  } AS due,
  CASE WHEN s.other_state IS NOT NULL THEN s {
    state: s.other_state,
    embed_model: s.other_model,
    dimensions: s.other_dimensions,
    generation: s.other_generation
  } END AS other
