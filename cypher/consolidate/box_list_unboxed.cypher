CYPHER 25
// The episodic memories of one batch that are in no box yet, with the conversation that they come from.
// $space: string, whose
// $after: string, id after which the batch begins
// $batch_size: integer, memories looked at
// returns: one row: last (string, id of the last memory looked at; null when there was none), episodes (list of maps
//   {id, event_at, session (the conversation's name, or '')})
MATCH (m:Memory)
WHERE m.space = $space AND m.id > $after
WITH m ORDER BY m.space, m.id LIMIT $batch_size
WITH collect(m) AS batch
CALL (batch) {
  UNWIND batch AS m
  WITH m
  WHERE m.kind = 'episodic' AND NOT EXISTS { (m)-[:IN_BOX]->() }
  CALL (m) {
    OPTIONAL MATCH (m)-[:DERIVED_FROM]->(:Turn)-[:PART_OF]->(s:Session)
    RETURN coalesce(min(s.id), '') AS session
  }
  RETURN collect({id: m.id, event_at: m.event_at, session: session}) AS episodes
}
RETURN CASE WHEN size(batch) > 0 THEN batch[-1].id END AS last, episodes
