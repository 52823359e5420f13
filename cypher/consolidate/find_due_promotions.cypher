CYPHER 25
// One batch of the memories whose promotion is due.
// $space: string, whose
// $after: string, id after which the batch begins
// $until: string, the last id that it may hold
// $batch_size: integer, how many at most
// $now: datetime, due by then
// returns: one row: ids (list of strings, ascending)
MATCH (m:Memory)
USING INDEX m:Memory(promote_due_at)
WHERE m.promote_due_at <= $now AND m.space = $space AND m.id > $after AND m.id <= $until
WITH m.id AS id ORDER BY id LIMIT $batch_size
RETURN collect(id) AS ids
