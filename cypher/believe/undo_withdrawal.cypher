CYPHER 25
// Take the withdrawal of an insight back: it is what it was. It is not looked at again before its sources change again.
// The memory was locked in the same transaction.
// $space: string, whose
// $id: string, the change's
// $now: datetime, when
// returns: undone (boolean), why (string): one row; none where the memory is gone
// Running it twice: the second run finds it back and changes nothing; the caller does not run it twice.
MATCH (c:BeliefChange {id: $id})-[r:CHANGED {role: 'insight'}]->(m:Memory)
WHERE c.space = $space AND m.space = $space
WITH r, m,
  CASE WHEN m.status = 'archived' AND m.withdrawn_at IS NOT NULL THEN '' ELSE 'the memory is back already' END AS why
CALL (r, m, why) {
  WITH r, m
  WHERE why = ''
  SET
    m.status = r.status,
    m.restored_at = $now,
    m.withdrawn_at = null,
    m.withdrawn_because = null,
    m.version = m.version + 1
}
RETURN why = '' AS undone, why
