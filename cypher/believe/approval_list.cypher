CYPHER 25
// What was asked for in a space, the oldest first, with the memories that it is about. What is asked for a memory that
// does not stand any more is left out.
// $space: string, whose
// $states: list of strings, some of pending, approved, refused
// $prefix: string, the beginning of the approvals' ids or of the memories'; '' for all
// $limit: integer, how many at most
// returns: approval (map {id, state, stage, center, days, span_days, asked_at, decided_at, by}), memory (map {id,
//   content, weight, truth, evidence})
MATCH (a:Approval {space: $space})
WHERE a.asked_at IS NOT NULL AND a.state IN $states
MATCH (a)-[:ASKS_FOR]->(m:Memory)
WHERE m.space = $space AND m.status = 'active' AND (a.id STARTS WITH $prefix OR m.id STARTS WITH $prefix)
WITH a, m ORDER BY a.asked_at, a.id LIMIT $limit
RETURN
  a {.id, .state, .stage, .center, .days, .span_days, .asked_at, .decided_at, .by} AS approval,
  m {
    .id,
    .content,
    weight: m.weight_alpha / (m.weight_alpha + m.weight_beta),
    truth: m.truth_alpha / (m.truth_alpha + m.truth_beta),
    evidence: m.truth_alpha + m.truth_beta - 2.0
  } AS memory
ORDER BY a.asked_at, a.id
