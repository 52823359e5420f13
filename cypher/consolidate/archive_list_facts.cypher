CYPHER 25
// What the policy of one batch of memories depends on. What a person has put away is left out, and so are tensions,
// which stay until they are settled.
// $space: string, whose
// $after: string, id after which the batch begins
// $until: string, the last id that it may hold
// $batch_size: integer, memories looked at
// $raw_turns: boolean, whether turns of conversations as they were said are looked at too
// returns: one row: last (string, id of the last memory looked at; null when there was none), facts (list of maps,
//   ascending by id: the properties below; content only where there is no memory_kind yet; raw (boolean, a turn as it
//   was said), sources (integer, what it is derived from), useful, useless (integers, verdicts), disputed (boolean))
MATCH (m:Memory)
WHERE m.space = $space AND m.id > $after AND m.id <= $until
WITH m ORDER BY m.space, m.id LIMIT $batch_size
WITH collect(m) AS batch
CALL (batch) {
  UNWIND batch AS m
  WITH m, m.kind = 'episodic' AND m.category IS NULL AS raw
  WHERE (m.status = 'active' OR (m.status = 'archived' AND m.archive_reason IS NOT NULL))
    AND m.kind <> 'tension'
    AND ($raw_turns OR NOT raw)
  RETURN collect(m {
    .id, .kind, .category, .status, .importance, .source_confidence, .source_tag, .immutable, .access_count,
    .seen_count, .created_at, .last_accessed_at, .restored_at, .valid_to, .resolved_at, .archive_reason, .version,
    .lifecycle_state, .verification_state, .policy_class, .policy_held, .memory_kind,
    content: CASE WHEN m.memory_kind IS NULL THEN m.content END,
    raw: raw,
    sources: count { (m)-[:DERIVED_FROM]->() },
    useful: count { (m)<-[r:RETURNED]-() WHERE r.useful },
    useless: count { (m)<-[r:RETURNED]-() WHERE NOT r.useful },
    disputed: EXISTS { (m)-[t:IN_TENSION_WITH]-() WHERE coalesce(t.state, 'open') = 'open' }
  }) AS facts
}
RETURN CASE WHEN size(batch) > 0 THEN batch[-1].id END AS last, facts
