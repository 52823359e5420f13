CYPHER 25
// Undo a supersession: the older memory is active again, until when it held before.
// It was locked in the same transaction.
// $space: string, whose
// $id: string, the memory that was superseded
// $forever: datetime, the open end, where nothing else is recorded
// returns: memory (map); no row where it is not superseded
// Running it twice: the second run finds it active and changes nothing.
MATCH (old:Memory {id: $id})
WHERE old.space = $space AND old.status = 'superseded'
SET
  old.status = 'active',
  old.valid_to = coalesce(old.valid_to_before, $forever),
  old.valid_to_before = null,
  old.closed_at = null,
  old.version = old.version + 1
WITH old
OPTIONAL MATCH (:Memory)-[s:SUPERSEDES]->(old)
DELETE s
WITH DISTINCT old
RETURN old {.*, embedding: null, embedding_b: null} AS memory
