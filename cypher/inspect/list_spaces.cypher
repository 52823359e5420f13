CYPHER 25
// Every space that holds memories or sessions.
// returns: space
MATCH (m:Memory)
RETURN DISTINCT m.space AS space
UNION
MATCH (s:Session)
RETURN DISTINCT s.space AS space
