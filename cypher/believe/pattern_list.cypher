CYPHER 25
// Which memories of one batch may be patterns: those that could have evidence from enough days. Each day of evidence
// leaves a relationship or a day of use, which are counted without being read; and two more days may be known by their
// time alone.
// $space: string, whose
// $after: string, id after which the batch begins
// $until: string, the last id that it may hold
// $batch_size: integer, memories looked at
// $least: integer, fewest days of evidence that make a pattern
// returns: one row: last (string, id of the last memory looked at; null when there was none), ids (list of strings,
//   ascending)
MATCH (m:Memory)
WHERE m.space = $space AND m.id > $after AND m.id <= $until
WITH m ORDER BY m.space, m.id LIMIT $batch_size
WITH m,
  CASE
    WHEN m.status <> 'active' THEN false
    WHEN m.immutable THEN false
    WHEN m.kind = 'tension' THEN false
    // A turn as it was said.
    WHEN m.kind = 'episodic' AND m.category IS NULL THEN false
    WHEN m.pattern_due IS NOT NULL THEN true
    WHEN m.pattern_stage >= 2 THEN false
    ELSE 2 + coalesce(m.days_used, 0)
      + count { (m)-[:DERIVED_FROM]->() }
      + count { (m)<-[:REINFORCES]-() } >= $least
  END AS may
RETURN max(m.id) AS last, collect(CASE WHEN may THEN m.id END) AS ids
