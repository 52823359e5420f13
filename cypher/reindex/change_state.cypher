CYPHER 25
// Let the slot that is not in use go from one state to another. While it is cleared, nobody writes there any more.
// $from: list of strings, the states it may be in now
// $to: string
// returns: one row: changed (boolean)
// Running it twice: the second run changes nothing, `to` not being among `from`.
MATCH (s:EngramSchema {id: 'engram'})
SET s._lock = true
REMOVE s._lock
WITH s, coalesce(s.other_state IN $from, false) AS changed
FOREACH (each IN CASE WHEN changed THEN [s] ELSE [] END | SET each.other_state = $to)
FOREACH (each IN CASE WHEN changed AND $to = 'clearing' THEN [s] ELSE [] END | SET each.other_generation = -1)
RETURN changed
