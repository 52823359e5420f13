CYPHER 25
// What is known of somebody or something under all names that are one. The reads of each name and of the facts are
// bounded; mentions are counted by degree.
// $space: string, whose
// $key: string, key of the entity that stands for all of its names
// $read: integer, mentions of each name that are looked at
// $facts: integer, facts at most
// $beside: integer, how many of what it is mentioned with most
// returns: one row, or none: name (string), aliases (list of strings), mentions, read (integers), since, last_seen
//   (datetimes or null), facts (list of maps {id, content, category, subject, slot, value, negated, truth, evidence, valid_from,
//   valid_to}, the best evidenced first), relations (list of such maps, of what others say it is to them), beside (list
//   of maps {name, times}), tensions (integer), summary (map {text, at, of, plain, whole (boolean, whether all that it
//   cites still holds)})
MATCH (one:Entity {space: $space, key: $key})
WITH one, [one] + COLLECT { MATCH (one)<-[:ALIAS_OF]-(a:Entity) WITH a ORDER BY a.key RETURN a } AS group
WITH one, group, [e IN group | e.key] AS keys
CALL (group) {
  UNWIND group AS e
  CALL (e) {
    MATCH (e)<-[:MENTIONS]-(m:Memory)
    RETURN m
    LIMIT $read
  }
  WITH DISTINCT m
  RETURN collect(m) AS memories, min(m.event_at) AS since, max(m.event_at) AS last_seen
}
CALL (keys) {
  MATCH (m:Memory)
  WHERE m.space = $space AND m.id > '' AND m.subject IN keys AND m.status = 'active' AND m.category IS NOT NULL
  WITH m, count { (m)-[:DERIVED_FROM]->() } AS evidence, m.truth_alpha / (m.truth_alpha + m.truth_beta) AS truth
  ORDER BY truth DESC, evidence DESC, coalesce(m.centrality, 0.0) DESC, m.id
  LIMIT $facts
  WITH m, evidence, truth, count {
    (m)-[t:IN_TENSION_WITH]-() WHERE t.state IN ['open', 'acknowledged']
  } AS open
  RETURN collect(m {
    .id, .content, .category, .subject, .slot, .value, .negated, .valid_from, .valid_to, truth: truth, evidence: evidence
  }) AS facts, collect(CASE WHEN open > 0 THEN m END) AS disputed
}
CALL (disputed) {
  UNWIND disputed AS m
  MATCH (m)-[t:IN_TENSION_WITH]-()
  WHERE t.state IN ['open', 'acknowledged']
  RETURN count(DISTINCT t) AS tensions
}
CALL (memories, keys) {
  UNWIND memories AS m
  MATCH (m)-[:MENTIONS {role: 'named'}]->(n:Entity)
  WHERE NOT n.key IN keys
  OPTIONAL MATCH (n)-[:ALIAS_OF]->(c:Entity)
  WITH coalesce(c, n) AS n, count(DISTINCT m) AS times
  ORDER BY times DESC, n.key
  LIMIT $beside
  RETURN collect({name: n.name, times: times}) AS beside
}
RETURN
  one.name AS name,
  [e IN group[1..] | e.name] AS aliases,
  reduce(sum = 0, e IN group | sum + count { (e)<-[:MENTIONS]-() }) AS mentions,
  size(memories) AS read,
  since,
  last_seen,
  facts,
  [
    m IN memories
    WHERE m.category = 'relationship' AND m.status = 'active' AND NOT coalesce(m.subject, '') IN keys |
    m {
      .id, .content, .category, .subject, .slot, .value, .negated, .valid_from, .valid_to,
      truth: m.truth_alpha / (m.truth_alpha + m.truth_beta), evidence: count { (m)-[:DERIVED_FROM]->() }
    }
  ][..$facts] AS relations,
  beside,
  tensions,
  {
    text: one.summary,
    at: one.summary_at,
    of: one.summary_of,
    plain: one.summary_plain,
    whole: size(one.summary_of) = count {
      UNWIND one.summary_of AS id
      MATCH (m:Memory {id: id})
      WHERE m.space = $space AND m.status = 'active'
      RETURN m
    }
  } AS summary
