CYPHER 25
// Put the other slot's vectors to use, and keep those that were. This is all that a switch is; whoever reads the record before it works with the vectors from before, which stay.
// $slot: string, 'a' or 'b', the one that comes into use
// $whole: boolean, only if no memory has been stored meanwhile that lacks one
// returns: one row: switched (boolean)
// Running it twice: the second run finds the slot in use and changes nothing.
MATCH (s:EngramSchema {id: 'engram'})
SET s._lock = true
REMOVE s._lock
WITH s, s.other_state IN ['filling', 'returning']
  AND coalesce(s.slot, 'a') <> $slot
  AND (NOT $whole OR NOT EXISTS {
    MATCH (m:Memory)
    WHERE m.embed_due = true AND m.space IS NOT NULL
  }) AS switched
WITH s, coalesce(switched, false) AS switched, s {.embed_model, .dimensions, .generation} AS before
FOREACH (each IN CASE WHEN switched THEN [s] ELSE [] END |
  SET
    each.slot = $slot,
    each.embed_model = each.other_model,
    each.dimensions = each.other_dimensions,
    each.generation = each.other_generation,
    each.other_state = 'settling',
    each.other_model = before.embed_model,
    each.other_dimensions = before.dimensions,
    each.other_generation = coalesce(before.generation, 0)
)
RETURN switched
