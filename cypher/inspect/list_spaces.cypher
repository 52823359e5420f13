CYPHER 25
// Every space that holds memories, sessions or records of recalls.
// returns: space
MATCH (m:Memory)
WHERE m.space IS NOT NULL
RETURN DISTINCT m.space AS space
UNION
MATCH (s:Session)
WHERE s.space IS NOT NULL
RETURN DISTINCT s.space AS space
UNION
MATCH (r:Recall)
WHERE r.space IS NOT NULL
RETURN DISTINCT r.space AS space
