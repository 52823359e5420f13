CYPHER 25
// Some memories of a space that a person may put into another status, in the order of ids; what a job has archived is none.
// $space: string, whose
// $from: list of strings, the statuses that they are in
// $after: string, id after which the batch begins
// $batch_size: integer, how many are looked at
// returns: one row: last (string, the last id; null where there was none), ids (list of strings)
MATCH (m:Memory)
WHERE m.space = $space AND m.id > $after
WITH m ORDER BY m.space, m.id LIMIT $batch_size
WITH collect(m) AS batch
RETURN batch[-1].id AS last, [m IN batch WHERE m.status IN $from AND m.archive_reason IS NULL | m.id] AS ids
