CYPHER 25
// What is known of the people who talk: their preferences, and the facts that they are the subject of, which weigh most.
// $space: string, whose
// $subjects: list of strings, keys of the speakers
// $limit: integer, memories
// returns: id, kind, content (strings), importance, truth (floats), event_at (datetime), those first whose weight times
//   truth is greatest
CALL () {
  MATCH (m:Preference)
  WHERE m.space = $space AND m.status = 'active'
  RETURN m
  UNION
  UNWIND $subjects AS subject
  MATCH (m:Memory)
  WHERE m.space = $space AND m.subject = subject AND m.slot IS NOT NULL AND m.status = 'active'
  RETURN m
}
WITH m,
  m.weight_alpha / (m.weight_alpha + m.weight_beta) AS weight,
  m.truth_alpha / (m.truth_alpha + m.truth_beta) AS truth
ORDER BY weight * truth DESC, m.id
LIMIT $limit
RETURN m.id AS id, m.kind AS kind, m.content AS content, m.importance AS importance, truth, m.event_at AS event_at
