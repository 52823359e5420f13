CYPHER 25
// The facts of a space, with what they rest on, replace and disagree with.
// $space: string, whose
// $categories: list of strings, those of facts
// returns: id, content, category, subject, slot, value, negated, status, valid_from, valid_to, truth (its mean), turns
//   (list of ids), replaces (list of ids), tensions (list of maps {id, state})
MATCH (m:Memory)
WHERE m.space = $space AND m.category IN $categories
RETURN
  m.id AS id, m.content AS content, m.category AS category, m.subject AS subject, m.slot AS slot, m.value AS value,
  coalesce(m.negated, false) AS negated, m.status AS status, m.valid_from AS valid_from, m.valid_to AS valid_to,
  m.truth_alpha / (m.truth_alpha + m.truth_beta) AS truth,
  COLLECT { MATCH (m)-[:DERIVED_FROM]->(t:Turn) RETURN t.id ORDER BY t.id } AS turns,
  COLLECT { MATCH (m)-[:SUPERSEDES]->(o:Memory) RETURN o.id ORDER BY o.id } AS replaces,
  COLLECT { MATCH (m)-[t:IN_TENSION_WITH]-(o:Memory) RETURN {id: o.id, state: t.state} ORDER BY o.id } AS tensions
ORDER BY id
