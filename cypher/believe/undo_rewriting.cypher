CYPHER 25
// Take a rewriting back: a memory has its line again, or a context without the preamble. The vector of the latter is made
// anew at the next dream; the preamble stays empty, so that none is written again.
// The memories were locked in the same transaction.
// $space: string, whose
// $id: string, the change's
// $now: datetime, when
// returns: one row: undone (boolean), why (string, what stands in the way; '' where nothing does)
// Running it twice: the second run changes nothing.
MATCH (c:BeliefChange {id: $id})
WHERE c.space = $space
CALL (c) {
  MATCH (c)-[r:CHANGED {role: 'line'}]->(m:Memory)
  WHERE m.space = $space AND m.compressed_by IS NOT NULL
  SET
    m.compressed = r.compressed,
    m.compressed_by = 'user',
    m.rewriting_undone_at = $now,
    m.version = m.version + 1
  RETURN count(*) AS lines
}
CALL (c) {
  MATCH (c)-[:CHANGED {role: 'context'}]->(m:Memory)
  WHERE m.space = $space AND m.preamble <> ''
  SET
    m.contextualized = CASE
      WHEN m.contextualized STARTS WITH m.preamble THEN substring(m.contextualized, size(m.preamble) + 1)
      ELSE m.contextualized
    END,
    m.preamble = '',
    m.embed_due = true,
    m.rewriting_undone_at = $now,
    m.version = m.version + 1
  RETURN count(*) AS contexts
}
RETURN
  lines + contexts > 0 AS undone,
  CASE WHEN lines + contexts > 0 THEN '' ELSE 'what was described anew is gone' END AS why
