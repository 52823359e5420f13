CYPHER 25
// Say of one batch of turns whose thought each is, as its memory has it, and let facts be drawn from what people said and
// nobody has had forgotten.
// $space: string, whose
// $after: string, id after which the batch begins
// $batch_size: integer, turns looked at
// $user_tag: string, source tag of what a person said
// returns: one row: last (string, id of the last turn looked at; null when there was none)
// Running it twice: no change; turns that have a tag are left alone.
MATCH (t:Turn)
WHERE t.space = $space AND t.id > $after
WITH t ORDER BY t.space, t.id LIMIT $batch_size
WITH collect(t) AS batch
CALL (batch) {
  UNWIND batch AS t
  WITH t
  WHERE t.source_tag IS NULL
  SET t._lock = true
  REMOVE t._lock
  WITH collect(t) AS locked
  UNWIND locked AS t
  MATCH (t)<-[:DERIVED_FROM]-(m:Memory)
  WHERE t.source_tag IS NULL AND m.space = $space
  WITH t, m ORDER BY m.created_at, m.id
  WITH t, collect(m)[0] AS m
  SET
    t.source_tag = m.source_tag,
    t.extract_due_at = CASE WHEN m.source_tag = $user_tag AND m.status <> 'archived' THEN t.created_at END
  RETURN count(t) AS changed
}
RETURN CASE WHEN size(batch) > 0 THEN batch[-1].id END AS last
