CYPHER 25
// Keep what came to mind, with the memories that it surfaced and the goal that it is about. Surfacing is no use: neither
// energy nor weight of a memory changes. Its line in the scratch buffer says what is remembered already, so the exit gate
// lets it pass by.
// $space: string, whose
// $thought: map {id, at, text, leaning, channel, topic, state, entry, run}: its properties
// $surfaced: list of strings, ids of memories, ascending
// $goal: string or null, the id of a goal
// returns: stored (integer)
// Running it twice: no change.
CALL () {
  UNWIND $surfaced AS id
  MATCH (m:Memory {id: id})
  WHERE m.space = $space
  SET m._lock = true
  REMOVE m._lock
  RETURN collect(m) AS memories
}
OPTIONAL MATCH (g:Goal {id: $goal})
WHERE g.space = $space
WITH memories, g
MERGE (h:Thought {id: $thought.id})
  ON CREATE SET
    h += $thought,
    h.space = $space
WITH memories, g, h
WHERE h.space = $space
CALL (memories, h) {
  UNWIND memories AS m
  MERGE (h)-[:SURFACED]->(m)
}
CALL (g, h) {
  WITH g, h
  WHERE g IS NOT NULL
  MERGE (h)-[:ABOUT]->(g)
}
CALL () {
  MATCH (e:ScratchEntry {id: $thought.entry})
  WHERE e.space = $space AND e.state = 'buffered'
  SET
    e.state = 'skipped',
    e.skipped = true
}
RETURN count(h) AS stored
