CYPHER 25
// What the promotion of memories depends on: on which days there was evidence for each, where its weight stands and what
// it was granted before. Evidence is what a person said, a new memory of that which is like it, and use. What the agent
// said or thought is none. Days are whole days since 1970, in UTC.
// $space: string, whose
// $ids: list of strings, the memories'
// $told: string, the source tag of what a person said
// returns: memory (map: its own properties; told, alike, used (lists of integers, days), known, seen (integers or null,
//   days: since when a person has it known; when it was last said again), useful, useless (integers,
//   verdicts on its recalls), waits (boolean, whether a person was asked)), ascending by id
UNWIND $ids AS id
MATCH (m:Memory {id: id})
WHERE m.space = $space
RETURN m {
  .id, .status, .immutable, .weight_alpha, .weight_beta, .weight_alpha_seen, .weight_beta_seen, .weight_paused,
  .pattern_stage, .pattern_alpha, .pattern_due, .pattern_retry_days, .days_used,
  told: COLLECT {
    MATCH (m)-[:DERIVED_FROM]->(t:Turn)
    WHERE t.space = $space AND coalesce(t.source_tag, m.source_tag) = $told
    RETURN DISTINCT t.at.epochSeconds / 86400
  },
  alike: COLLECT {
    MATCH (m)<-[r:REINFORCES]-(x:Memory)
    WHERE x.space = $space AND x.source_tag = $told
    // When it was said, not when it was imported.
    RETURN DISTINCT coalesce(x.event_at, r.at).epochSeconds / 86400
  },
  used: [at IN m.accessed_at | at.epochSeconds / 86400],
  known: CASE WHEN m.source_tag = $told THEN m.known_at.epochSeconds / 86400 END,
  seen: CASE WHEN m.seen_count > 1 THEN m.last_seen_at.epochSeconds / 86400 END,
  useful: count { (m)<-[x:RETURNED]-(r:Recall) WHERE r.space = $space AND x.useful },
  useless: count { (m)<-[x:RETURNED]-(r:Recall) WHERE r.space = $space AND NOT x.useful },
  waits: EXISTS { (m)<-[:ASKS_FOR]-(a:Approval) WHERE a.space = $space AND a.state = 'pending' }
} AS memory
ORDER BY m.id
