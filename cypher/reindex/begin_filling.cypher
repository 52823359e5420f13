CYPHER 25
// Begin to make vectors of another model beside those in use; from now on writers mark what they store.
// $model: string, the other embedder's name
// $dimensions: integer, length of its vectors
// returns: one row: begun (boolean, false where the other slot is taken)
// Running it twice: the second run finds the slot taken.
MATCH (s:EngramSchema {id: 'engram'})
SET s._lock = true
REMOVE s._lock
WITH s, s.other_state IS NULL AS begun, coalesce(s.last_generation, 0) + 1 AS generation
FOREACH (each IN CASE WHEN begun THEN [s] ELSE [] END |
  SET
    each.last_generation = generation,
    each.other_generation = generation,
    each.other_state = 'filling',
    each.other_model = $model,
    each.other_dimensions = $dimensions
)
RETURN begun
