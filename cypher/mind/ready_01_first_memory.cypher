CYPHER 25
// Readiness, 1 of 10: the first memory that the exit gate kept of what was heard or said in a conversation.
// The line of the scratch buffer is swept in time; the turn that it was heard as stays, and the memory rests on it.
// The walk begins at the oldest sessions and ends with the first that has one.
// $space: string, whose
// returns: at (datetime), evidence (list of ids: the line while it is there, the turn, the memory), paths (list of
//   paths); no row where there is none
MATCH (s:Session)
WHERE s.space = $space AND s.id IS NOT NULL
WITH s ORDER BY s.created_at, s.id
CALL (s) {
  MATCH (s)<-[:PART_OF]-(t:Turn)
  WHERE t.space = $space AND t.source STARTS WITH 'chat'
  MATCH path = (t)<-[:DERIVED_FROM]-(m:Memory)
  WHERE m.space = $space
  RETURN t, m, path ORDER BY m.created_at, t.at, m.id LIMIT 1
}
WITH t, m, path LIMIT 1
WITH t, m, path, COLLECT {
  MATCH heard = (e:ScratchEntry)-[:HEARD_AS]->(t)
  WHERE e.space = $space
  RETURN heard ORDER BY e.id LIMIT 1
} AS heard
RETURN
  m.created_at AS at,
  [p IN heard | nodes(p)[0].id] + [t.id, m.id] AS evidence,
  heard + [path] AS paths
