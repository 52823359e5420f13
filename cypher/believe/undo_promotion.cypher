CYPHER 25
// Take a promotion back: what it has added to the weight goes, and what has moved it since stays. The memory is not
// promoted again before there is evidence from twice as many days.
// The memory was locked in the same transaction.
// $space: string, whose
// $id: string, the change's
// returns: undone (boolean), why (string): one row; none where the memory is gone
// Running it twice: the second run finds another stage and changes nothing; the caller does not run it twice.
MATCH (c:BeliefChange {id: $id})-[r:CHANGED {role: 'promoted'}]->(m:Memory)
WHERE c.space = $space AND m.space = $space
WITH r, m,
  CASE
    WHEN m.immutable THEN 'the memory is immutable'
    WHEN coalesce(m.pattern_stage, 0) > r.pattern_stage + 1 THEN 'it was promoted further, which has to be taken back first'
    WHEN coalesce(m.pattern_stage, 0) <= r.pattern_stage THEN 'the memory is not promoted any more'
    ELSE ''
  END AS why
CALL (r, m, why) {
  WITH r, m, m.weight_alpha - r.granted AS rest
  WHERE why = ''
  SET
    m.weight_alpha = CASE WHEN rest > 0.0 THEN rest ELSE r.weight_alpha END,
    m.pattern_alpha = CASE WHEN m.pattern_alpha - r.granted > 1e-9 THEN m.pattern_alpha - r.granted END,
    m.pattern_stage = CASE WHEN r.pattern_stage > 0 THEN r.pattern_stage END,
    m.pattern_due = null,
    m.pattern_retry_days = 2 * r.days
}
RETURN why = '' AS undone, why
