CYPHER 25
// Lay a thought of the idle mind by hand.
// $space: string, whose
// $id: string, the thought's
// $at: datetime, when
// $thought: map {channel, state, acted_at}
// $surfaced: list of strings, ids of the memories that it brought to mind
// $goal: string or null, id of the goal that it is about
CREATE (h:Thought {id: $id, space: $space, at: $at, text: 'a thought', leaning: 'neglected'})
SET h += $thought
WITH h
CALL (h) {
  UNWIND $surfaced AS id
  MATCH (m:Memory {id: id})
  CREATE (h)-[:SURFACED]->(m)
}
OPTIONAL MATCH (g:Goal {id: $goal})
FOREACH (one IN CASE WHEN g IS NULL THEN [] ELSE [g] END | CREATE (h)-[:ABOUT]->(one))
