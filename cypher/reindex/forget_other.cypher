CYPHER 25
// Forget the slot that is not in use: nothing is in it any more.
// Running it twice: no change.
MATCH (s:EngramSchema {id: 'engram'})
WHERE s.other_state = 'clearing'
REMOVE s.other_state, s.other_model, s.other_dimensions, s.other_generation
