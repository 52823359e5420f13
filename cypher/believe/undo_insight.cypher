CYPHER 25
// Take an insight back: it is put away, and all that it had quieted weighs what it did before, whichever change did that;
// these changes are taken back with it. It stays in the archive, with its citations, so that the same is not dreamed
// again. A weight's centre does not rise above the cap by that.
// The memories were locked in the same transaction.
// $space: string, whose
// $id: string, the change's
// $now: datetime, when
// returns: one row: undone (boolean), why (string, what stands in the way; '' where nothing does)
// Running it twice: the second run finds the insight put away, and says so.
MATCH (c:BeliefChange {id: $id})
WHERE c.space = $space
OPTIONAL MATCH (c)-[:CHANGED {role: 'insight'}]->(i:Memory)
WHERE i.space = $space
WITH c, i, CASE
  WHEN i IS NULL THEN 'the insight was erased'
  WHEN i.status <> 'active' THEN 'the insight is ' + i.status
  ELSE ''
END AS why
CALL (c, i, why) {
  WITH c, i
  WHERE why = ''
  SET
    i.status = 'archived',
    i.archived_at = $now,
    i.version = i.version + 1
  WITH i
  MATCH (d:BeliefChange {kind: 'insight'})-[:CHANGED {role: 'insight'}]->(i)
  WHERE d.space = $space AND d.undone_at IS NULL
  SET d.undone_at = $now
  WITH d
  MATCH (d)-[r:CHANGED {role: 'source'}]->(m:Memory)
  WHERE m.space = $space AND NOT m.immutable AND r.quieted > 0.0
  WITH m, sum(r.quieted) AS quieted
  // 19 to 1 are the odds of the cap, 0.95.
  WITH m, m.weight_beta - quieted AS before, m.weight_alpha / 19.0 AS least
  SET m.weight_beta = CASE
    WHEN before >= least AND before > 0.0 THEN before
    WHEN least < m.weight_beta THEN least
    ELSE m.weight_beta
  END
  RETURN count(*) AS quieted
}
RETURN why = '' AS undone, why
