CYPHER 25
// Note what a memory's context begins with now, beside the context itself, which write/rewrite_context has written.
// The memory was locked in the same transaction.
// $space: string, whose
// $id: string, the memory's
// $preamble: string, or null: only its vector was made anew
// $by: string, who wrote it: 'model' or 'words'
// Running it twice: the same.
MATCH (m:Memory {id: $id})
WHERE m.space = $space
SET
  m.preamble = coalesce($preamble, m.preamble),
  m.preamble_by = CASE WHEN $preamble IS NULL THEN m.preamble_by ELSE $by END,
  m.embed_due = null
